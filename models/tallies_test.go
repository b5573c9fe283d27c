package models_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// miscounted lists every count that is not what counting the rows gives, and every platform account whose balance is
// not the sum of its postings, in one snapshot.
const miscounted = `
WITH counted AS (
  SELECT list, facet, owner, sum(n) AS n, sum(amount) AS amount FROM (
    SELECT list, facet, owner, n, amount FROM tallies
    UNION ALL SELECT list, facet, owner, n, amount FROM tally_changes WHERE owner IS NOT NULL
    UNION ALL SELECT list, facet, '00000000-0000-0000-0000-000000000000', n, amount FROM tally_changes) t GROUP BY list, facet, owner),
lines AS (
  SELECT 'orders' AS list, order_facet(o) AS facet, user_id AS owner, total AS amount FROM orders o
  UNION ALL SELECT 'spent', coalesce(utc_day(paid_at), 'unpaid'), user_id, total FROM orders WHERE resolution IS NULL
  UNION ALL SELECT 'withdrawals', '', user_id, 0 FROM withdrawals
  UNION ALL SELECT 'gift_cards', status, user_id, value FROM gift_cards
  UNION ALL SELECT 'kyc', standing, user_id, 0 FROM kyc_records
  UNION ALL SELECT 'referrals', status, user_id, amount FROM rewards WHERE kind = 'referral'
  UNION ALL SELECT 'earned', status, NULL, amount FROM rewards WHERE order_id IS NOT NULL
  UNION ALL SELECT 'payments', payment_method || '/' || admin_approval_status, NULL, amount FROM payments
  UNION ALL SELECT 'let out', utc_day(w.send_started_at), NULL, coalesce(o.base_price, r.base_price)
    FROM withdrawals w LEFT JOIN orders o ON o.id = w.order_id LEFT JOIN voucher_redemptions r ON r.id = w.redemption_id WHERE let_out(w)
  UNION ALL SELECT 'tickets', status, user_id, 0 FROM tickets
  UNION ALL SELECT 'inbox', status || '/' || subject || '/' || desk, NULL, 0 FROM tickets
  UNION ALL SELECT 'vouchers', status, NULL, usd_value FROM vouchers
  UNION ALL SELECT 'vouchers by currency', status || '/' || currency, NULL, usd_value FROM vouchers
  UNION ALL SELECT 'voucher batch', status, batch_id, usd_value FROM vouchers
  UNION ALL SELECT 'voucher batches', '', NULL, 0 FROM voucher_batches
  UNION ALL SELECT 'proposals', status, NULL, 0 FROM order_proposals
  UNION ALL SELECT 'unplaced_money', status, NULL, 0 FROM unplaced_money
  UNION ALL SELECT 'stranded_credits', CASE WHEN taken_at IS NOT NULL THEN 'taken_back' WHEN paid_at IS NULL THEN 'open' ELSE 'sent_back' END, NULL, 0 FROM stranded_credits
  UNION ALL SELECT 'money_proposals', status, NULL, 0 FROM money_proposals
  UNION ALL SELECT 'treasury_moves', asset || '/' || status, NULL, 0 FROM treasury_moves
  UNION ALL SELECT 'risk_reviews', CASE WHEN closed_at IS NULL THEN 'open' ELSE 'closed' END, NULL, 0 FROM risk_reviews
  UNION ALL SELECT 'redemptions', status || '/' || asset, user_id, base_price FROM voucher_redemptions
  UNION ALL SELECT 'redeemed', utc_day(created_at), NULL, base_price FROM voucher_redemptions WHERE status <> 'restored'
  UNION ALL SELECT 'bought', utc_day(paid_at), user_id, total FROM orders WHERE paid_at IS NOT NULL AND resolution IS NULL
  UNION ALL SELECT 'time to sent', utc_day(sent_at), NULL, floor(extract(epoch FROM sent_at - paid_at)) FROM orders WHERE paid_at IS NOT NULL AND sent_at IS NOT NULL
  UNION ALL SELECT 'customers', kyc_status || '/' || volume_tier, NULL, 0 FROM users WHERE closed_at IS NULL
  UNION ALL SELECT list || finer, to_char(at AT TIME ZONE 'UTC', pattern), NULL, amount FROM (
    SELECT 'volume' AS list, paid_at AS at, total AS amount FROM orders WHERE paid_at IS NOT NULL
    UNION ALL SELECT 'joined', created_at, 0 FROM users WHERE closed_at IS NULL
    UNION ALL SELECT 'revenue', at, CASE WHEN from_account IN ('fees_earned', 'promotions') THEN amount ELSE -amount END FROM postings
      WHERE currency = 'USD' AND ('fees_earned' IN (from_account, to_account) OR event = 'bonus_credited' AND to_account = 'promotions' OR event = 'bonus_taken_back' AND from_account = 'promotions')
    UNION ALL SELECT 'recognised', at, CASE WHEN to_account = 'prepaid_orders' THEN amount ELSE -amount END FROM postings
      WHERE currency = 'USD' AND 'prepaid_orders' IN (from_account, to_account) AND (from_account IN ('conversion', 'fees_earned') OR to_account IN ('conversion', 'fees_earned'))) timed,
    (VALUES ('', 'YYYY-MM-DD'), (' by hour', 'YYYY-MM-DD"T"HH24'), (' by minute', 'YYYY-MM-DD"T"HH24:MI')) AS finer (finer, pattern)),
trades AS (
  SELECT utc_day(created_at) AS day, '/order/' || trade_state('order', status, resolution) || '/' || payment_method || '/' || asset AS facet, total AS amount FROM orders
  UNION ALL SELECT utc_day(created_at), '/gift_card/' || trade_state('gift_card', status, NULL) || '//', coalesce(paid, payout) FROM gift_cards
  UNION ALL SELECT utc_day(created_at), '/voucher/' || trade_state('voucher', status, NULL) || '//' || asset, base_price FROM voucher_redemptions
  UNION ALL SELECT utc_day(created_at), '/payout/' || trade_state('payout', status, NULL) || '//', amount FROM payouts
  UNION ALL SELECT utc_day(created_at), '/refund/' || trade_state('refund', status, NULL) || '//', amount FROM refunds),
real AS (
  SELECT list, facet, owner, count(*) AS n, sum(amount) AS amount FROM (SELECT * FROM lines WHERE owner IS NOT NULL
    UNION ALL SELECT 'trades', left(day, 7) || facet, '00000000-0000-0000-0000-000000000000', amount FROM trades
    UNION ALL SELECT 'trades ' || left(day, 7), day || facet, '00000000-0000-0000-0000-000000000000', amount FROM trades
    UNION ALL SELECT list, facet, '00000000-0000-0000-0000-000000000000', amount FROM lines) l GROUP BY list, facet, owner),
moves AS (SELECT id, to_account AS account, currency, amount FROM postings UNION ALL SELECT id, from_account, currency, -amount FROM postings),
balances AS (
  SELECT m.account, m.currency, sum(m.amount) AS truth, coalesce(max(r.balance), 0) + coalesce(sum(m.amount) FILTER (WHERE m.id > coalesce(r.through_id, 0)), 0) AS told
    FROM moves m JOIN accounts a ON a.code = m.account AND a.user_id IS NULL
    LEFT JOIN account_rollups r ON r.account = m.account AND r.currency = m.currency GROUP BY 1, 2)
SELECT format('%s %s %s: counted %s (%s), there are %s (%s)', list, facet, owner, coalesce(c.n, 0), coalesce(c.amount, 0), coalesce(r.n, 0), coalesce(r.amount, 0))
  FROM counted c FULL JOIN real r USING (list, facet, owner)
 WHERE coalesce(c.n, 0) <> coalesce(r.n, 0) OR coalesce(c.amount, 0) <> coalesce(r.amount, 0)
UNION ALL SELECT format('%s %s: %s, should be %s', account, currency, told, truth) FROM balances WHERE told <> truth`

