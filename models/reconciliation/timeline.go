package reconciliation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// The kinds of events in a break's timeline.
const (
	BreakEarlier   = "earlier" // another break of the same effect, before this one
	BreakFound     = "found"
	BreakProposed  = "proposed"
	BreakRejected  = "rejected"
	BreakWithdrawn = "withdrawn"
	BreakApproved  = "approved" // and booked, by a second person
	BreakStill     = "still"    // the last comparison saw it again
	BreakAgain     = "again"    // another break of the same effect, after this one
)

// BreakEvents lists them, with the ways a break ends.
var BreakEvents = []string{BreakEarlier, BreakFound, BreakProposed, BreakRejected, BreakWithdrawn, BreakApproved, BreakBooked, BreakEnded, BreakAgreed, BreakStill, BreakAgain}

// BreakEvent is one step of a break's timeline. It is read from what is kept anyway:
// the break itself, the other breaks of its effect, and the audit log, which has
// who decided what and why.
type BreakEvent struct {
	At      time.Time
	Kind    string
	Actor   *string // an e-mail address; nil is the system
	Account *string // that was to bear the difference
	Amount  *string // the difference then, in whole dollars or coins
	Reason  *string
	Other   *string // the other break's id
}

// timelineMost bounds how many other breaks of one effect are listed.
const timelineMost = 20

// BreakTimeline reads what happened to a break, from its beginning.
func BreakTimeline(ctx context.Context, db *store.DB, b *Break) ([]BreakEvent, error) {
	var decided []BreakEvent
	err := db.ORM(ctx).Raw(`SELECT a.at, CASE WHEN a.after ->> 'proposedBy' IS NOT NULL THEN ? ELSE substr(a.action, 7) END AS kind, u.email AS actor,
			a.after ->> 'account' AS account, a.after ->> 'difference' AS amount, nullif(a.reason, '') AS reason
		  FROM audit_log a LEFT JOIN users u ON u.id = a.actor_id WHERE a.object_kind = 'break' AND a.object_id = ? ORDER BY a.id`, BreakApproved, b.ID).Scan(&decided).Error
	if err != nil {
		return nil, fmt.Errorf("read what was decided about a break: %w", err)
	}
	var others []BreakEvent
	err = db.ORM(ctx).Raw(`SELECT created_at AS at, CASE WHEN (created_at, id) < (?, CAST(? AS uuid)) THEN ? ELSE ? END AS kind, id AS other FROM reconciliation_breaks
		 WHERE holder = ? AND key = ? AND currency = ? AND id <> ? ORDER BY created_at DESC LIMIT ?`,
		b.CreatedAt, b.ID, BreakEarlier, BreakAgain, b.Holder, b.Key, b.Currency, b.ID, timelineMost).Scan(&others).Error
	if err != nil {
		return nil, fmt.Errorf("read the other breaks of an effect: %w", err)
	}
	timeline := append(others, BreakEvent{At: b.CreatedAt, Kind: BreakFound})
	timeline = append(timeline, decided...)
	last, err := lastOf(ctx, db, b)
	if err != nil {
		return nil, err
	}
	if last != nil {
		timeline = append(timeline, *last)
	}
	slices.SortStableFunc(timeline, func(x, y BreakEvent) int { return x.At.Compare(y.At) })
	return timeline, nil
}

// lastOf is how a break ended automatically, or when it was seen last; nil when a person ended it, which the audit
// log has, or it was not checked since.
func lastOf(ctx context.Context, db *store.DB, b *Break) (*BreakEvent, error) {
	switch {
	case b.ClosedAt != nil && *b.Outcome == BreakAgreed:
		return &BreakEvent{At: *b.ClosedAt, Kind: BreakAgreed}, nil
	case b.ClosedAt != nil:
		return nil, nil
	}
	var compared *time.Time
	if err := db.ORM(ctx).Raw("SELECT compared_at FROM reconciliation_progress").Row().Scan(&compared); err != nil {
		return nil, fmt.Errorf("read when was compared: %w", err)
	}
	if compared == nil || !compared.After(b.CreatedAt) {
		return nil, nil
	}
	difference := b.Currency.Format(b.Difference())
	return &BreakEvent{At: *compared, Kind: BreakStill, Amount: &difference}, nil
}

// Kind is what a break's effect is: charge, refund, dispute, fill, transfer, …
func (b *Break) Kind() string { kind, _, _ := strings.Cut(b.Key, ":"); return kind }

// Subject is the id that its provider gives the effect.
func (b *Break) Subject() string { _, subject, _ := strings.Cut(b.Key, ":"); return subject }
