package models

import (
	"context"
	"fmt"
)

// Attempt is one try of an activity that failed. Code is safe to show; Detail
// is cleaned provider text, for staff only.
type Attempt struct {
	Run      string
	Activity string // the activity's id in its workflow
	Step     string // what it does, in plain words
	Number   int32
	Code     string
	Detail   string
}

func (a Attempt) dedupe(number int32) string {
	return fmt.Sprintf("attempt:%s:%s:%d", a.Run, a.Activity, number)
}

// message is what staff read of it.
func (a Attempt) message() string {
	if a.Detail == "" {
		return a.Code
	}
	return a.Code + ": " + a.Detail
}

// RecordAttempt adds a failed attempt to the order's story and raises its
// retry count; the same attempt counts once.
func (db *DB) RecordAttempt(ctx context.Context, orderID string, a Attempt) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		var known bool
		err := c.tx.orm(ctx).Raw("SELECT EXISTS (SELECT FROM order_events WHERE order_id = ? AND dedupe = ?)", orderID, a.dedupe(a.Number)).Row().Scan(&known)
		if err != nil {
			return fmt.Errorf("look for attempt: %w", err)
		}
		if known {
			return nil
		}
		message := a.message()
		c.Order.RetryCount++
		c.Order.LastError, c.Order.LastErrorAt = &message, &c.Now
		return c.Event(Event{Kind: "attempt_failed", Internal: true, Dedupe: a.dedupe(a.Number),
			Data: map[string]any{"step": a.Step, "attempt": a.Number, "code": a.Code}})
	})
}
