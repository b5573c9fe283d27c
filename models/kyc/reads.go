package kyc

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// KYCCase is a customer's verification with its customer and its open decision.
type KYCCase struct {
	KYCRecord    `gorm:"embedded"`
	people.Whose `gorm:"embedded"`
	WaitingProposal
	Standing Standing
	Country  string
	// WaitingSince is when it last began to wait for a review, or was held.
	WaitingSince *time.Time
}

// WaitingProposal is the approval that waits for a second person; ProposalID is nil if there is none.
type WaitingProposal struct {
	ProposalID      *string
	ProposalLevel   string
	ProposalVersion int
	ProposalReason  string
	ProposalBy      string
	ProposalMaker   string // the e-mail address of who proposed it
	ProposalAt      time.Time
}

const waitingProposal = `LEFT JOIN kyc_proposals p ON p.user_id = kyc_records.user_id AND p.status = 'open' LEFT JOIN users m ON m.id = p.proposed_by`

const kycCase = `kyc_records.*, p.id AS proposal_id, coalesce(p.level, '') AS proposal_level, coalesce(p.version, 0) AS proposal_version,
	coalesce(p.reason, '') AS proposal_reason, coalesce(p.proposed_by::text, '') AS proposal_by, coalesce(m.email, '') AS proposal_maker,
	coalesce(p.created_at, kyc_records.created_at) AS proposal_at, u.email, u.first_name, u.last_name, u.country, d.id AS decision_id, d.kind AS decision_kind, d.created_at AS decision_at,
	(SELECT max(e.at) FROM matter_events e WHERE e.matter_id = kyc_records.user_id AND e.matter = 'kyc' AND e.kind IN ('submitted', 'on_hold', 'held')) AS waiting_since`

// KYCFilter narrows the queue. Empty fields do not narrow.
type KYCFilter struct {
	Standing Standing
	Query    string // name, address or id of the customer
}

// Waits reports whether cases in this state are a queue: the oldest first.
func (s Standing) Waits() bool { return s == "on_hold" || s == "pending" }

// KYCCases is one page of the queue, newest first unless the page says
// otherwise.
func KYCCases(ctx context.Context, db *store.DB, f KYCFilter, p store.Page) ([]KYCCase, *store.Cursor, error) {
	query := db.CustomPlans(ctx).Table("kyc_records").Select(kycCase).Joins("JOIN users u ON u.id = kyc_records.user_id").
		Joins("LEFT JOIN matter_decisions d ON d.matter_id = kyc_records.user_id AND d.matter = 'kyc' AND d.settled_at IS NULL").Joins(waitingProposal)
	if f.Standing != "" {
		query = query.Where("kyc_records.standing = ?", f.Standing)
	}
	if f.Query != "" {
		customers, err := people.CustomersNamed(ctx, db, f.Query)
		if err != nil {
			return nil, nil, err
		}
		query = query.Where("kyc_records.user_id = ANY(CAST(? AS uuid[]))", customers)
	}
	var rows []KYCCase
	if err := p.In(query, "kyc_records").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read verifications: %w", err)
	}
	rows, next := store.Cut(rows, p, func(c KYCCase) store.Cursor { return store.Cursor{At: c.CreatedAt, ID: c.UserID} })
	return rows, next, nil
}

// ReadKYCCase reads one customer's case; there is none before they begin.
func ReadKYCCase(ctx context.Context, db *store.DB, userID string) (*KYCCase, error) {
	if !store.IsID(userID) {
		return nil, store.NotFound("Verification")
	}
	var row KYCCase
	err := db.ORM(ctx).Table("kyc_records").Select(kycCase).Joins("JOIN users u ON u.id = kyc_records.user_id").
		Joins("LEFT JOIN matter_decisions d ON d.matter_id = kyc_records.user_id AND d.matter = 'kyc' AND d.settled_at IS NULL").
		Joins(waitingProposal).Where("kyc_records.user_id = ?", userID).Take(&row).Error
	if store.IsMissing(err) {
		return nil, store.NotFound("Verification")
	}
	if err != nil {
		return nil, fmt.Errorf("read verification: %w", err)
	}
	return &row, nil
}

// CountKYC counts the cases, or those that a search finds, by their state.
func CountKYC(ctx context.Context, db *store.DB, typed string) (store.Counts[Standing], error) {
	if typed == "" {
		return store.CountByStatus[Standing](ctx, db, "kyc", "")
	}
	customers, err := people.CustomersNamed(ctx, db, typed)
	if err != nil {
		return store.Counts[Standing]{}, err
	}
	return store.CountFound[Standing](ctx, db, "kyc_records", "standing", "user_id", customers)
}
