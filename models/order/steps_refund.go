package order

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Destinations of a refund.
const (
	RefundToCard    = "card"
	RefundToBalance = "balance"
)

// States of a refund, and the sides on which it can begin.
const (
	RefundRequested = "requested"
	RefundPending   = "pending"
	RefundSucceeded = "succeeded"
	RefundFailed    = "failed"

	originOurs     = "ours"
	originProvider = "provider"
)

// Who owns a refund: the order's workflow, one of its own, or none.
const (
	runByOrder = "order"
	runByOwn   = "own"
	runByNone  = "none"
)

// Refund is returned money of an order. Amount is cents; Key is our identity at Stripe. BookedTo is the account that
// bore it: the debt to the customer before the coin is sent, our goodwill after that.
type Refund struct {
	OrderID           string `gorm:"primaryKey"`
	Sequence          int    `gorm:"primaryKey;autoIncrement:false"`
	Amount            money.Units
	Destination       string
	Key               string
	SendStartedAt     *time.Time
	ProviderID        *string
	Status            string
	Origin            string `gorm:"default:ours"`
	DecisionID        *string
	Carrier           string `gorm:"default:order"`
	BookedTo          *string
	FailureCode       *string
	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	DoneAt            *time.Time
	Reduces           bool // the order sends less coin for it
}

// RefundJob is a refund to be requested, or read.
type RefundJob struct {
	Done       bool // the order is refunded
	SentBefore bool // read before sending
	Superseded bool // never to be sent: nothing is left to refund (NotMade)
	PaymentID  string
	Refund     Refund
}

// StartRefund begins to refund all that is left of what was received. Money that arrived by another rail, or whose
// refund the card's bank refused, is credited to the customer's balance at once; for a card it commits that the
// request to Stripe is about to be sent.
func StartRefund(ctx context.Context, db *store.DB, orderID, decisionID string) (RefundJob, error) {
	var job RefundJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		job = RefundJob{}
		if store.Text(c.Order.Resolution) == string(ResolutionRefunded) {
			job.Done = true
			return c.resolveDecision(decisionID, casework.DecisionDone)
		}
		decision, err := c.openDecision(decisionID, DecisionRefund, DecisionRefundNow)
		if err != nil {
			return err
		}
		if err := c.mayRefund(); err != nil {
			return err
		}
		if c.Order.MoneyWaits() {
			job.Done = true
			return c.giveBackReceipts(decisionID)
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		job.PaymentID = store.Text(p.StripePaymentIntentID)
		return c.openRefund(&job, decision, p)
	})
	return job, err
}

// mayRefund refuses while the outcome of the coin is unknown, or while the bank has the money.
func (c *OrderChange) mayRefund() error {
	if err := c.coinIsKnown(); err != nil || c.Order.MoneyWaits() {
		return err
	}
	if !c.Order.Paid() || c.Order.Status == StatusSent || c.Order.Resolution != nil {
		return store.Conflict("order_state", "There is nothing to refund")
	}
	if err := c.coinIsStill(); err != nil {
		return err
	}
	return c.undisputed()
}

// coinIsStill refuses while coin may still be bought or sent.
func (c *OrderChange) coinIsStill() error {
	if err := c.noOpenTransfer(); err != nil {
		return err
	}
	rows, err := c.Subject().ExchangeOrders()
	if err != nil {
		return err
	}
	if n := len(rows); n > 0 && rows[n-1].DoneAt == nil {
		return store.Conflict("exchange_open", "The exchange may still buy for this order. Retry first to check.")
	}
	return nil
}

