package reporting

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// The figures of the dashboard. They are read from tallies alone (migrations 00008 and 00034), in one snapshot.

// How long the figures' periods are; each is compared with the one before it.
const (
	volumePeriod  = 24 * time.Hour
	revenuePeriod = 30 * 24 * time.Hour
)

// SeriesSpan is the period of the dashboard's charts: a day by its hours, the others by their days.
type SeriesSpan string

// The spans.
const (
	SpanDay     SeriesSpan = "day"
	SpanWeek    SeriesSpan = "week"
	SpanMonth   SeriesSpan = "month"
	SpanQuarter SeriesSpan = "quarter"
)

// steps are the moments of the period that ends at now and of the one before, oldest
// first, as facets.
func (s SeriesSpan) steps(now time.Time) []string {
	n, form, back := map[SeriesSpan]int{SpanDay: 24, SpanWeek: 7, SpanMonth: 30, SpanQuarter: 90}[s], time.DateOnly, 24*time.Hour
	if s == SpanDay {
		form, back = facetHour, time.Hour
	}
	var steps []string
	for i := 2*n - 1; i >= 0; i-- {
		steps = append(steps, now.Add(-time.Duration(i)*back).Format(form))
	}
	return steps
}

// suffix is what the lists that are counted by these steps end with.
func (s SeriesSpan) suffix() string {
	if s == SpanDay {
		return " by hour"
	}
	return ""
}

// Compared is a figure of a period and of the period before it.
type Compared[T any] struct{ Now, Before T }

// Statistics are the dashboard's figures of the business (rules §8).
type Statistics struct {
	At              time.Time
	Users           int // accounts that are not closed
	NewUsers        int // of these, since 30 days
	VerifiedUsers   int
	ActiveTrades    int // orders, gift cards and redemptions in a state that is not final
	PendingKYC      int // verifications that are not decided
	ActiveVouchers  int
	Orders          int
	CompletedOrders int
	PendingOrders   int
	Volume          Compared[money.Units] // totals of orders whose payment was approved, 24 hours, cents
	Revenue         Compared[money.Units] // recognised in the ledger, 30 days, cents
	Recognised      Compared[money.Units] // what that was earned on
	Days            []StatisticsDay       // the series, oldest first, now included
	Before          []StatisticsDay       // as many steps of the period before
	Began           string                // the day of the first account; none before it
}

// StatisticsDay are the figures of one day, or of one hour. The time to send is counted by day alone.
type StatisticsDay struct {
	Day                         string // 2006-01-02, or 2006-01-02T15, UTC
	Volume, Revenue, Recognised money.Units
	Sent                        int         // orders
	SecondsToSent               money.Units // of all of them, from the payment's approval
}

// Margin is revenue as a percentage of what it was earned on, to two decimals;
// nil when there was nothing.
func Margin(revenue, recognised money.Units) *decimal.Decimal {
	if recognised.Sign() <= 0 {
		return nil
	}
	percent := money.USD.Decimal(revenue).Mul(decimal.New(100, 0)).DivRound(money.USD.Decimal(recognised), 2)
	return &percent
}

// listCounts are tallies of all customers by list and facet.
type listCounts map[string]map[string]store.Tallied

// sum adds up a list's facets that pass lets.
func (c listCounts) sum(list string, lets func(facet string) bool) (sum store.Tallied) {
	for facet, t := range c[list] {
		if lets(facet) {
			sum.N, sum.Amount = sum.N+t.N, sum.Amount.Add(t.Amount)
		}
	}
	return sum
}

// The forms of facets that are moments. They sort as time does.
const (
	facetHour   = "2006-01-02T15"
	facetMinute = "2006-01-02T15:04"
)

// since adds up what was counted from a minute on: the rest of its hour by
// minutes, the rest of its day by hours, and the days after that.
func (c listCounts) since(list string, from time.Time) store.Tallied {
	day, hour, minute := from.Format(time.DateOnly), from.Format(facetHour), from.Format(facetMinute)
	days := c.sum(list, func(f string) bool { return f > day })
	hours := c.sum(list+" by hour", func(f string) bool { return f[:len(day)] == day && f > hour })
	minutes := c.sum(list+" by minute", func(f string) bool { return f[:len(hour)] == hour && f >= minute })
	return store.Tallied{N: days.N + hours.N + minutes.N, Amount: days.Amount.Add(hours.Amount).Add(minutes.Amount)}
}

