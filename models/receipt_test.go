package models_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

var patience = order.Patience{Choice: 72 * time.Hour, TryFor: 24 * time.Hour, TryEvery: 15 * time.Minute, TryAtMost: 4 * time.Hour}

// arrives confirms that cents came for the order, as its workflow does when one runs, and offers the customer a
// choice when the amount differs.
func (d *orderFixture) arrives(cents money.Units, reference string) error {
	return d.arrivesOn("2026-11-20", cents, reference)
}

// longAgo is a day before every order: money of that day is late, whatever it is.
const longAgo = "2025-01-02"

// arrivesOn is arrives, by the bank's day.
func (d *orderFixture) arrivesOn(day string, cents money.Units, reference string) error {
	decision, err := order.OpenDecision(d.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: order.DecisionConfirmReceipt, ActorID: d.cashier, ActorRole: "finance",
		Data: order.Receipt{Amount: cents, ReceivedOn: day, BankReference: reference}})
	if err != nil {
		return err
	}
	if err := order.ConfirmReceipt(d.Context(), d.db, d.order.ID, decision.ID, surplusTerms); err != nil {
		return err
	}
	return order.OfferChoice(d.Context(), d.db, d.order.ID, patience)
}

func (d *orderFixture) chooses(kind string, data any, execute func(decision string) error) error {
	decision, err := order.OpenDecision(d.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: kind, ActorID: d.user, ActorRole: "customer", Data: data})
	if err != nil {
		return err
	}
	return execute(decision.ID)
}

func (d *orderFixture) requotes() error {
	quoter := pricing.NewQuoter(d.db, []byte("a key of at least thirty-two bytes")) // without prices of a moment ago
	quote, err := order.QuoteAgain(d.Context(), quoter, d.now())
	if err != nil {
		return err
	}
	return d.chooses(order.DecisionRequote, order.Requoted{Quote: quote}, func(id string) error { return order.Requote(d.Context(), d.db, d.order.ID, id, surplusTerms) })
}

func (d *orderFixture) keeps() error {
	return d.chooses(order.DecisionKeepOrder, nil, func(id string) error { return order.KeepOrder(d.Context(), d.db, d.order.ID, id, surplusTerms) })
}

func (d *orderFixture) reverse() error {
	return d.chooses(order.DecisionRefundNow, nil, func(id string) error {
		_, err := order.StartRefund(d.Context(), d.db, d.order.ID, id)
		return err
	})
}

func (d *orderFixture) expires() {
	d.Helper()
	d.exec(`UPDATE orders SET payment_due_at = clock_now() WHERE id = $1`, d.order.ID)
	require.NoError(d, order.EndUnpaid(d.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionExpired}))
}

func (d *orderFixture) balance() money.Units {
	d.Helper()
	have, err := ledger.HoldingsOf(d.Context(), d.db, d.user)
	require.NoError(d, err)
	return have.Balance
}

