package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// source is the commit that a release is built from.
type source struct {
	root   string
	commit string
	at     time.Time // of the commit: the date of every file
}

var errChanged = errors.New("the checkout has changes: a release is built from a commit")

// readSource reads the commit of the checkout that holds dir; one with changes is refused.
func readSource(ctx context.Context, dir string) (source, error) {
	var said [4]string
	for i, args := range [][]string{{"rev-parse", "--show-toplevel"}, {"rev-parse", "HEAD"}, {"log", "-1", "--format=%ct"}, {"status", "--porcelain"}} {
		var out bytes.Buffer
		if err := run(ctx, dir, nil, &out, "git", args...); err != nil {
			return source{}, err
		}
		said[i] = strings.TrimSpace(out.String())
	}
	if said[3] != "" {
		return source{}, fmt.Errorf("%w:\n%s", errChanged, said[3])
	}
	seconds, err := strconv.ParseInt(said[2], 10, 64)
	if err != nil {
		return source{}, fmt.Errorf("the commit's date: %w", err)
	}
	return source{root: said[0], commit: said[1], at: time.Unix(seconds, 0).UTC()}, nil
}

// compile builds programs for a platform; nothing of this machine is in them.
func compile(ctx context.Context, from source, version, platform, bin string, programs map[string]string) error {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("platform %s: GOOS/GOARCH is wanted", platform)
	}
	env := append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GOFLAGS=") }),
		"CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	const stamp = "github.com/prometheus/common/version"
	flags := fmt.Sprintf("-s -w -buildid= -X %s.Version=%s -X %s.Revision=%s", stamp, version, stamp, from.commit)
	for name, pkg := range programs {
		if err := run(ctx, from.root, env, os.Stderr, "go", "build", "-trimpath", "-buildvcs=false", "-tags=nomsgpack", "-ldflags="+flags,
			"-o", filepath.Join(bin, name), pkg); err != nil {
			return err
		}
	}
	return nil
}

// run runs a command of the toolchain; its errors name it.
func run(ctx context.Context, dir string, env []string, out io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
