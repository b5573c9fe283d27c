package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/store"
)

// mostRead bounds the rows and index entries one list call may touch, joins and the second
// read for the next page included, where the lists are filledRows long.
const (
	filledRows = 6000
	mostRead   = 1500
)

// scans are the filters that read every row they match. The search matches a large part of the rows, and its
// count is stored (models/store/searches.go). The orders that wait for a customer, and the authorized cards, are
// few in use; here they are hundreds.
var scans = []string{"q=btc", "action=true", "status=authorised"}

// few is a customer who has done a few hundred things.
const few = "00000000-0000-4000-8000-000000000043"

// Bar 43: a list reads about as many rows as it shows, however long it is. Lists, statistics and searches share one
// database, which takes a minute to fill.
func TestBar43ListsReadWhatTheyShow(t *testing.T) {
	h := open(t)
	owner := h.owner()
	v, staff, admin := h.customer(), h.customer("admin", "finance", "compliance", "support"), h.customer("admin")
	h.fill(owner, v)
	rare := h.rare(owner)
	h.statisticsReadAsMuch(owner, admin)
	h.listsReadWhatTheyShow(owner, v, staff, rare)
	h.searchesReadWhatTheyShow(owner, admin, rare)
}

// rare is a number that the statistics do not happen to keep as a bound of a histogram: a
// text that is one is taken for a hundredth of all.
func (h *testServer) rare(owner *store.DB) (number string) {
	h.Helper()
	require.NoError(h, owner.Pool().QueryRow(h.Context(), `SELECT n::text FROM generate_series(4711, 5999) n
		WHERE NOT EXISTS (SELECT FROM pg_stats WHERE tablename LIKE '%\_search' AND histogram_bounds::text ~ ('-' || n || '\M')) LIMIT 1`).Scan(&number))
	return number
}

// listsReadWhatTheyShow requests every route that has a cursor, with every value of every filter, from the first page
// and from a middle one. It finds new lists by their routes, and fails if fill made no rows for them.
func (h *testServer) listsReadWhatTheyShow(owner *store.DB, v, staff *visitor, rare string) {
	h.Helper()
	lists := listRoutes(h.T)
	require.GreaterOrEqual(h, len(lists), 5)
	for _, list := range lists {
		who := v
		if strings.Contains(list.path, "/admin/") {
			who = staff
		}
		first := who.get(list.path).is(http.StatusOK)
		next := nextPage.FindStringSubmatch(first.header.Get("Link"))
		require.NotNil(h, next, "%s has no second page: give fill() rows for it", list.path)
		for _, query := range list.queries(next[1]) {
			query = strings.ReplaceAll(query, "4711", rare)
			before := touched(h, owner)
			who.get(list.path + "?" + query).is(http.StatusOK)
			read := touched(h, owner) - before
			if !slices.ContainsFunc(scans, func(scan string) bool { return strings.Contains(query, scan) }) {
				require.LessOrEqual(h, read, mostRead, "%s?%s reads %d rows of lists that are %d long: %s", list.path, query, read, filledRows, asvs.Claim(h, "15.2.2"))
			}
		}
	}
}

