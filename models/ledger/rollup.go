package ledger

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/store"
)

// RollUp updates the cached balances of platform accounts, so that reading one never sums up the whole ledger. It
// blocks no writer and adds a bounded part of the new postings; more reports that there are others.
//
// It must not pass a posting that is not visible yet. The newest id is read first, then a transaction id is drawn:
// every transaction with a smaller posting id has an older transaction id (migration 00008). When every older
// transaction has ended, no posting up to that id can still appear.
func RollUp(ctx context.Context, db *store.DB) (rolled int64, more bool, err error) {
	newest, settled, err := db.Settled(ctx, "postings")
	if err != nil || !settled {
		return 0, false, err
	}
	err = db.Tx(ctx, func(tx *store.DB) error {
		rolled, more = 0, false
		alone, err := tx.TryKey(ctx, "roll up")
		if err != nil || !alone {
			return err
		}
		var past int64
		if err := tx.Row(ctx, "SELECT coalesce(max(through_id), 0) FROM account_rollups").Scan(&past); err != nil {
			return fmt.Errorf("read how far the ledger is rolled up: %w", err)
		}
		through := min(newest, past+RollUpBatch)
		if rolled, more = through-past, through < newest; rolled > 0 {
			if err := rollUp(ctx, tx, past, through); err != nil {
				return err
			}
		}
		return keepBalances(ctx, tx, newest)
	})
	return rolled, more, err
}

// RollUpBatch is how many postings are rolled up in one statement, at most.
var RollUpBatch int64 = 50_000

// rollUp adds the postings between two of them. Customers' accounts are left out: their balances are cached as they
// change. The company's own account is rolled up whether or not it moved, since it stores the progress.
func rollUp(ctx context.Context, db *store.DB, past, through int64) error {
	err := db.ORM(ctx).Exec(`
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

// SnapshotEvery is how many postings lie between two snapshots of all balances:
// as many must be read, at most, to know the balances of any moment in between.
var SnapshotEvery int64 = 10_000

// keepBalances makes a snapshot once enough was booked since the last one. Older postings are added in several runs.
func keepBalances(ctx context.Context, db *store.DB, newest int64) error {
	var last int64
	if err := db.ORM(ctx).Raw("SELECT coalesce(max(through_id), 0) FROM ledger_snapshots").Row().Scan(&last); err != nil {
		return fmt.Errorf("read the last snapshot: %w", err)
	}
	if newest < last+SnapshotEvery {
		return nil
	}
	through := min(newest, last+5*SnapshotEvery)
	names := map[string]any{"last": last, "through": through}
	err := db.ORM(ctx).Exec(`INSERT INTO ledger_snapshots (through_id, max_at)
		SELECT @through, greatest((SELECT max(at) FROM postings WHERE id > @last AND id <= @through), (SELECT max_at FROM ledger_snapshots WHERE through_id = @last), '-infinity')`, names).Error
	if err != nil {
		return fmt.Errorf("begin a snapshot of the ledger: %w", err)
	}
	err = db.ORM(ctx).Exec(`INSERT INTO ledger_snapshot_balances (through_id, account, currency, balance)
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
