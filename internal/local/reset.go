package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// MonthNote is the file in a data folder that records the progress of a month of business
// (e2e/campaign): what it refers to is erased with the rest.
const MonthNote = "demo.json"

// Reset forgets all state of a data folder and keeps the built binaries. It
// refuses a folder in use, and one that no launcher has made.
func Reset(options Options) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	dir := options.DataDir
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		return fmt.Errorf("%s is not a data folder of ours: not clearing it", dir)
	}
	s := &Stack{options: options}
	if err := s.lockFolder(); err != nil {
		return err
	}
	defer func() { _ = s.lock.Close() }()
	for _, name := range []string{"postgres", "temporal", "sandbox", "files", "secrets", "logs", MonthNote} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
