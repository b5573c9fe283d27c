package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// The steps of a refund's own workflow, and the sweep's queries of refunds and disputes.

// StartGiveBack commits that the card is about to be refunded.
func StartGiveBack(ctx context.Context, db *store.DB, orderID string, sequence int) (RefundJob, error) {
	var job RefundJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		job = RefundJob{}
		if err := c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Take(&job.Refund).Error; err != nil {
			if store.IsMissing(err) {
				return store.NotFound("Refund")
			}
			return fmt.Errorf("read refund: %w", err)
		}
		if job.Done = job.Refund.DoneAt != nil; job.Done {
			return nil
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		job.PaymentID = store.Text(p.StripePaymentIntentID)
		if job.Superseded = c.isSuperseded(&job.Refund); job.Superseded {
			return nil
		}
		if job.Refund.Carrier == runByOrder && job.Refund.ProviderID == nil {
			if err := c.mayRefund(); err != nil { // all of the money, whose order may be further by now
				return err
			}
		}
		if job.SentBefore, err = store.RestoredSince(ctx, c.Tx, c.Order.CreatedAt); err != nil {
			return err
		}
		if job.Refund.SendStartedAt == nil {
			job.Refund.SendStartedAt = &c.Now
			return c.Save(&job.Refund)
		}
		job.SentBefore = true
		return nil
	})
	return job, err
}

// codeSuperseded is the failure code of a refund that the processor never knew, and whose money went back otherwise.
const codeSuperseded = "superseded"

// isSuperseded reports whether a refund that the processor has not confirmed is no longer to be sent: its order has
// ended, or all of the money went back otherwise.
func (c *OrderChange) isSuperseded(row *Refund) bool {
	o := c.Order
	ended := o.Resolution != nil || o.Paid() && o.Refunded.Cmp(o.Total) >= 0
	return ended && row.ProviderID == nil && row.Origin == originOurs
}

// NotMade ends a superseded refund as failed. The caller has looked it up at the processor, which does not know it.
func NotMade(ctx context.Context, db *store.DB, orderID string, sequence int) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		var row Refund
		if err := c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Take(&row).Error; err != nil {
			return fmt.Errorf("read refund: %w", err)
		}
		if row.DoneAt != nil || !c.isSuperseded(&row) {
			return nil
		}
		code := codeSuperseded
		row.Status, row.FailureCode, row.DoneAt = RefundFailed, &code, &c.Now
		if err := c.Save(&row); err != nil {
			return err
		}
		if err := c.undoReduction(&row); err != nil {
			return err
		}
		for _, reason := range []string{AttentionRefundFailed, AttentionRefundPending} {
			if err := c.clearAttentionOf(reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// isFoundLater reports whether a refund that was taken for superseded was made after all.
func (r *Refund) isFoundLater(status string) bool {
	return r.Status == RefundFailed && store.Text(r.FailureCode) == codeSuperseded && status == RefundSucceeded
}

// leftRefund is the condition that a row of refunds was begun by its order's workflow, which does not own it any
// more: the decision to refund was resolved before Stripe had finished.
const leftRefund = `carrier = 'order' AND NOT EXISTS (SELECT FROM decisions d WHERE d.order_id = refunds.order_id
	AND d.settled_at IS NULL AND d.kind IN ('refund', 'refund_now'))`

// left reports whether the order's workflow has left a refund that is not done.
func (c *OrderChange) left(row *Refund) (bool, error) {
	var left bool
	err := c.Tx.Row(c.Ctx, "SELECT EXISTS (SELECT FROM refunds WHERE order_id = $1 AND sequence = $2 AND done_at IS NULL AND "+leftRefund+")", row.OrderID, row.Sequence).Scan(&left)
	if err != nil {
		return false, fmt.Errorf("look whether a refund was left: %w", err)
	}
	return left, nil
}

// LearnRefund records the state of a refund of ours that was read by another than its owner: it may have bounced long
// after it had succeeded, been made although it was taken for superseded, or its order's workflow has left it; another
// in progress is left to its owner. known is
// false where no such refund is stored although a row precedes every refund: it was made after the backup that this
// database was restored from.
func LearnRefund(ctx context.Context, db *store.DB, orderID string, sequence int, providerID, status string) (known bool, err error) {
	err = ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		var rows []Refund
		if err := c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Find(&rows).Error; err != nil {
			return fmt.Errorf("read refund: %w", err)
		}
		known = len(rows) > 0 && rows[0].Origin == originOurs && (rows[0].ProviderID == nil || *rows[0].ProviderID == providerID)
		if !known || status == RefundPending {
			return nil
		}
		left, err := c.left(&rows[0])
		late := rows[0].Status == RefundSucceeded && status == RefundFailed || rows[0].isFoundLater(status)
		if err != nil || !left && !late {
			return err
		}
		rows[0].ProviderID, rows[0].FailureCode = &providerID, nil
		return c.refundReported(&rows[0], status, "")
	})
	return known, err
}

// NoteRefundStarted records that a refund's workflow runs.
func NoteRefundStarted(ctx context.Context, db *store.DB, orderID string, sequence int) error {
	err := db.ORM(ctx).Exec("UPDATE refunds SET workflow_started_at = coalesce(workflow_started_at, clock_now()) WHERE order_id = ? AND sequence = ?", orderID, sequence).Error
	if err != nil {
		return fmt.Errorf("note refund's workflow: %w", err)
	}
	return nil
}

