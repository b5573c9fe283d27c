package order

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// gaveBackElsewhere records money that was refunded at the processor itself. An order that is not sent stops: for
// good when all of it is refunded and no coin is on its way, else until staff decide.
func (c *OrderChange) gaveBackElsewhere(row *Refund) error {
	err := c.Event(casework.Event{Kind: "refunded_at_provider", Actor: casework.ByProvider, Dedupe: fmt.Sprintf("refund:%d", row.Sequence),
		Data: map[string]any{"amount": money.USD.Format(row.Amount), "to": RefundToCard}})
	if err != nil || c.Order.Status == StatusSent || c.Order.ClosedAt != nil {
		return err
	}
	if c.Order.Refunded.Cmp(c.Order.Total) >= 0 && c.coinIsStill() == nil {
		return c.endRefunded("", row.Destination, c.Order.Refunded)
	}
	return c.Escalate(AttentionRefundedThere)
}

// CardRefundReading is what the processor says of a refund that we did not make.
type CardRefundReading struct {
	ID, Status string
	Amount     money.Units
}

// RecordElsewhere writes a refund made at the processor itself, under the processor's own id. It is idempotent.
func RecordElsewhere(ctx context.Context, db *store.DB, orderID string, r CardRefundReading) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		var rows []Refund
		if err := c.Tx.ORM(ctx).Where("provider_id = ?", r.ID).Find(&rows).Error; err != nil {
			return fmt.Errorf("read refunds: %w", err)
		}
		if len(rows) > 0 {
			if rows[0].Status == r.Status || rows[0].Status == RefundFailed {
				return nil
			}
			return c.refundReported(&rows[0], r.Status, "")
		}
		if !c.Order.Paid() {
			return nil // a hold that was released; nothing was captured
		}
		row := &Refund{Amount: r.Amount, Destination: RefundToCard, Origin: originProvider, Carrier: runByNone, Key: "provider:" + r.ID, ProviderID: &r.ID, Status: RefundPending}
		if err := c.writeRefund(row); err != nil {
			return err
		}
		if r.Status != RefundPending {
			return c.refundReported(row, r.Status, "")
		}
		if c.Order.Status != StatusSent && c.Order.ClosedAt == nil {
			return c.Escalate(AttentionRefundedThere)
		}
		return nil
	})
}
