package order

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// StartBuy commits that coin for a reserved order is about to be bought: the current exchange order while its outcome
// is open, else the next one for what is missing. life is how long the exchange may accept it.
func StartBuy(ctx context.Context, db *store.DB, orderID string, slippageBPS int64, life time.Duration) (execution.BuyJob, error) {
	var job execution.BuyJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) (err error) {
		if c.Order.Status != StatusFulfilling {
			job.Done = true
			return nil
		}
		job, err = execution.StartBuy(c, c.Order.ResumedAt, slippageBPS, life)
		return err
	})
	return job, err
}

// Subject implements execution.Change.
func (c *OrderChange) Subject() *execution.Subject {
	o := c.Order
	return &execution.Subject{Ctx: c.Ctx, Tx: c.Tx, Now: c.Now, Delivery: o.Delivery(), Of: ledger.OfOrder, Sequence: "ord", ID: o.ID, UserID: o.UserID,
		Address: o.DestAddress, CreatedAt: o.CreatedAt, RestoredAt: o.RestoredAt}
}

// Missing implements execution.Change.
func (c *OrderChange) Missing(bought execution.Fill) (money.Units, decimal.Decimal, error) {
	return c.Order.Amount.Sub(bought.Filled), c.Order.UnitPrice, nil
}

// ResendBuy commits a new deadline for an exchange order that, as repeated reads after the old one showed, was never
// placed. Where nothing new may begin it is over instead, and the order waits.
func ResendBuy(ctx context.Context, db *store.DB, orderID string, generation int, life time.Duration) (deadline time.Time, err error) {
	err = ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		deadline, err = execution.ResendBuy(c, generation, life)
		return err
	})
	return deadline, err
}

// RecordFill books what a finished exchange order executed; when nothing is
// missing any more, the order is filled. An exchange order that was refused has
// no id and executed nothing.
func RecordFill(ctx context.Context, db *store.DB, orderID string, generation int, exchangeID string, fill execution.Fill) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		row, sum, err := c.Subject().Executed(generation, exchangeID, fill)
		if err != nil || row == nil {
			return err
		}
		return c.noteFill(row, sum)
	})
}

func (c *OrderChange) noteFill(row *execution.ExchangeOrder, sum execution.Fill) error {
	generation := fmt.Sprint(row.Generation)
	if err := c.Event(casework.Event{Kind: "exchange_placed", Actor: casework.ByProvider, Dedupe: "placed:" + generation}); err != nil {
		return err
	}
	if !row.Filled.IsZero() {
		c.Order.KrakenOrderID = row.ExchangeID
	}
	if c.Order.Status == StatusFulfilling && !c.Enough(sum) {
		return c.Event(casework.Event{Kind: "exchange_part_filled", Actor: casework.ByProvider, Dedupe: "part:" + generation,
			Data: map[string]any{"filled": c.Order.Asset.Format(sum.Filled), "of": c.Order.Asset.Format(c.Order.Amount)}})
	}
	return c.WhenFilled(sum)
}

// Enough reports whether nothing is missing.
func (c *OrderChange) Enough(bought execution.Fill) bool {
	return bought.Filled.Cmp(c.Order.Amount) >= 0
}

// WhenFilled moves the order on when nothing is missing any more.
func (c *OrderChange) WhenFilled(bought execution.Fill) error {
	if c.Order.Status != StatusFulfilling || !c.Enough(bought) {
		return nil
	}
	if err := c.Move(StatusFilled); err != nil {
		return err
	}
	if err := c.Continue(); err != nil {
		return err
	}
	return c.Event(casework.Event{Kind: "filled", Actor: casework.ByProvider, Dedupe: "filled"})
}