// counted fails when any count or balance is wrong.
func (s *shop) counted() {
	s.Helper()
	rows, err := s.db.Pool().Query(s.Context(), miscounted)
	require.NoError(s, err)
	wrong, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s, err)
	require.Empty(s, wrong)
}

// A posting that is not visible yet, and has a smaller id than one that is, is
// not passed by a roll-up.
func TestRollUpDoesNotPassAPostingThatIsNotCommitted(t *testing.T) {
	d := openOrderFixture(t)
	wallet := ledger.WalletAccount("bitcoin")
	bring := func(tx *store.DB, group string, coins int64) error {
		return ledger.SeedFloat(t.Context(), tx, group, []ledger.Posting{{From: ledger.AccountEquity, To: wallet, Currency: money.BTC, Amount: money.FromInt(coins)}})
	}
	balance := func() string {
		units, err := ledger.AccountBalance(t.Context(), d.db, wallet, money.BTC)
		require.NoError(t, err)
		return units.String()
	}
	require.NoError(t, rollUp(t.Context(), d.db))
	written, commit := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- d.db.Tx(t.Context(), func(tx *store.DB) error {
			defer close(written)
			if err := bring(tx, "slow", 5); err != nil {
				return err
			}
			written <- struct{}{}
			<-commit
			return nil
		})
	}()
	<-written
	require.NoError(t, bring(d.db, "quick", 7))
	require.NoError(t, rollUp(t.Context(), d.db))
	require.Equal(t, "1000000007", balance())
	close(commit)
	require.NoError(t, <-ended)
	require.Equal(t, "1000000012", balance())
	require.NoError(t, rollUp(t.Context(), d.db))
	require.Equal(t, "1000000012", balance())
	d.counted()
}

