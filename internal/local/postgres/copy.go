package postgres

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Follow has a standby that runs follow another primary from now on, by its superuser's address. Its connection to the
// one before is given up.
func (c *Cluster) Follow(ctx context.Context, primary string) error {
	conn, err := pgx.Connect(ctx, c.AdminURL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "ALTER SYSTEM SET primary_conninfo = "+quote(primary)); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT pg_reload_conf()")
	return err
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// copyPrimary fills a data folder with a base backup of the primary and what WAL it needs. A server started on it
// follows the primary.
func (c *Cluster) copyPrimary(ctx context.Context, side string) error {
	config, err := pgconn.ParseConfig(c.opts.Primary)
	if err != nil {
		return err
	}
	config.RuntimeParams["replication"] = "true"
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := pglogrepl.StartBaseBackup(ctx, conn, pglogrepl.BaseBackupOptions{Label: "copy", Fast: true, WAL: true}); err != nil {
		return fmt.Errorf("base backup: %w", err)
	}
	if err := pglogrepl.NextTableSpace(ctx, conn); err != nil {
		return err
	}
	read, write := io.Pipe()
	go func() { _ = write.CloseWithError(receive(ctx, conn, write)) }() // the reader gets it
	if err := c.unpack(read, side); err != nil {
		_ = read.Close() // never fails
		return fmt.Errorf("base backup: %w", err)
	}
	if _, err := pglogrepl.FinishBaseBackup(ctx, conn); err != nil {
		return err
	}
	followed := strings.NewReader("primary_conninfo = " + quote(c.opts.Primary) + "\n") // whatever stood there before
	return errors.Join(c.put(filepath.Join(side, "postgresql.auto.conf"), 0o600, followed), c.put(filepath.Join(side, "standby.signal"), 0o600, strings.NewReader("")))
}

// receive writes the tar that the server sends.
func receive(ctx context.Context, conn *pgconn.PgConn, tar io.Writer) error {
	for {
		message, err := conn.ReceiveMessage(ctx)
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *pgproto3.CopyData:
			if m.Data[0] != 'd' { // the name of the one tar
				continue
			}
			if _, err := tar.Write(m.Data[1:]); err != nil {
				return err
			}
		case *pgproto3.CopyDone:
			return nil
		case *pgproto3.ErrorResponse:
			return pgconn.ErrorResponseToPgError(m)
		}
	}
}

// unpack makes folders and files of a tar, as the server's account owns them.
func (c *Cluster) unpack(from io.Reader, side string) error {
	if err := c.folder(side); err != nil {
		return err
	}
	for files := tar.NewReader(from); ; {
		next, err := files.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, from) // what fills the last block
			return err
		}
		if err != nil {
			return err
		}
		path := filepath.Join(side, filepath.Clean("/"+next.Name))
		switch next.Typeflag {
		case tar.TypeDir:
			err = c.folder(path)
		case tar.TypeReg:
			err = c.put(path, os.FileMode(next.Mode).Perm(), files)
		default:
			err = fmt.Errorf("%s is neither a file nor a folder", next.Name)
		}
		if err != nil {
			return err
		}
	}
}

func (c *Cluster) folder(path string) error {
	return errors.Join(os.MkdirAll(path, 0o700), os.Lchown(path, c.account.uid, c.account.gid))
}

func (c *Cluster) put(path string, mode os.FileMode, content io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close(), os.Lchown(path, c.account.uid, c.account.gid))
}
