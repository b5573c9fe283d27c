package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/models/store"
)

// grown are the calls whose time must not grow with the lists. The first customer has as many orders as any other; the
// last few searches are for an id, a part of an address, and a text without a match.
func (h *platform) grown(ctx context.Context) (map[string]*person, error) {
	var id, address string
	err := h.db.QueryRow(ctx, `SELECT id::text, substring(dest_address, 5, 12) FROM orders WHERE id < 'ffffffff-0000-0000-0000-000000000000' ORDER BY id LIMIT 1 OFFSET 500`).Scan(&id, &address)
	customer, admin := h.customers[0], h.admin
	calls := map[string]*person{
		"/api/orders": customer, "/api/orders?status=failed": customer, "/api/orders/summary": customer, "/api/transactions": customer,
		"/api/transactions?crypto=ETH": customer, "/api/withdrawals": customer, "/api/balance": customer, "/api/auth/user": customer, "/api/limits": customer,
		"/api/admin/orders/summary": admin, "/api/admin/orders?q=" + id: admin, "/api/admin/orders?q=" + address: admin, "/api/admin/orders?q=" + nothing: admin,
		"/api/admin/payments/summary": admin, "/api/admin/transactions/summary": admin, "/api/admin/ledger": admin, "/api/admin/ledger?at=2026-01-01": admin,
	}
	lists, missing := listCalls()
	for _, call := range lists {
		calls[call] = admin
	}
	return calls, errors.Join(err, missing)
}

// lists makes the lists n orders long, with customers to match, in a few
// statements.
func (h *platform) lists(ctx context.Context, n, users int) error {
	statements := []string{
		`SET session_replication_role = replica`, `SET synchronous_commit = off`, // no triggers, foreign keys included
		`INSERT INTO users (id, issuer, subject, email) SELECT gen_random_uuid(), 'bulk', 'bulk-' || n, 'bulk-' || n || '@example.com' FROM generate_series((SELECT count(*) FROM users) + 1, $users) n ON CONFLICT DO NOTHING`,
		`CREATE TEMP TABLE owners AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS i FROM users`,
		`CREATE INDEX ON owners (i)`, `ANALYZE owners`,
		`CREATE TEMP TABLE made AS SELECT gen_random_uuid() AS id, md5(n::text || random()) AS sum, n,
			(SELECT id FROM owners WHERE i = n % (SELECT count(*) FROM owners)) AS owner FROM generate_series((SELECT count(*) FROM orders) + 1, $n) n`,
		`INSERT INTO orders (id, reference, user_id, asset, network, amount, dest_address, payment_method, status, resolution, attention_reason, attention_since, txid, unit_price,
			base_price, payment_fee, volume_discount, total, payment_due_at, workflow_started_at, created_at, updated_at, paid_at, closed_at)
		SELECT id, 'TP-' || upper(substring(sum, 1, 14)), owner, (ARRAY['BTC','ETH','USDT','USDC'])[1 + n % 4], 'ethereum', 1000000, '0x' || sum || substring(sum, 1, 8),
			(ARRAY['card','zelle','domestic_wire','chime'])[1 + n % 4], CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'sent' END, CASE WHEN n % 50 = 0 THEN 'refunded' END,
			NULL, NULL, 'tx' || n, 60000, 60000, 2100, 0, 62100, now(), now(), now() - n * interval '7 seconds', now(), now(), now() FROM made`,
		// About a thousand wait for an admin, whatever the size.
		`UPDATE orders SET attention_reason = 'price_moved', attention_since = now() WHERE id IN (SELECT id FROM made ORDER BY n LIMIT 200)`,
		`INSERT INTO payments (id, order_id, user_id, payment_method, amount, admin_approval_status, due_at, created_at)
			SELECT gen_random_uuid(), m.id, m.owner, o.payment_method, 62100, CASE WHEN m.n % 40 = 0 THEN 'declined' WHEN m.n % 20 = 1 THEN 'pending' ELSE 'approved' END, now(), o.created_at FROM made m JOIN orders o ON o.id = m.id`,
		`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, address, amount, sequence_id, status, created_at)
			SELECT gen_random_uuid(), m.id, m.owner, 1, o.asset, o.network, o.dest_address, o.amount, m.id::text, 'confirmed', o.created_at FROM made m JOIN orders o ON o.id = m.id WHERE m.n % 50 <> 0`,
		`DROP INDEX order_search_text`,
		`INSERT INTO order_search SELECT id, lower(id::text || ' ' || reference || ' ' || asset || ' ' || dest_address) FROM orders ON CONFLICT DO NOTHING`,
		`CREATE INDEX order_search_text ON order_search USING gin (text gin_trgm_ops)`,
		`INSERT INTO tally_changes SELECT 'orders', user_id, order_facet(o), count(*), sum(total) FROM orders o JOIN made m USING (id) GROUP BY 2, 3`,
		`INSERT INTO tally_changes SELECT 'spent', user_id, utc_day(created_at), count(*), sum(total) FROM orders JOIN made m USING (id) WHERE resolution IS NULL GROUP BY 2, 3`,
		`INSERT INTO tally_changes SELECT 'payments', NULL, payment_method || '/' || admin_approval_status, count(*), sum(amount) FROM payments JOIN made m ON m.id = order_id GROUP BY 3`,
		`INSERT INTO tally_changes SELECT 'withdrawals', user_id, '', count(*), 0 FROM withdrawals JOIN made m ON m.id = order_id GROUP BY 2`,
		`INSERT INTO tally_changes SELECT 'trades', NULL, left(utc_day(created_at), 7) || '/order/' || trade_state('order', status, resolution) || '/' || payment_method || '/' || asset, count(*), sum(total)
			FROM orders JOIN made USING (id) GROUP BY 3`,
		`INSERT INTO tally_changes SELECT 'trades ' || left(utc_day(created_at), 7), NULL, utc_day(created_at) || '/order/' || trade_state('order', status, resolution) || '/' || payment_method || '/' || asset,
			count(*), sum(total) FROM orders JOIN made USING (id) GROUP BY 1, 3`,
		fold,
		`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount, order_id) SELECT 'bulk:' || id, 1, 'captured', 'prepaid_orders', 'stripe_clearing', 'USD', 62100, id FROM made`,
		`DROP TABLE made, owners`, `SET session_replication_role = DEFAULT`,
	}
	statements = append(statements, otherLists...)
	replaced := strings.NewReplacer("$users", fmt.Sprint(users), "$n", fmt.Sprint(n))
	for i := range statements {
		statements[i] = replaced.Replace(statements[i])
	}
	return h.bulk(ctx, statements)
}

