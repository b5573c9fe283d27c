package kyc

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
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

// Why a level is in force no more.
const (
	KYCEndedRefused     = "refused"     // the provider withdrew its approval
	KYCEndedReset       = "reset"       // it starts from the beginning
	KYCEndedDeleted     = "deleted"     // the provider has deleted the customer
	KYCEndedDeactivated = "deactivated" // it treats them as if they did not exist
	KYCEndedStaff       = "staff"
	KYCEndedExpired     = "expired"
)

// KYCRecord is a customer's identity verification. The level counts while it is
// not revoked; status, reason and labels are the current attempt's.
type KYCRecord struct {
	UserID    string `gorm:"primaryKey"`
	Level     string
	RevokedAt *time.Time
	EndedBy   string // why it was revoked

	Status        string
	CanRetry      bool
	OnHold        bool           // a person at the provider reviews it
	Reason        string         // may be shown to the customer
	Labels        pq.StringArray `gorm:"type:text[]"`
	ReviewLevel   string         // what the attempt is worth when it is approved
	WantedLevel   string         // what the customer applies for
	ProviderState string         // the provider's own value
	ApplicantID   string
	Attempt       string

	ProviderAt    *time.Time // when the provider decided
	AskedAt       *time.Time // when the stored state was requested
	MissingSince  *time.Time
	PolledAt      *time.Time
	HeldAt        *time.Time // staff: nothing is granted for now
	DecidedAt     *time.Time // staff's verdict is in force
	ExpiresAt     *time.Time
	RemindedAt    *time.Time
	RenewingSince *time.Time
	ResetWantedAt *time.Time
	WakeAt        *time.Time

	// FinalAt is when the provider or staff rejected the identity finally; an approval ends it. While it is set, two
	// people approve.
	FinalAt     *time.Time
	FinalBy     casework.Actor // who rejected it: the provider or staff
	FinalLabels pq.StringArray `gorm:"type:text[]"` // the provider's, of that rejection
	// Version counts the changes of what staff decide upon.
	Version int `gorm:"default:1"`

	CreatedAt time.Time `gorm:"default:clock_now()"`
	UpdatedAt time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
}

// Verified reports whether a level is in force, also while a higher one is
// being reviewed (rules §1).
func (r *KYCRecord) Verified() bool { return r.Level != KYCNone && r.RevokedAt == nil }

// UserStatuses are the verification's states as GET /api/auth/user gives them.
var UserStatuses = []string{KYCNotStarted, KYCPending, userVerified, KYCRejected}

const userVerified = "verified"

