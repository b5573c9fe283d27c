package reporting

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// One search of staff over everything that has a name: each kind is found by indexes alone, whatever is typed.
// Secrets are not searched, since search texts are kept in addresses and logs: a voucher's code is stored as a hash
// and a gift card's sealed, and only the last four digits of a voucher's code can be found.

// SearchMost is how many hits there are of a kind at most, the newest.
const SearchMost = 5

// The kinds of things that are found.
const (
	HitCustomer = "customer"
	HitOrder    = "order"
	HitGiftCard = "gift_card"
	HitPayout   = "payout"
	HitVoucher  = "voucher"
	HitTicket   = "ticket"
	HitMove     = "treasury_move"
	HitBreak    = "break"
)

// Hit is one thing that was found.
type Hit struct {
	Kind      string
	ID        string
	Reference string // empty for a customer; of a break what its provider calls it
	Status    string // the kind's own status
	CreatedAt time.Time
	Label     string // a gift card's brand, a ticket's subject, a break's provider
	// Amount is what it is worth in cents; Asset and Coins are set for orders,
	// moves and breaks.
	Amount *money.Units
	Asset  *money.Currency
	Coins  *money.Units
	// The owner; empty for a voucher that was not redeemed, a move, a break.
	Email, FirstName, LastName string
}

// CustomerName is its customer's display name for staff.
func (h *Hit) CustomerName() string {
	return (&people.User{Email: h.Email, FirstName: h.FirstName, LastName: h.LastName}).Name()
}

// searchKind is how a kind of thing is found: its columns, and the ids that each
// of its keys gives. A key that was not typed is NULL and gives none.
type searchKind struct {
	kind, columns, from string
	keys                []string
}

// byIDs are the ids that begin with what was typed. Ids are made in the order of
// time, so the primary key gives the newest first.
func byIDs(table string) string {
	return "SELECT id FROM " + table + " WHERE id BETWEEN CAST(@first AS uuid) AND CAST(@last AS uuid) ORDER BY id DESC LIMIT @most"
}

// ofCustomer are the newest of the customer whom what was typed names.
func ofCustomer(column, table string) string {
	return "SELECT " + column + " FROM " + table + " WHERE user_id = CAST(@customer AS uuid) ORDER BY created_at DESC, id DESC LIMIT @most"
}

// byText are the newest whose searched text holds what was typed.
func byText(column, table, condition string) string {
	return "SELECT " + column + " FROM " + table + " WHERE " + condition + " ORDER BY created_at DESC, id DESC LIMIT @most"
}

// byKey are the newest of the few rows that have what was typed as a key, found first and sorted then (OFFSET 0 keeps
// the two apart). The planner has no statistics of a partial index on an expression, overestimates the rows, and
// would walk the whole table by time.
func byKey(column, table, condition string) string {
	return "SELECT " + column + " FROM (SELECT * FROM " + table + " WHERE " + condition + " OFFSET 0) AS found ORDER BY created_at DESC, id DESC LIMIT @most"
}

// ofTransaction compares the beginning of a transaction's id. Lower-case hexadecimal digits come before "g" in every
// collation, so that the indexes serve the range.
const ofTransaction = "lower(txid) BETWEEN @transaction AND @transaction || 'g'"

// transactionID is a transaction's id on every network, or enough of its beginning to be of one alone.
var transactionID = regexp.MustCompile(`^(0x)?[0-9a-f]{8,}$`)

// searchKinds are all but customers, whom DB.Customers finds.
var searchKinds = []searchKind{
	{kind: HitOrder, from: "orders t JOIN users u ON u.id = t.user_id",
		columns: `t.reference, ` + strings.ReplaceAll(order.OrderWord, "orders.", "t.") + ` AS status, '' AS label, t.total AS amount, t.asset, t.amount AS coins`,
		keys: []string{byIDs("orders"), ofCustomer("id", "orders"),
			byText("id", "orders", "EXISTS (SELECT FROM order_search WHERE order_id = orders.id AND "+store.HoldsTyped+")"),
			"SELECT order_id FROM payments WHERE stripe_payment_intent_id = @typed",
			byKey("id", "orders", ofTransaction)}},
	{kind: HitGiftCard, from: "gift_cards t JOIN users u ON u.id = t.user_id",
		columns: `t.reference, t.status, t.brand_label AS label, t.value AS amount`,
		keys: []string{byIDs("gift_cards"), ofCustomer("id", "gift_cards"),
			byText("id", "gift_cards", "EXISTS (SELECT FROM gift_card_search WHERE card_id = gift_cards.id AND text LIKE @like)")}},
	{kind: HitPayout, from: "payouts t JOIN users u ON u.id = t.user_id",
		columns: `t.reference, t.status, '' AS label, t.amount`,
		keys: []string{byIDs("payouts"), ofCustomer("id", "payouts"), "SELECT id FROM payouts WHERE reference = @upper",
			"SELECT id FROM payouts WHERE bank_reference IS NOT NULL AND lower(bank_reference) = @lower"}},
	{kind: HitVoucher, from: "vouchers t LEFT JOIN voucher_redemptions r ON r.id = t.redemption_id LEFT JOIN users u ON u.id = r.user_id",
		columns: `t.reference, t.status, '' AS label, t.usd_value AS amount`,
		keys: []string{byIDs("vouchers"), ofCustomer("voucher_id", "voucher_redemptions"), "SELECT id FROM vouchers WHERE reference = @upper",
			byText("id", "vouchers", "last4 = @typed"),
			"SELECT id FROM vouchers WHERE batch_id BETWEEN CAST(@first AS uuid) AND CAST(@last AS uuid) ORDER BY batch_id DESC, created_at DESC LIMIT @most",
			"SELECT voucher_id FROM voucher_redemptions WHERE id = CAST(@id AS uuid)",
			byText("voucher_id", "voucher_redemptions", "EXISTS (SELECT FROM redemption_search WHERE redemption_id = voucher_redemptions.id AND "+store.HoldsTyped+")"),
			byKey("voucher_id", "voucher_redemptions", ofTransaction)}},
	{kind: HitTicket, from: "tickets t JOIN users u ON u.id = t.user_id",
		columns: `t.reference, t.status, t.subject AS label`,
		keys:    []string{byIDs("tickets"), ofCustomer("id", "tickets"), "SELECT id FROM tickets WHERE reference = @upper"}},
	{kind: HitMove, from: "treasury_moves t " + unassigned,
		columns: `t.reference, t.status, t.network AS label, t.asset, t.amount AS coins`,
		keys: []string{byIDs("treasury_moves"), "SELECT id FROM treasury_moves WHERE reference = @upper", "SELECT id FROM treasury_moves WHERE exchange_ref = @typed",
			byKey("id", "treasury_moves", ofTransaction)}},
	{kind: HitBreak, from: "reconciliation_breaks t JOIN reconciled_effects e ON (e.holder, e.key, e.currency) = (t.holder, t.key, t.currency) " + unassigned,
		columns: `substr(t.key, strpos(t.key, ':') + 1) AS reference, coalesce(t.outcome, 'open') AS status, t.holder AS label, t.currency AS asset,
			CASE WHEN t.closed_at IS NULL THEN e.told - e.booked ELSE t.told - t.booked END AS coins`,
		keys: []string{byIDs("reconciliation_breaks"), byKey("id", "reconciliation_breaks", "lower(substr(key, strpos(key, ':') + 1)) = @lower"),
			ofLine("l.id = @typed"), ofLine("l.ours = @typed"), ofLine("l.txid = @lower")}},
}

