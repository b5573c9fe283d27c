package models

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm/clause"
)

// Identity verification: the level in force and the current attempt's status.
const (
	KYCNone       = "none"
	KYCStandard   = "standard"
	KYCEnhanced   = "enhanced"
	KYCNotStarted = "not_started"
	KYCPending    = "pending"
	KYCApproved   = "approved"
	KYCRejected   = "rejected"
)

// KYCRecord is a customer's identity verification.
type KYCRecord struct {
	UserID      string `gorm:"primaryKey"`
	Level       string
	Status      string
	CanRetry    bool
	OnHold      bool
	Reason      string // may be shown to the customer
	ApplicantID string
	RevokedAt   *time.Time
	ProviderAt  *time.Time
	PolledAt    *time.Time
	CreatedAt   time.Time `gorm:"default:clock_now()"`
	UpdatedAt   time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
}

// Verified reports whether a level is in force, also while a higher one is
// being reviewed (DECISIONS §1).
func (r *KYCRecord) Verified() bool { return r.Level != KYCNone && r.RevokedAt == nil }

// UserStatus is the verification in the words of GET /api/auth/user.
func (r *KYCRecord) UserStatus() string {
	switch {
	case r.Verified():
		return "verified"
	case r.Status == KYCApproved: // approved once, withdrawn since
		return KYCRejected
	}
	return r.Status
}

// LevelInForce is the level that counts now.
func (r *KYCRecord) LevelInForce() string {
	if r.Verified() {
		return r.Level
	}
	return KYCNone
}

// KYC reads a customer's verification; one that never began is not_started.
func (db *DB) KYC(ctx context.Context, userID string) (*KYCRecord, error) {
	record := KYCRecord{UserID: userID, Level: KYCNone, Status: KYCNotStarted, CanRetry: true}
	if err := db.orm(ctx).Where("user_id = ?", userID).Take(&record).Error; err != nil && !isMissing(err) {
		return nil, fmt.Errorf("read KYC record: %w", err)
	}
	return &record, nil
}

// StartKYC makes the record of a customer who opens the widget for the first
// time.
func (db *DB) StartKYC(ctx context.Context, userID string) error {
	if err := db.orm(ctx).Exec(`INSERT INTO kyc_records (user_id) VALUES (?) ON CONFLICT DO NOTHING`, userID).Error; err != nil {
		return fmt.Errorf("start KYC: %w", err)
	}
	return nil
}

// KYCReview is what the provider says of a customer, read just now.
type KYCReview struct {
	ApplicantID string
	Level       string // standard or enhanced: what an approval is worth
	Status      string
	CanRetry    bool
	OnHold      bool
	Reason      string
	Country     string // ISO 3166-1 alpha-2, corrects the one from sign-up
	At          time.Time
}

// ApplyReview stores a review. One that is older than what is stored changes
// nothing; an approval puts the level in force; a rejection after it revokes
// it. changed reports whether the customer's standing changed.
func (db *DB) ApplyReview(ctx context.Context, userID string, review KYCReview, source string) (changed bool, err error) {
	err = db.Tx(ctx, func(tx *DB) error {
		if err := tx.StartKYC(ctx, userID); err != nil {
			return err
		}
		var record KYCRecord
		if err := tx.orm(ctx).Clauses(clause.Locking{Strength: "UPDATE"}).Where("user_id = ?", userID).Take(&record).Error; err != nil {
			return fmt.Errorf("lock KYC record: %w", err)
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		if record.ProviderAt != nil && review.At.Before(*record.ProviderAt) {
			return tx.orm(ctx).Model(&record).Update("polled_at", now).Error
		}
		changed = record.apply(review, now)
		if err := tx.orm(ctx).Save(&record).Error; err != nil {
			return fmt.Errorf("store KYC record: %w", err)
		}
		if !changed {
			return nil
		}
		return tx.noteReview(ctx, &record, review, source)
	})
	return changed, err
}

// apply brings the record up to a review.
func (r *KYCRecord) apply(review KYCReview, now time.Time) (changed bool) {
	before := *r
	r.Status, r.CanRetry, r.OnHold, r.Reason = review.Status, review.CanRetry, review.OnHold, review.Reason
	if review.ApplicantID != "" {
		r.ApplicantID = review.ApplicantID
	}
	switch {
	case review.Status == KYCApproved:
		r.Level, r.RevokedAt = review.Level, nil
	case review.Status == KYCRejected && r.Level != KYCNone && r.RevokedAt == nil:
		r.RevokedAt = &now
	}
	if !review.At.IsZero() {
		r.ProviderAt = &review.At
	}
	r.PolledAt, r.UpdatedAt = &now, now
	return before.Status != r.Status || before.Level != r.Level || (before.RevokedAt == nil) != (r.RevokedAt == nil)
}

func (db *DB) noteReview(ctx context.Context, record *KYCRecord, review KYCReview, source string) error {
	err := db.orm(ctx).Exec(`INSERT INTO kyc_events (user_id, level, status, source) VALUES (?, ?, ?, ?)`,
		record.UserID, record.LevelInForce(), record.Status, source).Error
	if err != nil {
		return fmt.Errorf("note KYC review: %w", err)
	}
	if review.Country == "" || review.Status != KYCApproved {
		return nil
	}
	if err := db.orm(ctx).Exec(`UPDATE users SET country = ?, updated_at = clock_now() WHERE id = ?`, review.Country, record.UserID).Error; err != nil {
		return fmt.Errorf("correct country: %w", err)
	}
	return nil
}
