package reconciliation

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// neverSettledAfter is how old a line is that has not settled when it becomes a break. It exceeds the time in which
// custody ends a deposit that the network dropped.
const neverSettledAfter = 16 * 24 * time.Hour

// unsettledKind is the kind of a break about a line that does not settle. Its effect
// is the line's own, and both sides of it are zero.
const unsettledKind = "unsettled"

// Unread is the kind of a line that could not be read, and of the break about it. Its state says why, and its money is
// zero. A line that can be read later has its own kind from then on.
const Unread = "unread"

// unsettledBreaks is the condition of the breaks about lines that do not settle, or cannot be read.
const unsettledBreaks = "(b.key LIKE '" + unsettledKind + ":%' OR b.key LIKE '" + Unread + ":%')"

// openUnsettled opens a break for each line that has not settled for too long, and at once for one that cannot be read.
// A line is read again once a day while it is young enough to be read at all.
func openUnsettled(ctx context.Context, db *store.DB) (int, error) {
	opened := db.ORM(ctx).Exec(`WITH late AS (
		  SELECT DISTINCT ON (holder, id) holder, CASE kind WHEN '`+Unread+`' THEN kind ELSE '`+unsettledKind+`' END || ':' || id AS key, currency, network, at
		    FROM statement_lines WHERE NOT settled AND (kind = '`+Unread+`' OR at < clock_now() - CAST(? AS interval))
		   ORDER BY holder, id, amount <> 0 DESC, currency),
		effects AS (INSERT INTO reconciled_effects (holder, key, currency, network, last_at) SELECT holder, key, currency, network, at FROM late ON CONFLICT DO NOTHING)
		INSERT INTO reconciliation_breaks (holder, key, currency, booked, told) SELECT holder, key, currency, 0, 0 FROM late l
		 WHERE NOT EXISTS (SELECT FROM reconciliation_breaks b WHERE (b.holder, b.key) = (l.holder, l.key) AND b.closed_at IS NULL)
		ON CONFLICT DO NOTHING`, store.Seconds(neverSettledAfter))
	if opened.Error != nil {
		return 0, fmt.Errorf("open breaks of lines: %w", opened.Error)
	}
	return int(opened.RowsAffected), nil
}

// closeSettled closes the breaks about lines that have settled after all, or can be read by now.
func closeSettled(ctx context.Context, db *store.DB) (int, error) {
	done := db.ORM(ctx).Exec(`UPDATE reconciliation_breaks b SET closed_at = clock_now(), outcome = 'agreed' WHERE b.closed_at IS NULL AND ` + unsettledBreaks + `
		AND NOT EXISTS (SELECT FROM statement_lines l WHERE l.holder = b.holder AND l.id = substr(b.key, strpos(b.key, ':') + 1) AND NOT l.settled
		    AND (l.kind = '` + Unread + `') = (b.key LIKE '` + Unread + `:%'))`)
	if done.Error != nil {
		return 0, fmt.Errorf("close breaks of lines: %w", done.Error)
	}
	return int(done.RowsAffected), nil
}

// EndBreak closes a break about a line that does not settle, or cannot be read: a person has checked it at the provider, and nothing
// more is expected. The line counts as settled unless it changes.
func EndBreak(ctx context.Context, db *store.DB, id string, by store.Actor) error {
	if by.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		b, now, err := store.LockedRow[Break](ctx, tx, "reconciliation_breaks", id, "Break")
		if err != nil {
			return err
		}
		switch {
		case b.ClosedAt != nil:
			return store.Conflict("break_closed", "This break is already closed")
		case !b.Unsettled():
			return store.Conflict("break_differs", "The two sides don't agree. Book the difference.")
		}
		err = tx.ORM(ctx).Exec("UPDATE statement_lines SET settled = true WHERE holder = ? AND id = ?", b.Holder, b.Subject()).Error
		if err != nil {
			return fmt.Errorf("end a line: %w", err)
		}
		outcome := BreakEnded
		b.ClosedAt, b.Outcome, b.Reason, b.ClosedBy = &now, &outcome, &by.Reason, &by.ActorID
		if err := tx.ORM(ctx).Select(breakChanges).Updates(b).Error; err != nil {
			return fmt.Errorf("store break: %w", err)
		}
		return auditBreak(ctx, tx, b, "break.ended", by, map[string]any{})
	})
}

// Unsettled reports whether the break is about a line that does not settle, or cannot be read.
func (b *Break) Unsettled() bool { return b.Kind() == unsettledKind || b.Kind() == Unread }
