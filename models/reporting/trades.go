package reporting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// Everything that customers do, as staff see it in one list: what
// Transactions is to one customer, trades are to the platform.

// Trade is one line of it.
type Trade struct {
	Kind      string // one of TradeKinds
	ID        string
	Reference string
	UserID    string
	CreatedAt time.Time
	Status    string // the kind's own status
	State     string // one of TradeStates
	Rail      string // how an order was paid; empty for the rest
	Label     string // the brand of a gift card, or the destination of a refund
	// Asset and Coins are set for what pays coin; Amount is what it was worth in cents.
	Asset  *money.Currency
	Coins  *money.Units
	Amount money.Units
	// OrderID is the order that a refund is of.
	OrderID                                    *string
	CustomerEmail, CustomerFirst, CustomerLast string
}

// CustomerName is its customer's display name for staff.
func (t *Trade) CustomerName() string {
	return (&people.User{Email: t.CustomerEmail, FirstName: t.CustomerFirst, LastName: t.CustomerLast}).Name()
}

// TradeStates are the five states of a trade.
var TradeStates = []string{"pending", "payment_processing", "completed", "failed", "cancelled"}

// TradeFilter narrows the list. Empty fields do not narrow.
type TradeFilter struct {
	Kind, State, Rail string
	Asset             money.Currency
	UserID            string
	From, To          *time.Time // whole days, UTC: both are in it
	Query             string     // a whole reference or id
}

// counted reports whether tallies count a filter's trades. What one customer did, and what a reference finds, is
// counted by reading it.
func (f *TradeFilter) counted() bool { return f.UserID == "" && f.Query == "" }

// tradeKind is one kind of trade: its table, its line of the list, and its statuses of each state.
type tradeKind struct {
	kind, table string
	columns     string
	// the state of one, in SQL
	state string
	// fiat is what it was worth in cents.
	fiat   string
	states map[string][]string
	// coin is set for what pays coin, rail for what is paid by one.
	coin, rail bool
}

var tradeKinds = []tradeKind{
	{kind: "order", table: "orders", state: "trade_state('order', orders.status, orders.resolution)", fiat: "orders.total", coin: true, rail: true,
		columns: order.OrderWord + ` AS status,
			orders.reference AS name, orders.payment_method AS rail, '' AS label, orders.asset, orders.amount AS coins, CAST(NULL AS uuid) AS order_id`,
		states: map[string][]string{"pending": {"pending"}, "payment_processing": {"payment_approved", "fulfilling", "filled"}, "completed": {"sent"}, "failed": {"failed"}, "cancelled": {"failed"}}},
	{kind: "gift_card", table: "gift_cards", state: "trade_state('gift_card', gift_cards.status, NULL)", fiat: "coalesce(gift_cards.paid, gift_cards.payout)",
		columns: `gift_cards.status, gift_cards.reference AS name, '' AS rail, gift_cards.brand_label AS label,
			CAST(NULL AS text) AS asset, CAST(NULL AS numeric) AS coins, CAST(NULL AS uuid) AS order_id`,
		states: map[string][]string{"pending": {"received", "in_review", "offered"}, "completed": {"approved", "realised"}, "failed": {"rejected"}, "cancelled": {"declined", "expired"}}},
	{kind: "voucher", table: "voucher_redemptions", state: "trade_state('voucher', voucher_redemptions.status, NULL)", fiat: "voucher_redemptions.base_price", coin: true,
		columns: `voucher_redemptions.status, voucher_redemptions.reference AS name, '' AS rail, '' AS label,
			voucher_redemptions.asset, voucher_redemptions.amount AS coins, CAST(NULL AS uuid) AS order_id`,
		states: map[string][]string{"pending": {"accepted", "fulfilling", "filled"}, "completed": {"sent"}, "cancelled": {"restored"}}},
	{kind: "payout", table: "payouts", state: "trade_state('payout', payouts.status, NULL)", fiat: "payouts.amount",
		columns: `payouts.status, payouts.reference AS name, '' AS rail, '' AS label,
			CAST(NULL AS text) AS asset, CAST(NULL AS numeric) AS coins, CAST(NULL AS uuid) AS order_id`,
		states: map[string][]string{"pending": {"requested", "approved"}, "completed": {"paid"}, "failed": {"rejected", "returned"}, "cancelled": {"cancelled"}}},
	{kind: "refund", table: "refunds", state: "trade_state('refund', refunds.status, NULL)", fiat: "refunds.amount",
		columns: `refunds.status, '/R' || refunds.sequence AS name, '' AS rail, refunds.destination AS label,
			CAST(NULL AS text) AS asset, CAST(NULL AS numeric) AS coins, refunds.order_id`,
		states: map[string][]string{"pending": {"requested", "pending"}, "completed": {"succeeded"}, "failed": {"failed"}}},
}

// TradeKinds are their names.
var TradeKinds = func() (names []string) {
	for _, k := range tradeKinds {
		names = append(names, k.kind)
	}
	return names
}()

