package reporting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// Kinds of transactions, named as in specification §3.
const (
	TransactionOrder    = "crypto_swap"
	TransactionGiftCard = "gift_card"
	TransactionVoucher  = "voucher"
)

// StatusRefunded filters, beside the legacy states, orders with a refund.
const StatusRefunded = "refunded"

// Transaction is one line of a customer's history: an order, a gift card they
// sold, or a voucher they redeemed.
type Transaction struct {
	Kind      string
	ID        string
	Reference string
	CreatedAt time.Time
	// Status is one of the five legacy states; DashboardStatus maps it to four.
	Status string
	// OrderStatus is an order's own status; "" for all else.
	OrderStatus string
	// Resolution is order.EndWord, or rejected or expired for a gift card; "" for all else.
	Resolution string
	Returned   money.Units // cents of an order's money that were returned, or are disputed
	Authorised bool        // an order whose card holds the amount
	From       string      // what was given: USD, or the brand of a card
	// To and Amount are what was got: coin, or dollars on the balance.
	To     money.Currency
	Amount money.Units
	// Fiat is what it was worth in cents; nothing when it was never in dollars.
	Fiat    *money.Units
	Method  string
	Address string
	Network string
	TxID    string `gorm:"column:txid"` // "" until it is sent
}

// DashboardStatus is the status as one of the dashboard's four states.
func (t *Transaction) DashboardStatus() string {
	if t.Status == "payment_processing" {
		return "pending"
	}
	return t.Status
}

// TransactionFilter narrows a customer's history. Empty fields do not narrow.
type TransactionFilter struct {
	Kind   string
	Legacy string
	Asset  money.Currency // the coin that was got
	Query  string
}

func (f TransactionFilter) searches() bool { return strings.TrimSpace(f.Query) != "" }

func (f TransactionFilter) orders(userID string) order.OrderFilter {
	filter := order.OrderFilter{UserID: userID, Asset: f.Asset, Query: f.Query}
	switch f.Legacy {
	case "":
	case StatusRefunded:
		filter.Returned = true
	default:
		filter.Legacy = []string{f.Legacy}
	}
	filter.NotEnded = f.Legacy == "failed"
	return filter
}

// history is one kind of transactions, of a table: the walks of one index each
// that a page of them is read by, and how they are counted.
type history struct {
	kind  string
	table string
	walks func(tx *gorm.DB, userID string, f TransactionFilter) []*gorm.DB
	count func(ctx context.Context, db *store.DB, userID string, f TransactionFilter) (TransactionCounts, error)
}

// histories are the kinds there are.
var histories = []history{
	{TransactionOrder, "orders", orderLines, countOrderLines},
	{TransactionGiftCard, "gift_cards", cardLines, countCardLines},
	{TransactionVoucher, "voucher_redemptions", voucherLines, countVoucherLines},
}

// of gives the kinds that a filter may include.
func (f TransactionFilter) of() []history {
	var some []history
	for _, h := range histories {
		if f.Kind == "" || f.Kind == h.kind {
			some = append(some, h)
		}
	}
	return some
}

// Transactions is one page of a customer's history, newest first: each walk reads
// the page's length, and the newest of them all are the page.
func Transactions(ctx context.Context, db *store.DB, userID string, f TransactionFilter, p store.Page) ([]Transaction, *store.Cursor, error) {
	session := db.ORM(ctx)
	if f.searches() {
		session = db.CustomPlans(ctx)
	}
	var arms []string
	var queries []any
	for _, h := range f.of() {
		for _, walk := range h.walks(db.ORM(ctx), userID, f) {
			arms, queries = append(arms, "(?)"), append(queries, p.In(walk, h.table))
		}
	}
	if len(arms) == 0 {
		return nil, nil, nil
	}
	var rows []Transaction
	union := "SELECT * FROM (" + strings.Join(arms, " UNION ALL ") + ") t ORDER BY created_at DESC, id DESC LIMIT ?"
	if err := session.Raw(union, append(queries, p.Limit+1)...).Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list transactions: %w", err)
	}
	rows, next := store.Cut(rows, p, func(t Transaction) store.Cursor { return store.Cursor{At: t.CreatedAt, ID: t.ID} })
	return rows, next, nil
}

// TransactionCounts are the figures of 'Showing Matching of Total'.
type TransactionCounts struct {
	Total, Active int         // without the filter
	Matching      int         // with it
	Value         money.Units // cents, of the orders with it
}

// CountTransactions counts a customer's history with and without the filter.
func CountTransactions(ctx context.Context, db *store.DB, userID string, f TransactionFilter) (TransactionCounts, error) {
	var sum TransactionCounts
	for _, h := range histories {
		counts, err := h.count(ctx, db, userID, f)
		if err != nil {
			return TransactionCounts{}, err
		}
		sum.Total, sum.Active = sum.Total+counts.Total, sum.Active+counts.Active
		if f.Kind == "" || f.Kind == h.kind {
			sum.Matching, sum.Value = sum.Matching+counts.Matching, sum.Value.Add(counts.Value)
		}
	}
	return sum, nil
}