func (d *orderFixture) eventsOf() (kinds []string) {
	d.Helper()
	events, err := order.Timeline.Events(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func cents(n int64) money.Units { return money.FromInt(n) }

// surplusTerms are how surpluses are treated here.
var surplusTerms = order.SurplusTerms{HeldFor: 72 * time.Hour, TwoAbove: cents(1000_00)}

func TestShortMoneyWaitsAndTheRestCompletesIt(t *testing.T) {
	d := openOrderFixture(t)
	d.take("domestic_wire")
	require.NoError(t, d.arrives(d.order.Total.Sub(cents(5000)), "A"))
	o := d.now()
	require.Equal(t, order.StatusPending, o.Status)
	require.Equal(t, order.AttentionShort, *o.AttentionReason)
	require.WithinDuration(t, time.Now().Add(72*time.Hour), *o.ChoiceDueAt, time.Minute)
	_, err := d.decide(order.DecisionCancel, nil)
	require.Equal(t, "order_state", store.ReasonOf(err), "an order with money cannot be cancelled: its money goes back")
	require.Equal(t, "bank_reference_used", store.ReasonOf(d.arrives(cents(5000), "a")))
	require.NoError(t, d.arrives(cents(5000), "B"))
	o = d.now()
	require.Equal(t, order.StatusPaymentApproved, o.Status)
	require.Nil(t, o.AttentionReason)
	require.Nil(t, o.ChoiceDueAt)
	require.Equal(t, []string{"created", "money_received", "money_short", "money_received", "receipt_confirmed"}, d.eventsOf())
	rows, err := order.OrderReceipts(t.Context(), d.db, o.ID)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	p, err := order.PaymentOf(t.Context(), d.db, o.ID)
	require.NoError(t, err)
	require.Equal(t, o.Total, *p.ReceivedAmount)
	require.True(t, d.balance().IsZero())
	d.balanced()
}

// comesBack has money come back to an order that waits: so many cents more than its price are there.
func (d *orderFixture) comesBack(more int64, reference string) {
	d.Helper()
	require.NoError(d, d.arrives(d.order.Total.Sub(cents(100)), reference))
	d.exec(`INSERT INTO postings (group_key, line, event, order_id, from_account, to_account, currency, amount)
		VALUES ($1, 1, 'money_received', $2, 'unallocated_receipts', 'bank_clearing', 'USD', $3)`, "more:"+d.order.ID, d.order.ID, more+100)
	d.exec(`UPDATE orders SET attention_reason = 'money_over' WHERE id = $1`, d.order.ID)
	require.Equal(d, order.AttentionOver, *d.now().AttentionReason)
}

// An order that still waits to continue, as after money came back to it, is kept, or buys more, or goes back.
func TestMoneyBeyondThePriceIsKeptOrBuysMoreOrGoesBack(t *testing.T) {
	d := openOrderFixture(t)
	for name, choose := range map[string]func() error{"keep": d.keeps, "requote": d.requotes, "back": d.reverse} {
		d.take("domestic_wire")
		before, had := d.now(), d.balance()
		sent := before.Total.Add(cents(10033))
		d.comesBack(10033, name)
		require.NoError(t, choose(), name)
		d.settles(true)
		o, credited := d.now(), d.balance().Sub(had)
		switch name {
		case "keep":
			require.Equal(t, order.StatusPaymentApproved, o.Status)
			require.Equal(t, before.Amount, o.Amount)
			require.Equal(t, "10033", credited.String())
		case "requote":
			require.Equal(t, order.StatusPaymentApproved, o.Status)
			require.Positive(t, o.Amount.Cmp(before.Amount))
			require.Equal(t, sent, o.Total.Add(credited))
			require.Less(t, credited.Cmp(cents(10)), 0, "a lot of bitcoin is worth less than a cent")
		case "back":
			require.Equal(t, order.ResolutionRefunded, *o.Resolution)
			require.Equal(t, sent, credited)
		}
		d.balanced()
	}
}

func TestBar23MoneyAfterTheLockIsRequotedOrRefunded(t *testing.T) {
	d := openOrderFixture(t)
	for name, choose := range map[string]func() error{"requote": d.requotes, "refund": d.reverse} {
		t.Run(name, func(t *testing.T) {
			d.take("domestic_wire")
			before, had := d.now(), d.balance()
			d.expires()
			require.NotNil(t, d.now().ClosedAt)
			d.price("52000")
			require.NoError(t, d.arrives(before.Total, "late "+name))
			o := d.now()
			require.Equal(t, order.StatusFailed, o.Status)
			require.Nil(t, o.Resolution)
			require.Nil(t, o.ClosedAt)
			require.Nil(t, o.WorkflowStartedAt, "whoever finds it starts its workflow")
			require.Equal(t, order.AttentionLate, *o.AttentionReason)
			require.ElementsMatch(t, []string{order.DecisionConfirmReceipt, order.DecisionRefund}, []string(o.AttentionChoices))
			require.NoError(t, choose())
			o = d.now()
			if name == "refund" {
				require.Equal(t, order.ResolutionRefunded, *o.Resolution)
				require.Equal(t, before.Total, d.balance().Sub(had))
				require.Subset(t, d.eventsOf(), []string{"expired", "refunded"}, "each of its ends is told")
				return
			}
			require.Equal(t, order.StatusPaymentApproved, o.Status)
			require.Equal(t, "52000", o.UnitPrice.String(), "at today's price")
			require.Negative(t, o.Amount.Cmp(before.Amount), "the same money buys less")
			d.settles(true)
			require.Equal(t, before.Total, o.Total.Add(d.balance().Sub(had)))
		})
	}
	d.balanced()
	orphan, err := order.Orphans(t.Context(), d.db, 0, time.Hour, 10)
	require.NoError(t, err)
	require.Len(t, orphan, 1, "the requoted order's workflow is started by the sweeper, should nobody else")
}

// Money is in time by the bank's day, although staff confirm it when the order has
// run out: it pays the order as agreed, if the customer has room for it still.
func TestMoneyInTimeByTheBanksDayIsInTime(t *testing.T) {
	d := openOrderFixture(t)
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	for name, c := range map[string]struct {
		day   string
		ended bool
		extra int64
		want  string
	}{
		"not ended yet":    {day(1), false, 0, ""},
		"ended":            {day(1), true, 0, ""},
		"more, not ended":  {day(1), false, 100, ""},
		"more, and ended":  {day(1), true, 100, ""},
		"late":             {day(0), false, 0, order.AttentionLate},
		"late and ended":   {day(0), true, 0, order.AttentionLate},
		"before the order": {day(9), true, 0, order.AttentionLate},
	} {
		d.take("domestic_wire")
		d.daysAgo(3)
		d.exec(`UPDATE orders SET payment_due_at = clock_now() - interval '1 day' WHERE id = $1`, d.order.ID)
		if c.ended {
			require.NoError(t, order.EndUnpaid(t.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionExpired}))
			require.NotNil(t, d.now().ClosedAt)
		}
		require.NoError(t, d.arrivesOn(c.day, d.order.Total.Add(cents(c.extra)), name), name)
		o := d.now()
		if c.want != "" {
			require.Equal(t, c.want, *o.AttentionReason, name)
			require.NoError(t, d.reverse(), name)
			continue
		}
		require.Equal(t, order.StatusPaymentApproved, o.Status, name)
		require.Nil(t, o.Resolution, name)
		require.Nil(t, o.ClosedAt, name)
		require.Nil(t, o.WorkflowStartedAt, name)
		require.Equal(t, d.order.UnitPrice.String(), o.UnitPrice.String(), name)
	}
	d.take("domestic_wire")
	d.expires()
	d.exec(`UPDATE kyc_pricing SET max_daily_volume = 100`)
	require.NoError(t, d.arrivesOn(day(0), d.order.Total, "no room"))
	require.Equal(t, order.AttentionLate, *d.now().AttentionReason, "an order that ended held no room: its customer chooses")
	require.Equal(t, "over_daily_limit", store.ReasonOf(d.requotes()), "and is told of the limit")
	d.balanced()
}

func TestBar23RequotesAreBoundToTheirOrderMoneyAndMoment(t *testing.T) {
	d := openOrderFixture(t)
	d.take("domestic_wire")
	other := d.now()
	require.NoError(t, d.arrives(cents(20000), "other"))
	d.take("domestic_wire")
	require.NoError(t, d.arrives(cents(30000), "one"))
	o := d.now()
	quote, err := order.QuoteAgain(t.Context(), d.quoter, o)
	require.NoError(t, err)
	sealed, err := d.quoter.Seal(quote)
	require.NoError(t, err)
	opened, err := order.OpenRequote(d.quoter, sealed, o, quote.ExpiresAt)
	require.NoError(t, err)
	require.Equal(t, quote.Amount, opened.Amount)
	_, err = order.OpenRequote(d.quoter, sealed, o, quote.ExpiresAt.Add(time.Second))
	require.Equal(t, "quote_expired", store.ReasonOf(err))
	_, err = order.OpenRequote(d.quoter, sealed, other, quote.ExpiresAt)
	require.Equal(t, "bad_quote", store.ReasonOf(err))
	_, err = d.quoter.Open(sealed, pricing.QuoteInput{UserID: d.user, Asset: quote.Asset, Amount: quote.Amount, Method: quote.Method}, quote.ExpiresAt)
	require.Equal(t, "bad_quote", store.ReasonOf(err), "a requote makes no new order")

	require.NoError(t, d.arrives(cents(1000), "two"))
	stale, err := order.OpenDecision(t.Context(), d.db, order.NewDecision{OrderID: o.ID, Kind: order.DecisionRequote, ActorID: d.user, Data: order.Requoted{Quote: quote}})
	require.NoError(t, err)
	require.Equal(t, "money_changed", store.ReasonOf(order.Requote(t.Context(), d.db, o.ID, stale.ID, surplusTerms)))
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, stale.ID, "money_changed"))

	d.exec(`UPDATE kyc_pricing SET max_single_transaction = 10000`)
	require.Equal(t, "over_single_limit", store.ReasonOf(d.requotes()))
	d.exec(`UPDATE kyc_pricing SET max_single_transaction = NULL, max_daily_volume = 51001`) // the other order's 517.50 count, its own do not
	require.Equal(t, "over_daily_limit", store.ReasonOf(d.requotes()))
	d.exec(`UPDATE kyc_records SET revoked_at = clock_now()`)
	require.Equal(t, "kyc_required", store.ReasonOf(d.requotes()))
	d.balanced()
}

