package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/api"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
)

// listCases are the queries that each list of the back office is measured by, and
// the search. What a query finds fills a page, or is one thing, at every size: a
// page of two rows is quicker than one of fifty, and says nothing of growth. A
// list of the contract without any does not start.
var listCases = map[string][]string{
	"/api/admin/alerts":                {"", "?state=past"},
	"/api/admin/approvals":             {"", "?mine=true", "?kind=payout"},
	"/api/admin/attestations":          {""},
	"/api/admin/audit":                 {"", "?kind=order", "?action=order.3"},
	"/api/admin/closed-credits":        {""},
	"/api/admin/customers":             {"", "?q=bulk-77@example.com"},
	"/api/admin/gift-cards":            {"", "?status=in_review", "?q=GC-0000777"},
	"/api/admin/gift-cards/pending":    {""},
	"/api/admin/kyc":                   {""},
	"/api/admin/ledger/postings":       {"", "?account=stripe_clearing"},
	"/api/admin/money/proposals":       {""},
	"/api/admin/money/unplaced":        {""},
	"/api/admin/orders":                {"", "?status=pending", "?attention=true", "?q=btc"},
	"/api/admin/payments/pending":      {"", "?status=pending&method=zelle"},
	"/api/admin/payouts":               {"", "?status=requested", "?q=PO-0000777"},
	"/api/admin/pricing/history":       {""},
	"/api/admin/reconciliation/breaks": {"", "?holder=stripe", "?status=closed"},
	"/api/admin/referrals":             {""},
	"/api/admin/risk/reviews":          {"", "?status=closed"},
	"/api/admin/support/tickets":       {"", "?status=open"},
	"/api/admin/team":                  {""},
	"/api/admin/team/proposals":        {""},
	"/api/admin/transactions":          {"", "?rail=zelle&state=failed", "?asset=ETH"},
	"/api/admin/treasury/moves":        {"", "?status=arrived&asset=ETH"},
	"/api/admin/voucher-batches":       {""},
	"/api/admin/vouchers":              {"", "?actionable=true", "?status=active", "?q=VC-0000777"},
	"/api/admin/search":                {"?q=PO-0000777", "?q=TM-0000777", "?q=tx777", "?q=fill-777", "?q=bulk-77@example.com"},
}

