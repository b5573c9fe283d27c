package models

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Allowance is one limit in cents and what remains of it; a nil Limit is
// unlimited.
type Allowance struct {
	Limit     *money.Units
	Remaining *money.Units
}

// Limits are what a customer's verification level still allows, counted over the
// totals of their orders by any method. An unpaid order counts until it ends,
// whatever day it was made on, since its money may come today; a paid one counts
// on the day (UTC) its money was taken. Orders that ended without coin do not
// count. What is taken on a day therefore never exceeds the limit of that day,
// although an order that is paid as agreed is not refused when its money comes.
type Limits struct {
	Level              string
	VolumeTier         string
	Single, Day, Month Allowance
	// Country is where the customer is.
	Country string
	// Held says why this customer begins nothing at the moment; nil is no reason.
	Held error
}

// CustomerLimits is what a customer may still buy now.
func (db *DB) CustomerLimits(ctx context.Context, userID string, pricing *Pricing) (Limits, error) {
	terms, now, err := db.customerTerms(ctx, userID)
	if err != nil {
		return Limits{}, err
	}
	limits, err := db.limits(ctx, userID, terms, pricing, now, money.Units{})
	limits.Held = firstError(terms.mayBegin(), terms.open())
	return limits, err
}

// spentUnpaid is the facet under which unpaid orders are tallied; it sorts behind
// every day.
const spentUnpaid = "unpaid"

// limits counts all of a customer's orders but for besides, in cents: the price of the
// unpaid one that is about to be paid on new terms, if one is.
func (db *DB) limits(ctx context.Context, userID string, terms customerTerms, pricing *Pricing, now time.Time, besides money.Units) (Limits, error) {
	spent, err := db.tally(ctx, "spent", userID)
	if err != nil {
		return Limits{}, err
	}
	return terms.limits(pricing, spent, now, besides), nil
}

// limits are what is left by what a customer has spent.
func (t customerTerms) limits(pricing *Pricing, spent []tallied, now time.Time, besides money.Units) Limits {
	day := now.UTC().Truncate(24 * time.Hour)
	month := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
	var used struct{ Day, Month money.Units }
	for _, s := range spent {
		if s.Facet == spentUnpaid || s.Facet >= month.Format(time.DateOnly) {
			used.Month = used.Month.Add(s.Amount)
		}
		if s.Facet == spentUnpaid || s.Facet >= day.Format(time.DateOnly) {
			used.Day = used.Day.Add(s.Amount)
		}
	}
	used.Month, used.Day = used.Month.Sub(besides), used.Day.Sub(besides)
	level := t.kyc(pricing)
	return Limits{Level: level.KYCLevel, VolumeTier: t.VolumeTier, Country: t.Country,
		Single: Allowance{Limit: level.MaxSingleTransaction, Remaining: level.MaxSingleTransaction},
		Day:    allowance(level.MaxDailyVolume, used.Day),
		Month:  allowance(level.MaxMonthlyVolume, used.Month)}
}

func allowance(limit *money.Units, used money.Units) Allowance {
	if limit == nil {
		return Allowance{}
	}
	rest := limit.Sub(used)
	if rest.Sign() < 0 {
		rest = money.Units{}
	}
	return Allowance{Limit: limit, Remaining: &rest}
}

// check refuses a purchase of total cents that is above what is left.
func (l Limits) check(total money.Units) error {
	for _, c := range []struct {
		name, reason string
		allowance    Allowance
	}{
		{"single purchase", "over_single_limit", l.Single},
		{"daily", "over_daily_limit", l.Day},
		{"monthly", "over_monthly_limit", l.Month},
	} {
		if c.allowance.Remaining != nil && total.Cmp(*c.allowance.Remaining) > 0 {
			return Invalid("amountAsset", c.reason, fmt.Sprintf("This is above your %s limit. You have %s of %s left.",
				c.name, money.Dollars(*c.allowance.Remaining), money.Dollars(*c.allowance.Limit)))
		}
	}
	return nil
}

// counted is what an unpaid order counts towards its customer's limits, in cents;
// nothing once it has ended.
func (o *Order) counted() money.Units {
	if o.Resolution != nil {
		return money.Units{}
	}
	return o.Total
}

// mayTake is asked when money for the order is about to be taken, by whatever way.
// What was agreed when the order was made was within the limits, has counted
// since, and is honoured; an order on new terms, or one that had ended, needs room
// today and is assessed as a new order is.
func (c *OrderChange) mayTake() error {
	if c.was.Resolution == nil && text(c.was.QuoteID) == text(c.Order.QuoteID) {
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
	if err := c.tx.lockCustomer(c.ctx, c.Order.UserID); err != nil {
		return err
	}
	terms, now, err := c.tx.customerTerms(c.ctx, c.Order.UserID)
	if err != nil {
		return err
	}
	if err := terms.mayBuy(); err != nil {
		return err
	}
	pricing, err := c.tx.ReadPricing(c.ctx)
	if err != nil {
		return err
	}
	limits, err := c.tx.limits(c.ctx, c.Order.UserID, terms, pricing, now, c.was.counted())
	if err != nil {
		return err
	}
	return limits.check(c.Order.Total)
}
