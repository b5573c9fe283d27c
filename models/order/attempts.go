package order

import (
	"context"

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
