package order

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// MarkRestored marks open orders as restored from a backup, and counts them.
func MarkRestored(ctx context.Context, tx *store.DB) (int64, error) {
	result := tx.ORM(ctx).Exec("UPDATE orders SET restored_at = clock_now() WHERE closed_at IS NULL AND restored_at IS NULL")
	return result.RowsAffected, result.Error
}

// withoutCoin are the decisions that end an order, or give money of it back, as one whose
// coin has not left.
var withoutCoin = []string{DecisionRefund, DecisionRefundNow, DecisionCancel, DecisionDecline, DecisionReject}

// coinIsKnown refuses to end an order without coin that was open when a backup was restored: until custody's
// statement was read past that moment, and where it contains a transfer of the order without a row here. That
// transfer is found by fulfilling the order, and booked as lost where all of the money was refunded already.
func (c *OrderChange) coinIsKnown() error {
	if c.Order.RestoredAt == nil {
		return nil
	}
	var read, left bool
	err := c.Tx.Row(c.Ctx, `SELECT EXISTS (SELECT FROM polls WHERE name = 'statement ' || `+ledger.ProviderOf(ledger.Custody)+` AND read_to > (SELECT max(at) FROM restores)),
		EXISTS (SELECT FROM generate_series(1, $2::int) n JOIN statement_lines l ON l.holder = `+ledger.ProviderOf(ledger.Custody)+` AND l.ours = 'ord-' || $1 || '-send-' || n
		  WHERE (l.amount < 0 OR NOT l.settled) AND NOT EXISTS (SELECT FROM withdrawals w WHERE w.sequence_id = l.ours))`,
		c.Order.ID, mostSends).Scan(&read, &left)
	switch {
	case err != nil:
		return fmt.Errorf("look for coin that a backup lost: %w", err)
	case left:
		return c.unlessAllIsBack(store.Conflict("restored_sent", "Crypto for this order was sent after the backup that was restored. It is recorded when the order is fulfilled or marked as sent."))
	case !read:
		return store.Conflict("restored_unread", "A backup was restored, and transfers since then are still being read. Try again in a few minutes.")
	}
	return nil
}

// unlessAllIsBack is a refusal, or nil where a paid order has no money left to refund.
func (c *OrderChange) unlessAllIsBack(refusal error) error {
	if !c.Order.Paid() {
		return refusal
	}
	if left, err := c.refundable(); err != nil || left.Sign() <= 0 {
		return err
	}
	return refusal
}

// mostSends is how many transfers of one order are searched for: each after the first follows one that is known to be
// dead.
const mostSends = 20