// fold sums the tallies up alone, as store.FoldTallies does: two at a time
// would wait for each other.
const fold = `DO $$ BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('fold tallies', 0)); PERFORM fold_tallies(); END $$`

// slow is logged while the lists are created.
const slow = 10 * time.Second

// bulk runs statements as who owns the database.
func (h *platform) bulk(ctx context.Context, statements []string) error {
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s", postgres.Superuser, h.stack.Secret("POSTGRES_PASSWORD"), h.stack.Ports.Postgres, postgres.Database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, sql := range statements {
		begun := time.Now()
		if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
		if took := time.Since(begun); took > slow {
			fmt.Printf("    %s %.60s\n", took.Round(time.Second), sql)
		}
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	if err == nil {
		_, err = conn.Exec(ctx, "CHECKPOINT")
	}
	return err
}

// What is written in bulk is swept, compared, vacuumed and written to disk in the
// minutes after; until it is, the lists would be measured beside all of that, and
// the ledger before the sweep has made its snapshots of what was booked.
const (
	settled      = 200 * time.Millisecond // of processor time for each second of an idle platform
	settlingMost = 10 * time.Minute
)

// settle waits until the platform is idle again.
func (h *platform) settle(ctx context.Context) error {
	for begun := time.Now(); ; {
		before := h.used()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Second):
		}
		used := h.used() - before
		unkept, err := h.unkept(ctx)
		if err != nil {
			return err
		}
		if used < 5*settled && unkept <= keptEvery {
			return nil
		}
		if time.Since(begun) > settlingMost {
			return fmt.Errorf("the house is not still after %s: %s of processor time in the last five seconds, %d postings since the last snapshot", settlingMost, used, unkept)
		}
	}
}

// keptEvery is how many postings lie between two snapshots (models/rollup.go).
const keptEvery = 10_000

// unkept is how many postings there are since the last snapshot of the ledger.
func (h *platform) unkept(ctx context.Context) (n int64, err error) {
	err = h.db.QueryRow(ctx, `SELECT coalesce((SELECT max(id) FROM postings), 0) - coalesce((SELECT max(through_id) FROM ledger_snapshots), 0)`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read the last snapshot: %w", err)
	}
	return n, nil
}

// used is the processor time of all parts together.
func (h *platform) used() (sum time.Duration) {
	for _, one := range h.cpuTimes() {
		sum += one
	}
	return sum
}

// grownCalls are the measurements at one size: each call's time, alternating with that of a call that reads no list.
// Their ratio belongs to the call alone: other load on the machine slows both.
type grownCalls map[string][]grownTime

type grownTime struct{ took, control time.Duration }

func (g grownTime) ratio() float64 { return g.took.Seconds() / g.control.Seconds() }

