package models

import (
	"context"
	"fmt"
	"slices"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/money"
)

// samePerson reports whether an account is one of the others, or belongs to the
// same person: their addresses reach one mailbox, however they are spelled.
func (db *DB) samePerson(ctx context.Context, id string, others ...string) (bool, error) {
	others = slices.DeleteFunc(slices.Clone(others), func(other string) bool { return other == "" })
	if len(others) == 0 || slices.Contains(others, id) {
		return len(others) > 0, nil
	}
	var emails []string
	err := db.orm(ctx).Raw("SELECT email FROM users WHERE id = ? UNION ALL SELECT email FROM users WHERE id IN ?", id, others).Scan(&emails).Error
	if err != nil {
		return false, fmt.Errorf("read who they are: %w", err)
	}
	return len(emails) > 1 && slices.ContainsFunc(emails[1:], func(other string) bool { return sameMailbox(emails[0], other) }), nil
}

// anotherPerson refuses who is, under whatever account, the first of two people.
func (db *DB) anotherPerson(ctx context.Context, actorID string, refusal error, first ...string) error {
	same, err := db.samePerson(ctx, actorID, first...)
	if err != nil || !same {
		return err
	}
	return refusal
}

// accountsOf are the accounts of staff that belong to the same person as one: two
// accounts may no more together than one.
func (db *DB) accountsOf(ctx context.Context, actorID string) ([]string, error) {
	var staff []struct{ ID, Email string }
	err := db.orm(ctx).Raw("SELECT id, email FROM users WHERE id = ? OR id IN (SELECT user_id FROM user_roles)", actorID).Scan(&staff).Error
	if err != nil {
		return nil, fmt.Errorf("read who is staff: %w", err)
	}
	mine := []string{actorID}
	for _, me := range staff {
		for _, other := range staff {
			if me.ID == actorID && other.ID != actorID && sameMailbox(me.Email, other.Email) {
				mine = append(mine, other.ID)
			}
		}
	}
	return mine, nil
}

// ByOneWord is what single persons have let in for a customer within a day:
// receipts, gift cards and returned payouts that nobody else has approved, whatever
// they are for.
func (db *DB) ByOneWord(ctx context.Context, userID string) (money.Units, error) {
	var receipts money.Units
	err := db.row(ctx, `SELECT coalesce(sum(CAST(d.data->>'amount' AS numeric)), 0) FROM decisions d JOIN orders o ON o.id = d.order_id
		WHERE o.user_id = $1 AND d.kind = 'confirm_receipt' AND d.created_at > clock_now() - interval '1 day' AND d.outcome IS DISTINCT FROM 'refused'
		  AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id)`, userID).Scan(&receipts)
	if err != nil {
		return money.Units{}, fmt.Errorf("sum receipts: %w", err)
	}
	returned, err := db.returnedByOneWord(ctx, userID)
	if err != nil {
		return money.Units{}, err
	}
	receipts = receipts.Add(returned)
	var values []money.Units
	err = db.orm(ctx).Raw(`SELECT d.amount FROM gift_card_decisions d JOIN gift_cards g ON g.id = d.card_id
		WHERE g.user_id = ? AND d.kind = 'approve' AND d.first_by IS NULL AND d.created_at > clock_now() - interval '1 day'
		  AND coalesce(d.outcome_code, 'done') = 'done'`, userID).Scan(&values).Error
	if err != nil {
		return money.Units{}, fmt.Errorf("sum gift cards: %w", err)
	}
	for _, value := range values {
		paid, err := CardPayout(value)
		if err != nil {
			return money.Units{}, err
		}
		receipts = receipts.Add(paid)
	}
	return receipts, nil
}

// returnedByOneWord sums the payouts of a day that one person said came back.
func (db *DB) returnedByOneWord(ctx context.Context, userID string) (sum money.Units, err error) {
	err = db.row(ctx, `SELECT coalesce(sum(p.amount), 0) FROM payouts p JOIN matter_decisions d ON d.matter = 'payout' AND d.matter_id = p.id
		WHERE p.user_id = $1 AND d.kind = 'return' AND d.created_at > clock_now() - interval '1 day' AND coalesce(d.outcome_code, 'done') = 'done'
		  AND NOT EXISTS (SELECT FROM money_proposals m WHERE m.subject_id = p.id AND m.status = 'approved')`, userID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum returned payouts: %w", err)
	}
	return sum, nil
}