// owner is the database as its superuser, who may see what was read.
func (h *testServer) owner() *store.DB {
	h.Helper()
	owner, err := store.Open(h.Context(), h.dbs.Admin, store.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(h, err)
	h.Cleanup(owner.Close)
	return owner
}

// fill makes lists long: most rows are other people's, and a good part v's.
func (h *testServer) fill(owner *store.DB, v *visitor) {
	h.Helper()
	id := v.order("domestic_wire")
	h.many(id, filledRows)
	other := h.customer()
	for _, sql := range []string{
		`UPDATE orders SET user_id = '` + other.userID + `' WHERE substring(id::text, 1, 1) IN ('0','1','2','3','4','5','6','7') AND id <> '` + id + `'`,
		`UPDATE orders SET status = (ARRAY['pending','payment_approved','fulfilling','filled','sent','failed'])[1 + abs(hashtext(id::text)) % 6], txid = id::text, resolution = NULL,
			dest_address = md5(id::text), reference = 'TP-' || upper(substring(md5(id::text || 'r'), 1, 14)),
			asset = (ARRAY['BTC','ETH','USDT','USDC'])[1 + abs(hashtext(reference)) % 4] WHERE id <> '` + id + `'`,
		`UPDATE orders SET resolution = (ARRAY['declined','cancelled','expired','refunded'])[1 + abs(hashtext(id::text || 'r')) % 4] WHERE status = 'failed' AND substring(id::text, 2, 1) < '9'`,
		`UPDATE orders SET attention_reason = 'price_moved', attention_since = now() WHERE substring(id::text, 3, 2) IN ('70', '71', '72', '73')`,
		`UPDATE payments SET user_id = o.user_id, payment_method = (ARRAY['card','zelle','domestic_wire','chime'])[1 + abs(hashtext(payments.id::text)) % 4],
			admin_approval_status = (ARRAY['pending','approved','declined'])[1 + abs(hashtext(payments.id::text || 's')) % 3] FROM orders o WHERE o.id = order_id`,
		`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, address, amount, sequence_id, created_at)
			SELECT gen_random_uuid(), id, user_id, 1, asset, network, dest_address, amount, id::text, created_at FROM orders`,
		`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount)
			SELECT 'fill:' || n, 1, 'bonus_credited', 'customer:` + v.userID + `:balance', 'promotions', 'USD', n FROM generate_series(1, 6000) n`,
		`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, reject_reason, paid, realised_amount, fingerprint, created_at)
			SELECT gen_random_uuid(), 'GC-' || n, CASE WHEN n % 2 = 0 THEN '` + v.userID + `' ELSE '` + other.userID + `' END::uuid, 'amazon', 'Amazon', 'regular', s, 5000, 3750,
				CASE WHEN s = 'rejected' THEN 'no' END, CASE WHEN s IN ('approved', 'realised') THEN 3750 END, CASE WHEN s = 'realised' THEN 4000 END, n::text::bytea, now() - n * interval '1 minute'
			  FROM (SELECT n, (ARRAY['received','in_review','approved','realised','rejected','expired'])[1 + n % 6] AS s FROM generate_series(1, 6000) n) g`,
		`INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id)
			SELECT gen_random_uuid(), now() - n * interval '1 minute', 'credit', '` + other.userID + `', '` + v.userID + `', 'test', n::text, 100, 'test', n::text FROM generate_series(1, 6000) n`,
		`INSERT INTO tickets (id, reference, user_id, subject, status, awaits, created_at, closed_at, assignee_id, assigned_at)
			SELECT gen_random_uuid(), 'ST-' || n, CASE WHEN n % 2 = 0 THEN '` + v.userID + `' ELSE '` + other.userID + `' END::uuid,
				(ARRAY['general','transaction','account','technical','kyc','voucher'])[1 + n / 10 % 6], s, 'staff',
				now() - n * interval '1 minute', CASE WHEN s = 'closed' THEN now() END, CASE WHEN n % 5 < 3 THEN a END, CASE WHEN n % 5 < 3 THEN now() END
			  FROM (SELECT user_id AS a FROM user_roles WHERE role = 'support' LIMIT 1) staff, (SELECT n, (ARRAY['open','in_progress','closed'])[1 + n % 3] AS s FROM generate_series(1, 6000) n) g`,
		`INSERT INTO ticket_messages (ticket_id, author, author_id, body) SELECT id, 'customer', user_id, 'Where is it?' FROM tickets`,
		`INSERT INTO users (id, issuer, subject, email) SELECT gen_random_uuid(), 'fill', n::text, n || '@filled.example.com' FROM generate_series(1, 6000) n`,
		`INSERT INTO kyc_records (user_id, level, status, can_retry, on_hold, created_at)
			SELECT id, CASE WHEN n % 7 < 2 THEN 'standard' ELSE 'none' END, (ARRAY['approved','approved','pending','rejected','rejected','not_started','pending'])[1 + n % 7], n % 7 = 3, n % 7 = 6, now() - n * interval '1 minute'
			  FROM (SELECT id, subject::int AS n FROM users WHERE issuer = 'fill') u`,
		`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, account_destroyed_at, approvals_needed, approved_by, bank_reference, reason, created_at)
			SELECT gen_random_uuid(), 'PO-' || n, CASE WHEN n % 2 = 0 THEN '` + v.userID + `' ELSE '` + other.userID + `' END::uuid, 5000, s, 'us', 'US', '6789', now(), 1,
				CASE WHEN s IN ('approved', 'paid', 'returned') THEN (SELECT id FROM users WHERE id NOT IN ('` + v.userID + `', '` + other.userID + `') LIMIT 1) END,
				CASE WHEN s IN ('paid', 'returned') THEN 'wire ' || n END, CASE WHEN s IN ('rejected', 'returned') THEN 'no' END, now() - n * interval '1 minute'
			  FROM (SELECT n, (ARRAY['requested','approved','paid','rejected','cancelled','returned'])[1 + n % 6] AS s FROM generate_series(1, 6000) n) g`,
		`INSERT INTO vouchers (id, reference, batch_id, last4, amount, currency, usd_value, status, code_hash, expires_at, created_by, created_at)
			SELECT gen_random_uuid(), 'VC-' || n, CASE WHEN n <= 100 THEN '` + few + `' ELSE gen_random_uuid() END, lpad((n % 10000)::text, 4, '0'), 5000, (ARRAY['USD','BTC','ETH'])[1 + n / 4 % 3], 5000, (ARRAY['awaiting_approval','active','voided','expired'])[1 + n % 4],
				n::text::bytea, now() + interval '1 year', '` + other.userID + `', now() - n * interval '1 minute' FROM generate_series(1, 6000) n`,
		`INSERT INTO voucher_redemptions (id, reference, voucher_id, user_id, status, value, currency, asset, network, dest_address, amount, unit_price, price_limit, base_price,
				needs_identity, attention_reason, attention_since, created_at, closed_at)
			SELECT gen_random_uuid(), 'VR-' || reference, id, CASE WHEN n % 2 = 0 THEN '` + v.userID + `' ELSE '` + other.userID + `' END::uuid,
				(ARRAY['accepted','fulfilling','filled','sent','restored'])[1 + n % 5], 5000, 'USD', (ARRAY['BTC','ETH','USDT'])[1 + n % 3], 'bitcoin', 'bc1q' || md5(id::text), 1, 1, 1, 1,
				false, CASE WHEN n % 100 = 0 THEN 'transfer_unconfirmed' END, CASE WHEN n % 100 = 0 THEN created_at END, created_at, CASE WHEN n % 100 <> 0 THEN created_at END
			  FROM (SELECT v.*, row_number() OVER () AS n FROM vouchers v) v`,
		`UPDATE vouchers v SET status = CASE WHEN substring(v.id::text, 1, 1) < '8' THEN 'paid' ELSE 'redeemed' END, redemption_id = r.id FROM voucher_redemptions r
			WHERE r.voucher_id = v.id AND substring(v.id::text, 2, 1) < '4'`,
		`INSERT INTO users (id, issuer, subject, email) SELECT gen_random_uuid(), 'fill', 'friend ' || n, n || '@example.com' FROM generate_series(1, 3000) n`,
		`INSERT INTO rewards (id, reference, kind, user_id, friend_id, amount, revocable_seconds, status, order_id, rewarded_at, closed_at, created_at)
			SELECT gen_random_uuid(), 'RW-' || n, 'referral', CASE WHEN n % 2 = 0 THEN '` + v.userID + `' ELSE '` + other.userID + `' END::uuid, friend, 1000, 0, s, CASE WHEN s <> 'registered' THEN '` + id + `'::uuid END,
				CASE WHEN s IN ('rewarded', 'clawed_back') THEN now() END, CASE WHEN s IN ('rewarded', 'clawed_back', 'refused') THEN now() END, now() - n * interval '1 minute'
			  FROM (SELECT id AS friend, row_number() OVER () AS n, (ARRAY['registered','active','held','rewarded','refused','clawed_back'])[1 + row_number() OVER () % 6] AS s
			          FROM users WHERE issuer = 'fill') f`,
		`INSERT INTO reconciled_effects (holder, key, currency, told, last_at)
			SELECT (ARRAY['stripe','kraken','bitgo'])[1 + n % 3], (ARRAY['charge:','fill:','transfer:'])[1 + n % 3] || n, 'USD', n, now() - n * interval '1 minute' FROM generate_series(1, 6000) n`,
		`INSERT INTO statement_lines (holder, id, currency, amount, kind, key, at, state, settled, ours)
			SELECT holder, key, currency, told, split_part(key, ':', 1), key, last_at, 'told', true, gen_random_uuid()::text FROM reconciled_effects`,
		`INSERT INTO reconciliation_breaks (holder, key, currency, booked, told, created_at, closed_at, outcome)
			SELECT holder, key, currency, booked, told, last_at, CASE WHEN told::bigint % 2 = 0 THEN now() END, CASE WHEN told::bigint % 2 = 0 THEN 'agreed' END FROM reconciled_effects`,
		`INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, decided_by, first_sent_at, exchange_ref, arrived_at, created_at, closed_at)
			SELECT gen_random_uuid(), 'TM-' || n, (ARRAY['BTC','ETH','USDT','USDC'])[1 + n / 4 % 4], 'ethereum', 100, s, 'why', CASE WHEN s <> 'withdrawn' THEN '` + other.userID + `'::uuid END,
				CASE WHEN s = 'arrived' THEN now() END, CASE WHEN s = 'arrived' THEN 'FT' || n END, CASE WHEN s = 'arrived' THEN now() END, now() - n * interval '1 minute', now()
			  FROM (SELECT n, (ARRAY['arrived','rejected','withdrawn','failed'])[1 + n % 4] AS s FROM generate_series(1, 6000) n) m`,
		`INSERT INTO pricing_versions (id, kind, subject_id, name, version, actor_id, reason, created_at)
			SELECT gen_random_uuid(), (ARRAY['payment_method','country'])[1 + n % 2], gen_random_uuid(), 'card', 2, '` + other.userID + `', '', now() - n * interval '1 minute' FROM generate_series(1, 6000) n`,
		`INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons, created_at) SELECT gen_random_uuid(), id, user_id, dest_address, 100, '{blocked_address}', created_at FROM orders`,
		`INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons, created_at, closed_at, outcome) SELECT gen_random_uuid(), id, user_id, dest_address, 100, '{blocked_address}', created_at, created_at, 'released' FROM orders`,
		`INSERT INTO refunds (order_id, sequence, amount, destination, key, status, done_at, created_at)
			SELECT id, 1, 100, 'card', 'fill ' || id, s, now(), created_at FROM (SELECT id, created_at, (ARRAY['requested','pending','succeeded','failed'])[1 + abs(hashtext(id::text)) % 4] AS s FROM orders) o`,
		`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ('` + few + `', 'fill', 'few', 'few@example.com', true)`,
		`UPDATE orders SET user_id = '` + few + `' WHERE substring(id::text, 1, 2) = 'ff'`,
		`UPDATE refunds r SET user_id = o.user_id FROM orders o WHERE o.id = r.order_id`,
		`INSERT INTO user_roles (user_id, role, granted_by) SELECT id, 'support', 'fill' FROM users WHERE issuer = 'fill' AND email LIKE '%@filled.example.com' ORDER BY email LIMIT 60`,
		`INSERT INTO role_proposals (id, user_id, had, roles, reason, proposed_by, status, decided_at, decided_by, created_at)
			SELECT gen_random_uuid(), id, '{}', '{support}', 'why', '` + few + `', s, CASE WHEN s <> 'open' THEN now() END,
				CASE s WHEN 'withdrawn' THEN CAST('` + few + `' AS uuid) WHEN 'approved' THEN CAST('` + other.userID + `' AS uuid) WHEN 'rejected' THEN CAST('` + other.userID + `' AS uuid) END, now() - n * interval '1 minute'
			  FROM (SELECT id, row_number() OVER () AS n, (ARRAY['open','approved','rejected','withdrawn','lapsed'])[1 + row_number() OVER () % 5] AS s
			          FROM users WHERE issuer = 'fill' AND email LIKE '%@filled.example.com') u`,
		`INSERT INTO audit_log (actor_id, actor_role, action, object_kind, object_id)
			SELECT CASE n % 3 WHEN 1 THEN CAST('` + few + `' AS uuid) WHEN 2 THEN CAST('` + other.userID + `' AS uuid) END, 'admin', 'order.' || n % 7, CASE WHEN n % 5 = 0 THEN 'payout' ELSE 'order' END, n
			  FROM generate_series(1, 6000) n`,
		`INSERT INTO unplaced_money (id, amount, bank_reference, received_on, rail, opened_by, status, sent_reference, created_at, closed_at)
			SELECT gen_random_uuid(), 100, 'wire ' || n, now(), 'domestic_wire', '` + other.userID + `', s, CASE WHEN s = 'sent_back' THEN 'back ' || n END, now() - n * interval '1 minute', CASE WHEN s <> 'open' THEN now() END
			  FROM (SELECT n, (ARRAY['open','placed','credited','sent_back'])[1 + n % 4] AS s FROM generate_series(1, 6000) n) m`,
		`INSERT INTO stranded_credits (id, user_id, amount, event, group_key, bank_reference, reason, paid_by, paid_at, created_at)
			SELECT gen_random_uuid(), id, 100, 'bonus_credited', 'filled ' || n, CASE WHEN sent THEN 'closed ' || n END, CASE WHEN sent THEN 'why' END,
			       CASE WHEN sent THEN '` + other.userID + `'::uuid END, CASE WHEN sent THEN now() END, now() - n * interval '1 minute'
			  FROM (SELECT id, row_number() OVER () AS n, row_number() OVER () % 20 <> 0 AS sent FROM users WHERE issuer = 'fill' AND email LIKE '%@filled.example.com') m`,
		`INSERT INTO money_proposals (id, kind, data, reason, proposed_by, status, decided_by, decided_at, created_at)
			SELECT gen_random_uuid(), 'credit_money', '{}', 'why', '` + other.userID + `', s, CASE WHEN s = 'approved' THEN '` + few + `'::uuid END, CASE WHEN s <> 'open' THEN now() END, now() - n * interval '1 minute'
			  FROM (SELECT n, (ARRAY['approved','rejected','lapsed','open'])[1 + CASE WHEN n % 12 = 0 THEN 3 ELSE n % 3 END] AS s FROM generate_series(1, 6000) n) m`,
		`INSERT INTO alerts (kind, subject, count, since, opened_at, acknowledged_at, acknowledged_by, closed_at)
			SELECT 'stale_prices', 'fill ' || n, 1, at, at, CASE WHEN n % 2 = 0 THEN now() END,
				CASE WHEN n % 2 = 0 THEN '` + other.userID + `'::uuid END, CASE WHEN n > 200 THEN now() END
			  FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, 6000) n) a`,
		`SELECT fold_tallies()`, `VACUUM ANALYZE`,
	} {
		_, err := owner.Pool().Exec(h.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		require.NoError(h, err, sql)
	}
}

// touched counts the rows and index entries all sessions have read so far.
func touched(h *testServer, owner *store.DB) int {
	h.Helper()
	// Sessions keep their figures for a while: each of the pools' is made to report them.
	var conns []interface{ Release() }
	for _, db := range append(h.own, h.db) {
		for range db.Pool().Config().MaxConns {
			conn, err := db.Pool().Acquire(h.Context())
			require.NoError(h, err)
			_, err = conn.Exec(h.Context(), "SELECT pg_stat_force_next_flush()")
			require.NoError(h, err)
			conns = append(conns, conn)
		}
	}
	for _, conn := range conns {
		conn.Release()
	}
	var rows int
	require.NoError(h, owner.Pool().QueryRow(h.Context(), `SELECT (SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables WHERE seq_tup_read + idx_tup_fetch > 0)
		+ (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) FROM (SELECT pg_stat_clear_snapshot()) s`).Scan(&rows))
	return rows
}

// listRoute is a route that gives a list a page at a time, with its filters.
type listRoute struct {
	path    string
	filters map[string][]string
}

// samples are search texts; the last is in the middle of an address. None is in ids by
// chance: the planner would estimate one in its sample of a text as frequent, and scan the
// list for it.
var samples = []string{"btc", "tp-00000000", "gc-4711", "o-4711", "00000000-0000-0000-0000-000000000000", "a1b2c3"}

// words are samples of filters by a value, with many matches and with none.
var words = map[string][]string{"batch": {few}, "account": {"promotions", "bank_clearing"}, "event": {"bonus_credited", "sent"}, "object": {"00000000-0000-0000-0000-000000000000"},
	"actor": {"system", few}, "action": {"order.3", "nothing"}, "kind": {"order", "payout"}, "order": {few}}

// parameter is a parameter of a call in the contract.
type parameter struct {
	Name, In string
	Schema   struct {
		Type  string
		Enum  []string
		Items struct{ Enum []string }
	}
}

// samples are values to filter by.
func (p parameter) samples() []string {
	switch {
	case p.Name == "q":
		return samples
	case p.Schema.Type == "boolean":
		return []string{"true"}
	case p.Name == "method" || p.Name == "rail":
		return []string{"card", "zelle"}
	case p.Name == "from":
		return []string{"2020-01-01", time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)}
	case p.Name == "to":
		return []string{time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly), "2199-12-31"}
	case p.Name == "customer" || p.Name == "about":
		return []string{few}
	case len(p.Schema.Enum) == 0 && words[p.Name] != nil:
		return words[p.Name]
	}
	return append(p.Schema.Enum, p.Schema.Items.Enum...)
}

