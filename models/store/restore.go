package store

import (
	"context"
	"fmt"
	"time"
)

// RecordRestore records that a backup was restored.
func RecordRestore(ctx context.Context, tx *DB) error {
	return tx.Exec(ctx, "INSERT INTO restores DEFAULT VALUES")
}

// RestoredSince reports whether something of a record made at a moment may have been sent after a backup that was
// restored since: its row may lack that, or be missing and its number be used again, also where it had ended.
func RestoredSince(ctx context.Context, db *DB, made time.Time) (maybe bool, err error) {
	if err := db.Row(ctx, "SELECT EXISTS (SELECT FROM restores WHERE at >= $1)", made).Scan(&maybe); err != nil {
		return false, fmt.Errorf("look for a restore: %w", err)
	}
	return maybe, nil
}
