package api

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// everything gives the platform a little of all that customers do, over two months.
func (h *testServer) everything() (ada, eve *visitor) {
	h.Helper()
	ada, eve = h.customer(), h.customer()
	h.many(ada.order("domestic_wire"), 89)
	ada.cards(40, "GC-")
	eve.cards(10, "XC-")
	eve.redeemed(30, "V-")
	for _, sql := range []string{
		`UPDATE orders SET user_id = '` + eve.userID + `' WHERE substring(id::text, 1, 1) < '4'`,
		`UPDATE orders SET status = (ARRAY['pending','payment_approved','fulfilling','filled','sent','failed','failed'])[1 + abs(hashtext(id::text)) % 7], txid = id::text, resolution = NULL,
			asset = (ARRAY['BTC','ETH','USDT','USDC'])[1 + abs(hashtext(reference)) % 4], payment_method = (ARRAY['card','zelle','domestic_wire'])[1 + abs(hashtext(id::text || 'm')) % 3], dest_address = id::text`,
		`UPDATE orders SET resolution = (ARRAY['declined','expired','refunded'])[1 + abs(hashtext(id::text || 'r')) % 3] WHERE status = 'failed' AND substring(id::text, 2, 1) < 'b'`,
		`INSERT INTO refunds (order_id, sequence, amount, destination, key, status, done_at)
			SELECT id, 1, 100, 'card', 'k' || id, (ARRAY['requested','pending','succeeded','failed'])[1 + abs(hashtext(id::text)) % 4], now() FROM orders WHERE substring(id::text, 3, 1) < '6'`,
		`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, account_destroyed_at, approvals_needed, approved_by, bank_reference, reason)
			SELECT gen_random_uuid(), 'PO-' || n, '` + eve.userID + `', 5000 + n, s, 'us', 'US', '6789', now(), 1, CASE WHEN s IN ('approved', 'paid', 'returned') THEN CAST('` + ada.userID + `' AS uuid) END,
				CASE WHEN s IN ('paid', 'returned') THEN 'wire ' || n END, CASE WHEN s IN ('rejected', 'returned') THEN 'no' END
			  FROM (SELECT n, (ARRAY['requested','approved','paid','rejected','cancelled','returned'])[1 + n % 6] AS s FROM generate_series(1, 18) n) p`,
	} {
		h.exec(sql)
	}
	for _, table := range []string{"orders", "gift_cards", "voucher_redemptions", "refunds", "payouts"} { // some of them on the first and the last of a month
		h.exec(`UPDATE ` + table + ` SET created_at = date_trunc('second', now()) - abs(hashtext(id::text)) % 60 * interval '1 day' - abs(hashtext(id::text || 't')) % 86400 * interval '1 second'`)
	}
	return ada, eve
}

