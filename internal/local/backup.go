package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/internal/local/postgres"
)

// BackUp copies the files of the stack's Postgres while it works, as pg_basebackup
// does, with the log that makes them whole.
func (s *Stack) BackUp(ctx context.Context, into string) (err error) {
	address, err := url.Parse(s.OwnerDSN())
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	address.User = url.UserPassword(postgres.Superuser, s.secrets["POSTGRES_PASSWORD"])
	conn, err := pgx.Connect(ctx, address.String())
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, "SELECT pg_backup_start('a copy', fast => true)"); err != nil {
		return fmt.Errorf("begin a backup: %w", err)
	}
	live := s.postgresFiles()
	if err := CopyFolder(live, into, func(path string) bool { return path == "pg_wal" || strings.HasPrefix(path, "postmaster.") }); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	var label string
	if err := conn.QueryRow(ctx, "SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)").Scan(&label); err != nil {
		return fmt.Errorf("end a backup: %w", err)
	}
	if err := os.WriteFile(filepath.Join(into, "backup_label"), []byte(label), 0o600); err != nil {
		return err
	}
	return CopyFolder(filepath.Join(live, "pg_wal"), filepath.Join(into, "pg_wal"), nil)
}

// PutBack puts a backup in the place of the files of the stack's Postgres, which is
// down. Cut off in its middle it is done again.
func (s *Stack) PutBack(from string) error {
	live := s.postgresFiles()
	var owner syscall.Stat_t
	if err := syscall.Stat(filepath.Dir(live), &owner); err != nil {
		return err
	}
	if err := os.RemoveAll(live); err != nil {
		return err
	}
	if err := CopyFolder(from, live, nil); err != nil {
		return fmt.Errorf("put a backup back: %w", err)
	}
	return filepath.WalkDir(live, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}

func (s *Stack) postgresFiles() string {
	return filepath.Join(s.options.DataDir, "postgres", "data")
}

// NoteRestored executes the steps of docs/operations.md for a restored backup, before any
// worker starts.
func (s *Stack) NoteRestored(ctx context.Context) error { return s.once(ctx, "admin", "restored") }

// CopyFolder copies a folder in which files come and go, without what is left out;
// nil leaves out nothing.
func CopyFolder(from, to string, without func(path string) bool) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case without != nil && without(name) && entry.IsDir():
			return fs.SkipDir
		case without != nil && without(name):
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), raw, 0o600)
	})
}
