package models

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// KYCCase is a customer's verification with whose it is and what is decided
// about it now.
type KYCCase struct {
	KYCRecord    `gorm:"embedded"`
	Standing     Standing
	Email        string
	FirstName    string
	LastName     string
	Country      string
	DecisionID   *string
	DecisionKind *string
	DecisionAt   *time.Time
}

const kycCase = `kyc_records.*, u.email, u.first_name, u.last_name, u.country, d.id AS decision_id, d.kind AS decision_kind, d.created_at AS decision_at`

// KYCCases is one page of the queue, newest first; an empty standing is all.
func (db *DB) KYCCases(ctx context.Context, standing Standing, p Page) ([]KYCCase, *Cursor, error) {
	query := db.customPlans(ctx).Table("kyc_records").Select(kycCase).Joins("JOIN users u ON u.id = kyc_records.user_id").
		Joins("LEFT JOIN matter_decisions d ON d.matter_id = kyc_records.user_id AND d.matter = 'kyc' AND d.settled_at IS NULL")
	if standing != "" {
		query = query.Where("kyc_records.standing = ?", standing)
	}
	var rows []KYCCase
	if err := p.in(query, "kyc_records").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read verifications: %w", err)
	}
	rows, next := cut(rows, p, func(c KYCCase) Cursor { return Cursor{At: c.CreatedAt, ID: c.UserID} })
	return rows, next, nil
}

// KYCCase reads one customer's case; there is none before they begin.
func (db *DB) KYCCase(ctx context.Context, userID string) (*KYCCase, error) {
	if uuid.Validate(userID) != nil {
		return nil, NotFound("Verification")
	}
	var row KYCCase
	err := db.orm(ctx).Table("kyc_records").Select(kycCase).Joins("JOIN users u ON u.id = kyc_records.user_id").
		Joins("LEFT JOIN matter_decisions d ON d.matter_id = kyc_records.user_id AND d.matter = 'kyc' AND d.settled_at IS NULL").
		Where("kyc_records.user_id = ?", userID).Take(&row).Error
	if isMissing(err) {
		return nil, NotFound("Verification")
	}
	if err != nil {
		return nil, fmt.Errorf("read verification: %w", err)
	}
	return &row, nil
}

// CountKYC counts the cases by where they stand, without reading them.
func (db *DB) CountKYC(ctx context.Context) (byStanding map[Standing]int, total int, err error) {
	facets, err := db.tally(ctx, "kyc", "")
	if err != nil {
		return nil, 0, err
	}
	byStanding = map[Standing]int{}
	for _, f := range facets {
		byStanding[Standing(f.Facet)] = f.N
		total += f.N
	}
	return byStanding, total, nil
}
