package order

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// CoinTerms are how much coin an order delivers and what it costs: Amount in base units, prices in cents.
type CoinTerms struct {
	Amount, BasePrice, PaymentFee, VolumeDiscount money.Units
}

// Price returns what the coin costs in all, in cents.
func (t CoinTerms) Price() money.Units { return t.BasePrice.Add(t.PaymentFee).Sub(t.VolumeDiscount) }

// Equal reports whether the terms are the same.
func (t CoinTerms) Equal(u CoinTerms) bool {
	return t.Amount.Cmp(u.Amount) == 0 && t.BasePrice.Cmp(u.BasePrice) == 0 &&
		t.PaymentFee.Cmp(u.PaymentFee) == 0 && t.VolumeDiscount.Cmp(u.VolumeDiscount) == 0
}

// Terms returns the order's terms now.
func (o *Order) Terms() CoinTerms {
	return CoinTerms{Amount: o.Amount, BasePrice: o.BasePrice, PaymentFee: o.PaymentFee, VolumeDiscount: o.VolumeDiscount}
}

// TermsFor returns the coin that rest, in cents, buys at the order's own locked price, and its lines. The order keeps no
// percentages, so that its coin, base price and discount are reduced in proportion and the fee is what is left: the
// lines add up to rest. Coin is rounded down to lotDecimals; the base price is the order's unit price of it, rounded up,
// as in a quote.
func (o *Order) TermsFor(rest money.Units, lotDecimals int32) CoinTerms {
	share := func(of decimal.Decimal, places int32) decimal.Decimal {
		part, _ := of.Mul(money.USD.Decimal(rest)).QuoRem(money.USD.Decimal(o.Price()), places)
		return part
	}
	coins := share(o.Asset.Decimal(o.Amount), min(o.Asset.Decimals(), lotDecimals))
	discount := share(money.USD.Decimal(o.VolumeDiscount), money.USD.Decimals())
	t := CoinTerms{Amount: o.Asset.FromDecimal(coins, money.Down), VolumeDiscount: money.USD.FromDecimal(discount, money.Down)}
	t.BasePrice = money.USD.FromDecimal(o.UnitPrice.Mul(coins), money.Up).Min(rest)
	t.PaymentFee = rest.Sub(t.BasePrice).Add(t.VolumeDiscount)
	return t
}

// sellsLess reports whether the order can still send less coin, as far as its row says: it is paid, nothing was bought,
// and its money is not in question.
func sellsLess(o *Order) bool {
	if !o.Paid() || o.ClosedAt != nil || o.Resolution != nil {
		return false
	}
	switch store.Text(o.AttentionReason) {
	case AttentionDisputed, AttentionRefundFailed, AttentionRefundPending, AttentionRefundedThere, AttentionRefundBlocked:
		return false
	}
	step := store.Text(o.FailedStep)
	return o.Status == StatusPaymentApproved ||
		o.Status == StatusFailed && (step == execution.StepReserve || step == execution.StepBuy)
}

// SellsLess reports whether staff can offer less coin for a partial refund of the order.
func SellsLess(o *Order) bool { return sellsLess(o) && o.OfferUntil == nil }

// errCoinBegan is the error of less coin for an order whose coin is bought, or being bought.
var errCoinBegan = store.Conflict("coin_began", "The crypto of this order is already bought or on its way. "+
	"It can't be reduced anymore.")

// checkNothingBought returns an error if coin was bought for the order, or may be.
func (c *OrderChange) checkNothingBought() error {
	if !sellsLess(c.Order) {
		return errCoinBegan
	}
	if err := c.coinIsStill(); err != nil {
		return err
	}
	rows, err := c.Subject().ExchangeOrders()
	if err != nil {
		return err
	}
	if !execution.FillOf(rows).Filled.IsZero() {
		return errCoinBegan
	}
	return nil
}

// termsWithLess returns the order's terms once refund, in cents, comes with less coin. It returns a field error if the
// rest is below the payment method's minimum, as for a new order, or the exchange's smallest order.
func (c *OrderChange) termsWithLess(refund money.Units) (CoinTerms, error) {
	if err := c.checkNothingBought(); err != nil {
		return CoinTerms{}, err
	}
	left, err := c.refundable()
	if err != nil {
		return CoinTerms{}, err
	}
	market, err := pricing.MarketWithFee(c.Ctx, c.Tx, c.Order.Asset)
	if err != nil {
		return CoinTerms{}, err
	}
	prices, err := pricing.ReadPricing(c.Ctx, c.Tx)
	if err != nil {
		return CoinTerms{}, err
	}
	rest := c.Order.Price().Sub(refund)
	if rest.Sign() <= 0 || refund.Cmp(left) >= 0 {
		return CoinTerms{}, restTooSmall()
	}
	terms := c.Order.TermsFor(rest, market.LotDecimals)
	method, known := prices.Methods[c.Order.PaymentMethod]
	if terms.Amount.Sign() <= 0 || market.CheckAmount(terms.Amount) != nil ||
		known && terms.BasePrice.Cmp(method.Least(market)) < 0 {
		return CoinTerms{}, restTooSmall()
	}
	if terms.Amount.Cmp(c.Order.Amount) >= 0 {
		return CoinTerms{}, store.Invalid("amount", "too_small", "This refund is too small to reduce the crypto")
	}
	return terms, nil
}

// LessCoin returns the order's terms once refund, in cents, comes with less coin, as OfferLessCoin would offer them.
func LessCoin(ctx context.Context, db *store.DB, o *Order, refund money.Units) (CoinTerms, error) {
	now, err := db.Now(ctx)
	if err != nil {
		return CoinTerms{}, err
	}
	return (&OrderChange{Order: o, Now: now, Ctx: ctx, Tx: db}).termsWithLess(refund)
}

func restTooSmall() error {
	return store.Invalid("amount", "rest_too_small", "The rest is below the smallest purchase. Refund less, or send all the crypto.")
}

// setTerms changes the order's terms to others. It books nothing: matchReserved does, once the refund is made.
func (c *OrderChange) setTerms(t CoinTerms) {
	o := c.Order
	o.Amount, o.BasePrice, o.PaymentFee, o.VolumeDiscount = t.Amount, t.BasePrice, t.PaymentFee, t.VolumeDiscount
	o.Reduced = o.Total.Sub(t.Price())
}

// matchReserved releases what is reserved beyond the coin that a reduced order delivers. It runs when the refund is made,
// and not when the customer agrees: an order whose refund fails has its coin again, also if the wallet has no other.
func (c *OrderChange) matchReserved(group string) error {
	o := c.Order
	if o.Reduced.IsZero() {
		return nil
	}
	var reserved money.Units
	err := c.Tx.Row(c.Ctx, `SELECT coalesce(sum(CASE to_account WHEN $2 THEN amount ELSE -amount END), 0)
		FROM postings WHERE order_id = $1 AND $2 IN (from_account, to_account)`,
		o.ID, ledger.ReservedAccount(o.Network)).Scan(&reserved)
	if err != nil {
		return fmt.Errorf("read reserved coin: %w", err)
	}
	if reserved.Cmp(o.Amount) <= 0 { // nothing is reserved, or no more than the order delivers
		return nil
	}
	return c.Post("reserved", group, ReducedPostings(o, reserved)...)
}
