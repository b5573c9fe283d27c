package models

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/money"
)

type book map[string]map[money.Currency]money.Units

func (b book) post(lines []Posting) {
	for _, p := range lines {
		for account, amount := range map[string]money.Units{p.From: p.Amount.Neg(), p.To: p.Amount} {
			if b[account] == nil {
				b[account] = map[money.Currency]money.Units{}
			}
			b[account][p.Currency] = b[account][p.Currency].Add(amount)
		}
	}
}

// TestBar22EveryWayAnOrderEndsLeavesNothingOpen draws orders with any prices,
// fills and fees, gives back parts of them, has their payment disputed, ends
// them as sent or refunded, and finds every account that only carries things
// through at zero.
func TestBar22EveryWayAnOrderEndsLeavesNothingOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := func(name string, low int64) money.Units {
			return money.FromInt(rapid.Int64Range(low, 1_000_000).Draw(t, name))
		}
		order := &Order{UserID: "u", Asset: rapid.SampledFrom(money.Assets).Draw(t, "asset"), Network: NetworkEthereum,
			PaymentMethod: rapid.SampledFrom([]string{MethodCard, "zelle"}).Draw(t, "method"),
			Amount:        cents("amount", 2), BasePrice: cents("base", 1),
			BonusPercent: decimal.New(rapid.Int64Range(0, 500).Draw(t, "bonus"), -2)}
		order.Total = order.BasePrice.Add(cents("margin", 0))
		b := book{}
		if order.ByCard() {
			b.post(CapturedPostings(order))
		} else {
			b.post(ReceiptPostings(order))
		}
		b.post(ReservePostings(order.Delivery()))
		var bought Fill
		least := rapid.Int64Range(1, 5000).Draw(t, "exchange's minimum")
		for bought.Filled.Cmp(order.Amount) < 0 { // any number of part fills
			part, _ := order.Amount.Sub(bought.Filled).Int64()
			fill := Fill{Filled: money.FromInt(rapid.Int64Range(1, max(part, least)).Draw(t, "part")), Cost: cents("cost", 1), Fee: cents("fee", 0)}
			b.post(FilledPostings(order.Delivery(), fill))
			bought.Filled, bought.Cost = bought.Filled.Add(fill.Filled), bought.Cost.Add(fill.Cost)
		}
		destination := RefundToCard
		if !order.ByCard() {
			destination = RefundToBalance
		}
		part := func(name string, of money.Units) money.Units {
			most, _ := of.Int64()
			return money.FromInt(rapid.Int64Range(0, most).Draw(t, name))
		}
		before := part("given back before", order.Total)
		b.post(RefundPostings(order, destination, AccountPrepaid, before))
		owed, lost := order.Total.Sub(before), money.Units{}
		if order.ByCard() && rapid.Bool().Draw(t, "disputed") {
			b.post(DisputePostings(owed, money.FromInt(1500), money.Units{}))
			if rapid.Bool().Draw(t, "won") {
				b.post(DisputePostings(money.Units{}, part("fee kept", money.FromInt(1500)).Sub(money.FromInt(1500)), owed))
			} else if lost = part("lost", owed); !lost.IsZero() {
				b.post(LostPostings(lost))
			}
		}
		if rapid.Bool().Draw(t, "sent") {
			b.post(SentPostings(order.Delivery(), bought, cents("network fee", 0), money.ETH))
			b.post(ForgonePostings(AccountGoodwill, before))
			b.post(ForgonePostings(AccountChargebacks, lost))
			b.post(BonusPostings(order, Bonus(order)))
			b.post(RefundPostings(order, destination, AccountGoodwill, part("given back after", owed.Sub(lost))))
		} else {
			b.post(ReleasePostings(order.Delivery()))
			b.post(UnsoldPostings(order.Delivery(), bought))
			b.post(RefundPostings(order, destination, AccountPrepaid, owed.Sub(lost)))
		}
		for _, through := range []string{AccountPrepaid, AccountConversion, ReservedAccount(NetworkEthereum)} {
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