// of gives the kinds that a filter may include.
func (f *TradeFilter) of() (some []tradeKind) {
	for _, k := range tradeKinds {
		if (f.Kind == "" || f.Kind == k.kind) && (f.Rail == "" || k.rail) && (f.Asset == "" || k.coin) && (f.State == "" || len(k.states[f.State]) > 0) {
			some = append(some, k)
		}
	}
	return some
}

// walks are the walks of one index each that a page of a kind is read by, with the given columns: one for each
// status, or for each state where a rail or a coin is filtered by, of which migration 00038 has indexes.
func (k *tradeKind) walks(tx *gorm.DB, f *TradeFilter, columns string) (all []*gorm.DB) {
	base := func() *gorm.DB { return f.narrow(tx.Table(k.table).Select(columns), k) }
	column, value := "payment_method", f.Rail
	if f.Rail == "" {
		column, value = "asset", string(f.Asset)
	}
	if value != "" && f.counted() {
		for _, state := range TradeStates {
			if f.State == "" || f.State == state {
				all = append(all, base().Where(k.table+"."+column+" || '/' || "+k.state+" = ?", value+"/"+state))
			}
		}
		return all
	}
	for _, status := range k.states[f.State] {
		walk := base().Where(k.table+".status = ?", status)
		if k.kind == "order" && status == string(order.StatusFailed) {
			walk = walk.Where(order.LegacySQL[f.State])
		}
		all = append(all, walk)
	}
	if f.State == "" {
		all = append(all, base())
	}
	return all
}

// narrow applies what all kinds have in common, but for what walks begin with.
func (f *TradeFilter) narrow(query *gorm.DB, k *tradeKind) *gorm.DB {
	if f.UserID != "" {
		query = query.Where(k.table+".user_id = ?", f.UserID)
	}
	if f.Rail != "" && !f.counted() {
		query = query.Where(k.table+".payment_method = ?", f.Rail)
	}
	if f.Asset != "" && (!f.counted() || f.Rail != "") {
		query = query.Where(k.table+".asset = ?", f.Asset)
	}
	if f.From != nil {
		query = query.Where(k.table+".created_at >= ?", *f.From)
	}
	if f.To != nil {
		query = query.Where(k.table+".created_at < ?", f.To.AddDate(0, 0, 1))
	}
	text := strings.TrimSpace(f.Query)
	switch whole := store.IsID(strings.ToLower(text)); {
	case text == "":
		return query
	case whole && k.kind == "refund":
		return query.Where("(refunds.id = @id OR refunds.order_id = @id)", map[string]any{"id": text})
	case whole:
		return query.Where(k.table+".id = ?", text)
	case k.kind == "refund":
		order, _, _ := strings.Cut(strings.ToUpper(text), "/")
		return query.Where("refunds.order_id = (SELECT id FROM orders WHERE reference = ?)", order)
	}
	return query.Where(k.table+".reference = ?", strings.ToUpper(text))
}

// Trades is one page of the trades that match a filter, newest first: each walk reads the page's length, and the
// newest of them all are the page.
func Trades(ctx context.Context, db *store.DB, f *TradeFilter, p store.Page) ([]Trade, *store.Cursor, error) {
	var arms []string
	var queries []any
	for _, k := range f.of() {
		columns := fmt.Sprintf("'%s' AS kind, %s.id, %s.user_id, %s.created_at, %s AS state, %s AS amount, %s", k.kind, k.table, k.table, k.table, k.state, k.fiat, k.columns)
		for _, walk := range k.walks(db.ORM(ctx), f, columns) {
			arms, queries = append(arms, "(?)"), append(queries, p.In(walk, k.table))
		}
	}
	if len(arms) == 0 {
		return nil, nil, nil
	}
	var rows []Trade
	page := "SELECT * FROM (" + strings.Join(arms, " UNION ALL ") + ") a ORDER BY created_at DESC, id DESC LIMIT ?"
	err := db.CustomPlans(ctx).Raw(`SELECT t.*, coalesce(o.reference, '') || t.name AS reference, u.email AS customer_email, u.first_name AS customer_first, u.last_name AS customer_last
		FROM (`+page+`) t JOIN users u ON u.id = t.user_id LEFT JOIN orders o ON o.id = t.order_id ORDER BY t.created_at DESC, t.id DESC`, append(queries, p.Limit+1)...).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("list trades: %w", err)
	}
	rows, next := store.Cut(rows, p, func(t Trade) store.Cursor { return store.Cursor{At: t.CreatedAt, ID: t.ID} })
	return rows, next, nil
}

// EachTrade calls fn with every trade that matches the filter, newest first.
func EachTrade(ctx context.Context, db *store.DB, f *TradeFilter, fn func(*Trade) error) error {
	return store.EachPage(func(after *store.Cursor) ([]Trade, *store.Cursor, error) {
		return Trades(ctx, db, f, store.Page{After: after, Limit: store.ExportPage})
	}, fn)
}

// MostCounted bounds how many rows are counted one by one, where no tally exists: beyond it a count says "more than".
const MostCounted = 1000

// TradeSum is how many trades of a kind there are, and their sum in cents.
type TradeSum struct {
	N      int
	Amount money.Units
}

