package dualcontrol

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// ByOneWord is the sum that single persons have credited to a customer within a day: receipts, gift cards and
// returned payouts without a second approval, for whatever purpose.
func ByOneWord(ctx context.Context, db *store.DB, userID string) (money.Units, error) {
	var receipts money.Units
	err := db.Row(ctx, `SELECT coalesce(sum(CAST(d.data->>'amount' AS numeric)), 0) FROM decisions d JOIN orders o ON o.id = d.order_id
		WHERE o.user_id = $1 AND d.kind = 'confirm_receipt' AND d.created_at > clock_now() - interval '1 day' AND d.outcome IS DISTINCT FROM 'refused'
		  AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id)`, userID).Scan(&receipts)
	if err != nil {
		return money.Units{}, fmt.Errorf("sum receipts: %w", err)
	}
	returned, err := returnedByOneWord(ctx, db, userID)
	if err != nil {
		return money.Units{}, err
	}
	receipts = receipts.Add(returned)
	var values []money.Units
	err = db.ORM(ctx).Raw(`SELECT d.amount FROM gift_card_decisions d JOIN gift_cards g ON g.id = d.card_id
		WHERE g.user_id = ? AND d.kind = 'approve' AND d.first_by IS NULL AND d.created_at > clock_now() - interval '1 day'
		  AND coalesce(d.outcome_code, 'done') = 'done'`, userID).Scan(&values).Error
	if err != nil {
		return money.Units{}, fmt.Errorf("sum gift cards: %w", err)
	}
	for _, value := range values {
		paid, err := pricing.CardPayout(value)
		if err != nil {
			return money.Units{}, err
		}
		receipts = receipts.Add(paid)
	}
	return receipts, nil
}

// returnedByOneWord sums the payouts of a day that were returned on one person's approval.
func returnedByOneWord(ctx context.Context, db *store.DB, userID string) (sum money.Units, err error) {
	err = db.Row(ctx, `SELECT coalesce(sum(p.amount), 0) FROM payouts p JOIN matter_decisions d ON d.matter = 'payout' AND d.matter_id = p.id
		WHERE p.user_id = $1 AND d.kind = 'return' AND d.created_at > clock_now() - interval '1 day' AND coalesce(d.outcome_code, 'done') = 'done'
		  AND NOT EXISTS (SELECT FROM money_proposals m WHERE m.subject_id = p.id AND m.status = 'approved')`, userID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum returned payouts: %w", err)
	}
	return sum, nil
}

// OneWord refuses an incoming amount of a customer on one person's approval, when it exceeds the limit together with
// the other such amounts of a day. It holds the customer's lock, so that concurrent decisions count each other; nil
// is no limit, and the API always gives one.
func OneWord(ctx context.Context, db *store.DB, userID string, amount money.Units, limit *money.Units) error {
	if limit == nil {
		return nil
	}
	if err := ledger.LockCustomer(ctx, db, userID); err != nil {
		return err
	}
	before, err := ByOneWord(ctx, db, userID)
	if err == nil && before.Add(amount).Cmp(*limit) > 0 {
		err = ErrSecondPerson
	}
	return err
}

// ErrSecondPerson refuses what one person may not do alone; it can be proposed.
var ErrSecondPerson = store.Conflict("second_person", "A second person must approve this")
