package store

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// OrphanTable is a table whose open rows each have a workflow. It has the columns
// created_at, workflow_started_at and swept_at.
type OrphanTable struct {
	Table     string
	Key       string // the columns of its primary key; none: id
	Open      string // the condition of open rows; none: closed_at IS NULL
	Since     string // the column from which on a row may be late; none: created_at
	Due       bool   // it has the column wake_at, when something is due
	Returning string
}

// Orphans finds open rows whose workflow may not run: it was never started, or not
// checked for revive, or something has been due for grace. It records the check, so
// that each row comes up once in a while only.
func Orphans[T any](ctx context.Context, db *DB, t OrphanTable, grace, revive time.Duration, limit int) ([]T, error) {
	key, open, since, due := cmp.Or(t.Key, "id"), cmp.Or(t.Open, "closed_at IS NULL"), cmp.Or(t.Since, "created_at"), ""
	if t.Due {
		due = " OR wake_at < clock_now() - CAST(@grace AS interval)"
	}
	var rows []T
	err := db.ORM(ctx).Raw(`
		UPDATE `+t.Table+` SET swept_at = clock_now() WHERE (`+key+`) IN (
		  SELECT `+key+` FROM `+t.Table+` WHERE `+open+` AND `+since+` < clock_now() - CAST(@grace AS interval)
		     AND ((workflow_started_at IS NULL`+due+`) AND (swept_at IS NULL OR swept_at < clock_now() - CAST(@grace AS interval))
		       OR greatest(swept_at, workflow_started_at) < clock_now() - CAST(@revive AS interval))
		   ORDER BY created_at LIMIT @limit FOR UPDATE SKIP LOCKED)
		RETURNING `+t.Returning, map[string]any{"grace": Seconds(grace), "revive": Seconds(revive), "limit": limit}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find orphans in %s: %w", t.Table, err)
	}
	return rows, nil
}