func TestBar18TwoAdminsConfirmTwoReceiptsAtOnce(t *testing.T) {
	d := openOrderFixture(t)
	d.take("domestic_wire")
	half := cents(20000)
	results := make([]error, 6)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { results[i] = d.arrives(half, fmt.Sprintf("R%d", i%2)) })
	}
	all.Wait()
	booked := 0
	for _, err := range results {
		if err == nil {
			booked++
			continue
		}
		require.Contains(t, []string{"decision_open", "bank_reference_used", "decision_settled"}, store.ReasonOf(err), "%v", err)
	}
	rows, err := order.OrderReceipts(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.Len(t, rows, booked)
	require.LessOrEqual(t, booked, 2)
	waiting, err := order.Unallocated(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.Equal(t, int64(booked)*20000, must(waiting.Int64()))
	d.balanced()
}

func must(n int64, ok bool) int64 {
	if !ok {
		panic("not an integer")
	}
	return n
}

func TestBar18AChoiceMadeTwiceIsOne(t *testing.T) {
	d := openOrderFixture(t)
	d.take("domestic_wire")
	d.comesBack(700, "over")
	results := make([]error, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			if i%2 == 0 {
				results[i] = d.keeps()
			} else {
				results[i] = d.reverse()
			}
		})
	}
	all.Wait()
	done := 0
	for _, err := range results {
		if err == nil {
			done++
			continue
		}
		require.Equal(t, store.CodeConflict, store.CodeOf(err), "%v", err)
	}
	require.Equal(t, 1, done)
	d.settles(true) // the rest of what was kept
	waiting, err := order.Unallocated(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.True(t, waiting.IsZero())
	d.balanced()
}