// EachTransaction calls fn with every transaction that matches the filter, newest first.
func EachTransaction(ctx context.Context, db *store.DB, userID string, f TransactionFilter, fn func(*Transaction) error) error {
	return store.EachPage(func(after *store.Cursor) ([]Transaction, *store.Cursor, error) {
		return Transactions(ctx, db, userID, f, store.Page{After: after, Limit: store.ExportPage})
	}, fn)
}

// orderLines are a customer's orders as lines of history.
func orderLines(tx *gorm.DB, userID string, f TransactionFilter) []*gorm.DB {
	status := "CASE"
	for legacy, is := range order.LegacySQL {
		status += " WHEN " + is + " THEN '" + legacy + "'"
	}
	query := tx.Table("orders").Select(`'crypto_swap' AS kind, orders.id, orders.reference, orders.created_at, ` + status + ` END AS status, orders.status AS order_status, ` + order.EndWord + ` AS resolution, ` + order.ReturnedSQL + ` AS returned, ` + order.AuthorisedSQL + ` AS authorised, 'USD' AS "from",
		orders.asset AS "to", orders.amount, orders.total AS fiat, orders.payment_method AS method, orders.dest_address AS address, orders.network, coalesce(orders.txid, '') AS txid`)
	return []*gorm.DB{f.orders(userID).Narrow(query)}
}

func countOrderLines(ctx context.Context, db *store.DB, userID string, f TransactionFilter) (TransactionCounts, error) {
	all, err := order.CountOrders(ctx, db, order.OrderFilter{UserID: userID})
	if err != nil {
		return TransactionCounts{}, err
	}
	matching, err := order.CountOrders(ctx, db, f.orders(userID))
	if err != nil {
		return TransactionCounts{}, err
	}
	return TransactionCounts{Total: all.Total, Active: all.Pending + all.PaymentApproved + all.Fulfilling + all.Filled,
		Matching: matching.Total, Value: matching.FiatTotal}, nil
}

// cardLegacy is a gift card's legacy state. Its later proceeds are not shown to its customer.
var cardLegacy = map[giftcard.CardStatus]string{giftcard.CardReceived: "pending", giftcard.CardInReview: "pending",
	giftcard.CardOffered: "pending", giftcard.CardApproved: "completed", giftcard.CardRealised: "completed", giftcard.CardRejected: "failed",
	giftcard.CardDeclined: "cancelled", giftcard.CardExpired: "cancelled"}

// cardStatuses are the statuses of a legacy state.
func cardStatuses(legacy string) []giftcard.CardStatus {
	some := []giftcard.CardStatus{}
	for _, status := range giftcard.CardStatuses {
		if cardLegacy[status] == legacy {
			some = append(some, status)
		}
	}
	return some
}

// cardLines are the gift cards a customer sold as lines of history: a walk for each status, where the filter has
// some. They never paid coin.
func cardLines(tx *gorm.DB, userID string, f TransactionFilter) []*gorm.DB {
	if f.Asset != "" {
		return nil
	}
	status := "CASE gift_cards.status"
	for _, s := range giftcard.CardStatuses {
		status += " WHEN '" + string(s) + "' THEN '" + cardLegacy[s] + "'"
	}
	lines := func() *gorm.DB {
		return searchedCards(tx.Table("gift_cards").Select(`'gift_card' AS kind, gift_cards.id, gift_cards.reference, gift_cards.created_at, `+status+` END AS status, '' AS order_status, CASE WHEN gift_cards.status IN ('rejected', 'declined', 'expired') THEN gift_cards.status ELSE '' END AS resolution, 0 AS returned, false AS authorised, gift_cards.brand_label AS "from",
			'USD' AS "to", coalesce(gift_cards.paid, gift_cards.payout) AS amount, coalesce(gift_cards.paid, gift_cards.payout) AS fiat, 'gift_card' AS method, '' AS address, '' AS network, '' AS txid`).
			Where("gift_cards.user_id = ?", userID), f.Query)
	}
	if f.Legacy == "" {
		return []*gorm.DB{lines()}
	}
	var walks []*gorm.DB
	for _, s := range cardStatuses(f.Legacy) {
		walks = append(walks, lines().Where("gift_cards.status = ?", s))
	}
	return walks
}

// searchedCards narrows gift cards to those that a text is in.
func searchedCards(query *gorm.DB, text string) *gorm.DB {
	switch id := strings.ToLower(strings.TrimSpace(text)); {
	case id == "":
		return query
	case store.IsID(id):
		return query.Where("gift_cards.id = ?", id)
	}
	return query.Where("EXISTS (SELECT FROM gift_card_search WHERE card_id = gift_cards.id AND text LIKE ?)", store.Containing(text))
}

