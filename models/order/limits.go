package order

import (
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// counted is what an unpaid order counts towards its customer's limits, in cents;
// nothing once it has ended.
func (o *Order) counted() money.Units {
	if o.Resolution != nil {
		return money.Units{}
	}
	return o.Total
}

// mayTake is called before an order is paid, on every rail. What was agreed when the order was made was within the
// limits and has counted since; an order on new terms, or one that had ended, needs room today and is assessed as a
// new order.
func (c *OrderChange) mayTake() error {
	if c.was.Resolution == nil && store.Text(c.was.QuoteID) == store.Text(c.Order.QuoteID) {
		return nil
	}
	if err := c.roomToday(); err != nil {
		return err
	}
	return c.assessAgain()
}

// roomToday refuses an order whose customer may not buy, or that is over their
// limits of this day and month. It holds the customer's lock until the end.
func (c *OrderChange) roomToday() error {
	if err := ledger.LockCustomer(c.Ctx, c.Tx, c.Order.UserID); err != nil {
		return err
	}
	terms, now, err := kyc.ReadTerms(c.Ctx, c.Tx, c.Order.UserID)
	if err != nil {
		return err
	}
	if err := terms.MayBuy(); err != nil {
		return err
	}
	prices, err := pricing.ReadPricing(c.Ctx, c.Tx)
	if err != nil {
		return err
	}
	limits, err := pricing.ReadLimits(c.Ctx, c.Tx, c.Order.UserID, terms, prices, now, c.was.counted())
	if err != nil {
		return err
	}
	return limits.Check(c.Order.Total)
}