// RefundStuck sends a refund whose outcome stays unknown to review; it is still read meanwhile.
func RefundStuck(ctx context.Context, db *store.DB, orderID string, sequence int) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		open, err := c.unfinishedRefund()
		if err != nil || open == nil || open.Sequence != sequence || c.Order.Resolution != nil || !canWait(c.Order.Status, AttentionRefundPending) {
			return err
		}
		return c.Escalate(AttentionRefundPending)
	})
}

// Part is a refund or a dispute: the order, and its number there.
type Part struct {
	OrderID  string
	Sequence int
}

// OrphanRefunds finds refunds whose own workflow may not run: never started, or not checked for revive; and those
// that their order's workflow has left, which get one of their own. It records the check.
func OrphanRefunds(ctx context.Context, db *store.DB, grace, revive time.Duration, limit int) ([]Part, error) {
	return store.Orphans[Part](ctx, db, store.OrphanTable{Table: "refunds", Key: partKey, Returning: partKey,
		Open: "done_at IS NULL AND (carrier = 'own' OR " + leftRefund + ")"}, grace, revive, limit)
}

// partKey are the columns of an order's part.
const partKey = "order_id, sequence"

// OrphanDisputes finds disputes whose workflow may not run.
func OrphanDisputes(ctx context.Context, db *store.DB, grace, revive time.Duration, limit int) ([]Part, error) {
	return store.Orphans[Part](ctx, db, store.OrphanTable{Table: "disputes", Key: partKey, Returning: partKey}, grace, revive, limit)
}

// SettledRefunds finds orders with a refund to a card that succeeded, made within window, and was not checked for
// every: its bank may have returned it since. It records the check.
func SettledRefunds(ctx context.Context, db *store.DB, every, window time.Duration, limit int) ([]string, error) {
	var orders []string
	err := db.ORM(ctx).Raw(`
		UPDATE refunds r SET swept_at = clock_now() WHERE (order_id, sequence) IN (
		  SELECT order_id, sequence FROM refunds WHERE status = 'succeeded' AND provider_id IS NOT NULL AND created_at > clock_now() - CAST(@window AS interval)
		     AND greatest(swept_at, done_at) < clock_now() - CAST(@every AS interval)
		   ORDER BY greatest(swept_at, done_at) LIMIT @limit FOR UPDATE SKIP LOCKED)
		RETURNING order_id`, map[string]any{"every": store.Seconds(every), "window": store.Seconds(window), "limit": limit}).Scan(&orders).Error
	if err != nil {
		return nil, fmt.Errorf("find refunds to look at again: %w", err)
	}
	return orders, nil
}

// UnhandledMoneyWebhooks finds orders with a webhook about a refund or a dispute that no reading has answered since.
func UnhandledMoneyWebhooks(ctx context.Context, db *store.DB, grace time.Duration, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find unheard notices of money", `
		SELECT DISTINCT order_id AS subject, 'webhook' AS reason FROM webhook_inbox
		 WHERE provider = 'stripe' AND handled_at IS NULL AND order_id IS NOT NULL AND received_at < clock_now() - CAST(? AS interval) AND `+store.MoneySignal+`
		UNION SELECT o.id, 'refunded' FROM orders o JOIN payments p ON p.order_id = o.id AND p.captured_at IS NOT NULL
		 WHERE o.status = ? AND o.attention_reason = ? AND o.closed_at IS NULL
		   AND NOT EXISTS (SELECT FROM refunds r WHERE r.order_id = o.id) AND NOT EXISTS (SELECT FROM disputes d WHERE d.order_id = o.id) LIMIT ?`,
		store.Seconds(grace), StatusPaymentApproved, AttentionRefundedThere, limit)
}

// MarkMoneyWebhooksHandled records that an order's webhooks about money received by a moment are answered by a reading after it.
func MarkMoneyWebhooksHandled(ctx context.Context, db *store.DB, orderID string, by time.Time) error {
	return webhook.MoneyRead(ctx, db, orderID, by)
}

// CardOf reads the processor's payment id of an order; "" when it has none.
func CardOf(ctx context.Context, db *store.DB, orderID string) (string, error) {
	p, err := PaymentOf(ctx, db, orderID)
	if err != nil {
		return "", err
	}
	return store.Text(p.StripePaymentIntentID), nil
}

// KnownMoney is what we have written of one thing at the processor.
type KnownMoney struct {
	OrderID string
	Status  string // of the refund or dispute; empty when it is unknown
}

// MoneyNews finds the order a refund or dispute at the processor belongs to,
// and what we know of it. There is none when the payment is not ours.
func MoneyNews(ctx context.Context, db *store.DB, paymentID, providerID string) (*KnownMoney, error) {
	var known KnownMoney
	result := db.ORM(ctx).Raw(`SELECT p.order_id, coalesce((SELECT r.status FROM refunds r WHERE r.provider_id = @id),
		(SELECT d.status FROM disputes d WHERE d.provider_id = @id), '') AS status
		FROM payments p WHERE p.stripe_payment_intent_id = @payment`, map[string]any{"id": providerID, "payment": paymentID}).Scan(&known)
	if result.Error != nil {
		return nil, fmt.Errorf("look for money at the processor: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, nil
	}
	return &known, nil
}
