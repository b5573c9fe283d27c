package models_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
)

// wrongAtAMoment is one statement, for one snapshot: a currency whose accounts do not sum to zero, a protected
// account on its wrong side, a balance that differs from its postings, a customer with both dollars and a debt, money
// set aside without a payout, vouchers owed but not redeemable or the reverse, a closed order or redemption with
// money or coin.
const wrongAtAMoment = `
WITH moved AS (
  SELECT to_account AS account, currency, order_id, matter_id, amount FROM postings
  UNION ALL SELECT from_account, currency, order_id, matter_id, -amount FROM postings),
held AS (SELECT account, currency, sum(amount) AS balance FROM moved GROUP BY 1, 2)
SELECT currency || ' sums to ' || sum(balance) FROM held GROUP BY currency HAVING sum(balance) <> 0
UNION ALL
SELECT h.account || ' holds ' || balance FROM held h JOIN accounts a ON a.code = h.account
 WHERE a.protected AND (a.kind = 'asset' AND balance < 0 OR a.kind = 'liability' AND balance > 0)
UNION ALL
SELECT b.account || ' is shown as ' || b.amount || ' and booked as ' || coalesce(h.balance, 0)
  FROM customer_balances b JOIN accounts a ON a.code = b.account LEFT JOIN held h ON h.account = b.account AND h.currency = b.currency
 WHERE b.amount <> coalesce(h.balance, 0) * CASE a.kind WHEN 'liability' THEN -1 ELSE 1 END
UNION ALL
SELECT b.account || ' holds ' || b.amount || ' while its customer owes ' || r.amount FROM customer_balances b JOIN customer_balances r ON r.user_id = b.user_id AND r.currency = b.currency
 WHERE b.account LIKE '%:balance' AND r.account LIKE '%:receivable' AND b.amount > 0 AND r.amount > 0
UNION ALL
SELECT b.account || ' sets aside ' || b.amount FROM customer_balances b WHERE b.account LIKE '%:reserved' AND b.amount <>
  (SELECT coalesce(sum(p.amount), 0) FROM payouts p WHERE p.user_id = b.user_id AND p.status IN ('requested', 'approved'))
UNION ALL
SELECT 'vouchers of ' || owed.sum || ' ' || currency || ' are booked as ' || coalesce(h.balance, 0)
  FROM (SELECT currency, coalesce(sum(amount) FILTER (WHERE status = 'active'), 0) AS sum FROM vouchers GROUP BY 1) owed
  LEFT JOIN (SELECT * FROM held WHERE account = 'voucher_liability') h USING (currency) WHERE coalesce(h.balance, 0) <> -owed.sum
UNION ALL
SELECT 'redemption ' || r.status || ' leaves ' || sum(m.amount) || ' in ' || m.account FROM voucher_redemptions r JOIN moved m ON m.matter_id = r.id
 WHERE r.closed_at IS NOT NULL AND (m.account = 'prepaid_orders' OR m.account LIKE 'wallet_reserved:%')
 GROUP BY r.id, r.status, m.account, m.currency HAVING sum(m.amount) <> 0
UNION ALL
SELECT 'order ' || o.status || ' leaves ' || sum(m.amount) || ' in ' || m.account FROM orders o JOIN moved m ON m.order_id = o.id
 WHERE o.closed_at IS NOT NULL AND (m.account = 'prepaid_orders' OR m.account LIKE 'wallet_reserved:%')
 GROUP BY o.id, o.status, m.account HAVING sum(m.amount) <> 0`

// bank is many people at the same orders, out of one wallet.
type bank struct {
	*orderFixture
	eye, hand       *pgx.Conn // that check, and that end sessions
	keys            *secret.Keys
	second          string // another one of staff
	claim           string // what a test of the books proves
	orders          []*order.Order
	reported        sync.Map // a lock for each order
	done, kills     atomic.Int64
	polls, refusals atomic.Int64
}

