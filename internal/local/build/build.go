// Package build finds the checkout and builds its binaries with the Go
// toolchain, whose cache makes a second build take no time.
package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tradepost/tradepost/internal/local/process"
)

const module = "module github.com/tradepost/tradepost\n"

// Root is the checkout's folder: the nearest one above the working directory
// that holds the product's go.mod.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		raw, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(raw), module) {
			return dir, nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside a checkout of tradepost", start)
		}
	}
}

// PostgresModule is the folder of the npm package that pins Postgres.
func PostgresModule(root string) string {
	return filepath.Join(root, "internal", "local", "postgres")
}

// Target is a program of the checkout.
type Target struct {
	// Name of the binary.
	Name string
	// Module is the folder of its Go module, relative to the root.
	Module string
	// Package is the main package, relative to the module.
	Package string
}

// Temporal is the server with its web UI, a module of its own.
var Temporal = Target{Name: "temporal", Module: "internal/local/temporal", Package: "."}

// Binary builds a target into the folder bin and returns its path. The
// compiler's messages are in the error.
func Binary(ctx context.Context, root, bin string, target Target) (string, error) {
	out := filepath.Join(bin, target.Name)
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", out, target.Package)
	cmd.Dir = filepath.Join(root, target.Module)
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	if err := process.Run(cmd); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", target.Name, err, said.String())
	}
	return out, nil
}
