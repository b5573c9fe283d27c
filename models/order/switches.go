package order

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// hindrances is what may stop an order: blockers, and what became of its money. What is
// read of the order itself is changed under its lock alone, which is held.
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

// Halted is why nothing more may begin for the order at a provider: its money has
// gone or is on its way back, its customer is frozen or not identified any more,
// compliance has not released it, or a switch or a proposal about it stops it. What was
// begun is finished and recorded. What waits for a proposal is paused: it goes on by
// itself once that is decided (goesOnOrder).
func (c *OrderChange) Halted() (string, error) {
	h, err := c.hindrances()
	if err != nil {
		return "", err
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
	if b.Stopped || b.Proposed {
		return casework.AttentionPaused, nil
	}
	return "", nil
}

// GoOn takes an order up again that waited for a switch: a paid one is promised
// its coin, because somebody had pressed Fulfill. Whatever else stands in its
// way by now is asked for then.
func GoOn(ctx context.Context, db *store.DB, orderID string, slippageBPS int64) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
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

// Resumed finds orders that waited for a switch which is turned back.
func Resumed(ctx context.Context, db *store.DB, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find orders to go on", `
		SELECT o.id AS subject, 'resumed' AS reason FROM orders o WHERE o.attention_reason = 'paused' AND `+pricing.GoesOnOrder+`
		 ORDER BY o.updated_at LIMIT ?`, limit)
}