func openBank(t *testing.T) *bank {
	b := &bank{orderFixture: openOrderFixture(t), keys: cardKeys(t, 1), second: store.NewID()}
	b.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'second', 's2@example.com', true)`, b.second)
	for _, connection := range []**pgx.Conn{&b.eye, &b.hand} {
		made, err := pgx.Connect(t.Context(), b.dbs.Admin)
		require.NoError(t, err)
		t.Cleanup(func() { _ = made.Close(context.WithoutCancel(t.Context())) })
		*connection = made
	}
	by := b.user
	for range 6 { // customers, each brought by the one before, with orders of their own
		customer := *b.shop
		customer.user = b.brought(by)
		by = customer.user
		b.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, customer.user)
		require.NoError(t, ledger.OpenCustomerAccounts(t.Context(), b.db, customer.user))
		for range 4 {
			d := &orderFixture{shop: &customer, staff: b.staff}
			d.take("card")
			b.orders = append(b.orders, d.order)
		}
	}
	b.exec(`UPDATE orders SET dest_address = 'wallet of ' || user_id`)
	return b
}

// brought is a new customer whom another one brought here.
func (b *bank) brought(by string) string {
	b.Helper()
	code, err := referral.CodeOf(b.Context(), b.db, by)
	require.NoError(b, err)
	user, err := account.SignIn(b.Context(), b.db, account.Claims{Issuer: "test", Subject: "brought by " + by, Email: by + "@example.org", EmailVerified: true},
		referral.Arrival{Code: code, Bonus: money.FromInt(2500), Reward: money.FromInt(1000), Revocable: time.Hour})
	require.NoError(b, err)
	b.exec(`UPDATE users SET volume_tier = 'gold' WHERE id = $1`, user.ID)
	return user.ID
}

// work does things to orders that others work at, too, mostly what usually comes
// next. What is refused, or was cut off by a lost connection, has no effect.
func (b *bank) work(ctx context.Context, seed uint64) {
	r := rand.New(rand.NewPCG(20, seed))
	for ctx.Err() == nil {
		o := b.orders[r.IntN(len(b.orders))]
		if r.IntN(5) == 0 {
			switch err := b.payOut(ctx, o.UserID, r.IntN); {
			case err == nil:
				b.done.Add(1)
			case store.ReasonOf(err) != "":
				b.refusals.Add(1)
			case !store.Unreachable(err) && ctx.Err() == nil:
				b.Errorf("payout: %v", err)
			}
			continue
		}
		customer := *b.shop
		customer.user = o.UserID
		if r.IntN(4) == 0 {
			p := &press{shop: &customer, keys: b.keys, one: b.second, other: b.staff}
			switch err := p.anything(ctx, r.IntN); {
			case err == nil:
				b.done.Add(1)
			case store.ReasonOf(err) != "":
				b.refusals.Add(1)
			case !store.Unreachable(err) && ctx.Err() == nil:
				b.Errorf("voucher: %v", err)
			}
			continue
		}
		d := &orderFixture{shop: &customer, staff: b.staff, order: o}
		actions := d.actions(func(n int) int { return 1 + r.IntN(n-1) })
		names := goodDay[d.now().Status]
		if r.IntN(10) < 3 {
			names = slices.Sorted(func(yield func(string) bool) {
				for name := range actions {
					if !yield(name) {
						return
					}
				}
			})
		}
		name := names[r.IntN(len(names))]
		act := actions[name]
		if strings.Contains(name, "refund") || strings.Contains(name, "dispute") {
			act = func() error { return b.atTheProcessor(o.ID, actions[name]) }
		}
		switch err := act(); {
		case err == nil:
			b.done.Add(1)
		case store.CodeOf(err) == store.CodeConflict, store.ReasonOf(err) == "kyc_required": // an identity was withdrawn beside it
			b.refusals.Add(1)
		case !store.Unreachable(err):
			b.Errorf("%s: %v", name, err)
		}
	}
}

// atTheProcessor does one thing at a time to an order's money there: a processor never refunds more than it has, and
// each reading is computed from what was left before.
func (b *bank) atTheProcessor(order string, act func() error) error {
	lock, _ := b.reported.LoadOrStore(order, &sync.Mutex{})
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	return act()
}

// cutOff ends sessions in the middle of a transaction, as the death of a process or of a connection does: one for
// every ten things done, so that on a slow machine, too, most of them get to their end.
func (b *bank) cutOff(ctx context.Context) {
	for ctx.Err() == nil {
		if b.kills.Load() <= b.done.Load()/10 {
			var ended int64
			err := b.hand.QueryRow(ctx, `SELECT count(pg_terminate_backend(pid)) FROM
				(SELECT pid FROM pg_stat_activity WHERE datname = $1 AND state = 'idle in transaction' LIMIT 1) one`, b.dbs.Name).Scan(&ended)
			if err != nil && ctx.Err() == nil {
				b.Error(err)
			}
			b.kills.Add(ended)
		}
		select {
		case <-time.After(40 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// Many customers and staff at once, over shared orders and one wallet, while
// sessions die in the middle of their transactions: at every moment the books
// balance, no protected account is on its wrong side, and nothing is left in an
// order that is over.
func TestBar20SumsNeverChangeUnderManyAtOnceAndKills(t *testing.T) {
	b := openBank(t)
	b.claim = asvs.Claim(t, "2.3.3")
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	var people sync.WaitGroup
	for seed := range uint64(10) {
		people.Go(func() { b.work(ctx, seed) })
	}
	people.Go(func() { b.cutOff(ctx) })
	var rewarded int
	for b.done.Load() < 600 || b.kills.Load() < 10 || rewarded == 0 {
		require.NoError(t, b.eye.QueryRow(t.Context(), `SELECT count(*) FROM rewards WHERE rewarded_at IS NOT NULL`).Scan(&rewarded))
		require.NoError(t, ctx.Err(), "%d things done, %d sessions ended", b.done.Load(), b.kills.Load())
		b.wrong()
	}
	stop()
	people.Wait()
	b.wrong()
	var ends int
	require.NoError(t, b.eye.QueryRow(t.Context(), `SELECT count(DISTINCT status || coalesce(resolution, '')) FROM orders`).Scan(&ends))
	require.Greater(t, ends, 3, "orders got to more than one place")
	t.Logf("%d things done, %d refused, %d sessions ended in a transaction, %d looks", b.done.Load(), b.refusals.Load(), b.kills.Load(), b.polls.Load())
}

// wrong checks the invariants at one moment.
func (b *bank) wrong() {
	b.Helper()
	rows, err := b.eye.Query(b.Context(), wrongAtAMoment+" UNION ALL "+wrongRewards)
	require.NoError(b, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(b, err)
	if len(found) > 0 {
		b.report()
	}
	require.Empty(b, found, b.claim)
	b.polls.Add(1)
}

// report logs the timeline of each order with a balance left in a platform account.
func (b *bank) report() {
	rows, err := b.eye.Query(b.Context(), `
		WITH wrong AS (
		  SELECT o.id FROM orders o JOIN postings p ON p.order_id = o.id WHERE o.closed_at IS NOT NULL
		   GROUP BY o.id HAVING sum(CASE WHEN p.to_account = 'prepaid_orders' THEN p.amount WHEN p.from_account = 'prepaid_orders' THEN -p.amount ELSE 0 END) <> 0)
		SELECT line FROM (
		  SELECT o.id, o.created_at AS at, 'order ' || to_jsonb(o)::text AS line FROM orders o JOIN wrong USING (id)
		  UNION ALL SELECT e.order_id, e.at, e.at || ' ' || e.kind || ' ' || e.status || ' ' || e.data FROM order_events e JOIN wrong w ON w.id = e.order_id
		  UNION ALL SELECT p.order_id, p.at, p.at || ' ' || p.group_key || ' ' || p.event || ': ' || p.from_account || ' to ' || p.to_account || ' ' || p.currency || ' ' || p.amount FROM postings p JOIN wrong w ON w.id = p.order_id
		  UNION ALL SELECT r.order_id, r.created_at, 'refund ' || to_jsonb(r)::text FROM refunds r JOIN wrong w ON w.id = r.order_id
		  UNION ALL SELECT d.order_id, d.created_at, 'dispute ' || to_jsonb(d)::text FROM disputes d JOIN wrong w ON w.id = d.order_id) all_of_it ORDER BY id, at`)
	if err != nil {
		b.Logf("tell what is wrong: %v", err)
		return
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	b.Logf("%v\n%s", err, strings.Join(lines, "\n"))
}