func (c *OrderChange) openRefund(job *RefundJob, decision *Decision, p *Payment) error {
	open, err := c.unfinishedRefund()
	switch {
	case err != nil:
		return err
	case open != nil && open.Carrier == runByOrder:
		job.SentBefore, job.Refund = true, *open
		return nil
	case open != nil:
		return refundOpen
	}
	left, err := c.refundable()
	if err != nil {
		return err
	}
	if left.Sign() <= 0 { // all of it was returned by other ways
		job.Done = true
		return c.endRefunded(decision.ID, "", c.Order.Refunded)
	}
	var wish RefundWish
	_ = json.Unmarshal(decision.Data, &wish) // a decision without a wish has none
	job.Refund = Refund{Amount: left, Destination: RefundToCard, Carrier: runByOrder, DecisionID: &decision.ID, SendStartedAt: &c.Now}
	if job.Done = !p.ByCard() || wish.To == RefundToBalance; job.Done {
		job.Refund.Destination = RefundToBalance
	}
	if job.SentBefore, err = store.RestoredSince(c.Ctx, c.Tx, c.Order.CreatedAt); err != nil {
		return err
	}
	if err := c.writeRefund(&job.Refund); err != nil || !job.Done {
		return err
	}
	return c.gaveBack(&job.Refund, decision.ID)
}

// creditRefund gives money that was kept apart to the customer's balance, and
// ends the order so.
func (c *OrderChange) creditRefund(amount money.Units, lines []ledger.Posting, decisionID string) error {
	from := lines[0].To
	row := &Refund{Amount: amount, Destination: RefundToBalance, Carrier: runByNone, Status: RefundSucceeded, DoneAt: &c.Now, BookedTo: &from, DecisionID: &decisionID}
	if err := c.writeRefund(row); err != nil {
		return err
	}
	if err := c.credit("refunded", fmt.Sprintf("refund:%d", row.Sequence), lines...); err != nil {
		return err
	}
	c.Order.Refunded = c.Order.Refunded.Add(amount)
	return c.endRefunded(decisionID, RefundToBalance, amount)
}

// RecordRefund writes what Stripe says of a refund of ours: "pending", "succeeded" or "failed". It is idempotent.
func RecordRefund(ctx context.Context, db *store.DB, orderID string, sequence int, providerID, status, decisionID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		var row Refund
		if err := c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Take(&row).Error; err != nil {
			return fmt.Errorf("read refund: %w", err)
		}
		if row.DoneAt != nil && row.Status == status {
			return c.resolveDecision(decisionID, casework.DecisionDone)
		}
		row.ProviderID = &providerID
		return c.refundReported(&row, status, decisionID)
	})
}

// RefundRefused records that Stripe would definitely not give the money back: the next refund is a new one.
func RefundRefused(ctx context.Context, db *store.DB, orderID string, sequence int, code string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		var row Refund
		if err := c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", orderID, sequence).Take(&row).Error; err != nil {
			return fmt.Errorf("read refund: %w", err)
		}
		if row.DoneAt != nil {
			return nil
		}
		row.FailureCode = &code
		return c.refundReported(&row, RefundFailed, "")
	})
}

// endRefunded ends a paid order that was refunded whole: coin promised to it is free again, coin bought for it stays
// in our inventory.
func (c *OrderChange) endRefunded(decisionID, to string, amount money.Units) error {
	if err := c.closeRefunded(); err != nil {
		return err
	}
	data := map[string]any{"amount": money.USD.Format(amount)}
	if to != "" {
		data["to"] = to
	}
	// An order that ended unpaid, and whose money arrived late, ends again by this.
	if err := c.Event(casework.Event{Kind: "refunded", Data: data, Dedupe: "end:refunded"}); err != nil {
		return err
	}
	return c.resolveDecision(decisionID, casework.DecisionDone)
}

// closeRefunded is endRefunded without the mail to its customer.
func (c *OrderChange) closeRefunded() error {
	reserved, err := c.booked("reserved")
	if err != nil {
		return err
	}
	if reserved {
		if err := c.matchReserved("reduced:released"); err != nil {
			return err
		}
		if err := c.Post("released", "released", execution.ReleasePostings(c.Order.Delivery())...); err != nil {
			return err
		}
	}
	rows, err := c.Subject().ExchangeOrders()
	if err != nil {
		return err
	}
	if err := c.Post("unsold", "unsold", execution.UnsoldPostings(c.Order.Delivery(), execution.FillOf(rows))...); err != nil {
		return err
	}
	if err := c.takeBackBonus(); err != nil {
		return err
	}
	if err := c.Continue(); err != nil {
		return err
	}
	if err := c.Resolve(ResolutionRefunded); err != nil {
		return err
	}
	c.Order.ClosedAt, c.Order.Held = &c.Now, false
	return nil
}