// compare is a list's amount of the period that ends now, and of the one before.
func (c listCounts) compare(list string, now time.Time, period time.Duration) Compared[money.Units] {
	current := c.since(list, now.Add(-period)).Amount
	return Compared[money.Units]{Now: current, Before: c.since(list, now.Add(-2*period)).Amount.Sub(current)}
}

// ReadStatistics reads all figures of the dashboard, with a series of a span.
func ReadStatistics(ctx context.Context, db *store.DB, span SeriesSpan) (*Statistics, error) {
	now, err := db.Now(ctx)
	if err != nil {
		return nil, err
	}
	now = now.UTC()
	counts, err := countsForStatistics(ctx, db, now, span.steps(now)[0])
	if err != nil {
		return nil, err
	}
	s := &Statistics{At: now, NewUsers: counts.since("joined", now.Add(-revenuePeriod)).N,
		Volume:     counts.compare("volume", now, volumePeriod),
		Revenue:    counts.compare("revenue", now, revenuePeriod),
		Recognised: counts.compare("recognised", now, revenuePeriod)}
	s.countCustomers(counts)
	s.countTrades(counts)
	s.countDays(counts, span)
	for facet := range counts["joined"] {
		if s.Began == "" || facet < s.Began {
			s.Began = facet
		}
	}
	return s, nil
}

// moments are the ends of periods at which a list is counted.
type moments struct {
	list    string
	from    time.Time // no day before this one
	periods []time.Time
}

// countsForStatistics reads every tally that a figure is made of. Of what is
// counted by moments it reads days of two periods, and hours and minutes only
// where a period begins: as many rows whatever was sold, and whenever.
func countsForStatistics(ctx context.Context, db *store.DB, now time.Time, first string) (listCounts, error) {
	month := []time.Time{now.Add(-revenuePeriod), now.Add(-2 * revenuePeriod)}
	far, near := month[1], now.Add(-2*volumePeriod)
	if day, err := time.Parse(time.DateOnly, first); err == nil {
		far, near = earlier(far, day), earlier(near, day)
	}
	query := `SELECT list, facet, sum(n) AS n, sum(amount) AS amount FROM (
		SELECT list, facet, n, amount FROM tallies WHERE owner = @owner AND (%[1]s)
		UNION ALL SELECT list, facet, n, amount FROM tally_changes WHERE %[1]s) t GROUP BY list, facet`
	where := "list = 'joined' AND facet = (SELECT min(facet) FROM (SELECT min(facet) AS facet FROM tallies WHERE list = 'joined' AND owner = @owner UNION ALL SELECT min(facet) FROM tally_changes WHERE list = 'joined') f) OR list IN ('orders', 'gift_cards', 'redemptions', 'vouchers', 'kyc', 'customers')"
	args := map[string]any{"owner": store.Everybody}
	for i, m := range []moments{
		{"volume", near, []time.Time{now.Add(-volumePeriod), now.Add(-2 * volumePeriod)}},
		{"revenue", far, month}, {"recognised", far, month},
		{"joined", month[0], month[:1]}, {"time to sent", near, nil},
	} {
		where += m.where(i, args)
	}
	if len(first) == len(facetHour) {
		where += " OR list IN ('volume by hour', 'revenue by hour', 'recognised by hour') AND facet >= @first"
		args["first"] = first
	}
	var rows []struct {
		List, Facet string
		N           int
		Amount      money.Units
	}
	if err := db.CustomPlans(ctx).Raw(fmt.Sprintf(query, where), args).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	counts := listCounts{}
	for _, row := range rows {
		if counts[row.List] == nil {
			counts[row.List] = map[string]store.Tallied{}
		}
		counts[row.List][row.Facet] = store.Tallied{Facet: row.Facet, N: row.N, Amount: row.Amount}
	}
	return counts, nil
}

