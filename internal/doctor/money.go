package doctor

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

func (e *examination) moneyChecks() []Check {
	return []Check{
		{"prices", "how old the prices are that orders are made by", e.needs(e.Postgres != nil, "DATABASE_URL", e.prices)},
		{"treasury.wallets", "each wallet's balance against TREASURY_LOW and TREASURY_TARGET", e.needs(e.BitGo != nil && e.Treasury != nil, "BITGO_TOKEN", e.wallets)},
		{"treasury.exchange", "dollars at Kraken", e.withKraken(e.dollars)},
		{"treasury.books", "the opening float is booked", e.needs(e.Postgres != nil, "DATABASE_URL", e.books)},
	}
}

// withDatabase runs a part of a check on the database.
func (e *examination) withDatabase(ctx context.Context, check func(db *store.DB) ([]Finding, error)) []Finding {
	db, err := e.database(ctx)
	if err != nil {
		return skipped("the database cannot be used (database.application says why)")
	}
	found, err := check(db)
	if err != nil {
		return []Finding{wrong("database_unreachable", "Look at Postgres's log.", "the database does not answer: %v", err)}
	}
	return found
}

func (e *examination) prices(ctx context.Context) []Finding {
	return e.withDatabase(ctx, func(db *store.DB) (found []Finding, err error) {
		markets, err := pricing.Markets(ctx, db)
		if err != nil {
			return nil, err
		}
		now, err := db.Now(ctx)
		if err != nil {
			return nil, err
		}
		for _, asset := range e.offer().Coins() {
			m := markets[asset]
			switch {
			case m == nil || m.PricedAt == nil:
				found = append(found, wrong("prices_never_read", exchangeRuns, "the price of %s was never read: nothing of it is sold", asset))
			case now.Sub(*m.PricedAt) > pricing.PriceMaxAge:
				found = append(found, wrong("prices_old", exchangeRuns, "the price of %s is %s old, and none is quoted that is older than %s",
					asset, now.Sub(*m.PricedAt).Round(time.Second), pricing.PriceMaxAge))
			}
		}
		return found, nil
	})
}

// exchangeRuns is the advice about prices.
const exchangeRuns = "Start the exchange worker and look at its log; it reads prices every PRICE_EVERY."

func (e *examination) wallets(ctx context.Context) (found []Finding) {
	client := e.bitgo()
	var limits treasury.TreasuryLimits
	if problem := e.withDatabase(ctx, func(db *store.DB) (_ []Finding, err error) {
		limits, err = e.Treasury.Thresholds(e.offer()).InForce(ctx, db)
		return nil, err
	}); problem != nil {
		return problem
	}
	for _, w := range client.Wallets() {
		have, err := client.Holding(ctx, w)
		if err != nil {
			return append(found, skipped("the wallet of %s cannot be read (bitgo.wallets says why)", named(w))...)
		}
		limit, filled := limits[treasury.Wallet{Asset: w.Asset, Network: w.Network}]
		coins := func(amount money.Units) string { return w.Asset.Decimal(amount).String() }
		switch {
		case have.Free.Sign() == 0 && !e.offer().Sends(w.Asset, w.Network): // kept for what was sold before
		case have.Free.Sign() == 0:
			found = append(found, doubtful("wallet_empty", "Send coin to its address, or pause its deliveries at /admin/switches.", "the wallet of %s is empty: nothing is delivered from it", named(w)))
		case filled && have.Free.Cmp(limit.Low) < 0:
			found = append(found, doubtful("wallet_low", "Fill it to its target, or set TREASURY_LOW and TREASURY_TARGET to yours.", "the wallet of %s has %s, below the %s of TREASURY_LOW; its target is %s",
				named(w), coins(have.Free), coins(limit.Low), coins(limit.Target)))
		}
	}
	return found
}

func (e *examination) dollars(ctx context.Context, c *kraken.Client) []Finding {
	holdings, err := c.Holdings(ctx)
	if err != nil {
		return skipped("the balance cannot be read (kraken.key says why)")
	}
	if holdings[money.USD].Free.Sign() <= 0 {
		return []Finding{doubtful("exchange_without_dollars", "Send dollars to Kraken before the first order is processed.", "no dollars are free at Kraken: nothing can be bought")}
	}
	return nil
}

func (e *examination) books(ctx context.Context) []Finding {
	return e.withDatabase(ctx, func(db *store.DB) (found []Finding, err error) {
		coverage, err := treasury.TreasuryCoverage(ctx, db, treasury.TreasuryLimits{})
		if err != nil {
			return nil, err
		}
		for _, c := range coverage {
			if c.Free.Sign() != 0 || c.Reserved.Sign() != 0 {
				return nil, nil
			}
		}
		return []Finding{wrong("float_not_booked", "Book what was brought in, once: `api float seed FILE` (docs/operations.md).", "the books have no coin in any wallet: nothing is delivered")}, nil
	})
}
