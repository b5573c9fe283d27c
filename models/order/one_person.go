package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// GivenBack is what counts towards one person's refund limit for an order: all earlier refunds of it, and those of
// its customer's other orders within a day without a second approval. A refund without a row yet counts by its
// decision.
func GivenBack(ctx context.Context, db *store.DB, o *Order) (sum money.Units, err error) {
	err = db.Row(ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM refunds WHERE order_id = $1 AND status <> 'failed') +
		(SELECT coalesce(sum(coalesce(r.amount, CAST(d.data->>'sum' AS numeric), o.total)), 0) FROM decisions d JOIN orders o ON o.id = d.order_id LEFT JOIN refunds r ON r.decision_id = d.id
		  WHERE o.user_id = $2 AND o.id <> $1 AND d.kind = 'refund' AND d.created_at > clock_now() - interval '1 day' AND d.outcome IS DISTINCT FROM 'refused'
		    AND r.status IS DISTINCT FROM 'failed' AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id))`, o.ID, o.UserID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum refunds: %w", err)
	}
	return sum, nil
}

// markedSent is what single persons have called sent of a customer's other orders
// within a day.
func markedSent(ctx context.Context, db *store.DB, o *Order) (sum money.Units, err error) {
	err = db.Row(ctx, `SELECT coalesce(sum(o.total), 0) FROM decisions d JOIN orders o ON o.id = d.order_id
		WHERE o.user_id = $2 AND o.id <> $1 AND d.kind = 'mark_sent' AND d.created_at > clock_now() - interval '1 day' AND d.outcome IS DISTINCT FROM 'refused'
		  AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id)`, o.ID, o.UserID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum what was marked sent: %w", err)
	}
	return sum, nil
}

// movesCoin are the decisions that let an order's coin leave, or say where to.
var movesCoin = []string{DecisionFulfill, DecisionRetry, DecisionAmendAddress, DecisionMarkSent}

// ReceiptBars removes the decisions that a person who vouched for an order's receipt must not make.
func ReceiptBars(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(movesCoin, kind) })
}

// ErrOwnReceipt refuses a decision on coin by a person who vouched for its money.
var ErrOwnReceipt = store.Forbidden("own_receipt", "You confirmed this payment, so someone else must release the crypto.")

// OwnReceipt refuses those who vouched that the order's money came, under whatever account.
func (c *OrderChange) OwnReceipt(actors ...string) error {
	var said []string
	err := c.Tx.ORM(c.Ctx).Raw("SELECT w.* FROM orders, LATERAL ("+casework.ReceiptPeople+") w WHERE orders.id = ?", c.Order.ID).Scan(&said).Error
	if err != nil {
		return fmt.Errorf("read who confirmed receipts: %w", err)
	}
	return c.noneOf(said, actors...)
}

// noneOf refuses actors who are among those who vouched for the money.
func (c *OrderChange) noneOf(said []string, actors ...string) error {
	for _, person := range actors {
		if err := people.Another(c.Ctx, c.Tx, person, ErrOwnReceipt, said...); err != nil {
			return err
		}
	}
	return nil
}

// coinDecision is openDecision for one that moves the order's coin: who vouched for the money makes and proposes
// none.
func (c *OrderChange) coinDecision(id string, kinds ...string) (*Decision, error) {
	row, _, err := store.OneLocked[struct {
		Decision `gorm:"embedded"`
		Proposed pq.StringArray `gorm:"type:text[]"`
		Said     pq.StringArray `gorm:"type:text[]"`
	}](c.Ctx, c.Tx, `SELECT d.*, ARRAY(SELECT proposed_by::text FROM order_proposals WHERE decision_id = d.id) AS proposed, ARRAY(`+casework.ReceiptPeople+`) AS said
		FROM decisions d JOIN orders ON orders.id = d.order_id WHERE d.id = $1 AND d.order_id = $2 AND d.settled_at IS NULL`, id, c.Order.ID)
	switch {
	case store.IsMissing(err):
		return nil, c.resolved(id)
	case err != nil:
		return nil, fmt.Errorf("read decision: %w", err)
	case !slices.Contains(kinds, row.Kind):
		return nil, casework.ErrOtherDecisionKind
	}
	return &row.Decision, c.noneOf(row.Said, append(row.Proposed, row.ActorID)...)
}
