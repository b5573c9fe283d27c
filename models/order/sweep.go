package order

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Orphan is an order that may have no running workflow.
type Orphan struct {
	ID            string
	Reference     string
	Asset         money.Currency
	Amount        money.Units
	Total         money.Units
	PaymentMethod string
	Status        OrderStatus
	Restored      bool // its row comes from a backup, and a workflow that runs may be ahead of it
}

// Sentence is Order.Sentence.
func (s Orphan) Sentence() string {
	o := Order{Reference: s.Reference, Asset: s.Asset, Amount: s.Amount, Total: s.Total, PaymentMethod: s.PaymentMethod}
	return o.Sentence()
}

// Orphans finds open orders whose workflow may not run: it may be lost with Temporal's data.
func Orphans(ctx context.Context, db *store.DB, grace, revive time.Duration, limit int) ([]Orphan, error) {
	return store.Orphans[Orphan](ctx, db, store.OrphanTable{Table: "orders",
		Returning: "id, reference, asset, amount, total, payment_method, status, restored_at IS NOT NULL AS restored"}, grace, revive, limit)
}

// Overdue finds unpaid orders whose deadline, or whose card hold, has passed, and orders whose customer's choice has
// expired or that are to be tried again: a timer may have been lost, or the clock moved forward. An order whose step
// is in progress is not tried again.
func Overdue(ctx context.Context, db *store.DB, grace time.Duration, limit int) ([]store.Signal, error) {
	late := store.Seconds(grace)
	return db.Signals(ctx, "find overdue orders", `
		SELECT o.id AS subject, 'deadline' AS reason FROM orders o JOIN payments p ON p.order_id = o.id
		 WHERE o.closed_at IS NULL AND o.status = 'pending' AND o.choice_due_at IS NULL AND coalesce(
		       CASE WHEN p.authorised_at IS NULL THEN o.payment_due_at ELSE p.capture_before END, 'infinity') < clock_now() - ?::interval
		UNION ALL
		SELECT id, 'choice' FROM orders WHERE closed_at IS NULL AND (choice_due_at IS NOT NULL OR try_next_at IS NOT NULL)
		   AND least(choice_due_at, try_next_at) < clock_now() - ?::interval
		   AND (choice_due_at < clock_now() - ?::interval OR status = ? OR attention_reason = ?)
		 LIMIT ?`, late, late, late, StatusFailed, casework.AttentionPrice, limit)
}

// Unwarned finds orders whose card hold ends within warning, of which staff were not notified.
func Unwarned(ctx context.Context, db *store.DB, warning time.Duration, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find holds that end soon", `
		SELECT p.order_id AS subject, 'lapse' AS reason FROM payments p
		 WHERE p.admin_approval_status = 'pending' AND p.authorised_at IS NOT NULL AND p.captured_at IS NULL
		   AND p.capture_before BETWEEN clock_now() AND clock_now() + CAST(? AS interval)
		   AND NOT EXISTS (SELECT FROM order_events e WHERE e.order_id = p.order_id AND e.dedupe = 'expiring') LIMIT ?`, store.Seconds(warning), limit)
}