func countCardLines(ctx context.Context, db *store.DB, userID string, f TransactionFilter) (TransactionCounts, error) {
	cards, err := giftcard.CountGiftCards(ctx, db, userID)
	if err != nil {
		return TransactionCounts{}, err
	}
	counts := TransactionCounts{Total: cards.Total}
	for status, n := range cards.ByStatus {
		if cardLegacy[status] == "pending" {
			counts.Active += n
		}
		if f.Asset == "" && (f.Legacy == "" || f.Legacy == cardLegacy[status]) {
			counts.Matching += n
		}
	}
	if f.Asset != "" || !f.searches() {
		return counts, nil
	}
	query := searchedCards(db.CustomPlans(ctx).Table("gift_cards").Where("user_id = ?", userID), f.Query)
	if f.Legacy != "" {
		query = query.Where("status IN ?", append(cardStatuses(f.Legacy), ""))
	}
	var found int64
	if err := query.Count(&found).Error; err != nil {
		return TransactionCounts{}, fmt.Errorf("count gift cards: %w", err)
	}
	counts.Matching = int(found)
	return counts, nil
}

// redemptionStatuses are the statuses of a legacy state.
func redemptionStatuses(legacy string) []voucher.RedemptionStatus {
	some := []voucher.RedemptionStatus{}
	for _, status := range voucher.RedemptionStatuses {
		if voucher.RedemptionLegacy[status] == legacy {
			some = append(some, status)
		}
	}
	return some
}

// voucherLines are the vouchers a customer redeemed as lines of history: a walk for each status and coin, where the
// filter has some. Those in coin were never in dollars.
func voucherLines(tx *gorm.DB, userID string, f TransactionFilter) []*gorm.DB {
	status := "CASE voucher_redemptions.status"
	for _, s := range voucher.RedemptionStatuses {
		status += " WHEN '" + string(s) + "' THEN '" + voucher.RedemptionLegacy[s] + "'"
	}
	lines := func() *gorm.DB {
		query := tx.Table("voucher_redemptions").Select(`'voucher' AS kind, voucher_redemptions.id, voucher_redemptions.reference, voucher_redemptions.created_at,
			`+status+` END AS status, '' AS order_status, '' AS resolution, 0 AS returned, false AS authorised, voucher_redemptions.currency AS "from", voucher_redemptions.asset AS "to", voucher_redemptions.amount,
			CASE voucher_redemptions.currency WHEN 'USD' THEN voucher_redemptions.value END AS fiat, 'voucher' AS method, voucher_redemptions.dest_address AS address, voucher_redemptions.network, coalesce(voucher_redemptions.txid, '') AS txid`).
			Where("voucher_redemptions.user_id = ?", userID)
		if f.Asset != "" {
			query = query.Where("voucher_redemptions.asset = ?", f.Asset)
		}
		return searchedVouchers(query, f.Query)
	}
	if f.Legacy == "" {
		return []*gorm.DB{lines()}
	}
	var walks []*gorm.DB
	for _, s := range redemptionStatuses(f.Legacy) {
		walks = append(walks, lines().Where("voucher_redemptions.status = ?", s))
	}
	return walks
}

// searchedVouchers narrows redemptions to those that a text is in: the name or
// code of the coin, or a part of the id, the reference or the address.
func searchedVouchers(query *gorm.DB, text string) *gorm.DB {
	switch id := strings.ToLower(strings.TrimSpace(text)); {
	case id == "":
		return query
	case store.IsID(id):
		return query.Where("voucher_redemptions.id = ?", id)
	case slices.Contains(voucher.RedeemedFor, money.CoinNamed(id)):
		return query.Where("voucher_redemptions.asset = ?", money.CoinNamed(id))
	}
	return query.Where("EXISTS (SELECT FROM redemption_search WHERE redemption_id = voucher_redemptions.id AND "+store.HoldsTyped+")", store.AsTyped(text))
}

func countVoucherLines(ctx context.Context, db *store.DB, userID string, f TransactionFilter) (TransactionCounts, error) {
	facets, err := db.Tally(ctx, "redemptions", userID)
	if err != nil {
		return TransactionCounts{}, err
	}
	asset := money.Currency(strings.ToUpper(strings.TrimSpace(f.Query)))
	named := slices.Contains(voucher.RedeemedFor, asset)
	var counts TransactionCounts
	for _, facet := range facets {
		r := voucher.FromTally(facet)
		counts.Total += facet.N
		if r.Legacy() == "pending" {
			counts.Active += facet.N
		}
		if (f.Asset == "" || f.Asset == r.Asset) && (!named || asset == r.Asset) && (f.Legacy == "" || f.Legacy == r.Legacy()) {
			counts.Matching += facet.N
		}
	}
	if named || !f.searches() {
		return counts, nil
	}
	query := searchedVouchers(db.CustomPlans(ctx).Table("voucher_redemptions").Where("user_id = ?", userID), f.Query)
	if f.Legacy != "" {
		query = query.Where("status IN ?", append(redemptionStatuses(f.Legacy), ""))
	}
	if f.Asset != "" {
		query = query.Where("asset = ?", f.Asset)
	}
	var found int64
	if err := query.Count(&found).Error; err != nil {
		return TransactionCounts{}, fmt.Errorf("count redeemed vouchers: %w", err)
	}
	counts.Matching = int(found)
	return counts, nil
}
