package store

import (
	"context"
	"fmt"
	"time"
)

// How long one roll-up waits for transactions that were there before it; the
// next one comes soon.
const (
	rollUpWait = time.Second
	rollUpLook = 5 * time.Millisecond
)

// Settled gives the newest id of a table whose writers draw a transaction id before, and reports whether every row up
// to it is there by now.
func (db *DB) Settled(ctx context.Context, table string) (newest int64, settled bool, err error) {
	var next int64
	if err := db.Pool().QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM "+table).Scan(&newest); err != nil {
		return 0, false, fmt.Errorf("read the newest of %s: %w", table, err)
	}
	if err := db.Pool().QueryRow(ctx, "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)").Scan(&next); err != nil {
		return 0, false, fmt.Errorf("draw a transaction id: %w", err)
	}
	settled, err = db.settledBefore(ctx, next)
	return newest, settled, err
}

// settledBefore waits for a while until every transaction older than next has
// ended, and reports whether it has.
func (db *DB) settledBefore(ctx context.Context, next int64) (settled bool, err error) {
	for deadline := time.Now().Add(rollUpWait); ; {
		err := db.Pool().QueryRow(ctx, "SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) >= $1", next).Scan(&settled)
		if err != nil {
			return false, fmt.Errorf("read running transactions: %w", err)
		}
		if settled || time.Now().After(deadline) {
			return settled, nil
		}
		select {
		case <-time.After(rollUpLook):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
