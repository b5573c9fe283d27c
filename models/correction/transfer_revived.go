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

// A transfer that was declared dead is watched without end in custody's statement. Once it has confirmed, its coin is
// booked in one transaction.

// ConfirmedDead are the transfers that are called dead, and that custody's statement
// shows as confirmed.
const ConfirmedDead = `withdrawals w JOIN statement_lines l ON l.holder = w.provider AND l.key = 'transfer:' || w.sequence_id AND l.currency = w.asset
	AND l.state = 'confirmed' AND l.amount < 0 WHERE w.status = 'dead'`

// AnswerDeadNotices marks custody's webhooks about dead transfers as handled that were received before its statement
// was read.
func AnswerDeadNotices(ctx context.Context, db *store.DB, h ledger.Provider, by time.Time) error {
	return webhook.DeadRead(ctx, db, h, by)
}

// BookRevived books the coin of dead transfers that confirmed nonetheless. One that
// cannot be booked keeps no other from it.
func BookRevived(ctx context.Context, db *store.DB) (failed error) {
	if err := execution.TakeUpLost(ctx, db); err != nil {
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
func Revived(ctx context.Context, db *store.DB, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find orders that were sent by dead transfers", `SELECT w.order_id AS subject, 'revived' AS reason
		FROM withdrawals w JOIN histories_due h ON h.order_id = w.order_id WHERE w.revived_at IS NOT NULL LIMIT ?`, limit)
}
