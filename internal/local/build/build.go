// Package build finds the checkout and builds its binaries with the Go toolchain, whose
// cache makes a second build fast.
package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

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

// TemporalModule is the folder of the local Temporal server, which is a Go module
// of its own.
func TemporalModule(root string) string {
	return filepath.Join(root, "internal", "local", "temporal")
}

// Temporal builds the local Temporal server and returns the binary's path.
func Temporal(ctx context.Context, root, bin string) (string, error) {
	out := filepath.Join(bin, "temporal")
	return out, link(ctx, TemporalModule(root), out, nil, ".")
}

// Prometheus builds Prometheus and its promtool, which are a Go module of their own, into the folder bin: without
// the service discoveries that prometheus.yml does not use, most of what they would compile.
func Prometheus(ctx context.Context, root, bin string) error {
	module := filepath.Join(root, "deploy", "observability", "prometheus")
	return link(ctx, module, bin+string(filepath.Separator), []string{"-tags=remove_all_sd,enable_dns_sd"}, "tool")
}

// Programs builds several programs of the product into the folder bin, each
// under the last element of its package's path. Flags are the toolchain's.
func Programs(ctx context.Context, root, bin string, flags []string, packages ...string) error {
	return link(ctx, root, bin+string(filepath.Separator), flags, packages...)
}

// Program builds one program into the folder bin under another name.
func Program(ctx context.Context, root, bin, name string, flags []string, pkg string) error {
	return link(ctx, root, filepath.Join(bin, name), flags, pkg)
}

// linked are the builds of this process. Even with nothing to do, the toolchain reads every
// package again: seconds for each of the many stacks that one test process starts.
var linked sync.Map

// link builds programs, once a process; the compiler's messages are in the error.
func link(ctx context.Context, dir, out string, flags []string, packages ...string) error {
	args := slices.Concat([]string{"build", "-ldflags=-s -w", "-o", out}, tagged(flags), packages)
	key := strings.Join(append(args, dir), "\x00")
	if _, done := linked.Load(key); done {
		return nil
	}
	var said bytes.Buffer
	cmd := toolchain(ctx, dir, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := process.Run(cmd); err != nil {
		return fmt.Errorf("building %s: %w\n%s", strings.Join(packages, " "), err, said.String())
	}
	linked.Store(key, true)
	return nil
}

// Lock holds an exclusive lock on an existing file, against other processes of
// this machine too, until the returned func is called.
func Lock(path string) (func(), error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
