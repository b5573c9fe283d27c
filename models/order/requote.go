package order

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// A requote is a reverse quote: how much coin the money that arrived for an order buys today, by the same method. It
// is bound to that order and that money.

// QuoteAgain prices the money that arrived for an order. It refuses what could not be ordered.
func QuoteAgain(ctx context.Context, q *pricing.Quoter, o *Order) (pricing.Quote, error) {
	if !o.MoneyWaits() {
		return pricing.Quote{}, store.Conflict("order_state", "This order doesn't need a new price. Refresh the page.")
	}
	received, err := Unallocated(ctx, q.DB, o.ID)
	if err != nil {
		return pricing.Quote{}, err
	}
	prices, err := q.Pricing(ctx)
	if err != nil {
		return pricing.Quote{}, err
	}
	method, known := prices.Methods[o.PaymentMethod] // also one that accepts no new orders
	if !known {
		return pricing.Quote{}, store.Invalid("paymentMethod", "unknown_method", "Unknown payment method")
	}
	terms, now, err := kyc.ReadTerms(ctx, q.DB, o.UserID)
	if err != nil {
		return pricing.Quote{}, err
	}
	if err := store.FirstError(terms.MayBuy(), prices.SellsTo(terms.Country), prices.Delivers(o.PaymentMethod, o.Asset)); err != nil {
		return pricing.Quote{}, err
	}
	market, err := q.Quotable(ctx, o.Asset, now)
	if err != nil {
		return pricing.Quote{}, err
	}
	tier := pricing.TierOf(terms, prices)
	in := pricing.PriceInput{Asset: o.Asset, Ask: market.Ask, Method: method, KYC: pricing.LevelOf(terms, prices), Tier: tier, Country: prices.OnTop(terms.Country)}
	in.Amount = CoinFor(received, in, market.LotDecimals)
	lines := pricing.Price(in)
	if err := requotable(in.Amount, lines, market, method); err != nil {
		return pricing.Quote{}, err
	}
	limits, err := pricing.ReadLimits(ctx, q.DB, o.UserID, terms, prices, now, o.counted())
	if err != nil {
		return pricing.Quote{}, err
	}
	return pricing.Quote{ID: store.NewID(), UserID: o.UserID, Asset: o.Asset, Amount: in.Amount, Method: o.PaymentMethod, UnitPrice: market.Ask, Lines: lines,
		Bonus: tier.BonusRewardPercent, ExpiresAt: now.Add(pricing.QuoteLifetime), OrderID: o.ID, Received: received}, limits.Check(lines.Total)
}

func requotable(amount money.Units, lines pricing.Lines, market *pricing.Market, method *pricing.PaymentMethod) error {
	if amount.Sign() <= 0 {
		return store.Invalid("amountAsset", "below_minimum", "The amount that arrived is too low to buy crypto. Choose a refund.")
	}
	if err := market.CheckAmount(amount); err != nil {
		return err
	}
	return method.CheckAmount(lines.BasePrice)
}

// CoinFor is the most coin whose price is no more than money, down to what the exchange sells. Amount in in is
// ignored.
func CoinFor(cents money.Units, in pricing.PriceInput, lotDecimals int32) money.Units {
	low, high := money.Units{}, cents // base prices in cents; the price grows with its base
	for low.Cmp(high) < 0 {
		middle := low.Add(high).Add(money.FromInt(1)).Half()
		if pricing.PriceOf(middle, in).Total.Cmp(cents) <= 0 {
			low = middle
		} else {
			high = middle.Sub(money.FromInt(1))
		}
	}
	if pricing.PriceOf(low, in).Total.Cmp(cents) > 0 {
		return money.Units{} // not even the fee
	}
	coins, _ := money.USD.Decimal(low).QuoRem(in.Ask, min(in.Asset.Decimals(), lotDecimals))
	return in.Asset.FromDecimal(decimal.Max(coins, decimal.Zero), money.Down)
}

// OpenRequote reads a sealed requote back, for this order and the money that arrived for it so far. An expired one is
// a Conflict, so that the customer is shown the new price.
func OpenRequote(q *pricing.Quoter, sealed string, o *Order, now time.Time) (pricing.Quote, error) {
	quote, err := q.Unseal(sealed)
	if err != nil {
		return pricing.Quote{}, err
	}
	if quote.OrderID != o.ID || quote.UserID != o.UserID {
		return pricing.Quote{}, pricing.ErrQuote
	}
	return quote, quote.InForce(now)
}
