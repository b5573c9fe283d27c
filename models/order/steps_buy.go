package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/store"
)

// StartBuy commits that coin for a reserved order is about to be bought: the
// current exchange order while its outcome is open, else the next one for what
// is missing. life is how long the exchange may take to accept it.
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

// ExchangeOrders are those of the order.
func (c *OrderChange) ExchangeOrders() ([]execution.ExchangeOrder, error) {
	return execution.ExchangeOrders(c.Ctx, c.Tx, "order_id = ?", c.Order.ID)
}

// NextExchangeOrder is the one that buys what is still missing.
func (c *OrderChange) NextExchangeOrder(past []execution.ExchangeOrder, slippageBPS int64, life time.Duration) (execution.ExchangeOrder, error) {
	return execution.NextExchangeOrder(c.Ctx, c.Tx, c.Now, execution.Purchase{Subject: c.Order.ID, Since: execution.MaybeSince(c.Now, c.Order.CreatedAt, c.Order.RestoredAt), Price: c.Order.UnitPrice, Missing: c.Order.Amount.Sub(execution.FillOf(past).Filled),
		SlippageBPS: slippageBPS, Life: life, Row: execution.ExchangeOrder{OrderID: &c.Order.ID, Asset: c.Order.Asset, Generation: len(past) + 1}})
}

// ResendBuy commits a new deadline for an exchange order that, as repeated
// look-ups after the old one showed, was never placed. When the money has gone
// meanwhile, somebody has paused it, or the customer is frozen, that exchange
// order is over instead, and the order waits.
func ResendBuy(ctx context.Context, db *store.DB, orderID string, generation int, life time.Duration) (time.Time, error) {
	var deadline time.Time
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		reason, err := c.Halted()
		if err != nil {
			return err
		}
		if reason != "" {
			return c.giveUpBuy(generation, reason)
		}
		deadline = c.Now.Add(life)
		return execution.ProlongBuy(ctx, c.Tx, "order_id", orderID, generation, deadline)
	})
	return deadline, err
}

func (c *OrderChange) giveUpBuy(generation int, reason string) error {
	err := execution.GiveUpBuy(c.Ctx, c.Tx, "order_id", c.Order.ID, generation, c.Now)
	return store.FirstError(err, c.Escalate(reason))
}

// RecordFill books what a finished exchange order executed; when nothing is
// missing any more, the order is filled. An exchange order that was refused has
// no id and executed nothing. Telling it twice is telling it once.
func RecordFill(ctx context.Context, db *store.DB, orderID string, generation int, exchangeID string, fill execution.Fill) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		rows, err := c.ExchangeOrders()
		if err != nil {
			return err
		}
		row, err := execution.Executed(ctx, c.Tx, rows, generation, exchangeID, fill, c.Now)
		if err != nil || row == nil {
			return err
		}
		if err := c.Post("filled", fmt.Sprintf("fill:%d", generation), execution.FilledPostings(c.Order.Delivery(), fill)...); err != nil {
			return err
		}
		return c.noteFill(row, execution.FillOf(rows))
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