// listRoutes reads the contract: a list is a call with a cursor.
func listRoutes(t *testing.T) []listRoute {
	t.Helper()
	raw, err := OpenAPI()
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]struct{ Parameters []parameter }
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	var lists []listRoute
	for path, methods := range doc.Paths {
		parameters := methods["get"].Parameters
		if strings.Contains(path, "{") || !slices.ContainsFunc(parameters, func(p parameter) bool { return p.Name == "cursor" }) {
			continue
		}
		list := listRoute{path, map[string][]string{}}
		for _, p := range parameters {
			if values := p.samples(); p.In == "query" && p.Name != "limit" && p.Name != "cursor" {
				require.NotEmpty(t, values, "%s: give samples for the filter %s", path, p.Name)
				list.filters[p.Name] = values
			}
		}
		lists = append(lists, list)
	}
	slices.SortFunc(lists, func(a, b listRoute) int { return strings.Compare(a.path, b.path) })
	return lists
}

// queries are every value of every filter alone and each pair of two filters,
// and the second page.
func (l listRoute) queries(second string) []string {
	_, page, _ := strings.Cut(second, "?")
	queries := []string{"", page}
	for name, values := range l.filters {
		for _, value := range values {
			one := name + "=" + url.QueryEscape(value)
			queries = append(queries, one)
			for other, more := range l.filters {
				if other > name {
					queries = append(queries, one+"&"+other+"="+url.QueryEscape(more[len(more)-1]))
				}
			}
		}
	}
	return queries
}
