package models_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

func percent(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func TestPriceOfAnExampleWorkedByHand(t *testing.T) {
	// 0.01234567 BTC at 64,321.10: 794.087094737 → 794.09 rounded up.
	// 3.5 % of 794.09 = 27.79315 → 27.79, plus 1.00; discount 0.2 % = 1.58818 → 1.59.
	amount, err := money.BTC.Parse("0.01234567")
	require.NoError(t, err)
	lines := pricing.Price(pricing.PriceInput{Asset: money.BTC, Amount: amount, Ask: percent("64321.1"),
		Method: &pricing.PaymentMethod{BaseMarginPercent: percent("3.5"), ProcessingFee: money.FromInt(100)},
		KYC:    &pricing.KYCPricing{}, Tier: &pricing.VolumeTier{MarginDiscountPercent: percent("0.2")}})
	require.Equal(t, "794.09", money.USD.Format(lines.BasePrice))
	require.Equal(t, "28.79", money.USD.Format(lines.PaymentMethodFee))
	require.Equal(t, "1.59", money.USD.Format(lines.VolumeDiscount))
	require.Equal(t, "821.29", money.USD.Format(lines.Total))
}

func TestBar22PricesConserveToTheCent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hundredths := func(name string, low, high int64) decimal.Decimal {
			return decimal.New(rapid.Int64Range(low, high).Draw(t, name), -2)
		}
		in := pricing.PriceInput{Asset: rapid.SampledFrom(money.Assets).Draw(t, "asset"),
			Amount: money.FromInt(rapid.Int64Range(1, 1<<50).Draw(t, "amount")),
			Ask:    hundredths("ask", 1, 20_000_000),
			Method: &pricing.PaymentMethod{BaseMarginPercent: hundredths("margin", 0, 2000), ProcessingFee: money.FromInt(rapid.Int64Range(0, 5000).Draw(t, "fee"))},
			KYC:    &pricing.KYCPricing{MarginAdjustmentPercent: hundredths("adjustment", -2000, 2000)},
			Tier:   &pricing.VolumeTier{MarginDiscountPercent: hundredths("discount", 0, 2000)}}
		lines := pricing.Price(in)
		exact := in.Ask.Mul(in.Asset.Decimal(in.Amount))
		base := money.USD.Decimal(lines.BasePrice)
		if base.LessThan(exact) || base.Sub(exact).GreaterThanOrEqual(decimal.New(1, -2)) {
			t.Fatalf("base %s is not %s rounded up to the cent", base, exact)
		}
		if lines.VolumeDiscount.Cmp(lines.PaymentMethodFee) > 0 {
			t.Fatalf("discount %s exceeds fee %s", lines.VolumeDiscount, lines.PaymentMethodFee)
		}
		if lines.Total.Cmp(lines.BasePrice.Add(lines.PaymentMethodFee).Sub(lines.VolumeDiscount)) != 0 {
			t.Fatal("the lines do not add up to the total")
		}
	})
}

func TestMarketRefusesWhatCannotBeBoughtOrPromised(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	fresh := now.Add(-pricing.PriceMaxAge)
	market := pricing.Market{Asset: money.ETH, Tradable: true, LotDecimals: 8, MinAmount: percent("0.002"), MinCost: percent("0.5"),
		Ask: percent("2500"), Bid: percent("2499"), PricedAt: &fresh}
	require.NoError(t, market.Quotable(now))
	require.Equal(t, "price_stale", store.ReasonOf(market.Quotable(now.Add(time.Second))))
	jumped := now.Add(-time.Second)
	market.JumpedAt = &jumped
	require.Equal(t, "price_jump", store.ReasonOf(market.Quotable(now)))
	market.JumpedAt, market.Ask = nil, percent("2498")
	require.Equal(t, "price_stale", store.ReasonOf(market.Quotable(now)), "an ask below the bid is no price")
	market.Tradable = false
	require.Equal(t, "market_closed", store.ReasonOf(market.Quotable(now)))

	fine, _ := money.ETH.Parse("0.123456789")
	err := market.CheckAmount(fine)
	require.Equal(t, "too_fine", store.ReasonOf(err))
	require.ErrorContains(t, err, "0.12345679", "the nearest amount that works is named")
	for typed, nearest := range map[string]string{"0.123456784": "0.12345678", "0.000000001": "0.00000001"} {
		fine, _ := money.ETH.Parse(typed)
		require.ErrorContains(t, market.CheckAmount(fine), "nearest amount is "+nearest+".")
	}
	small, _ := money.ETH.Parse("0.001")
	require.ErrorContains(t, market.CheckAmount(small), "0.002")
}

func TestBar22NoSequenceOfMovesLeavesTheTable(t *testing.T) {
	claim := asvs.Claim(t, "2.3.1")
	rapid.Check(t, func(t *rapid.T) {
		c := &order.OrderChange{Order: &order.Order{Status: order.StatusPending}}
		for range 20 {
			from := c.Order.Status
			to := rapid.SampledFrom(order.OrderStatuses).Draw(t, "to")
			err := c.Move(to)
			if order.CanMove(from, to) != (err == nil) || err != nil && c.Order.Status != from {
				t.Fatalf("%s → %s: %v, now %s: %s", from, to, err, c.Order.Status, claim)
			}
		}
	})
	for _, from := range order.OrderStatuses {
		require.False(t, order.CanMove(from, order.StatusPending), "nothing goes back to pending")
		require.NotEmpty(t, order.LegacyStatus(&order.Order{Status: from}))
	}
}
