package correction

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/models/webhook"
)

// A transfer that was declared dead is watched for ever: custody's statement says what
// became of it. Once it has confirmed, its coin is booked in one transaction.

// ConfirmedDead are the transfers that are called dead, and that custody's statement
// shows as confirmed.
const ConfirmedDead = `withdrawals w JOIN statement_lines l ON l.holder = 'bitgo' AND l.key = 'transfer:' || w.sequence_id AND l.currency = w.asset
	AND l.state = 'confirmed' AND l.amount < 0 WHERE w.status = 'dead'`

// AnswerDeadNotices marks custody's notices about dead transfers as handled that had
// come before its statement was read.
func AnswerDeadNotices(ctx context.Context, db *store.DB, h ledger.Holder, by time.Time) error {
	if h != ledger.HolderBitGo {
		return nil
	}
	err := db.ORM(ctx).Exec("UPDATE webhook_inbox SET handled_at = clock_now() WHERE handled_at IS NULL AND received_at <= ? AND "+webhook.DeadNotice, by).Error
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}

// takeUpLost writes transfers as dead that confirmed, and whose rows a restored backup
// does not have, where what they were for has ended meanwhile. What is open finds its
// own when it is fulfilled.
func takeUpLost(ctx context.Context, db *store.DB) error {
	err := db.Exec(ctx, `WITH lost AS (
			SELECT key, currency, substr(key, length('transfer:') + 1) AS sequence_id, substr(key, length('transfer:') + 1, 3) AS whose,
			       CASE WHEN key ~ '^transfer:(ord|vou)-[0-9a-f-]{36}-send-[0-9]{1,4}$' THEN substr(key, length('transfer:ord-') + 1, 36)::uuid END AS id
			  FROM reconciled_effects WHERE holder = 'bitgo' AND booked <> told AND booked = 0 AND told < 0 AND EXISTS (SELECT FROM restores)),
		ended AS (
			SELECT 'ord' AS whose, id, user_id, asset, network, dest_address, amount FROM orders
			 WHERE closed_at IS NOT NULL AND restored_at IS NOT NULL AND id IN (SELECT id FROM lost)
			UNION ALL
			SELECT 'vou', id, user_id, asset, network, dest_address, amount FROM voucher_redemptions
			 WHERE closed_at IS NOT NULL AND restored_at IS NOT NULL AND id IN (SELECT id FROM lost))
		INSERT INTO withdrawals (id, order_id, redemption_id, user_id, generation, asset, network, address, amount, sequence_id, send_started_at, transfer_id, status, dead_at, created_at, updated_at)
		SELECT gen_random_uuid(), CASE e.whose WHEN 'ord' THEN e.id END, CASE e.whose WHEN 'vou' THEN e.id END, e.user_id, substring(lost.key from '[0-9]+$')::int,
		       e.asset, e.network, e.dest_address, e.amount, lost.sequence_id, l.at, l.id, 'dead', clock_now(), l.at, clock_now()
		  FROM lost JOIN ended e ON e.whose = lost.whose AND e.id = lost.id AND e.asset = lost.currency
		  JOIN statement_lines l ON l.holder = 'bitgo' AND l.key = lost.key AND l.currency = lost.currency AND l.state = 'confirmed' AND l.amount < 0
		    ON CONFLICT DO NOTHING`)
	if err != nil {
		return fmt.Errorf("take up transfers that a backup lost: %w", err)
	}
	return nil
}

// BookRevived books the coin of dead transfers that confirmed nonetheless. One that
// cannot be booked keeps no other from it.
func BookRevived(ctx context.Context, db *store.DB) (failed error) {
	if err := takeUpLost(ctx, db); err != nil {
		return err
	}
	var rows []struct {
		execution.Withdrawal `gorm:"embedded"`
		Seen                 string
	}
	if err := db.ORM(ctx).Raw("SELECT w.*, l.txid AS seen FROM " + ConfirmedDead + " ORDER BY w.id").Scan(&rows).Error; err != nil {
		return fmt.Errorf("find transfers that are dead no more: %w", err)
	}
	for _, row := range rows {
		var err error
		if row.OrderID != nil {
			err = order.ChangeOrder(ctx, db, *row.OrderID, func(c *order.OrderChange) error { return c.Revive(row.ID, row.Seen) })
		} else {
			err = voucher.ChangeRedemption(ctx, db, *row.RedemptionID, func(c *voucher.RedemptionChange) error { return c.Revive(row.ID, row.Seen) })
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// Revived finds orders that ended by a transfer that was dead, while their workflows
// still wait for a person.
func Revived(ctx context.Context, db *store.DB, limit int) ([]store.Wake, error) {
	return db.Wakes(ctx, "find orders that were sent by dead transfers", `SELECT w.order_id AS subject, 'revived' AS reason
		FROM withdrawals w JOIN histories_due h ON h.order_id = w.order_id WHERE w.revived_at IS NOT NULL LIMIT ?`, limit)
}