func TestUnansweredMoneyGoesBackAtTheDeadline(t *testing.T) {
	d := openOrderFixture(t)
	d.take("domestic_wire")
	require.NoError(t, d.arrives(cents(12345), "short"))
	require.NoError(t, order.Expire(t.Context(), d.db, d.order.ID, 100, patience))
	require.Nil(t, d.now().Resolution, "not before")
	d.exec(`UPDATE orders SET choice_due_at = clock_now() - interval '1 second' WHERE id = $1`, d.order.ID)
	require.NoError(t, order.Expire(t.Context(), d.db, d.order.ID, 100, patience))
	state, err := order.ReadOrderState(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.NotEmpty(t, state.Default)
	_, err = order.StartRefund(t.Context(), d.db, d.order.ID, state.Default)
	require.NoError(t, err)
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	require.Equal(t, "12345", d.balance().String())
	d.balanced()
}

// Whatever arrives, whenever, and whatever the customer chooses: every cent is
// in the order, in the balance, waiting, or on its way back to its sender.
func TestBar22ReceivedMoneyIsConservedToTheCent(t *testing.T) {
	d := openOrderFixture(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		d.take("domestic_wire")
		had, came := d.balance(), money.Units{}
		for range rapid.IntRange(1, 5).Draw(r, "steps") {
			var err error
			switch step := rapid.SampledFrom([]string{"money", "money", "exact", "expire", "price", "requote", "keep", "back", "settle"}).Draw(r, "step"); step {
			case "money", "exact":
				amount := money.FromInt(rapid.Int64Range(1, 150_000).Draw(r, "cents"))
				if step == "exact" && d.now().Total.Cmp(came) > 0 {
					amount = d.now().Total.Sub(came)
				}
				n++
				if err = d.arrives(amount, fmt.Sprintf("ref-%d", n)); err == nil {
					came = came.Add(amount)
				}
			case "expire":
				d.exec(`UPDATE orders SET payment_due_at = clock_now() WHERE id = $1`, d.order.ID)
				err = order.EndUnpaid(d.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionExpired})
			case "price":
				d.price(fmt.Sprint(rapid.Int64Range(48_000, 52_000).Draw(r, "price")))
			case "requote":
				err = d.requotes()
			case "keep":
				err = d.keeps()
			case "back":
				err = d.reverse()
			case "settle":
				d.settles(true)
			}
			if code := store.CodeOf(err); err != nil && code != store.CodeConflict && code != store.CodeInvalid {
				r.Fatalf("%v", err)
			}
		}
		d.settles(true)
		o := d.now()
		waiting, err := order.Unallocated(d.Context(), d.db, o.ID)
		require.NoError(r, err)
		sum := waiting.Add(d.balance().Sub(had))
		surpluses, err := order.OrderSurpluses(d.Context(), d.db, o.ID)
		require.NoError(r, err)
		for i := range surpluses {
			if store.Text(surpluses[i].Outcome) == order.SurplusReturned {
				sum = sum.Add(surpluses[i].Amount)
			}
		}
		if o.Paid() {
			sum = sum.Add(o.Total)
		}
		if sum.Cmp(came) != 0 {
			r.Fatalf("%s came, %s are accounted for", came, sum)
		}
		if waiting.IsZero() == o.MoneyWaits() {
			r.Fatalf("%s wait, and the order says otherwise (%s)", waiting, o.Status)
		}
		d.balanced()
	})
}

