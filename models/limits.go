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

// Limits are what a customer's verification level still allows, counted over
// the totals of their orders. Orders that are unpaid count until they expire;
// orders that ended without coin do not count.
type Limits struct {
	Level              string
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
	limits, err := db.limits(ctx, userID, terms, pricing, now, nil)
	limits.Held = firstError(terms.mayBegin(), terms.open())
	return limits, err
}

// limits counts all of a customer's orders besides the one that is being priced
// anew, if one is.
func (db *DB) limits(ctx context.Context, userID string, terms customerTerms, pricing *Pricing, now time.Time, besides *Order) (Limits, error) {
	day := now.UTC().Truncate(24 * time.Hour)
	month := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
	spent, err := db.tally(ctx, "spent", userID)
	if err != nil {
		return Limits{}, err
	}
	var used struct{ Day, Month money.Units }
	for _, t := range spent {
		if t.Facet >= month.Format(time.DateOnly) {
			used.Month = used.Month.Add(t.Amount)
		}
		if t.Facet >= day.Format(time.DateOnly) {
			used.Day = used.Day.Add(t.Amount)
		}
	}
	if besides != nil {
		made := besides.CreatedAt.UTC().Format(time.DateOnly)
		if made >= month.Format(time.DateOnly) {
			used.Month = used.Month.Sub(besides.Total)
		}
		if made >= day.Format(time.DateOnly) {
			used.Day = used.Day.Sub(besides.Total)
		}
	}
	level := terms.kyc(pricing)
	return Limits{Level: level.KYCLevel, Country: terms.Country,
		Single: Allowance{Limit: level.MaxSingleTransaction, Remaining: level.MaxSingleTransaction},
		Day:    allowance(level.MaxDailyVolume, used.Day),
		Month:  allowance(level.MaxMonthlyVolume, used.Month)}, nil
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
			return Invalid("amountAsset", c.reason, fmt.Sprintf("This is over your %s limit: %s remaining of %s",
				c.name, money.Dollars(*c.allowance.Remaining), money.Dollars(*c.allowance.Limit)))
		}
	}
	return nil
}
