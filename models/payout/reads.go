package payout

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// PayoutFilter narrows a list of payouts.
type PayoutFilter = people.QueueFilter[PayoutStatus]

// StaffPayout is a payout with its customer and the decision that is being executed.
type StaffPayout struct {
	Payout       `gorm:"embedded"`
	people.Whose `gorm:"embedded"`
}

// Payouts is one page of payouts, newest first unless the page says otherwise.
func Payouts(ctx context.Context, db *store.DB, f PayoutFilter, p store.Page) ([]StaffPayout, *store.Cursor, error) {
	open := "LEFT JOIN matter_decisions d ON d.matter = 'payout' AND d.matter_id = payouts.id AND d.settled_at IS NULL"
	return people.QueuePage(ctx, db, "payouts", open, f, p, func(s StaffPayout) store.Cursor { return store.Cursor{At: s.CreatedAt, ID: s.ID} })
}

// ReadStaffPayout reads one payout as staff see it.
func ReadStaffPayout(ctx context.Context, db *store.DB, id string) (*StaffPayout, error) {
	payout, err := ReadPayout(ctx, db, id)
	if err != nil {
		return nil, err
	}
	row := StaffPayout{Payout: *payout}
	err = db.ORM(ctx).Raw("SELECT email, first_name, last_name FROM users WHERE id = ?", payout.UserID).Row().Scan(&row.Email, &row.FirstName, &row.LastName)
	if err != nil {
		return nil, fmt.Errorf("read customer: %w", err)
	}
	open, err := casework.CaseDecisions.Of(KindPayout).Open(ctx, db, id)
	if err == nil && open != nil {
		row.DecisionID, row.DecisionKind, row.DecisionAt = &open.ID, &open.Kind, &open.CreatedAt
	}
	return &row, err
}

// CountPayouts counts a customer's payouts, or all customers', without reading them.
func CountPayouts(ctx context.Context, db *store.DB, userID string) (store.Counts[PayoutStatus], error) {
	return store.CountByStatus[PayoutStatus](ctx, db, "payouts", userID)
}

// CountPayoutsFound counts all customers' payouts, or those that a search finds.
func CountPayoutsFound(ctx context.Context, db *store.DB, typed string) (store.Counts[PayoutStatus], error) {
	return people.CountQueue[PayoutStatus](ctx, db, "payouts", typed)
}
