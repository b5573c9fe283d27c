package execution

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Traded are the assets whose prices are needed: those offered, and those of what is
// still open from when more was.
func Traded(ctx context.Context, db *store.DB, offer money.Offer) ([]money.Currency, error) {
	var open []money.Currency
	err := db.ORM(ctx).Raw(`SELECT asset FROM orders WHERE closed_at IS NULL UNION SELECT asset FROM voucher_redemptions WHERE closed_at IS NULL`).Scan(&open).Error
	if err != nil {
		return nil, fmt.Errorf("read the assets of what is open: %w", err)
	}
	return money.Offer{Assets: append(open, offer.Coins()...)}.Coins(), nil
}

// Withdrawals is one page of a customer's transfers, newest first.
func Withdrawals(ctx context.Context, db *store.DB, userID string, p store.Page) ([]Withdrawal, *store.Cursor, error) {
	var rows []Withdrawal
	query := db.ORM(ctx).Table("withdrawals").Select(`withdrawals.*, coalesce((SELECT reference FROM orders WHERE orders.id = withdrawals.order_id),
		(SELECT reference FROM voucher_redemptions WHERE voucher_redemptions.id = withdrawals.redemption_id)) AS reference`).Where("withdrawals.user_id = ?", userID)
	if err := p.In(query, "withdrawals").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list withdrawals: %w", err)
	}
	rows, next := store.Cut(rows, p, func(w Withdrawal) store.Cursor { return store.Cursor{At: w.CreatedAt, ID: w.ID} })
	return rows, next, nil
}

// CountWithdrawals counts all of a customer's transfers.
func CountWithdrawals(ctx context.Context, db *store.DB, userID string) (int, error) {
	facets, err := db.Tally(ctx, "withdrawals", userID)
	if err != nil || len(facets) == 0 {
		return 0, err
	}
	return facets[0].N, nil
}

// OrderWithdrawals reads an order's transfers, oldest first.
func OrderWithdrawals(ctx context.Context, db *store.DB, orderID string) ([]Withdrawal, error) {
	var rows []Withdrawal
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("generation").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read withdrawals: %w", err)
	}
	return rows, nil
}