// TradeCounts are the figures over the whole filtered set.
type TradeCounts struct {
	Total    int // without the filter
	Matching int // with it; at least so many, when it is not exact
	Exact    bool
	ByKind   map[string]TradeSum // with it; sums only when it is exact
	Rails    []string            // by which orders were ever paid
}

// CountTrades counts them: by tallies, or up to MostCounted by reading.
func CountTrades(ctx context.Context, db *store.DB, f *TradeFilter) (TradeCounts, error) {
	months, days := f.periods()
	facets, err := db.TalliesOf(ctx, append([]string{"trades"}, days...))
	if err != nil {
		return TradeCounts{}, err
	}
	counts := TradeCounts{Exact: true, ByKind: map[string]TradeSum{}}
	add := func(list string, within func(period string) bool) {
		for _, t := range facets[list] {
			period, trade := tradeOf(t)
			if within(period) && f.lets(&trade) {
				counts.add(trade.Kind, t)
			}
		}
	}
	counts.readAll(facets["trades"])
	if !f.counted() {
		return counts, countOneByOne(ctx, db, f, &counts)
	}
	add("trades", months)
	for _, list := range days {
		add(list, f.holds)
	}
	return counts, nil
}

// readAll reads what does not depend on the filter from the months' tallies.
func (c *TradeCounts) readAll(months []store.Tallied) {
	rails := map[string]int{}
	for _, t := range months {
		_, trade := tradeOf(t)
		c.Total += t.N
		rails[trade.Rail] += t.N
	}
	for rail, n := range rails {
		if rail != "" && n > 0 {
			c.Rails = append(c.Rails, rail)
		}
	}
	slices.Sort(c.Rails)
}

func (c *TradeCounts) add(kind string, t store.Tallied) {
	sum := c.ByKind[kind]
	c.ByKind[kind] = TradeSum{N: sum.N + t.N, Amount: sum.Amount.Add(t.Amount)}
	c.Matching += t.N
}

// tradeOf is one row of the trades' tallyby column: its period, and the rest.
func tradeOf(t store.Tallied) (period string, trade Trade) {
	words := strings.SplitN(t.Facet, "/", 5)
	if len(words) != 5 {
		return "", Trade{}
	}
	trade = Trade{Kind: words[1], State: words[2], Rail: words[3]}
	if words[4] != "" {
		asset := money.Currency(words[4])
		trade.Asset = &asset
	}
	return words[0], trade
}

// lets reports whether trades of a facet pass the filter, whenever they were.
func (f *TradeFilter) lets(t *Trade) bool {
	return (f.Kind == "" || f.Kind == t.Kind) && (f.State == "" || f.State == t.State) && (f.Rail == "" || f.Rail == t.Rail) &&
		(f.Asset == "" || t.Asset != nil && f.Asset == *t.Asset)
}

const facetMonth = "2006-01"

// periods says which months are in the filter as a whole, and of which lists the days must be read for the rest of
// it.
func (f *TradeFilter) periods() (whole func(month string) bool, days []string) {
	first, last := "", "9999-99"
	if f.From != nil && f.From.Day() > 1 {
		days = append(days, "trades "+f.From.Format(facetMonth))
		first = f.From.AddDate(0, 1, 1-f.From.Day()).Format(facetMonth)
	} else if f.From != nil {
		first = f.From.Format(facetMonth)
	}
	if f.To != nil {
		after := f.To.AddDate(0, 0, 1)
		if after.Day() > 1 {
			days = append(days, "trades "+f.To.Format(facetMonth))
		}
		last = after.AddDate(0, 0, -after.Day()).Format(facetMonth) // the month before the day after
	}
	return func(month string) bool { return first <= month && month <= last }, slices.Compact(days)
}

// holds reports whether a day is within the filter.
func (f *TradeFilter) holds(day string) bool {
	return (f.From == nil || f.From.Format(time.DateOnly) <= day) && (f.To == nil || day <= f.To.Format(time.DateOnly))
}

// countOneByOne counts what matches a filter by reading it, as far as MostCounted.
func countOneByOne(ctx context.Context, db *store.DB, f *TradeFilter, counts *TradeCounts) error {
	var arms []string
	var queries []any
	for _, k := range f.of() {
		for _, walk := range k.walks(db.ORM(ctx), f, fmt.Sprintf("'%s' AS kind, %s AS amount", k.kind, k.fiat)) {
			arms, queries = append(arms, "(?)"), append(queries, walk)
		}
	}
	if len(arms) == 0 {
		return nil
	}
	var rows []struct {
		Kind   string
		N      int
		Amount money.Units
	}
	err := db.CustomPlans(ctx).Raw("SELECT kind, count(*) AS n, sum(amount) AS amount FROM (SELECT * FROM ("+strings.Join(arms, " UNION ALL ")+") a LIMIT ?) c GROUP BY kind",
		append(queries, MostCounted+1)...).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("count trades: %w", err)
	}
	for _, row := range rows {
		counts.add(row.Kind, store.Tallied{N: row.N, Amount: row.Amount})
	}
	if counts.Matching > MostCounted {
		counts.Matching, counts.Exact, counts.ByKind = MostCounted, false, map[string]TradeSum{}
	}
	return nil
}
