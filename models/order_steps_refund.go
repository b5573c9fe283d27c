package models

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Where a refund goes.
const (
	RefundToCard    = "card"
	RefundToBalance = "balance"
)

// Refund is money given back. Amount is cents; Key is our identity at Stripe.
type Refund struct {
	OrderID       string `gorm:"primaryKey"`
	Sequence      int    `gorm:"primaryKey;autoIncrement:false"`
	Amount        money.Units
	Destination   string
	Key           string
	SendStartedAt *time.Time
	ProviderID    *string
	Status        string
	CreatedAt     time.Time `gorm:"default:clock_now()"`
	DoneAt        *time.Time
}

// RefundJob is a refund to be asked for, or looked up.
type RefundJob struct {
	Done       bool // the order is refunded
	SentBefore bool // look up before sending
	PaymentID  string
	Refund     Refund
}

// StartRefund begins to give back all that was received. Money that came by
// another rail is credited to the customer's balance at once; for a card it
// commits that Stripe is about to be asked.
func (db *DB) StartRefund(ctx context.Context, orderID, decisionID string) (RefundJob, error) {
	var job RefundJob
	err := db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if text(c.Order.Resolution) == string(ResolutionRefunded) {
			job.Done = true
			return c.settle(decisionID, DecisionDone)
		}
		if _, err := c.openDecision(decisionID, DecisionRefund, DecisionRefundNow); err != nil {
			return err
		}
		if c.Order.MoneyWaits() {
			job.Done = true
			return c.giveBackReceipts(decisionID)
		}
		if err := c.mayRefund(); err != nil {
			return err
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		if !p.ByCard() {
			job.Done = true
			return c.refundToBalance(decisionID)
		}
		job.PaymentID = text(p.StripePaymentIntentID)
		return c.openRefund(&job)
	})
	return job, err
}

// mayRefund refuses while it is not known what became of the coin.
func (c *OrderChange) mayRefund() error {
	if c.Order.MoneyWaits() {
		return nil
	}
	if !c.Order.Paid() || c.Order.Status == StatusSent || c.Order.Resolution != nil {
		return Conflict("order_state", "There is nothing to refund")
	}
	if err := c.noOpenTransfer(); err != nil {
		return err
	}
	rows, err := c.exchangeOrders()
	if err != nil {
		return err
	}
	if n := len(rows); n > 0 && rows[n-1].DoneAt == nil {
		return Conflict("exchange_open", "An exchange order for this order may still be carried out. Retry first, to learn what became of it.")
	}
	return nil
}

func (c *OrderChange) openRefund(job *RefundJob) error {
	var rows []Refund
	if err := c.tx.orm(c.ctx).Where("order_id = ?", c.Order.ID).Order("sequence DESC").Find(&rows).Error; err != nil {
		return fmt.Errorf("read refunds: %w", err)
	}
	if len(rows) > 0 && rows[0].Status != "failed" {
		job.SentBefore, job.Refund = true, rows[0]
		return nil
	}
	sequence := len(rows) + 1
	job.Refund = Refund{OrderID: c.Order.ID, Sequence: sequence, Amount: c.Order.Total, Destination: RefundToCard,
		Key: fmt.Sprintf("ord:%s:refund:%d", c.Order.ID, sequence), SendStartedAt: &c.Now, Status: "requested", CreatedAt: c.Now}
	if err := c.tx.orm(c.ctx).Create(&job.Refund).Error; err != nil {
		return fmt.Errorf("store refund: %w", err)
	}
	return nil
}

func (c *OrderChange) refundToBalance(decisionID string) error {
	return c.creditRefund(c.Order.Total, BalanceRefundPostings(c.Order, c.Order.Total), decisionID)
}

func (c *OrderChange) creditRefund(amount money.Units, lines []Posting, decisionID string) error {
	row := Refund{OrderID: c.Order.ID, Sequence: 1, Amount: amount, Destination: RefundToBalance,
		Key: fmt.Sprintf("ord:%s:refund:1", c.Order.ID), Status: "succeeded", CreatedAt: c.Now, DoneAt: &c.Now}
	if err := c.tx.orm(c.ctx).Create(&row).Error; err != nil {
		return fmt.Errorf("store refund: %w", err)
	}
	if err := c.tx.OpenCustomerAccounts(c.ctx, c.Order.UserID); err != nil {
		return err
	}
	return c.refunded(row, lines, decisionID)
}

// RecordRefund writes what Stripe says of a refund: "pending", "succeeded" or
// "failed". Telling it twice is telling it once.
func (db *DB) RecordRefund(ctx context.Context, orderID string, sequence int, providerID, status, decisionID string) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if c.Order.ClosedAt != nil {
			return c.settle(decisionID, DecisionDone)
		}
		var row Refund
		if err := c.tx.orm(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Take(&row).Error; err != nil {
			return fmt.Errorf("read refund: %w", err)
		}
		row.ProviderID, row.Status = &providerID, status
		if status == "succeeded" || status == "failed" {
			row.DoneAt = &c.Now
		}
		if err := c.Save(&row); err != nil {
			return err
		}
		switch status {
		case "succeeded":
			return c.refunded(row, CardRefundPostings(row.Amount), decisionID)
		case "failed":
			if err := c.attend(AttentionRefundFailed); err != nil {
				return err
			}
			return c.settle(decisionID, AttentionRefundFailed)
		}
		return nil
	})
}

// refunded ends a paid order whose money went back: coin promised to it is free
// again, coin bought for it stays in our inventory.
func (c *OrderChange) refunded(row Refund, lines []Posting, decisionID string) error {
	if err := c.Post("refunded", fmt.Sprintf("refund:%d", row.Sequence), lines...); err != nil {
		return err
	}
	reserved, err := c.booked("reserved")
	if err != nil {
		return err
	}
	if reserved {
		if err := c.Post("released", "released", ReleasePostings(c.Order)...); err != nil {
			return err
		}
	}
	rows, err := c.exchangeOrders()
	if err != nil {
		return err
	}
	if err := c.Post("unsold", "unsold", UnsoldPostings(c.Order, fillOf(rows))...); err != nil {
		return err
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	if err := c.Resolve(ResolutionRefunded); err != nil {
		return err
	}
	c.Order.ClosedAt, c.Order.Held = &c.Now, false
	c.Order.Refunded = c.Order.Refunded.Add(row.Amount)
	if err := c.Event(Event{Kind: "refunded", Data: map[string]any{"to": row.Destination, "amount": money.USD.Format(row.Amount)}, Dedupe: "end"}); err != nil {
		return err
	}
	return c.settle(decisionID, DecisionDone)
}
