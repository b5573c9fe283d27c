package rest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"log/slog"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/store"
)

// Sealed keeps pictures in a bucket, each sealed for its row.
type Sealed struct {
	Files *blob.Bucket
	Vault *secret.Keys
	Log   *slog.Logger
}

// Write stores a picture and returns the key that sealed it. A bucket that is away or full is answered as a database is.
func (s Sealed) Write(ctx context.Context, file store.SealedFile, content []byte) (with []byte, err error) {
	sealed, err := s.Vault.Seal(file.Place, content)
	if err != nil {
		return nil, err
	}
	err = bucket.Write(ctx, s.Files, file.FileKey, sealed, blob.WriterOptions{})
	if err != nil && ctx.Err() == nil {
		s.Log.ErrorContext(ctx, "the bucket stores no file", "request_id", RequestID(ctx), "error", err)
		err = unavailable()
	}
	return s.Vault.Current(), err
}

// Read returns a picture; stale says that the current key did not seal it. One that may be plain may also have
// been sealed by a replica that died before it recorded that.
func (s Sealed) Read(ctx context.Context, file store.SealedFile) (content []byte, stale bool, err error) {
	stored, err := s.Files.ReadAll(ctx, file.FileKey)
	if err != nil {
		return nil, false, err
	}
	content, err = s.Vault.Open(file.Place, stored)
	if err == nil {
		return content, s.Vault.Stale(stored), nil
	}
	if _, format, bad := image.DecodeConfig(bytes.NewReader(stored)); file.Plain && bad == nil && format != "" {
		return stored, true, nil
	}
	return nil, false, fmt.Errorf("open file %s: %w", file.ID, err)
}

// Answer shows a picture in the browser. A document is downloaded: a browser's viewer runs what a sandbox would not.
func (s Sealed) Answer(ctx context.Context, file store.SealedFile, contentType string) (*FileAnswer, error) {
	content, _, err := s.Read(ctx, file)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, NotFound()
	}
	if err != nil {
		return nil, err
	}
	disposition := "inline"
	if contentType == PDF {
		disposition = `attachment; filename="receipt.pdf"`
	}
	return &FileAnswer{ContentType: contentType, Disposition: disposition, Policy: "sandbox; default-src 'none'; frame-ancestors 'none'", Body: content}, nil
}

// Reseal seals with the current key the pictures that are plain or sealed with an earlier one. Each is written over as
// a whole, so that a crash leaves it readable in one form or the other.
func (s Sealed) Reseal(ctx context.Context, db *store.DB, of store.SealedFiles) error {
	after := ""
	for {
		files, err := of.Due(ctx, db, s.Vault.Current(), after)
		if err != nil || len(files) == 0 {
			return err
		}
		for _, file := range files {
			after = file.ID
			if err := s.reseal(ctx, db, of, file); err != nil {
				s.Log.WarnContext(ctx, "a file is not sealed with the current key yet", "table", of.Table, "file", after, "error", err)
			}
		}
	}
}

func (s Sealed) reseal(ctx context.Context, db *store.DB, of store.SealedFiles, file store.SealedFile) error {
	content, stale, err := s.Read(ctx, file)
	if err == nil && stale {
		_, err = s.Write(ctx, file, content)
	}
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	kept, err := of.MarkSealed(ctx, db, file.ID, s.Vault.Current())
	if err != nil || kept {
		return err
	}
	// It was purged meanwhile, and may have been erased before it was written over.
	if err := s.Files.Delete(ctx, file.FileKey); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	return nil
}

// listedAtOnce is how many files are looked up in one query.
const listedAtOnce = 1000

// RemoveWithoutRow removes the files from before a moment that no row of the tables has: a process ended between a file
// and its row. A file of another form than ours stays, and all do when those are more than a tenth: the bucket is another's.
func (s Sealed) RemoveWithoutRow(ctx context.Context, db *store.DB, tables []string, before time.Time) error {
	var without []string
	all := 0
	for token := blob.FirstPageToken; token != nil; {
		page, next, err := s.Files.ListPage(ctx, token, listedAtOnce, &blob.ListOptions{Delimiter: "/"})
		if err != nil {
			return fmt.Errorf("list the bucket: %w", err)
		}
		var keys []string
		for _, file := range page {
			if bucket.Named(file.Key) && file.ModTime.Before(before) {
				keys = append(keys, file.Key)
			}
		}
		found, err := store.FilesWithoutRow(ctx, db, tables, keys)
		if err != nil {
			return err
		}
		all, without, token = all+len(keys), append(without, found...), next
	}
	if 10*len(without) > all {
		return fmt.Errorf("%d of %d files have no row: none is removed", len(without), all)
	}
	for _, key := range without {
		if err := s.Files.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("remove a file without a row: %w", err)
		}
		s.Log.InfoContext(ctx, "a file without a row is removed", "file", key)
	}
	return nil
}
