package pricing

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// LevelOf is the pricing of the level in force.
func LevelOf(t kyc.CustomerTerms, p *Pricing) *KYCPricing {
	level := t.Level
	if t.Revoked {
		level = "none"
	}
	if k, ok := p.KYC[level]; ok {
		return k
	}
	return &KYCPricing{KYCLevel: level}
}

// TierOf is the volume tier in force; an unknown one earns nothing.
func TierOf(t kyc.CustomerTerms, p *Pricing) *VolumeTier {
	if tier, ok := p.Tiers[t.VolumeTier]; ok {
		return tier
	}
	return &VolumeTier{TierName: t.VolumeTier}
}

// Allowance is one limit in cents and what remains of it; a nil Limit is
// unlimited.
type Allowance struct {
	Limit     *money.Units
	Remaining *money.Units
}

// Limits are what a customer's verification level still allows, over the totals of their orders by any method; orders
// that ended without coin do not count. An unpaid order counts until it ends, since its money may come on any day,
// and a paid one on the day (UTC) of its payment, so that the payments of a day never exceed its limit and an order
// paid as agreed is not refused.
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
func CustomerLimits(ctx context.Context, db *store.DB, userID string, pricing *Pricing) (Limits, error) {
	terms, now, err := kyc.ReadTerms(ctx, db, userID)
	if err != nil {
		return Limits{}, err
	}
	limits, err := ReadLimits(ctx, db, userID, terms, pricing, now, money.Units{})
	limits.Held = store.FirstError(terms.MayBegin(), terms.Open())
	return limits, err
}

// spentUnpaid is the facet under which unpaid orders are tallied; it sorts behind
// every day.
const spentUnpaid = "unpaid"

// ReadLimits counts all of a customer's orders but for besides, in cents: the price of the
// unpaid one that is about to be paid on new terms, if one is.
func ReadLimits(ctx context.Context, db *store.DB, userID string, terms kyc.CustomerTerms, pricing *Pricing, now time.Time, besides money.Units) (Limits, error) {
	spent, err := db.Tally(ctx, "spent", userID)
	if err != nil {
		return Limits{}, err
	}
	return LimitsOf(terms, pricing, spent, now, besides), nil
}

// LimitsOf are what is left by what a customer has spent.
func LimitsOf(t kyc.CustomerTerms, pricing *Pricing, spent []store.Tallied, now time.Time, besides money.Units) Limits {
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
	level := LevelOf(t, pricing)
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

// Check refuses a purchase of total cents that is above what is left.
func (l Limits) Check(total money.Units) error {
	for _, c := range []struct {
		name, reason string
		allowance    Allowance
	}{
		{"single purchase", "over_single_limit", l.Single},
		{"daily", "over_daily_limit", l.Day},
		{"monthly", "over_monthly_limit", l.Month},
	} {
		if c.allowance.Remaining != nil && total.Cmp(*c.allowance.Remaining) > 0 {
			return store.Invalid("amountAsset", c.reason, fmt.Sprintf("This is above your %s limit. You have %s of %s left.",
				c.name, money.Dollars(*c.allowance.Remaining), money.Dollars(*c.allowance.Limit)))
		}
	}
	return nil
}
