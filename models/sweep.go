package models

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Stray is an order that may have no running workflow.
type Stray struct {
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
func (s Stray) Sentence() string {
	o := Order{Reference: s.Reference, Asset: s.Asset, Amount: s.Amount, Total: s.Total, PaymentMethod: s.PaymentMethod}
	return o.Sentence()
}

// Strays finds open orders that were never started, or not looked at for
// revive: their workflow may be gone with Temporal's data. It notes that they
// were looked at, so that each comes up once in a while only.
func (db *DB) Strays(ctx context.Context, grace, revive time.Duration, limit int) ([]Stray, error) {
	var rows []Stray
	err := db.orm(ctx).Raw(`
		UPDATE orders SET swept_at = clock_now() WHERE id IN (
		  SELECT id FROM orders WHERE closed_at IS NULL AND created_at < clock_now() - CAST(@grace AS interval)
		     AND (workflow_started_at IS NULL AND (swept_at IS NULL OR swept_at < clock_now() - CAST(@grace AS interval))
		       OR greatest(swept_at, workflow_started_at) < clock_now() - CAST(@revive AS interval))
		   ORDER BY created_at LIMIT @limit FOR UPDATE SKIP LOCKED)
		RETURNING id, reference, asset, amount, total, payment_method, status, restored_at IS NOT NULL AS restored`,
		map[string]any{"grace": seconds(grace), "revive": seconds(revive), "limit": limit}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find stray orders: %w", err)
	}
	return rows, nil
}

// Wake is an object that something should look at again: an order with the
// provider the news is from, or a customer's verification.
type Wake struct {
	Subject string
	Reason  string
}

// Overdue finds unpaid orders whose deadline, or whose card hold, has passed,
// and orders whose customer's choice has lapsed or that are to be tried again:
// a timer may have been lost, or the clock moved forward.
func (db *DB) Overdue(ctx context.Context, grace time.Duration, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find overdue orders", `
		SELECT o.id AS subject, 'deadline' AS reason FROM orders o JOIN payments p ON p.order_id = o.id
		 WHERE o.closed_at IS NULL AND o.status = 'pending' AND o.choice_due_at IS NULL AND coalesce(
		       CASE WHEN p.authorised_at IS NULL THEN o.payment_due_at ELSE p.capture_before END, 'infinity') < clock_now() - ?::interval
		UNION ALL
		SELECT id, 'choice' FROM orders WHERE closed_at IS NULL AND (choice_due_at IS NOT NULL OR try_next_at IS NOT NULL)
		   AND least(choice_due_at, try_next_at) < clock_now() - ?::interval
		 LIMIT ?`, seconds(grace), seconds(grace), limit)
}

// Unwarned finds orders whose card hold ends within warning, of which staff were
// not told.
func (db *DB) Unwarned(ctx context.Context, warning time.Duration, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find holds that end soon", `
		SELECT p.order_id AS subject, 'lapse' AS reason FROM payments p
		 WHERE p.admin_approval_status = 'pending' AND p.authorised_at IS NOT NULL AND p.captured_at IS NULL
		   AND p.capture_before BETWEEN clock_now() AND clock_now() + CAST(? AS interval)
		   AND NOT EXISTS (SELECT FROM order_events e WHERE e.order_id = p.order_id AND e.dedupe = 'expiring') LIMIT ?`, seconds(warning), limit)
}

// UnheardHints finds webhooks about open orders that nobody has acted on, of
// one provider.
func (db *DB) UnheardHints(ctx context.Context, provider string, grace time.Duration, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find unheard webhooks", `
		SELECT DISTINCT o.id AS subject, 'webhook' AS reason FROM webhook_inbox i JOIN orders o ON o.id = i.order_id
		 WHERE i.provider = ? AND i.handled_at IS NULL AND i.received_at < clock_now() - ?::interval AND o.closed_at IS NULL
		   AND NOT (i.provider = 'stripe' AND `+moneyHint+`) AND NOT `+deadNotice+` LIMIT ?`,
		provider, seconds(grace), limit)
}

// StaleReviews finds customers whose verification should be looked at: it is
// under way and was not read for age, or something has been due, or to be told
// to the provider, for grace.
func (db *DB) StaleReviews(ctx context.Context, age, grace time.Duration, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find stale reviews", `
		SELECT user_id AS subject, 'poll' AS reason FROM kyc_records
		 WHERE status IN ('pending', 'not_started') AND (status = 'pending' OR status = 'not_started' AND created_at > clock_now() - interval '2 days')
		   AND coalesce(polled_at, created_at) < clock_now() - CAST(@age AS interval)
		UNION
		SELECT user_id, 'due' FROM kyc_records WHERE wake_at < clock_now() - CAST(@grace AS interval)
		UNION
		SELECT user_id, 'reset' FROM kyc_records WHERE reset_wanted_at < clock_now() - CAST(@grace AS interval)
		   AND coalesce(polled_at, created_at) < clock_now() - CAST(@grace AS interval)
		UNION
		SELECT u.id, 'webhook' FROM webhook_inbox i JOIN users u ON u.id = CASE WHEN i.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN CAST(i.subject AS uuid) END
		 WHERE i.provider = 'sumsub' AND i.handled_at IS NULL AND i.received_at < clock_now() - interval '15 seconds'
		LIMIT @limit`, map[string]any{"age": seconds(age), "grace": seconds(grace), "limit": limit})
}

// wakes reads whom a query says to wake; what names it in errors.
func (db *DB) wakes(ctx context.Context, what, query string, args ...any) ([]Wake, error) {
	var rows []Wake
	if err := db.orm(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return rows, nil
}

// ForgetHints marks webhooks as handled that nothing can come of: their order or
// redemption is closed, or they are a day old and about nothing we know, such as an
// order that a restored backup did not have. It does so with a number of them, the oldest first; more says that there are more.
func (db *DB) ForgetHints(ctx context.Context) (forgot int64, more bool, err error) {
	result := db.orm(ctx).Exec(`
		UPDATE webhook_inbox SET handled_at = clock_now() WHERE (provider, event_id) IN (
		  SELECT i.provider, i.event_id FROM webhook_inbox i WHERE i.handled_at IS NULL AND NOT `+deadNotice+` AND (
		    EXISTS (SELECT FROM orders o WHERE o.id = i.order_id AND o.closed_at IS NOT NULL) AND NOT `+moneyHint+`
		    OR EXISTS (SELECT FROM voucher_redemptions r WHERE r.id = i.redemption_id AND r.closed_at IS NOT NULL)
		    OR NOT EXISTS (SELECT FROM orders o WHERE o.id = i.order_id) AND NOT EXISTS (SELECT FROM voucher_redemptions r WHERE r.id = i.redemption_id) AND i.received_at < clock_now() - interval '1 day')
		  ORDER BY i.received_at LIMIT ? FOR UPDATE SKIP LOCKED)`, hintsBatch)
	if result.Error != nil {
		return 0, false, fmt.Errorf("forget webhooks: %w", result.Error)
	}
	return result.RowsAffected, result.RowsAffected == hintsBatch, nil
}

// hintsBatch is how many webhooks are forgotten in one statement.
const hintsBatch = 1000

// PendingDecision is a decision that a workflow may not have received.
type PendingDecision struct {
	ID      string
	OrderID string
	Kind    string
}

// UndeliveredDecisions finds open decisions that were not delivered within
// grace, and delivered ones that are open for so long that their workflow may
// have lost them. Those that were never delivered come first, half of the limit
// the newest of them: no backlog keeps a new one waiting.
func (db *DB) UndeliveredDecisions(ctx context.Context, grace, lost time.Duration, limit int) ([]PendingDecision, error) {
	var rows []PendingDecision
	err := db.orm(ctx).Raw(`
		SELECT id, order_id, kind FROM (
		  SELECT *, row_number() OVER (PARTITION BY lost ORDER BY created_at) AS oldest, row_number() OVER (PARTITION BY lost ORDER BY created_at DESC) AS newest FROM (
		    SELECT id, order_id, kind, created_at, delivered_at IS NOT NULL AS lost FROM decisions WHERE settled_at IS NULL
		       AND (delivered_at IS NULL AND created_at < clock_now() - ?::interval OR delivered_at < clock_now() - ?::interval)) d) d
		 ORDER BY lost, least(oldest, newest), oldest LIMIT ?`, seconds(grace), seconds(lost), limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("find undelivered decisions: %w", err)
	}
	return rows, nil
}

// MarkDecisionDelivered notes that a workflow accepted a decision.
func (db *DB) MarkDecisionDelivered(ctx context.Context, decisionID string) error {
	err := db.orm(ctx).Exec("UPDATE decisions SET delivered_at = clock_now() WHERE id = ? AND settled_at IS NULL", decisionID).Error
	if err != nil {
		return fmt.Errorf("note delivery of decision: %w", err)
	}
	return nil
}

// seconds writes a duration as Postgres reads it.
func seconds(d time.Duration) string { return fmt.Sprintf("%f seconds", d.Seconds()) }
