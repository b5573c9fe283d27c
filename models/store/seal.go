package store

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/internal/secret"
)

// ResealBatch bounds the rows and files sealed again in one round.
const ResealBatch = 100

// SealedFiles are the files of a table's rows in the bucket, each sealed for its row.
type SealedFiles struct {
	Table string
	ByKey bool   // sealed for the file's name instead of the row's id
	Kept  string // the condition of rows whose file is not deleted; empty: all
	Plain string // that of rows whose file may be from before files were sealed; empty: none
	Mark  string // what else is set of a row whose file is sealed
}

// SealedFile is the file of a row.
type SealedFile struct {
	ID, FileKey string
	Place       secret.Place
	Plain       bool // it may be plain
}

// File is the file of a row of the table.
func (f SealedFiles) File(id, key string, plain bool) SealedFile {
	place := secret.Place{Table: f.Table, Column: "file", ID: id}
	if f.ByKey {
		place.ID = key
	}
	return SealedFile{ID: id, FileKey: key, Place: place, Plain: plain}
}

// Due lists files after a row that are not known to be sealed with the current key.
func (f SealedFiles) Due(ctx context.Context, db *DB, current []byte, after string) ([]SealedFile, error) {
	var rows []struct {
		ID, FileKey string
		Plain       bool
	}
	query := db.ORM(ctx).Table(f.Table).Where("coalesce(sealed_with, '') < ? OR coalesce(sealed_with, '') > ?", current, current)
	if f.Kept != "" {
		query = query.Where(f.Kept)
	}
	if after != "" {
		query = query.Where("id > ?", after)
	}
	if err := query.Select("id, file_key, " + cmp.Or(f.Plain, "false") + " AS plain").Order("id").Limit(ResealBatch).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read files of %s to seal: %w", f.Table, err)
	}
	files := make([]SealedFile, len(rows))
	for i, row := range rows {
		files[i] = f.File(row.ID, row.FileKey, row.Plain)
	}
	return files, nil
}

// MarkSealed records the key that sealed a file; kept is false when it was purged meanwhile, so that it has to be deleted.
func (f SealedFiles) MarkSealed(ctx context.Context, db *DB, id string, with []byte) (kept bool, err error) {
	query := "UPDATE " + f.Table + " SET sealed_with = ?" + f.Mark + " WHERE id = ?"
	if f.Kept != "" {
		query += " AND " + f.Kept
	}
	marked := db.ORM(ctx).Exec(query, with, id)
	if marked.Error != nil {
		return false, fmt.Errorf("mark file of %s sealed: %w", f.Table, marked.Error)
	}
	return marked.RowsAffected == 1, nil
}

// FilesWithoutRow lists those files, by their names in the bucket, that no row of the tables has.
func FilesWithoutRow(ctx context.Context, db *DB, tables, keys []string) ([]string, error) {
	query := "SELECT key FROM unnest($1::text[]) AS key WHERE true"
	for _, table := range tables {
		query += " AND NOT EXISTS (SELECT FROM " + table + " WHERE file_key = key)"
	}
	rows, err := db.Pool().Query(ctx, query, keys)
	if err != nil {
		return nil, fmt.Errorf("find files without a row: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