// Counting and rolling up run beside writers, and are exact at every moment. A balance is read from what came since
// the last roll-up alone.
func TestCountsAndBalancesAreExactWhileOthersWrite(t *testing.T) {
	d := openOrderFixture(t)
	ctx, stop := context.WithCancel(t.Context())
	var writers, sums sync.WaitGroup
	for n := range 4 {
		orders := make([]*order.Order, 6)
		for i := range orders {
			d.take("zelle")
			orders[i] = d.order
		}
		writers.Go(func() {
			for i, o := range orders {
				if err := d.promiseCoin(o, fmt.Sprintf("%d-%d", n, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sums.Go(func() {
		for ctx.Err() == nil {
			if _, _, err := d.db.FoldTallies(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			if err := rollUp(ctx, d.db); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	finished := make(chan struct{})
	go func() { writers.Wait(); close(finished) }()
	for over := false; !over; {
		select {
		case <-finished:
			over = true
		default:
		}
		d.counted()
	}
	stop()
	sums.Wait()
	// Either may find a transaction that has not ended, and leave it to the next.
	require.Eventually(t, func() bool {
		var left, since int
		_, _, err := d.db.FoldTallies(t.Context())
		err = errors.Join(err, rollUp(t.Context(), d.db),
			d.db.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM tally_changes),
				(SELECT count(*) FROM postings WHERE id > (SELECT max(through_id) FROM account_rollups))`).Scan(&left, &since))
		return err == nil && left == 0 && since == 0
	}, time.Minute, 20*time.Millisecond)
	d.counted()
}

// promiseCoin confirms an order's receipt and promises it coin.
func (d *orderFixture) promiseCoin(o *order.Order, reference string) error {
	ctx := d.Context()
	decide := func(kind string, data any) (string, error) {
		actor := d.staff
		if kind == order.DecisionConfirmReceipt {
			actor = d.cashier
		}
		decision, err := order.OpenDecision(ctx, d.db, order.NewDecision{OrderID: o.ID, Kind: kind, ActorID: actor, ActorRole: "admin", Reason: "why not", Data: data})
		if err != nil {
			return "", err
		}
		return decision.ID, nil
	}
	id, err := decide(order.DecisionConfirmReceipt, order.Receipt{Amount: o.Total, ReceivedOn: time.Now().UTC().Format(time.DateOnly), BankReference: reference})
	if err == nil {
		err = order.ConfirmReceipt(ctx, d.db, o.ID, id, surplusTerms)
	}
	if err != nil {
		return err
	}
	if id, err = decide(order.DecisionFulfill, nil); err != nil {
		return err
	}
	return order.Reserve(ctx, d.db, o.ID, id, 100)
}
