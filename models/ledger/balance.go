package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// BalanceEntry is one change of a customer's balance, in cents: Amount is
// signed, BalanceAfter what they had then. Event is the posting's.
type BalanceEntry struct {
	ID           int64
	At           time.Time
	Amount       money.Units
	BalanceAfter money.Units
	Event        string
	OrderID      *string
	GiftCardID   *string
	PayoutID     *string
	Reference    *string // of the order, the gift card or the case
}

// BalanceHistory is one page of the changes of a customer's dollars, newest first, and the cursor of the next page.
func BalanceHistory(ctx context.Context, db *store.DB, userID string, after *store.NumberCursor, limit int) ([]BalanceEntry, *store.NumberCursor, error) {
	query := db.ORM(ctx).Table("balance_entries e").
		Select("e.id, p.at, e.amount, e.balance_after, p.event, p.order_id, p.gift_card_id, po.id AS payout_id, coalesce(o.reference, g.reference, po.reference) AS reference").
		Joins("JOIN postings p ON p.id = e.posting_id").
		Joins("LEFT JOIN orders o ON o.id = p.order_id").
		Joins("LEFT JOIN gift_cards g ON g.id = p.gift_card_id").
		Joins("LEFT JOIN payouts po ON p.matter = 'payout' AND po.id = p.matter_id").
		Where("e.account = ? AND e.currency = ?", CustomerBalance(userID), money.USD)
	if after != nil {
		query = query.Where("e.id < ?", int64(*after))
	}
	var rows []BalanceEntry
	if err := query.Order("e.id DESC").Limit(limit + 1).Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read balance history: %w", err)
	}
	if len(rows) <= limit {
		return rows, nil, nil
	}
	next := store.NumberCursor(rows[limit-1].ID)
	return rows[:limit], &next, nil
}

// Holdings are a customer's dollars, in cents: what they may spend, what is set
// aside for their payouts, and what they owe us.
type Holdings struct{ Balance, Reserved, Receivable money.Units }

// HoldingsOf reads what a customer has and owes.
func HoldingsOf(ctx context.Context, db *store.DB, userID string) (Holdings, error) {
	var h Holdings
	err := db.ORM(ctx).Raw(`SELECT coalesce(sum(amount) FILTER (WHERE account = @account), 0) AS balance,
		       coalesce(sum(amount) FILTER (WHERE account = @reserved), 0) AS reserved,
		       coalesce(sum(amount) FILTER (WHERE account = @owed), 0) AS receivable
		  FROM customer_balances WHERE account IN (@account, @reserved, @owed) AND currency = 'USD'`,
		map[string]any{"account": CustomerBalance(userID), "reserved": CustomerReserved(userID), "owed": CustomerReceivable(userID)}).Scan(&h).Error
	if err != nil {
		return Holdings{}, fmt.Errorf("read balance: %w", err)
	}
	return h, nil
}
