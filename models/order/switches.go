package order

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// hindrances is what may stop an order: blockers, and returns of its money. Its own columns change under its lock
// alone, which is held.
type hindrances struct {
	pricing.Blockers
	disputed    bool // the bank has not decided
	givenBack   bool // at the processor itself, and no decision has continued the order since
	receiptGone bool
	received    money.Units // for the order, by the ledger
}

var haltingOrder = fmt.Sprintf(pricing.Halting, `,
	EXISTS (SELECT FROM disputes WHERE order_id = $4 AND closed_at IS NULL), `+givenBackOf4+`, `+receiptGoneOf4+`, `+receivedOf4)

func (c *OrderChange) hindrances() (h hindrances, err error) {
	o := c.Order
	err = c.Tx.Row(c.Ctx, haltingOrder, string(o.Asset), o.PaymentMethod, o.UserID, o.ID).Scan(append(h.Read(), &h.disputed, &h.givenBack, &h.receiptGone, &h.received)...)
	if err != nil {
		return hindrances{}, fmt.Errorf("read what may stop the order: %w", err)
	}
	return h, nil
}

// Halted is why nothing more may begin for the order at a provider: it is not paid, its money was returned or a refund is in
// progress, its customer is frozen or not verified any more, compliance has not released it, or a switch or a
// proposal stops it. What was begun is finished and recorded; what waits for a proposal continues automatically once
// that is decided (goesOnOrder).
func (c *OrderChange) Halted() (string, error) {
	h, err := c.hindrances()
	if err != nil {
		return "", err
	}
	if reason, err := c.unpaid(h); reason != "" || err != nil {
		return reason, err
	}
	return c.haltedBy(h)
}

func (c *OrderChange) haltedBy(b hindrances) (string, error) {
	if gone := b.moneyGone(c.Order); gone != "" {
		return gone, nil
	}
	switch {
	case b.Refunding:
		return AttentionRefundPending, nil
	case b.Recalled:
		return AttentionRefundedThere, nil
	case b.Customer.Frozen:
		return casework.AttentionCustomer, nil
	case b.Customer.MayBuy() != nil:
		return casework.AttentionKYC, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if b.Stopped || b.Proposed || c.Order.OfferUntil != nil {
		return casework.AttentionPaused, nil
	}
	return "", nil
}

// goesOnOrder is the condition that an order o continues by itself.
var goesOnOrder = "(" + pricing.GoesOnOrder + " OR " + fitsOrder + ")"

// GoOn pays an order by money that covers its price by now, or resumes one that waited for a switch: a paid one is promised its
// coin, because Fulfill was pressed. All other checks are made again then.
func GoOn(ctx context.Context, db *store.DB, orderID string, slippageBPS int64, terms SurplusTerms) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		fits, err := pricing.Is(ctx, c.Tx, "orders o", fitsOrder, orderID)
		if err != nil {
			return err
		}
		if fits {
			p, err := c.Payment()
			if err != nil {
				return err
			}
			return c.payOfWaiting(p, terms)
		}
		if goes, err := pricing.Is(ctx, c.Tx, "orders o", pricing.GoesOnOrder, orderID); err != nil || !goes {
			return err
		}
		if c.Order.Status != StatusPaymentApproved {
			c.Order.ResumedAt = &c.Now
			return c.Continue()
		}
		reason, err := c.unfit(slippageBPS)
		if err != nil {
			return err
		}
		if reason != "" {
			return c.Escalate(reason)
		}
		return c.reserve("")
	})
}

// Resumed finds orders that waited for a switch which is turned back, or whose money fits by now.
func Resumed(ctx context.Context, db *store.DB, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find orders to go on", `
		SELECT o.id AS subject, 'resumed' AS reason FROM orders o WHERE o.attention_reason IN ('paused', '`+AttentionOver+`') AND `+goesOnOrder+`
		 ORDER BY o.updated_at LIMIT ?`, limit)
}
