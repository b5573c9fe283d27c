package models

import (
	"context"
	"fmt"
	"time"
)

// PayoutFilter narrows a list of payouts. Empty fields do not narrow.
type PayoutFilter struct {
	UserID string
	Status PayoutStatus
	Query  string // a reference, an id or the beginning of one, or whose it is
}

// StaffPayout is a payout with whose it is and the decision that is being
// carried out.
type StaffPayout struct {
	Payout       `gorm:"embedded"`
	Email        string
	FirstName    string
	LastName     string
	DecisionID   *string
	DecisionKind *string
	DecisionAt   *time.Time
}

const payoutColumns = `payouts.*, u.email, u.first_name, u.last_name, d.id AS decision_id, d.kind AS decision_kind, d.created_at AS decision_at`

// Payouts is one page of payouts, newest first unless the page says otherwise.
func (db *DB) Payouts(ctx context.Context, f PayoutFilter, p Page) ([]StaffPayout, *Cursor, error) {
	query := db.customPlans(ctx).Table("payouts").Select(payoutColumns).
		Joins("JOIN users u ON u.id = payouts.user_id").
		Joins("LEFT JOIN matter_decisions d ON d.matter = 'payout' AND d.matter_id = payouts.id AND d.settled_at IS NULL")
	if f.UserID != "" {
		query = query.Where("payouts.user_id = ?", f.UserID)
	}
	if f.Status != "" {
		query = query.Where("payouts.status = ?", f.Status)
	}
	if f.Query != "" {
		ids, err := db.foundIn(ctx, "payouts", f.Query)
		if err != nil {
			return nil, nil, err
		}
		query = query.Where("payouts.id = ANY(CAST(? AS uuid[]))", ids)
	}
	var rows []StaffPayout
	if err := p.in(query, "payouts").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read payouts: %w", err)
	}
	rows, next := cut(rows, p, func(s StaffPayout) Cursor { return Cursor{At: s.CreatedAt, ID: s.ID} })
	return rows, next, nil
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
	if typed == "" {
		return db.CountPayouts(ctx, "")
	}
	ids, err := db.foundIn(ctx, "payouts", typed)
	if err != nil {
		return Counts[PayoutStatus]{}, err
	}
	return countFound[PayoutStatus](ctx, db, "payouts", "status", "id", ids)
}
