package models

import (
	"context"
	"fmt"
)

// PayoutFilter narrows a list of payouts.
type PayoutFilter = QueueFilter[PayoutStatus]

// StaffPayout is a payout with whose it is and the decision that is being
// carried out.
type StaffPayout struct {
	Payout `gorm:"embedded"`
	Whose  `gorm:"embedded"`
}

// Payouts is one page of payouts, newest first unless the page says otherwise.
func (db *DB) Payouts(ctx context.Context, f PayoutFilter, p Page) ([]StaffPayout, *Cursor, error) {
	open := "LEFT JOIN matter_decisions d ON d.matter = 'payout' AND d.matter_id = payouts.id AND d.settled_at IS NULL"
	return queuePage(ctx, db, "payouts", open, f, p, func(s StaffPayout) Cursor { return Cursor{At: s.CreatedAt, ID: s.ID} })
}

// StaffPayout reads one payout as staff see it.
func (db *DB) StaffPayout(ctx context.Context, id string) (*StaffPayout, error) {
	payout, err := db.Payout(ctx, id)
	if err != nil {
		return nil, err
	}
	row := StaffPayout{Payout: *payout}
	err = db.orm(ctx).Raw("SELECT email, first_name, last_name FROM users WHERE id = ?", payout.UserID).Row().Scan(&row.Email, &row.FirstName, &row.LastName)
	if err != nil {
		return nil, fmt.Errorf("read customer: %w", err)
	}
	open, err := db.OpenMatterDecision(ctx, MatterPayout, id)
	if err == nil && open != nil {
		row.DecisionID, row.DecisionKind, row.DecisionAt = &open.ID, &open.Kind, &open.CreatedAt
	}
	return &row, err
}

// CountPayouts counts a customer's payouts, or everybody's, without reading
// them.
func (db *DB) CountPayouts(ctx context.Context, userID string) (Counts[PayoutStatus], error) {
	return countByStatus[PayoutStatus](ctx, db, "payouts", userID)
}

// CountPayoutsFound counts everybody's payouts, or those that a search finds.
func (db *DB) CountPayoutsFound(ctx context.Context, typed string) (Counts[PayoutStatus], error) {
	return countQueue[PayoutStatus](ctx, db, "payouts", typed)
}