// adminLists are the lists of the back office, as the contract has them: what
// takes a cursor.
func adminLists() ([]string, error) {
	raw, err := api.OpenAPI()
	if err != nil {
		return nil, err
	}
	var doc struct {
		Paths map[string]map[string]struct{ Parameters []struct{ Name string } }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	var lists []string
	for path, methods := range doc.Paths {
		paged := slices.ContainsFunc(methods["get"].Parameters, func(p struct{ Name string }) bool { return p.Name == "cursor" })
		if paged && strings.HasPrefix(path, "/api/admin/") && !strings.Contains(path, "{") {
			lists = append(lists, path)
		}
	}
	slices.Sort(lists)
	return lists, nil
}

// listCalls are all calls that are measured; a list without a case is an error.
func listCalls() ([]string, error) {
	lists, err := adminLists()
	if err != nil {
		return nil, err
	}
	var calls []string
	for _, list := range lists {
		if len(listCases[list]) == 0 {
			return nil, fmt.Errorf("%s is measured by nothing: give it a case in listCases", list)
		}
	}
	for path, queries := range listCases {
		for _, query := range queries {
			calls = append(calls, path+query)
		}
	}
	slices.Sort(calls)
	return calls, nil
}

// otherLists create the lists beside orders, $n rows long. Their triggers are enabled and maintain the counts that the
// lists show. No row requests a workflow, and most are completed, as in production: the sweep would otherwise have too
// much to process.
var otherLists = []string{
	`CREATE TEMP TABLE people AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS i FROM users`,
	`CREATE INDEX ON people (i)`, `ANALYZE people`,
	`INSERT INTO audit_log (actor_id, actor_role, action, object_kind, object_id)
		SELECT p.id, 'admin', 'order.' || n % 7, CASE WHEN n % 5 = 0 THEN 'payout' ELSE 'order' END, n FROM generate_series((SELECT count(*) FROM audit_log WHERE action LIKE 'order._') + 1, $n) n JOIN people p ON p.i = n % (SELECT count(*) FROM people)`,
	`INSERT INTO tickets (id, reference, user_id, subject, status, awaits, created_at, closed_at)
		SELECT gen_random_uuid(), 'ST-' || to_char(n, 'FM0000000'), p.id, 'general', CASE WHEN n % 50 = 0 THEN 'open' ELSE 'closed' END, 'staff', now() - n * interval '7 seconds', CASE WHEN n % 50 <> 0 THEN now() END
		  FROM generate_series((SELECT count(*) FROM tickets) + 1, $n) n JOIN people p ON p.i = n % (SELECT count(*) FROM people)`,
	`INSERT INTO gift_cards (id, reference, user_id, brand, brand_label, card_type, status, value, payout, reject_reason, closed_at, secrets_destroyed_at, fingerprint, workflow_started_at, review_due_at, remind_at, created_at)
		SELECT gen_random_uuid(), 'GC-' || to_char(n, 'FM0000000'), p.id, 'amazon', 'Amazon', 'regular', CASE WHEN n % 50 = 0 THEN 'in_review' ELSE 'rejected' END, 5000, 3750,
		       CASE WHEN n % 50 > 0 THEN 'no' END, CASE WHEN n % 50 > 0 THEN now() END, CASE WHEN n % 50 > 0 THEN now() END, CAST(CAST(n AS text) AS bytea), now(), now() + interval '1 year', now() + interval '1 year', now() - n * interval '7 seconds'
		  FROM generate_series((SELECT count(*) FROM gift_cards) + 1, $n) n JOIN people p ON p.i = n % (SELECT count(*) FROM people)`,
	`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, account_destroyed_at, approvals_needed, first_approved_by, first_approved_at, workflow_started_at, closed_at, created_at)
		SELECT gen_random_uuid(), 'PO-' || to_char(n, 'FM0000000'), p.id, 5000, CASE WHEN n % 50 = 0 THEN 'requested' ELSE 'cancelled' END, 'us', 'US', '6789', now(), 2, CASE WHEN n % 50 = 0 THEN other.id END, CASE WHEN n % 50 = 0 THEN now() END, now(), CASE WHEN n % 50 > 0 THEN now() END, now() - n * interval '7 seconds'
		  FROM generate_series((SELECT count(*) FROM payouts) + 1, $n) n JOIN people p ON p.i = n % (SELECT count(*) FROM people) JOIN people other ON other.i = (n + 1) % (SELECT count(*) FROM people)`,
	// Alerts are few, whatever the size.
	`INSERT INTO alerts (kind, subject, count, since, opened_at, closed_at)
		SELECT 'stale_prices', 'bulk ' || n, 1, at, at, at FROM (SELECT n, now() - n * interval '7 seconds' AS at
		  FROM generate_series((SELECT count(*) FROM alerts WHERE subject LIKE 'bulk %') + 1, 300) n) b`,
	`INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id, withdrawn_at)
		SELECT gen_random_uuid(), now() - n * interval '1 second', 'receipt', p.id, other.id, 'order', CAST(gen_random_uuid() AS text), 5000, 'order', CAST(gen_random_uuid() AS text), CASE WHEN n % 50 > 0 THEN now() END
		  FROM generate_series((SELECT count(*) FROM attestations) + 1, $n) n JOIN people p ON p.i = n % (SELECT count(*) FROM people) JOIN people other ON other.i = (n + 1) % (SELECT count(*) FROM people)`,
	`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by, created_at)
		SELECT gen_random_uuid(), 'VC-' || to_char(n, 'FM0000000'), gen_random_uuid(), 5000, 'USD', 5000, (ARRAY['active', 'voided', 'expired'])[1 + n % 3], CAST('bulk ' || n AS bytea), now() + interval '1 year', p.id, now() - n * interval '7 seconds'
		  FROM generate_series((SELECT count(*) FROM vouchers WHERE reference LIKE 'VC-%') + 1, $n) n JOIN people p ON p.i = n % (SELECT count(*) FROM people)`,
	`INSERT INTO treasury_moves (id, reference, asset, network, amount, status, reason, decided_by, first_sent_at, exchange_ref, txid, arrived_at, created_at, closed_at)
		SELECT gen_random_uuid(), 'TM-' || to_char(n, 'FM0000000'), (ARRAY['BTC','ETH','USDT','USDC'])[1 + n % 4], 'ethereum', 100, 'arrived', 'why', p.id, now(), 'FT' || n, 'tx' || n, now(), now() - n * interval '7 seconds', now()
		  FROM generate_series((SELECT count(*) FROM treasury_moves) + 1, $n) n JOIN people p ON p.i = n % (SELECT count(*) FROM people)`,
	// A few hundred breaks are open, whatever the size; what agrees grows.
	`INSERT INTO reconciled_effects (holder, key, currency, booked, told, last_at) SELECT (ARRAY['stripe','kraken','bitgo'])[1 + n % 3], 'fill:fill-' || n, 'USD', CASE WHEN n <= 200 THEN 0 ELSE n END, n, now() - n * interval '7 seconds'
		  FROM generate_series((SELECT count(*) FROM reconciled_effects WHERE key LIKE 'fill:fill-%') + 1, $n) n`,
	`INSERT INTO statement_lines (holder, id, currency, amount, kind, key, at, state, settled, ours)
		SELECT holder, substr(key, 6), currency, told, 'fill', key, last_at, 'told', true, CAST(gen_random_uuid() AS text) FROM reconciled_effects WHERE key LIKE 'fill:fill-%' ON CONFLICT DO NOTHING`,
	`INSERT INTO reconciliation_breaks (holder, key, currency, booked, told, created_at, closed_at, outcome)
		SELECT holder, key, currency, booked, told, last_at, CASE WHEN booked = told THEN now() END, CASE WHEN booked = told THEN 'agreed' END FROM reconciled_effects e
		 WHERE key LIKE 'fill:fill-%' AND NOT EXISTS (SELECT FROM reconciliation_breaks b WHERE (b.holder, b.key, b.currency) = (e.holder, e.key, e.currency))`,
	`INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons, created_at, closed_at, outcome)
		SELECT gen_random_uuid(), o.id, o.user_id, o.dest_address, 100, '{blocked_address}', o.created_at, o.created_at, 'released' FROM orders o WHERE NOT EXISTS (SELECT FROM risk_reviews r WHERE r.order_id = o.id)`,
	// What was booked in bulk has been walked: a comparison costs what is new.
	`UPDATE reconciliation_progress SET through_id = (SELECT coalesce(max(id), 0) FROM postings)`,
	`INSERT INTO polls (name, read_to, polled_at) SELECT 'statement ' || h, clock_now(), clock_now() FROM unnest(ARRAY['stripe','kraken','bitgo']) h ON CONFLICT (name) DO UPDATE SET read_to = excluded.read_to`,
	`DROP TABLE people`, fold,
}

// comparisons is how often one comparison of statements and books is timed.
const comparisons = 15

// comparison times one comparison of statements and books, whatever their length: the median of several, without new
// effects.
func comparison(ctx context.Context, db *store.DB) (time.Duration, error) {
	var took []time.Duration
	for len(took) < comparisons {
		begun := time.Now()
		did, err := reconciliation.Reconcile(ctx, db, time.Minute)
		if err != nil {
			return 0, err
		}
		if !did.More {
			took = append(took, time.Since(begun))
		}
	}
	return percentile(took, 50), nil
}
