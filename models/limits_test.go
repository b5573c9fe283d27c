package models_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// daysAgo puts the order back by days: made, and paid where it was.
func (d *orderFixture) daysAgo(days int) {
	d.Helper()
	d.exec(`UPDATE orders SET created_at = created_at - make_interval(days => $2), paid_at = paid_at - make_interval(days => $2) WHERE id = $1`, d.order.ID, days)
}

// takenToday sums what was paid for orders today, whenever they were made.
func (d *orderFixture) takenToday() money.Units {
	d.Helper()
	var n int64
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT coalesce(sum(total), 0)::bigint FROM orders WHERE utc_day(paid_at) = utc_day(clock_now()) AND resolution IS NULL`).Scan(&n))
	return money.FromInt(n)
}

// Small orders of earlier days and months, whose money comes late, short or over and much larger, are bought within
// the limits of the day on which they are paid: without that rule $138,600 were, by a customer of $25,000 a day and
// $100,000 a month.
func TestMoneyRequotedTodayIsWithinTodaysLimits(t *testing.T) {
	d := openOrderFixture(t)
	d.exec(`UPDATE kyc_pricing SET max_single_transaction = 5000000, max_daily_volume = 2500000, max_monthly_volume = 10000000`)
	type late struct {
		order *order.Order
		quote pricing.Quote
	}
	var all []late
	for i, age := range []int{0, 1, 2, 3, 40, 41, 70} { // this month's and others'
		d.take([]string{"domestic_wire", "international_wire"}[i%2])
		d.daysAgo(age)
		d.expires()
		require.NoError(t, d.arrivesOn("2026-01-01", cents(1_980_000), fmt.Sprint("R", i))) // late
		quote, err := order.QuoteAgain(t.Context(), d.quoter, d.now())
		require.NoError(t, err, "there is room for each alone")
		all = append(all, late{d.order, quote})
	}
	taken := 0
	for _, one := range all {
		d.order = one.order
		err := d.chooses(order.DecisionRequote, order.Requoted{Quote: one.quote}, func(id string) error {
			err := order.Requote(t.Context(), d.db, one.order.ID, id, surplusTerms)
			if err != nil {
				require.NoError(t, order.RefuseDecision(t.Context(), d.db, id, store.ReasonOf(err)))
			}
			return err
		})
		require.LessOrEqual(t, d.takenToday().Cmp(cents(2_500_000)), 0, d.takenToday())
		if err == nil {
			taken++
			continue
		}
		require.Equal(t, "over_daily_limit", store.ReasonOf(err), "it is told as a limit: %v", err)
		require.Equal(t, "over_daily_limit", store.ReasonOf(d.requotes()), "and so is another try")
		require.Contains(t, order.CustomerChoices(d.now(), nil), order.DecisionRefundNow, "the money is theirs still")
		require.NoError(t, d.reverse())
	}
	require.Equal(t, 1, taken)
	require.Equal(t, cents(7*1_980_000), d.balance().Add(d.takenToday()), "every cent is coin or on the balance")
	d.balanced()
}

// The month has its own room; another month's purchases use none of it.
func TestCapturedMoneyCountsInTheMonthOfItsCapture(t *testing.T) {
	d := openOrderFixture(t)
	d.exec(`UPDATE kyc_pricing SET max_monthly_volume = 150000`)
	left := func(orders int64, why string) {
		t.Helper()
		require.Equal(t, cents(150000).Sub(money.FromInt(orders*must(d.order.Total.Int64()))), *d.limits().Month.Remaining, why)
	}
	d.take("domestic_wire")
	d.daysAgo(45)
	d.exec(`UPDATE orders SET payment_due_at = clock_now() + interval '1 hour'`)
	require.NoError(t, d.arrives(d.order.Total, "in time, made in another month"))
	require.Equal(t, order.StatusPaymentApproved, d.now().Status)
	left(1, "it counts in the month its money was taken")
	d.take("domestic_wire")
	d.daysAgo(45)
	left(2, "unpaid, it counts in any month until it ends")
	d.expires()
	left(1, "it has ended")
	require.NoError(t, d.arrivesOn(longAgo, cents(99990), "late"))
	require.Equal(t, "over_monthly_limit", store.ReasonOf(d.requotes()))
	require.NoError(t, d.reverse())
	d.take("domestic_wire")
	require.NoError(t, d.arrives(d.order.Total, "today"))
	left(2, "taken today")
	d.daysAgo(45)
	left(1, "what was taken in another month counts there")
	d.balanced()
}

func (d *orderFixture) limits() pricing.Limits {
	d.Helper()
	prices, err := pricing.ReadPricing(d.Context(), d.db)
	require.NoError(d, err)
	limits, err := pricing.CustomerLimits(d.Context(), d.db, d.user, prices)
	require.NoError(d, err)
	return limits
}

// An order counts against what its customer may buy on any day until it is paid. So orders of several days, by
// several methods, paid as agreed on one day do not exceed that day's limit, and none of them is refused then.
func TestOrdersOfSeveralDaysPaidOnOneAreWithinItsLimit(t *testing.T) {
	d := openOrderFixture(t)
	d.exec(`UPDATE kyc_pricing SET max_daily_volume = 160000`)
	var made []*order.Order
	for i, method := range []string{"domestic_wire", "card", "zelle", "balance"} {
		d.credit(cents(100_000))
		d.price("50000")
		in := d.input("0.01")
		in.Method = method
		quote, err := d.quoter.Quote(t.Context(), in)
		if err == nil {
			d.order, err = d.shop.order(t.Context(), quote)
		}
		if i < 3 {
			require.NoError(t, err, method)
			d.daysAgo(3 - i)
			made = append(made, d.order)
			continue
		}
		require.Equal(t, "over_daily_limit", store.ReasonOf(err), "the other three may be paid today: %s", method)
	}
	for i, o := range made {
		d.order = o
		if o.PaymentMethod == "card" {
			act := d.actions(func(int) int { return 0 })
			require.NoError(t, act["authorise"]())
			require.NoError(t, act["process"]())
		} else {
			require.NoError(t, d.arrives(o.Total, fmt.Sprint("W", i)))
		}
		require.Equal(t, order.StatusPaymentApproved, d.now().Status, "paid as agreed, it is not refused")
	}
	require.LessOrEqual(t, d.takenToday().Cmp(cents(160000)), 0)
	d.balanced()
}

func (d *orderFixture) credit(amount money.Units) {
	d.Helper()
	_, err := Credit(d.Context(), d.db, d.user, store.NewID(), amount)
	require.NoError(d, err)
}

// A small order that becomes a large one is assessed as a large one, and its fulfilment waits for compliance.
func TestAnOrderOnNewTermsIsAssessedAnew(t *testing.T) {
	d := openOrderFixture(t)
	d.exec(`UPDATE risk_rules SET enabled = true`)
	d.take("domestic_wire")
	require.False(t, d.now().UnderReview, "%v", d.now().RiskReasons)
	d.expires()
	require.NoError(t, d.arrives(cents(4_600_000), "much"))
	require.NoError(t, d.requotes())
	o := d.now()
	require.Equal(t, order.StatusPaymentApproved, o.Status)
	require.True(t, o.UnderReview)
	require.Contains(t, []string(o.RiskReasons), risk.RiskVolumeDay)
	require.Equal(t, casework.AttentionRisk, *o.AttentionReason, "fulfilment waits")
	require.NotContains(t, order.DecisionsFor(o, nil), order.DecisionFulfill)
	require.Equal(t, 1, count(d.shop, `SELECT count(*) FROM risk_reviews WHERE order_id = $1 AND closed_at IS NULL`, o.ID))

	// In parts: money that is booked now counts, whenever its order was made.
	d.exec(`UPDATE risk_rules SET enabled = code IN ('threshold', 'volume_per_day'); UPDATE risk_rules SET score = 100 WHERE code = 'volume_per_day'`)
	most := int64(count(d.shop, `SELECT most FROM risk_rules WHERE code = 'volume_per_day'`))
	d.exec(`UPDATE orders SET created_at = created_at - interval '9 days', paid_at = paid_at - interval '9 days'`)
	for i := range 2 {
		d.take("domestic_wire")
		d.daysAgo(9)
		d.expires()
		require.NoError(t, d.arrivesOn(longAgo, cents(most*2/3), fmt.Sprint("piece", i)))
		require.NoError(t, d.requotes())
		require.Equal(t, i == 1, d.now().UnderReview, "piece %d", i)
	}
	d.balanced()
}

// Orders of before the migration are dated by its second part, in a transaction of their own, and the tally follows.
func TestOrdersOfBeforeAreDatedForTheirLimits(t *testing.T) {
	d := openOrderFixture(t)
	d.exec(`UPDATE kyc_pricing SET max_monthly_volume = 200000`)
	d.take("domestic_wire")
	unpaid := d.order
	d.take("domestic_wire")
	require.NoError(t, d.arrives(d.order.Total, "paid"))
	paid := d.order
	d.exec(`UPDATE orders SET created_at = created_at - interval '45 days'`)
	owner, err := store.Open(t.Context(), d.dbs.Owner, store.Options{AllowOwner: true})
	require.NoError(t, err)
	defer owner.Close()
	run := func(sql string) {
		t.Helper()
		_, err := owner.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	run(`ALTER TABLE orders DISABLE TRIGGER date_spent`)
	run(`UPDATE orders SET spent_on = NULL`)
	run(`ALTER TABLE orders ENABLE TRIGGER date_spent`)
	require.Equal(t, "200000", d.limits().Month.Remaining.String(), "they count when they were made")
	file, err := os.ReadFile("migrations/00084_spent_backfill.sql")
	require.NoError(t, err)
	up, _, _ := strings.Cut(string(file), "-- +goose Down")
	run(up)
	require.Equal(t, cents(200000).Sub(unpaid.Total).Sub(paid.Total), *d.limits().Month.Remaining)
	d.balanced()
}
