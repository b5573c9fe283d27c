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
		c.Order.LastError, c.Order.LastErrorAt, c.Order.NextAttemptAt = &message, &c.Now, nil
		if a.Again > 0 {
			next := c.Now.Add(a.Again)
			c.Order.NextAttemptAt = &next
		}
		return c.Event(a.Event())
	})
}

// A step that failed once is no news: an order counts as retrying when it has not moved for
// retriedFor and an attempt failed after that. Of those, the first mostRetried are counted.
const (
	retriedFor  = 20 * time.Second
	mostRetried = 200
)

// Retrying counts the orders whose step keeps failing and is attempted again by itself, and
// says since when the first of them has not moved. It is nil where there are none.
func Retrying(ctx context.Context, db *store.DB) (count int, since *time.Time, err error) {
	err = db.Row(ctx, `SELECT count(*), min(moved_at) FROM (SELECT moved_at, last_error_at FROM orders
		WHERE closed_at IS NULL AND attention_reason IS NULL AND status IN ('fulfilling', 'filled') AND moved_at < clock_now() - CAST($1 AS interval)
		ORDER BY moved_at LIMIT $2) o WHERE last_error_at > moved_at + CAST($1 AS interval)`, store.Seconds(retriedFor), mostRetried).Scan(&count, &since)
	if err != nil {
		return 0, nil, fmt.Errorf("count orders that are retried: %w", err)
	}
	return count, since, nil
}
