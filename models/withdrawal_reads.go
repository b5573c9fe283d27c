package models

import (
	"context"
	"fmt"
)

// Withdrawals is one page of a customer's transfers, newest first.
func (db *DB) Withdrawals(ctx context.Context, userID string, p Page) ([]Withdrawal, *Cursor, error) {
	var rows []Withdrawal
	query := db.orm(ctx).Model(&Withdrawal{}).Where("withdrawals.user_id = ?", userID)
	if err := p.in(query, "withdrawals").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list withdrawals: %w", err)
	}
	rows, next := cut(rows, p, func(w Withdrawal) Cursor { return Cursor{w.CreatedAt, w.ID} })
	return rows, next, nil
}

// CountWithdrawals counts all of a customer's transfers.
func (db *DB) CountWithdrawals(ctx context.Context, userID string) (int, error) {
	facets, err := db.tally(ctx, "withdrawals", userID)
	if err != nil || len(facets) == 0 {
		return 0, err
	}
	return facets[0].N, nil
}

// OrderWithdrawals reads an order's transfers, oldest first.
func (db *DB) OrderWithdrawals(ctx context.Context, orderID string) ([]Withdrawal, error) {
	var rows []Withdrawal
	if err := db.orm(ctx).Where("order_id = ?", orderID).Order("generation").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read withdrawals: %w", err)
	}
	return rows, nil
}
