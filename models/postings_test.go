package models_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
)

type book map[string]map[money.Currency]money.Units

func (b book) post(lines []ledger.Posting) {
	for _, p := range lines {
		for account, amount := range map[string]money.Units{p.From: p.Amount.Neg(), p.To: p.Amount} {
			if b[account] == nil {
				b[account] = map[money.Currency]money.Units{}
			}
			b[account][p.Currency] = b[account][p.Currency].Add(amount)
		}
	}
}

// TestBar22EveryWayAnOrderEndsLeavesNothingOpen draws orders with any prices, fills and fees, refunds parts of them,
// has their payment disputed, ends them as sent or refunded, and finds every clearing account at zero.
func TestBar22EveryWayAnOrderEndsLeavesNothingOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := func(name string, low int64) money.Units {
			return money.FromInt(rapid.Int64Range(low, 1_000_000).Draw(t, name))
		}
		o := &order.Order{UserID: "u", Asset: rapid.SampledFrom(money.Assets).Draw(t, "asset"), Network: money.Ethereum,
			PaymentMethod: rapid.SampledFrom([]string{pricing.MethodCard, "zelle"}).Draw(t, "method"),
			Amount:        cents("amount", 2), BasePrice: cents("base", 1),
			BonusPercent: decimal.New(rapid.Int64Range(0, 500).Draw(t, "bonus"), -2)}
		o.Total = o.BasePrice.Add(cents("margin", 0))
		b := book{}
		if o.ByCard() {
			b.post(order.CapturedPostings(o))
		} else {
			b.post(order.ReceiptPostings(o))
		}
		b.post(execution.ReservePostings(o.Delivery()))
		var bought execution.Fill
		least := rapid.Int64Range(1, 5000).Draw(t, "exchange's minimum")
		for bought.Filled.Cmp(o.Amount) < 0 { // any number of part fills
			part, _ := o.Amount.Sub(bought.Filled).Int64()
			fill := execution.Fill{Filled: money.FromInt(rapid.Int64Range(1, max(part, least)).Draw(t, "part")), Cost: cents("cost", 1), Fee: cents("fee", 0)}
			b.post(execution.FilledPostings(o.Delivery(), fill))
			bought.Filled, bought.Cost = bought.Filled.Add(fill.Filled), bought.Cost.Add(fill.Cost)
		}
		destination := order.RefundToCard
		if !o.ByCard() {
			destination = order.RefundToBalance
		}
		part := func(name string, of money.Units) money.Units {
			most, _ := of.Int64()
			return money.FromInt(rapid.Int64Range(0, most).Draw(t, name))
		}
		before := part("given back before", o.Total)
		b.post(order.RefundPostings(o, destination, ledger.AccountPrepaid, before))
		owed, lost := o.Total.Sub(before), money.Units{}
		if o.ByCard() && rapid.Bool().Draw(t, "disputed") {
			b.post(order.DisputePostings(owed, money.FromInt(1500), money.Units{}))
			if rapid.Bool().Draw(t, "won") {
				b.post(order.DisputePostings(money.Units{}, part("fee kept", money.FromInt(1500)).Sub(money.FromInt(1500)), owed))
			} else if lost = part("lost", owed); !lost.IsZero() {
				b.post(order.LostPostings(lost))
			}
		}
		if rapid.Bool().Draw(t, "sent") {
			b.post(execution.SentPostings(o.Delivery(), bought, cents("network fee", 0), money.ETH))
			b.post(order.ForgonePostings(ledger.AccountGoodwill, before))
			b.post(order.ForgonePostings(ledger.AccountChargebacks, lost))
			b.post(order.BonusPostings(o, order.Bonus(o, money.Units{})))
			b.post(order.RefundPostings(o, destination, ledger.AccountGoodwill, part("given back after", owed.Sub(lost))))
		} else {
			b.post(execution.ReleasePostings(o.Delivery()))
			b.post(execution.UnsoldPostings(o.Delivery(), bought))
			b.post(order.RefundPostings(o, destination, ledger.AccountPrepaid, owed.Sub(lost)))
		}
		for _, through := range []string{ledger.AccountPrepaid, ledger.AccountConversion, ledger.ReservedAccount(money.Ethereum)} {
			for currency, left := range b[through] {
				if !left.IsZero() {
					t.Fatalf("%s keeps %s %s", through, left, currency)
				}
			}
		}
		sums := map[money.Currency]money.Units{}
		for _, balances := range b {
			for currency, amount := range balances {
				sums[currency] = sums[currency].Add(amount)
			}
		}
		for currency, sum := range sums {
			if !sum.IsZero() {
				t.Fatalf("%s sums to %s", currency, sum)
			}
		}
	})
}
