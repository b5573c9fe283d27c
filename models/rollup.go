package models

import (
	"context"
	"fmt"
	"time"
)

// How long one roll-up waits for transactions that were there before it; the
// next one comes soon.
const (
	rollUpWait = time.Second
	rollUpLook = 5 * time.Millisecond
)

// RollUp brings the balances of house accounts up to date, so that reading one
// never sums up the whole ledger. It holds nobody up. It takes on a part of what was
// booked; more says that there is more.
//
// It must not pass a posting that is not visible yet. The newest id is read
// first, then a transaction id is drawn: whoever holds a smaller posting id has
// an older transaction id (migration 00008). When every older transaction has
// ended, no posting up to that id can still appear.
func (db *DB) RollUp(ctx context.Context) (rolled int64, more bool, err error) {
	newest, settled, err := db.settled(ctx, "postings")
	if err != nil || !settled {
		return 0, false, err
	}
	err = db.Tx(ctx, func(tx *DB) error {
		rolled, more = 0, false
		alone, err := tx.tryKey(ctx, "roll up")
		if err != nil || !alone {
			return err
		}
		var past int64
		if err := tx.row(ctx, "SELECT coalesce(max(through_id), 0) FROM account_rollups").Scan(&past); err != nil {
			return fmt.Errorf("read how far the ledger is rolled up: %w", err)
		}
		through := min(newest, past+rollUpBatch)
		if rolled, more = through-past, through < newest; rolled > 0 {
			if err := tx.rollUp(ctx, past, through); err != nil {
				return err
			}
		}
		return tx.keepBalances(ctx, newest)
	})
	return rolled, more, err
}

// rollUpBatch is how many postings are rolled up in one statement, at most.
var rollUpBatch int64 = 50_000

// settled gives the newest id of a table whose writers take a transaction id
// before, and reports whether every row up to it is there by now.
func (db *DB) settled(ctx context.Context, table string) (newest int64, settled bool, err error) {
	var next int64
	if err := db.Pool().QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM "+table).Scan(&newest); err != nil {
		return 0, false, fmt.Errorf("read the newest of %s: %w", table, err)
	}
	if err := db.Pool().QueryRow(ctx, "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)").Scan(&next); err != nil {
		return 0, false, fmt.Errorf("draw a transaction id: %w", err)
	}
	settled, err = db.settledBefore(ctx, next)
	return newest, settled, err
}

// settledBefore waits for a while until every transaction older than next has
// ended, and reports whether it has.
func (db *DB) settledBefore(ctx context.Context, next int64) (settled bool, err error) {
	for deadline := time.Now().Add(rollUpWait); ; {
		err := db.Pool().QueryRow(ctx, "SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) >= $1", next).Scan(&settled)
		if err != nil {
			return false, fmt.Errorf("read running transactions: %w", err)
		}
		if settled || time.Now().After(deadline) {
			return settled, nil
		}
		select {
		case <-time.After(rollUpLook):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// rollUp adds the postings between two of them. Customers' accounts are left out:
// their balances are cached as they change. The company's own account is rolled up
// whether or not it moved: it keeps how far this went.
func (db *DB) rollUp(ctx context.Context, past, through int64) error {
	err := db.orm(ctx).Exec(`
		WITH moved AS (SELECT * FROM postings WHERE id > @past AND id <= @through)
		INSERT INTO account_rollups AS r (account, currency, through_id, balance)
		SELECT m.account, m.currency, @through, sum(m.amount)
		  FROM (SELECT to_account AS account, currency, amount FROM moved UNION ALL SELECT from_account, currency, -amount FROM moved
		        UNION ALL SELECT @equity, 'USD', 0) m
		  JOIN accounts a ON a.code = m.account WHERE a.user_id IS NULL GROUP BY m.account, m.currency
		ON CONFLICT (account, currency) DO UPDATE SET through_id = excluded.through_id, balance = r.balance + excluded.balance`,
		map[string]any{"past": past, "through": through, "equity": AccountEquity}).Error
	if err != nil {
		return fmt.Errorf("roll up the ledger: %w", err)
	}
	return nil
}

// snapshotEvery is how many postings lie between two snapshots of all balances:
// as many must be read, at most, to know the balances of any moment in between.
var snapshotEvery int64 = 10_000

// keepBalances makes a snapshot once enough was booked since the last one. What
// was booked before there were any is taken on in several goes.
func (db *DB) keepBalances(ctx context.Context, newest int64) error {
	var last int64
	if err := db.orm(ctx).Raw("SELECT coalesce(max(through_id), 0) FROM ledger_snapshots").Row().Scan(&last); err != nil {
		return fmt.Errorf("read the last snapshot: %w", err)
	}
	if newest < last+snapshotEvery {
		return nil
	}
	through := min(newest, last+5*snapshotEvery)
	names := map[string]any{"last": last, "through": through}
	err := db.orm(ctx).Exec(`INSERT INTO ledger_snapshots (through_id, max_at)
		SELECT @through, greatest((SELECT max(at) FROM postings WHERE id > @last AND id <= @through), (SELECT max_at FROM ledger_snapshots WHERE through_id = @last), '-infinity')`, names).Error
	if err != nil {
		return fmt.Errorf("begin a snapshot of the ledger: %w", err)
	}
	err = db.orm(ctx).Exec(`INSERT INTO ledger_snapshot_balances (through_id, account, currency, balance)
		SELECT CAST(@through AS bigint), account, currency, sum(balance) FROM (
		  SELECT account, currency, balance FROM ledger_snapshot_balances WHERE through_id = @last
		  UNION ALL SELECT ledger_account(to_account), currency, amount FROM postings WHERE id > @last AND id <= @through
		  UNION ALL SELECT ledger_account(from_account), currency, -amount FROM postings WHERE id > @last AND id <= @through) m
		 GROUP BY account, currency`, names).Error
	if err != nil {
		return fmt.Errorf("keep a snapshot of the ledger: %w", err)
	}
	return nil
}