// where is the condition of what is read of a list, its arguments added to args.
func (m moments) where(i int, args map[string]any) string {
	arg := func(name string, k int, value string) string {
		name = fmt.Sprintf("%s%d_%d", name, i, k)
		args[name] = value
		return "@" + name
	}
	sql := fmt.Sprintf(" OR list = %s AND facet >= %s", arg("list", 0, m.list), arg("day", 0, m.from.UTC().Format(time.DateOnly)))
	for k, at := range m.periods {
		day, hour := at.Format(time.DateOnly), at.Format(facetHour)
		sql += fmt.Sprintf(" OR list = %s AND facet > %s AND facet <= %s", arg("hours", k, m.list+" by hour"), arg("hour", k, hour), arg("lasthour", k, day+"T23"))
		sql += fmt.Sprintf(" OR list = %s AND facet >= %s AND facet <= %s", arg("minutes", k, m.list+" by minute"), arg("minute", k, at.Format(facetMinute)), arg("lastminute", k, hour+":59"))
	}
	return sql
}

func (s *Statistics) countCustomers(counts listCounts) {
	for facet, t := range counts["customers"] {
		c := customer.CustomerFacet(facet)
		s.Users += t.N
		if c.KYCStatus == "verified" || c.KYCStatus == kyc.KYCEnhanced {
			s.VerifiedUsers += t.N
		}
	}
	s.PendingKYC = counts["kyc"]["on_hold"].N + counts["kyc"]["pending"].N
}

func (s *Statistics) countTrades(counts listCounts) {
	for _, t := range counts["orders"] {
		o := order.FromTally(t)
		s.Orders += t.N
		switch {
		case o.Status == order.StatusSent:
			s.CompletedOrders += t.N
		case o.Resolution == nil:
			s.ActiveTrades += t.N
		}
		if o.Status == order.StatusPending {
			s.PendingOrders += t.N
		}
	}
	for _, t := range counts["redemptions"] {
		if status := voucher.FromTally(t).Status; status != voucher.RedemptionSent && status != voucher.RedemptionRestored {
			s.ActiveTrades += t.N
		}
	}
	s.ActiveTrades += counts["gift_cards"][string(giftcard.CardReceived)].N + counts["gift_cards"][string(giftcard.CardInReview)].N +
		counts["gift_cards"][string(giftcard.CardOffered)].N
	s.ActiveVouchers = counts["vouchers"][string(voucher.VoucherActive)].N
}

func (s *Statistics) countDays(counts listCounts, span SeriesSpan) {
	of, steps := span.suffix(), span.steps(s.At)
	for i, step := range steps {
		sent, to := counts["time to sent"][step], &s.Before
		if i >= len(steps)/2 {
			to = &s.Days
		}
		*to = append(*to, StatisticsDay{Day: step, Volume: counts["volume"+of][step].Amount, Revenue: counts["revenue"+of][step].Amount,
			Recognised: counts["recognised"+of][step].Amount, Sent: sent.N, SecondsToSent: sent.Amount})
	}
}

// Total adds up steps; the last one of a series is not over.
func Total(steps []StatisticsDay) (sum StatisticsDay) {
	for _, d := range steps {
		sum.Volume, sum.Revenue, sum.Recognised = sum.Volume.Add(d.Volume), sum.Revenue.Add(d.Revenue), sum.Recognised.Add(d.Recognised)
		sum.Sent, sum.SecondsToSent = sum.Sent+d.Sent, sum.SecondsToSent.Add(d.SecondsToSent)
	}
	return sum
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// ForgetFineTallies drops hours and minutes that no figure uses any more.
func ForgetFineTallies(ctx context.Context, db *store.DB) error {
	err := db.ORM(ctx).Exec("SELECT forget_fine_tallies(clock_now() - CAST(? AS interval))", store.Seconds(2*revenuePeriod+48*time.Hour)).Error
	if err != nil {
		return fmt.Errorf("forget fine tallies: %w", err)
	}
	return nil
}