// unassigned is for what belongs to no customer.
const unassigned = "LEFT JOIN users u ON false"

// ofLine are the breaks of the effects in a line of a statement. The holders are named so that each of the lines'
// indexes, which begin with one, is used.
func ofLine(condition string) string {
	return `SELECT b.id FROM statement_lines l JOIN reconciliation_breaks b ON (b.holder, b.key, b.currency) = (l.holder, l.key, l.currency)
		 WHERE l.holder = ANY(ARRAY(SELECT name FROM providers)) AND ` + condition + " ORDER BY b.created_at DESC, b.id DESC LIMIT @most"
}

// Search finds things of the given kinds by what staff typed: an id or the beginning of one, a reference, a name, an
// e-mail or destination address, a transaction, a payment intent. When it names one customer alone, what they did is
// found as well.
func Search(ctx context.Context, db *store.DB, typed string, kinds []string) ([]Hit, error) {
	typed = strings.TrimSpace(typed)
	if len([]rune(typed)) < store.SearchLeast {
		return nil, nil
	}
	var hits []Hit
	keys := searchKeys(typed)
	if slices.Contains(kinds, HitCustomer) {
		found, next, err := customer.Customers(ctx, db, customer.CustomerFilter{Query: typed}, store.Page{Limit: SearchMost})
		if err != nil {
			return nil, err
		}
		for i := range found {
			hits = append(hits, customerHit(&found[i]))
		}
		if len(found) == 1 && next == nil {
			keys["customer"] = &found[0].ID
		}
	}
	for _, k := range searchKinds {
		if !slices.Contains(kinds, k.kind) {
			continue
		}
		var rows []Hit
		if err := db.CustomPlans(ctx).Raw(k.query(), keys).Scan(&rows).Error; err != nil {
			return nil, fmt.Errorf("search %s: %w", k.kind, err)
		}
		hits = append(hits, rows...)
	}
	return hits, nil
}

func customerHit(c *account.Customer) Hit {
	return Hit{Kind: HitCustomer, ID: c.ID, Status: c.KYCStatus, CreatedAt: c.CreatedAt, Email: c.Email, FirstName: c.FirstName, LastName: c.LastName}
}

// query reads the newest of what any of the keys gives.
func (k *searchKind) query() string {
	return fmt.Sprintf(`SELECT '%s' AS kind, t.id, t.created_at, %s, coalesce(u.email, '') AS email, coalesce(u.first_name, '') AS first_name, coalesce(u.last_name, '') AS last_name
		FROM %s WHERE t.id IN ((%s)) ORDER BY t.created_at DESC, t.id DESC LIMIT @most`, k.kind, k.columns, k.from, strings.Join(k.keys, ") UNION ("))
}

// searchKeys are what the keys are compared with.
func searchKeys(typed string) map[string]any {
	first, last := store.IDRange(typed)
	lower := strings.ToLower(typed)
	var transaction *string
	if transactionID.MatchString(lower) {
		transaction = &lower
	}
	like := store.Containing(typed)
	keys := store.AsTyped(typed)
	maps.Copy(keys, map[string]any{"typed": typed, "lower": lower, "transaction": transaction, "upper": strings.ToUpper(typed), "like": &like,
		"first": first, "last": last, "id": (*string)(nil), "customer": (*string)(nil), "most": SearchMost})
	if first != nil && *first == *last { // a whole id is in no other field
		keys["id"], keys["like"], keys["ending"] = first, (*string)(nil), (*string)(nil)
	}
	return keys
}
