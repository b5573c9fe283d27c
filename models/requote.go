package models

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
)

// A requote is a quote the other way round: not what an amount of coin costs,
// but how much coin the money that came for an order buys today, by the same
// method. It is bound to that order and that money.

// Requote prices what came for an order. It refuses what could not be ordered.
func (q *Quoter) Requote(ctx context.Context, o *Order) (Quote, error) {
	if !o.MoneyWaits() {
		return Quote{}, Conflict("order_state", "This order doesn't need a new price. Refresh the page.")
	}
	received, err := q.db.Unallocated(ctx, o.ID)
	if err != nil {
		return Quote{}, err
	}
	pricing, err := q.Pricing(ctx)
	if err != nil {
		return Quote{}, err
	}
	method, known := pricing.Methods[o.PaymentMethod] // also one that takes no new orders
	if !known {
		return Quote{}, Invalid("paymentMethod", "unknown_method", "Unknown payment method")
	}
	terms, now, err := q.db.customerTerms(ctx, o.UserID)
	if err != nil {
		return Quote{}, err
	}
	if err := firstError(terms.mayBuy(), pricing.SellsTo(terms.Country), pricing.delivers(o.PaymentMethod, o.Asset)); err != nil {
		return Quote{}, err
	}
	market, err := q.quotable(ctx, o.Asset, now)
	if err != nil {
		return Quote{}, err
	}
	tier := terms.tier(pricing)
	in := PriceInput{Asset: o.Asset, Ask: market.Ask, Method: method, KYC: terms.kyc(pricing), Tier: tier, Country: pricing.onTop(terms.Country)}
	in.Amount = CoinFor(received, in, market.LotDecimals)
	lines := Price(in)
	if err := requotable(in.Amount, lines, market, method); err != nil {
		return Quote{}, err
	}
	limits, err := q.db.limits(ctx, o.UserID, terms, pricing, now, o.counted())
	if err != nil {
		return Quote{}, err
	}
	return Quote{ID: NewID(), UserID: o.UserID, Asset: o.Asset, Amount: in.Amount, Method: o.PaymentMethod, UnitPrice: market.Ask, Lines: lines,
		Bonus: tier.BonusRewardPercent, ExpiresAt: now.Add(QuoteLifetime), OrderID: o.ID, Received: received}, limits.check(lines.Total)
}

func requotable(amount money.Units, lines Lines, market *Market, method *PaymentMethod) error {
	if amount.Sign() <= 0 {
		return Invalid("amountAsset", "below_minimum", "The amount that arrived is too low to buy crypto. Choose a refund.")
	}
	if err := market.CheckAmount(amount); err != nil {
		return err
	}
	return method.checkAmount(lines.BasePrice)
}

// CoinFor is the most coin whose price is no more than money, down to what the
// exchange sells. Amount in in is not looked at.
func CoinFor(cents money.Units, in PriceInput, lotDecimals int32) money.Units {
	low, high := money.Units{}, cents // base prices in cents; the price grows with its base
	for low.Cmp(high) < 0 {
		middle := low.Add(high).Add(money.FromInt(1)).Half()
		if priceOf(middle, in).Total.Cmp(cents) <= 0 {
			low = middle
		} else {
			high = middle.Sub(money.FromInt(1))
		}
	}
	if priceOf(low, in).Total.Cmp(cents) > 0 {
		return money.Units{} // not even the fee
	}
	coins, _ := money.USD.Decimal(low).QuoRem(in.Ask, min(in.Asset.Decimals(), lotDecimals))
	return in.Asset.FromDecimal(decimal.Max(coins, decimal.Zero), money.Down)
}

// OpenRequote reads a sealed requote back, for this order and what came for it
// at this moment. An expired one is a Conflict, so that the customer is shown
// the new price.
func (q *Quoter) OpenRequote(sealed string, o *Order, now time.Time) (Quote, error) {
	quote, err := q.open(sealed)
	if err != nil {
		return Quote{}, err
	}
	if quote.OrderID != o.ID || quote.UserID != o.UserID {
		return Quote{}, errQuote
	}
	return quote, quote.inForce(now)
}
