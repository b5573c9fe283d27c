package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/tradepost/tradepost/internal/local/process"
)

// stamp is the file beside an output that records its sources.
const stamp = ".made-from"

// Web installs the web app's packages and builds it into web/dist, each only when what it
// is made from has changed. npm's output is written to progress.
func Web(ctx context.Context, root string, progress io.Writer) error {
	web := filepath.Join(root, "web")
	if err := WebPackages(ctx, root, progress); err != nil {
		return err
	}
	unlock, err := Lock(filepath.Join(web, "package.json"))
	if err != nil {
		return err
	}
	defer unlock()
	sources, err := fingerprint(web, "node_modules", "dist", "e2e", "test-results", "playwright-report", "coverage")
	if err != nil {
		return err
	}
	return unlessMade(filepath.Join(web, "dist"), sources, func() error {
		return npm(ctx, web, progress, "run", "build")
	})
}

// WebPackages installs what web/package-lock.json pins.
func WebPackages(ctx context.Context, root string, progress io.Writer) error {
	web := filepath.Join(root, "web")
	unlock, err := Lock(filepath.Join(web, "package.json"))
	if err != nil {
		return err
	}
	defer unlock()
	lock, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(lock)
	if installedByHand(web) {
		return nil
	}
	return unlessMade(filepath.Join(web, "node_modules"), hex.EncodeToString(sum[:]), func() error {
		return npm(ctx, web, progress, "ci", "--no-audit", "--no-fund")
	})
}

// installedByHand reports whether the developer ran npm since the lock file last changed:
// npm's own record in node_modules is then the newer one.
func installedByHand(web string) bool {
	pinned, err := os.Stat(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return false
	}
	installed, err := os.Stat(filepath.Join(web, "node_modules", ".package-lock.json"))
	return err == nil && installed.ModTime().After(pinned.ModTime())
}

func npm(ctx context.Context, dir string, progress io.Writer, args ...string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("the web app needs Node.js with npm (20.19 or later)")
	}
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, progress, progress
	if err := process.Run(cmd); err != nil {
		return fmt.Errorf("npm %s in %s: %w", args[0], dir, err)
	}
	return nil
}

// unlessMade makes the folder out unless its stamp records the same sources.
func unlessMade(out, sources string, work func() error) error {
	path := filepath.Join(out, stamp)
	if made, err := os.ReadFile(path); err == nil && string(made) == sources {
		return nil
	}
	if err := work(); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(sources), 0o600)
}

// fingerprint sums up the files below a folder, without some folders of it.
func fingerprint(root string, without ...string) (string, error) {
	hash := sha256.New()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(without, path) {
				return fs.SkipDir
			}
			return nil
		}
		raw, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(hash, "%s %d\n%s", path, len(raw), raw)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}
