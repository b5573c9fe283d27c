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

func (a Attempt) dedupe() string {
	return fmt.Sprintf("attempt:%s:%s:%d", a.Run, a.Activity, a.Number)
}

// message is what staff read of it.
func (a Attempt) message() string {
	if a.Detail == "" {
		return a.Code
	}
	return a.Code + ": " + a.Detail
}

// event is how the attempt is told of in a story.
func (a Attempt) event() Event {
	return Event{Kind: "attempt_failed", Internal: true, Dedupe: a.dedupe(), Data: map[string]any{"step": a.Step, "attempt": a.Number, "code": a.Code}}
}

// isTold reports whether a story holds the attempt already: events is the table
// of stories, of the column that says whose they are.
func (a Attempt) isTold(ctx context.Context, tx *DB, events, of, id string) (told bool, err error) {
	err = tx.orm(ctx).Raw("SELECT EXISTS (SELECT FROM "+events+" WHERE "+of+" = ? AND dedupe = ?)", id, a.dedupe()).Row().Scan(&told)
	if err != nil {
		return false, fmt.Errorf("look for attempt: %w", err)
	}
	return told, nil
}

// RecordAttempt adds a failed attempt to the order's story and raises its
// retry count; the same attempt counts once.
func (db *DB) RecordAttempt(ctx context.Context, orderID string, a Attempt) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if told, err := a.isTold(ctx, c.tx, "order_events", "order_id", orderID); told || err != nil {
			return err
		}
		message := a.message()
		c.Order.RetryCount++
		c.Order.LastError, c.Order.LastErrorAt = &message, &c.Now
		return c.Event(a.event())
	})
}