// GivenBack is what counts towards what one person gives back of an order: all that
// went back of it before, and what no second person approved of its customer's other
// orders within a day. A refund whose row is not written yet counts by its decision.
func (db *DB) GivenBack(ctx context.Context, o *Order) (sum money.Units, err error) {
	err = db.row(ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM refunds WHERE order_id = $1 AND status <> 'failed') +
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
func (db *DB) markedSent(ctx context.Context, o *Order) (sum money.Units, err error) {
	err = db.row(ctx, `SELECT coalesce(sum(o.total), 0) FROM decisions d JOIN orders o ON o.id = d.order_id
		WHERE o.user_id = $2 AND o.id <> $1 AND d.kind = 'mark_sent' AND d.created_at > clock_now() - interval '1 day' AND d.outcome IS DISTINCT FROM 'refused'
		  AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id)`, o.ID, o.UserID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum what was marked sent: %w", err)
	}
	return sum, nil
}

// oneWord refuses to let an amount in for a customer by one person's word, when
// it is above the limit together with what came in so within a day. It holds the
// customer's lock, so that what is decided at once counts each other. No limit is
// none: the API always gives one.
func (db *DB) oneWord(ctx context.Context, userID string, amount money.Units, limit *money.Units) error {
	if limit == nil {
		return nil
	}
	if err := db.lockCustomer(ctx, userID); err != nil {
		return err
	}
	before, err := db.ByOneWord(ctx, userID)
	if err == nil && before.Add(amount).Cmp(*limit) > 0 {
		err = ErrSecondPerson
	}
	return err
}

// movesCoin are the decisions that let an order's coin leave, or say where to.
var movesCoin = []string{DecisionFulfill, DecisionRetry, DecisionAmendAddress, DecisionMarkSent}

// ReceiptBars takes away what somebody cannot decide whose word an order's
// receipt is.
func ReceiptBars(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return slices.Contains(movesCoin, kind) })
}

// errOwnReceipt refuses coin to who said that its money came.
var errOwnReceipt = Forbidden("own_receipt", "You confirmed this payment, so someone else must release the crypto.")

// receiptPeople are those on whose word an order's money came: who confirmed a
// receipt, proposed one that is approved or still open, or opened or placed the
// unplaced money that became one.
const receiptPeople = `SELECT d.actor_id::text FROM decisions d WHERE d.order_id = orders.id AND d.kind = 'confirm_receipt' AND d.outcome IS DISTINCT FROM 'refused'
	UNION SELECT p.proposed_by::text FROM order_proposals p WHERE p.order_id = orders.id AND p.kind = 'confirm_receipt' AND p.status IN ('open', 'approved')
	UNION SELECT unnest(ARRAY(SELECT u.opened_by::text FROM unplaced_money u WHERE u.decision_id = d.id)
	  || ARRAY(SELECT m.proposed_by::text FROM unplaced_money u JOIN money_proposals m ON m.subject_id = u.id AND m.status = 'approved' WHERE u.decision_id = d.id)
	  || ARRAY(SELECT m.proposed_by::text FROM unplaced_money u JOIN money_proposals m ON m.id = u.id WHERE u.decision_id = d.id))
	  FROM decisions d WHERE d.order_id = orders.id AND d.kind = 'confirm_receipt'`

// ownReceipt refuses those on whose word the order's money came, under whatever
// account.
func (c *OrderChange) ownReceipt(people ...string) error {
	var said []string
	err := c.tx.orm(c.ctx).Raw("SELECT w.* FROM orders, LATERAL ("+receiptPeople+") w WHERE orders.id = ?", c.Order.ID).Scan(&said).Error
	if err != nil {
		return fmt.Errorf("read who confirmed receipts: %w", err)
	}
	return c.noneOf(said, people...)
}

// noneOf refuses people who are among those on whose word the money came.
func (c *OrderChange) noneOf(said []string, people ...string) error {
	for _, person := range people {
		if err := c.tx.anotherPerson(c.ctx, person, errOwnReceipt, said...); err != nil {
			return err
		}
	}
	return nil
}

// coinDecision is openDecision for one that moves the order's coin: whose word
// the money was takes and proposes none.
func (c *OrderChange) coinDecision(id string, kinds ...string) (*Decision, error) {
	row, _, err := oneLocked[struct {
		Decision `gorm:"embedded"`
		Proposed pq.StringArray `gorm:"type:text[]"`
		Said     pq.StringArray `gorm:"type:text[]"`
	}](c.ctx, c.tx, `SELECT d.*, ARRAY(SELECT proposed_by::text FROM order_proposals WHERE decision_id = d.id) AS proposed, ARRAY(`+receiptPeople+`) AS said
		FROM decisions d JOIN orders ON orders.id = d.order_id WHERE d.id = $1 AND d.order_id = $2 AND d.settled_at IS NULL`, id, c.Order.ID)
	switch {
	case isMissing(err):
		return nil, errSettled
	case err != nil:
		return nil, fmt.Errorf("read decision: %w", err)
	case !slices.Contains(kinds, row.Kind):
		return nil, errOtherKind
	}
	return &row.Decision, c.noneOf(row.Said, append(row.Proposed, row.ActorID)...)
}