// The most coin a sum buys: its price is within the sum, and one lot more is not.
func TestBar22CoinForASumIsAllItBuys(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		percent := func(name string) decimal.Decimal {
			return decimal.New(rapid.Int64Range(0, 1000).Draw(r, name), -2)
		}
		asset := rapid.SampledFrom(money.Assets).Draw(r, "asset")
		in := pricing.PriceInput{Asset: asset, Ask: decimal.New(rapid.Int64Range(1, 9_999_999).Draw(r, "ask"), -int32(rapid.IntRange(0, 4).Draw(r, "places"))),
			Method: &pricing.PaymentMethod{BaseMarginPercent: percent("margin"), ProcessingFee: cents(rapid.Int64Range(0, 2000).Draw(r, "fee"))},
			KYC:    &pricing.KYCPricing{MarginAdjustmentPercent: percent("level")}, Tier: &pricing.VolumeTier{MarginDiscountPercent: percent("discount")}}
		lot := int32(rapid.IntRange(4, 8).Draw(r, "lot"))
		sum := cents(rapid.Int64Range(1, 10_000_000).Draw(r, "sum"))
		in.Amount = order.CoinFor(sum, in, lot)
		if in.Amount.Sign() < 0 {
			r.Fatalf("less than nothing")
		}
		if !in.Amount.IsZero() && pricing.Price(in).Total.Cmp(sum) > 0 {
			r.Fatalf("%s costs more than %s", asset.Format(in.Amount), sum)
		}
		step := asset.FromDecimal(decimal.New(1, -min(lot, asset.Decimals())), money.Down)
		in.Amount = in.Amount.Add(step)
		if pricing.Price(in).Total.Cmp(sum) <= 0 {
			r.Fatalf("a lot more than %s still costs no more than %s", asset.Format(in.Amount), sum)
		}
	})
}