// measureGrowth makes the lists longer and longer and takes the same calls.
func (h *platform) measureGrowth(ctx context.Context, p plan, r *report) error {
	times := grownCalls{}
	var order, compared []time.Duration
	books, err := store.Open(ctx, h.stack.OwnerDSN(), store.Options{MaxConns: 2, AllowOwner: true})
	if err != nil {
		return err
	}
	defer books.Close()
	for _, size := range p.sizes {
		begun := time.Now()
		if err := h.lists(ctx, size, min(size, 100_000)); err != nil {
			return err
		}
		fmt.Printf("  %d orders, made in %s\n", size, time.Since(begun).Round(time.Second))
		if err := h.settle(ctx); err != nil {
			return err
		}
		calls, err := h.grown(ctx)
		if err != nil {
			return err
		}
		seen, err := h.inPasses(ctx, calls)
		if err != nil {
			return err
		}
		for path, all := range seen {
			times[nameOf(path)] = append(times[nameOf(path)], middle(all))
		}
		took, err := h.oneAfterAnother(ctx, max(p.orders/len(p.sizes)/3, 20))
		if err != nil {
			return err
		}
		order = append(order, percentile(took, 50))
		one, err := comparison(ctx, books)
		if err != nil {
			return err
		}
		compared = append(compared, one)
	}
	for _, what := range slices.Sorted(maps.Keys(times)) {
		by := times[what]
		r.atMost("growth", what, list(by), "", by[len(by)-1].ratio()/by[0].ratio(), 1.5, "×")
	}
	r.note("growth", "one comparison of statements and books, at each size", fmt.Sprint(compared))
	r.note("growth", "one order from create to sent, at each size", fmt.Sprint(order))
	return h.measureCost(ctx, p, r)
}

// nameOf is a call in the table: the search text differs from run to run.
func nameOf(path string) string {
	before, query, searched := strings.Cut(path, "q=")
	switch {
	case !searched || len(query) < 12 || query == nothing:
		return path
	case len(query) == 36:
		return before + "q=(an id)"
	case strings.Contains(query, "@"):
		return before + "q=(an e-mail address)"
	}
	return before + "q=(a piece of an address)"
}

// nothing is a text that no order holds.
const nothing = "nothingatall"

func list(times []grownTime) string {
	words := make([]string, len(times))
	for i, t := range times {
		words[i] = fmt.Sprintf("%s (%.1f×)", ms(t.took), t.ratio())
	}
	return strings.Join(words, ", ")
}

// passes are how often all lists are gone through: what the platform does beside, now
// and then and for seconds (comparing statements and books, summing up tallies), is
// not to fall upon one list alone.
const passes = 3

func (h *platform) inPasses(ctx context.Context, calls map[string]*person) (grownCalls, error) {
	seen := grownCalls{}
	for range passes {
		for path, who := range calls {
			one, err := h.inTurns(ctx, who, func() error { return who.call(ctx, http.MethodGet, h.stack.SiteURL()+path, "", nil) })
			if err != nil {
				return nil, err
			}
			seen[path] = append(seen[path], one)
		}
	}
	return seen, nil
}

// middle is the pass that stands in the middle.
func middle(all []grownTime) grownTime {
	slices.SortFunc(all, func(a, b grownTime) int { return cmp.Compare(a.ratio(), b.ratio()) })
	return all[len(all)/2]
}

// inTurns takes a call one at a time, in turns with the control.
func (h *platform) inTurns(ctx context.Context, who *person, call func() error) (grownTime, error) {
	const warm, counted = 15, 30
	var took, control []time.Duration
	for i := range warm + counted {
		for _, one := range []struct {
			call func() error
			into *[]time.Duration
		}{{call, &took}, {func() error { return who.call(ctx, http.MethodGet, h.stack.SiteURL()+"/api/csrf-token", "", nil) }, &control}} {
			begun := time.Now()
			if err := one.call(); err != nil {
				return grownTime{}, err
			}
			if i >= warm {
				*one.into = append(*one.into, time.Since(begun))
			}
		}
	}
	return grownTime{percentile(took, 50), percentile(control, 50)}, nil
}

// oneAfterAnother executes orders one at a time.
func (h *platform) oneAfterAnother(ctx context.Context, n int) ([]time.Duration, error) {
	var took []time.Duration
	for i := range n {
		begun := time.Now()
		if err := h.runOrder(ctx, h.customers[i%len(h.customers)]); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
	}
	return took, nil
}

// measureCost executes many orders of one customer, and compares the processor time of the first with that of the last.
func (h *platform) measureCost(ctx context.Context, p plan, r *report) error {
	tenth := max(p.orders/10, 10)
	cost := func() (time.Duration, error) {
		before := h.cpuTimes()
		err := together(ctx, 4, func(ctx context.Context, _ int) error {
			for range max(tenth/4, 1) {
				if err := h.runOrder(ctx, h.customers[0]); err != nil {
					return err
				}
			}
			return nil
		})
		_, total := perOne(before, h.cpuTimes(), max(tenth/4, 1)*4)
		return total, err
	}
	var costs []time.Duration
	for range 10 {
		one, err := cost()
		if err != nil {
			return err
		}
		costs = append(costs, one)
	}
	first, last := median(seconds(costs[:3])), median(seconds(costs[7:]))
	r.atMost("growth", fmt.Sprintf("processor time of one order, the first and the last of %d of one customer", 10*tenth),
		fmt.Sprintf("%.0f ms, %.0f ms", first*1000, last*1000), "", last/first, 1.2, "×")
	return nil
}

func seconds(times []time.Duration) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = t.Seconds()
	}
	return out
}
