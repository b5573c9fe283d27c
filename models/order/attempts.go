package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/store"
)

// RecordAttempt adds a failed attempt to the order's timeline and raises its
// retry count; the same attempt counts once.
func RecordAttempt(ctx context.Context, db *store.DB, orderID string, a execution.Attempt) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if recorded, err := a.Recorded(ctx, c.Tx, "order_events", "order_id", orderID); recorded || err != nil {
			return err
		}
		message := a.Message()
		c.Order.RetryCount++
		c.Order.LastError, c.Order.LastErrorAt = &message, &c.Now
		return c.Event(a.Event())
	})
}

// retriedFor is how long a step has to have failed before its order counts as retrying: a
// single attempt that failed is no news.
const retriedFor = 10 * time.Second

// Retrying counts the orders whose step keeps failing and is retried automatically, and gives since when the first of
// them has not moved; nil where there are none.
func Retrying(ctx context.Context, db *store.DB) (count int, since *time.Time, err error) {
	err = db.Row(ctx, `SELECT count(*), min(moved_at) FROM orders WHERE closed_at IS NULL AND attention_reason IS NULL AND status IN ('fulfilling', 'filled')
		AND last_error_at > moved_at + CAST($1 AS interval)`, store.Seconds(retriedFor)).Scan(&count, &since)
	if err != nil {
		return 0, nil, fmt.Errorf("count orders that are retried: %w", err)
	}
	return count, since, nil
}
