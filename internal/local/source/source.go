// Package source finds the Go files that completeness tests read.
package source

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// ErrNone is returned if a folder holds no Go file: a completeness test that reads no file proves nothing.
var ErrNone = errors.New("no Go file")

// Files returns the paths of all Go files below a folder, at any depth, in lexical order. Tests and testdata are left
// out.
func Files(root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			paths = append(paths, path)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = ErrNone
	}
	return paths, err
}