// UserStatus is the verification's state as GET /api/auth/user gives it.
func (r *KYCRecord) UserStatus() string {
	switch {
	case r.Verified():
		return userVerified
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

// Preparing reports whether a reset has yet to be requested from the provider, so that there is nothing to show the
// customer.
func (r *KYCRecord) Preparing() bool { return r.ResetWantedAt != nil }

// Applying reports whether a verified customer has more to do: for a higher
// level, or to show documents again before the old ones run out.
func (r *KYCRecord) Applying() bool {
	return r.Verified() && (kycRank[r.WantedLevel] > kycRank[r.Level] || r.RenewingSince != nil)
}

// AttemptStatus is the state of a verified customer's attempt for the higher level.
func (r *KYCRecord) AttemptStatus() string {
	if r.Preparing() || r.Status == KYCApproved || r.RenewingSince == nil && r.ReviewLevel != r.WantedLevel {
		return KYCNotStarted
	}
	return r.Status
}

// Standing is a case's state in the queue, as the database has it.
type Standing string

// Standings lists them, in the queue's order.
var Standings = []Standing{"on_hold", "pending", "retry", "rejected", "approved", "not_started"}

// kycRank orders the levels.
var kycRank = map[string]int{KYCNone: 0, KYCStandard: 1, KYCEnhanced: 2}

// KYC reads a customer's verification; one that never began is not_started.
func KYC(ctx context.Context, db *store.DB, userID string) (*KYCRecord, error) {
	record := KYCRecord{UserID: userID, Level: KYCNone, Status: KYCNotStarted, CanRetry: true, WantedLevel: KYCStandard, ReviewLevel: KYCStandard}
	if err := db.ORM(ctx).Where("user_id = ?", userID).Take(&record).Error; err != nil && !store.IsMissing(err) {
		return nil, fmt.Errorf("read KYC record: %w", err)
	}
	return &record, nil
}

// KindKYC is a customer's identity verification; its id is the customer's.
const KindKYC casework.Kind = "kyc"

// KycReviewers are those who decide about identities (rules §7).
var KycReviewers = []string{"compliance", "admin"}

// What a verification's timeline can hold, and the mails it causes.
var _ = casework.ListCases(&casework.CaseRules{
	Matter: KindKYC, Label: "identity verification", Page: "/kyc", StaffPage: "/admin/kyc/{id}",
	Events: []string{"started", "submitted", "on_hold", "more_wanted", "rejected", "approved", "level_changed", "reset", "deleted", "revoked",
		"enhanced_wanted", "renewal_started", "expiring", "expired", "held", "released", "asked_again", "noted", "proposed", "proposal_decided"},
	Mailings: []casework.Mailing{
		{Event: "approved", Kind: "kyc_approved"},
		{Event: "rejected", Kind: "kyc_rejected"},
		{Event: "more_wanted", Kind: "kyc_more_wanted"},
		{Event: "asked_again", Kind: "kyc_more_wanted"},
		{Event: "revoked", Kind: "kyc_revoked"},
		{Event: "expiring", Kind: "kyc_expiring"},
		{Event: "expired", Kind: "kyc_expired"},
		{Event: "on_hold", Kind: "kyc_on_hold", Roles: KycReviewers},
	},
})

func (r *KYCRecord) about() casework.About {
	return casework.About{Matter: KindKYC, ID: r.UserID, UserID: r.UserID, Reference: "Identity verification", Status: r.Status}
}

// kycChange is one transaction on one customer's verification.
type kycChange struct {
	*KYCRecord
	now    time.Time
	ctx    context.Context
	tx     *store.DB
	before KYCRecord
}

// changeKYC locks a customer's record, making it when there is none, and runs fn
// on it; what fn did commits together with the row.
func changeKYC(ctx context.Context, db *store.DB, userID string, fn func(c *kycChange) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		if err := startKYC(ctx, tx, userID); err != nil {
			return err
		}
		record, now, err := store.OneLocked[KYCRecord](ctx, tx, store.Locked("kyc_records", "user_id = $1"), userID)
		if err != nil {
			return fmt.Errorf("lock KYC record: %w", err)
		}
		c := &kycChange{KYCRecord: record, now: now, ctx: ctx, tx: tx, before: *record}
		if err := fn(c); err != nil {
			return err
		}
		if err := c.outdateProposal(); err != nil {
			return err
		}
		c.UpdatedAt, c.Labels, c.FinalLabels = c.now, append(pq.StringArray{}, c.Labels...), append(pq.StringArray{}, c.FinalLabels...)
		if err := tx.ORM(ctx).Save(c.KYCRecord).Error; err != nil {
			return fmt.Errorf("store KYC record: %w", err)
		}
		return nil
	})
}

// record appends to the timeline, with the status the record has now.
func (c *kycChange) record(e casework.Event) error { return casework.Append(c.ctx, c.tx, c.about(), e) }

// MayShowDocuments reads a customer's record for a request to show documents; an unverified address refuses it.
func MayShowDocuments(ctx context.Context, db *store.DB, userID string) (*KYCRecord, error) {
	var proven bool
	if err := db.ORM(ctx).Raw("SELECT email_verified FROM users WHERE id = ?", userID).Scan(&proven).Error; err != nil {
		return nil, fmt.Errorf("read the address: %w", err)
	}
	if !proven {
		return nil, errUnproven
	}
	return KYC(ctx, db, userID)
}

// StartKYC makes the record of a customer who opens the widget for the first
// time.
func StartKYC(ctx context.Context, db *store.DB, userID string) error {
	return db.Tx(ctx, func(tx *store.DB) error { return startKYC(ctx, tx, userID) })
}

func startKYC(ctx context.Context, db *store.DB, userID string) error {
	result := db.ORM(ctx).Exec(`INSERT INTO kyc_records (user_id) VALUES (?) ON CONFLICT DO NOTHING`, userID)
	if result.Error != nil {
		return fmt.Errorf("start KYC: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil
	}
	record := KYCRecord{UserID: userID, Status: KYCNotStarted}
	return casework.Append(ctx, db, record.about(), casework.Event{Kind: "started", Actor: casework.ByCustomer})
}
