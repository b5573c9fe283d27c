package store

import (
	"context"
	"fmt"
	"time"
)

// pruneBatch bounds one statement that prunes.
const pruneBatch = 1000

// Pruned says which rows of a table are deleted once they are older than they are kept.
type Pruned struct {
	Table string
	Age   string // the expression of an index, since when a row is old
	If    string // a condition beside; none: all
}

// Prune deletes a batch of the rows that are older than kept, the oldest first; more says that there may be more.
// Zero keeps them all.
func (db *DB) Prune(ctx context.Context, p Pruned, kept time.Duration) (done int64, more bool, err error) {
	if kept == 0 {
		return 0, false, nil
	}
	where := p.Age + " < clock_now() - CAST(? AS interval)"
	if p.If != "" {
		where += " AND " + p.If
	}
	result := db.ORM(ctx).Exec("DELETE FROM "+p.Table+" WHERE ctid = ANY (ARRAY(SELECT ctid FROM "+p.Table+" WHERE "+where+" ORDER BY "+p.Age+" LIMIT ?))",
		Seconds(kept), pruneBatch)
	if result.Error != nil {
		return 0, false, fmt.Errorf("prune %s: %w", p.Table, result.Error)
	}
	return result.RowsAffected, result.RowsAffected == pruneBatch, nil
}
