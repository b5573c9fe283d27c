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
// never sums up the whole ledger. It holds nobody up.
//
// It must not pass a posting that is not visible yet. The newest id is read
// first, then a transaction id is drawn: whoever holds a smaller posting id has
// an older transaction id (migration 00008). When every older transaction has
// ended, no posting up to that id can still appear.
func (db *DB) RollUp(ctx context.Context) error {
	var newest, next int64
	if err := db.pool.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM postings").Scan(&newest); err != nil {
		return fmt.Errorf("read the newest posting: %w", err)
	}
	if err := db.pool.QueryRow(ctx, "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)").Scan(&next); err != nil {
		return fmt.Errorf("draw a transaction id: %w", err)
	}
	settled, err := db.settledBefore(ctx, next)
	if err != nil || !settled {
		return err
	}
	return db.Tx(ctx, func(tx *DB) error {
		alone, err := tx.tryKey(ctx, "roll up")
		if err != nil || !alone {
			return err
		}
		return tx.rollUpThrough(ctx, newest)
	})
}

// settledBefore waits for a while until every transaction older than next has
// ended, and reports whether it has.
func (db *DB) settledBefore(ctx context.Context, next int64) (settled bool, err error) {
	for deadline := time.Now().Add(rollUpWait); ; {
		err := db.pool.QueryRow(ctx, "SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) >= $1", next).Scan(&settled)
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

// rollUpThrough adds the postings since the last roll-up. Customers' accounts
// are left out: their balances are cached as they change.
func (db *DB) rollUpThrough(ctx context.Context, newest int64) error {
	err := db.orm(ctx).Exec(`
		WITH past AS (SELECT coalesce(max(through_id), 0) AS id FROM account_rollups),
		moved AS (SELECT p.* FROM postings p, past WHERE p.id > past.id AND p.id <= @newest)
		INSERT INTO account_rollups AS r (account, currency, through_id, balance)
		SELECT m.account, m.currency, @newest, sum(m.amount)
		  FROM (SELECT to_account AS account, currency, amount FROM moved UNION ALL SELECT from_account, currency, -amount FROM moved) m
		  JOIN accounts a ON a.code = m.account WHERE a.user_id IS NULL GROUP BY m.account, m.currency
		ON CONFLICT (account, currency) DO UPDATE SET through_id = excluded.through_id, balance = r.balance + excluded.balance`,
		map[string]any{"newest": newest}).Error
	if err != nil {
		return fmt.Errorf("roll up the ledger: %w", err)
	}
	return nil
}