// The list of everything is every row once, newest first, and what its filters
// let through is the same in its pages, its count, its sums and its export.
func TestTransactionsOfAllAreCountedAndExportedAsTheyAreListed(t *testing.T) {
	h := open(t)
	ada, eve := h.everything()
	finance, support := h.customer("finance"), h.customer("support")
	read := func(query string) (rows []reportingapi.AdminTransaction) {
		finance.walk("/api/admin/transactions?limit=60&"+query, func(a *answer) (ids []string) {
			var some []reportingapi.AdminTransaction
			a.read(&some)
			rows = append(rows, some...)
			return nil
		})
		return rows
	}
	all := read("")
	require.Len(t, all, 90+50+30+18+one[int](h, `SELECT count(*) FROM refunds`))
	met := map[string]bool{}
	for i, row := range all {
		require.False(t, met[row.ID], "once")
		met[row.ID] = true
		require.True(t, i == 0 || !row.CreatedAt.After(all[i-1].CreatedAt), "newest first")
	}
	day := func(back int) string { return time.Now().UTC().AddDate(0, 0, -back).Format(time.DateOnly) }
	month := time.Now().UTC().Format("2006-01") + "-01"
	var queries []url.Values
	values := map[string][]string{"type": reporting.TradeKinds, "state": reporting.TradeStates, "rail": {"card", "paypal"}, "asset": {"BTC", "USDT"}, "customer": {ada.userID, eve.userID, store.NewID()},
		"from": {day(3), day(40), month}, "to": {day(1), day(31)}, "q": {"PO-7", "gc-3", all[7].Reference, all[9].ID, "nothing"}}
	for name, of := range values {
		for _, value := range of {
			queries = append(queries, url.Values{name: {value}})
			for other, more := range values {
				if other > name {
					queries = append(queries, url.Values{name: {value}, other: more[:1]})
				}
			}
		}
	}
	for _, last := range []string{day(0), day(20), day(45)} {
		for _, first := range []string{day(45), day(46), day(59)} {
			queries = append(queries, url.Values{"from": {first}, "to": {last}, "state": {"completed"}})
		}
	}
	for _, query := range queries {
		var want []reportingapi.AdminTransaction
		for _, row := range all {
			if passes(row, query) {
				want = append(want, row)
			}
		}
		text := query.Encode()
		require.ElementsMatch(t, want, read(text), text)
		var summary reportingapi.AdminTransactionsSummary
		finance.get("/api/admin/transactions/summary?" + text).is(http.StatusOK).read(&summary)
		require.Equal(t, []any{len(all), len(want), true}, []any{summary.Total, summary.Matching, summary.Exact}, text)
		require.Equal(t, strconv.Itoa(len(want)), finance.get("/api/admin/transactions?"+text).header.Get("X-Total-Count"), text)
		require.Equal(t, sums(t, want), sumsOf(t, summary.Sums), text)
		require.Equal(t, []string{"card", "domestic_wire", "zelle"}, summary.Rails)
		if len(query) > 1 {
			continue
		}
		cells, err := csv.NewReader(strings.NewReader(string(finance.get("/api/admin/transactions/export?" + text).is(http.StatusOK).body))).ReadAll()
		require.NoError(t, err)
		require.Len(t, cells, len(want)+1, text)
		for i, row := range read(text) {
			require.Equal(t, []string{row.Type, row.ID, row.CustomerID, row.State, row.Amount}, []string{cells[i+1][0], cells[i+1][2], cells[i+1][4], cells[i+1][5], cells[i+1][10]}, text)
		}
	}
	for query, field := range map[string]string{"from=yesterday": "from", "to=2026-02-30": "to", "from=2026-02-02&to=2026-02-01": "to", "customer=me": "customer"} {
		require.Contains(t, string(finance.get("/api/admin/transactions?"+query).is(http.StatusUnprocessableEntity).body), `"`+field+`"`, query)
	}
	support.get("/api/admin/transactions/export").is(http.StatusForbidden)
	require.Equal(t, `{"type": "payout"}`, one[string](h, `SELECT after::text FROM audit_log WHERE action = 'transactions.exported' AND actor_id = $1 AND after ->> 'type' = 'payout'`, finance.userID), "who took what along")
}

// passes is what the filters mean, said again.
func passes(row reportingapi.AdminTransaction, query url.Values) bool {
	reads := map[string]string{"type": row.Type, "state": row.State, "rail": rest.OrEmpty(row.Rail), "asset": rest.OrEmpty(row.Asset), "customer": row.CustomerID}
	for name := range query {
		value, day := query.Get(name), row.CreatedAt.UTC().Format(time.DateOnly)
		switch name {
		case "from":
			if day < value {
				return false
			}
		case "to":
			if day > value {
				return false
			}
		case "q":
			order, _, _ := strings.Cut(row.Reference, "/")
			asked, _, _ := strings.Cut(value, "/")
			if row.ID != value && !strings.EqualFold(row.Reference, value) && (row.Type != "refund" || !strings.EqualFold(order, asked) && rest.OrEmpty(row.OrderID) != value) {
				return false
			}
		default:
			if reads[name] != value {
				return false
			}
		}
	}
	return true
}

// sums are the counts and cents by type.
func sums(t *testing.T, rows []reportingapi.AdminTransaction) map[string][2]int {
	t.Helper()
	out := map[string][2]int{}
	for _, row := range rows {
		out[row.Type] = [2]int{out[row.Type][0] + 1, out[row.Type][1] + cents(t, row.Amount)}
	}
	return out
}

func sumsOf(t *testing.T, rows []reportingapi.AdminTransactionSum) map[string][2]int {
	t.Helper()
	out := map[string][2]int{}
	for _, row := range rows {
		out[row.Type] = [2]int{row.Count, cents(t, row.Amount)}
	}
	return out
}

func cents(t *testing.T, dollars string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.Replace(dollars, ".", "", 1))
	require.NoError(t, err)
	return n
}
