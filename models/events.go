package models

import (
	"context"
	"fmt"
	"strings"
)

// OrderNotice says that an order has a new event; whoever hears it reads the
// order again.
type OrderNotice struct{ OrderID, UserID string }

// Listen calls fn for every order that gets an event, until the connection or
// ctx ends. ready is called once it hears. What happened while nobody listened
// is not told: start by reading.
func (db *DB) Listen(ctx context.Context, ready func(), fn func(OrderNotice)) error {
	pooled, err := db.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	conn := pooled.Hijack() // a listening connection is nobody else's
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN order_changed"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ready()
	for {
		notice, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		if orderID, userID, ok := strings.Cut(notice.Payload, " "); ok {
			fn(OrderNotice{OrderID: orderID, UserID: userID})
		}
	}
}
