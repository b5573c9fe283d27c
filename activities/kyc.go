package activities

import (
	"context"
	"errors"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// KYCTiming is how long an identity counts as known.
type KYCTiming struct {
	Valid  time.Duration `name:"kyc-valid" env:"KYC_VALID" default:"17520h" help:"How long an approved identity lasts, unless a document runs out before."`
	Notice time.Duration `name:"kyc-renewal-notice" env:"KYC_RENEWAL_NOTICE" default:"720h" help:"How long before that the customer is notified and can renew."`
}

// Wrong names what cannot be worked with, or is nil.
func (t *KYCTiming) Wrong() error {
	if t.Valid <= 0 || t.Notice <= 0 || t.Notice >= t.Valid {
		return errors.New("KYC_VALID and KYC_RENEWAL_NOTICE must be above zero, and the notice be the shorter")
	}
	return nil
}

// Terms are the timing as the rows keep it.
func (t *KYCTiming) Terms() kyc.KYCTerms { return kyc.KYCTerms{Valid: t.Valid, Notice: t.Notice} }

// KYC reads identity reviews and executes the decisions about them. It runs on the core
// queue, which holds the provider's key; nothing here moves money.
type KYC struct {
	DB       *store.DB
	Identity provider.Identity
	Timing   KYCTiming
	// EnhancedLevel is the provider's name of the level that counts as
	// enhanced; every other level counts as standard.
	EnhancedLevel string
}

// KYCState is the state of a customer's verification.
type KYCState struct {
	Status   string `json:"status"`
	CanRetry bool   `json:"canRetry"`
	// Verified: a level is in force, and a step is due for it after Wake.
	Verified bool          `json:"verified,omitempty"`
	Wake     time.Duration `json:"wake,omitempty"`
	// Missing: the provider has no record of the customer any more.
	Missing bool `json:"missing,omitempty"`
	// Reset: the provider is to restart the customer's review.
	Reset bool `json:"reset,omitempty"`
	// Awaits are the decisions that staff can make now.
	Awaits []string `json:"awaits,omitempty"`
}

// KYCDecided names a customer and the decision that a step executes. Code is why that
// failed.
type KYCDecided struct {
	UserID     string `json:"userId"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// Review reads the state of a customer's review from the provider and stores it. A webhook
// that arrived before the read is then handled.
func (k *KYC) Review(ctx context.Context, userID, _ string) (KYCState, error) {
	asked, err := k.DB.Now(ctx)
	if err != nil {
		return KYCState{}, err
	}
	review, err := k.Identity.Status(ctx, userID)
	switch {
	case errors.Is(err, provider.ErrNotFound): // nothing entered yet, or deleted
		err = k.miss(ctx, userID, asked)
	case err == nil:
		err = kyc.ApplyReview(ctx, k.DB, userID, k.read(review, asked), k.Timing.Terms())
	}
	if err != nil {
		return KYCState{}, err
	}
	return afterReview(ctx, k.DB, userID, webhook.MarkSubjectHandled(ctx, k.DB, "sumsub", userID, asked))
}

func (k *KYC) miss(ctx context.Context, userID string, asked time.Time) error {
	if err := kyc.StartKYC(ctx, k.DB, userID); err != nil {
		return err
	}
	return kyc.MissReview(ctx, k.DB, userID, asked)
}

func readKYCState(ctx context.Context, db *store.DB, userID string) (KYCState, error) {
	now, err := db.Now(ctx)
	if err != nil {
		return KYCState{}, err
	}
	record, err := kyc.KYC(ctx, db, userID)
	if err != nil {
		return KYCState{}, err
	}
	state := KYCState{Status: record.Status, CanRetry: record.CanRetry, Verified: record.Verified(), Missing: record.MissingSince != nil,
		Reset: record.Preparing(), Awaits: record.Awaits()}
	if record.WakeAt != nil {
		state.Wake = max(record.WakeAt.Sub(now), time.Second)
	}
	return state, nil
}

func (k *KYC) read(r provider.Review, asked time.Time) kyc.KYCReview {
	level := kyc.KYCStandard
	if k.EnhancedLevel != "" && r.Level == k.EnhancedLevel {
		level = kyc.KYCEnhanced
	}
	at := r.At
	if at.IsZero() && r.Status == provider.ReviewApproved {
		at = asked
	}
	return kyc.KYCReview{ApplicantID: r.ApplicantID, Attempt: r.Attempt, Level: level, Status: string(r.Status), State: r.State, CanRetry: r.CanRetry,
		OnHold: r.OnHold, Deactivated: r.Deactivated, Reason: r.Reason, Labels: r.Labels, Country: r.Country, CountryUnread: r.CountryUnread, At: at, DocumentsUntil: r.DocumentsUntil, AskedAt: asked}
}

// DueKYC notifies a customer whose documents are about to expire, or ends the level they
// gave.
func (k *KYC) DueKYC(ctx context.Context, userID string) (KYCState, error) {
	return afterReview(ctx, k.DB, userID, kyc.DueKYC(ctx, k.DB, userID, k.Timing.Terms()))
}

// DecideKYC executes a decision of staff.
func (k *KYC) DecideKYC(ctx context.Context, in KYCDecided) (KYCState, error) {
	return afterReview(ctx, k.DB, in.UserID, kyc.DecideKYC(ctx, k.DB, in.UserID, in.DecisionID, k.Timing.Terms()))
}

// RefuseKYCDecision refuses a decision that could not be executed.
func (k *KYC) RefuseKYCDecision(ctx context.Context, in KYCDecided) (KYCState, error) {
	return afterReview(ctx, k.DB, in.UserID, casework.CaseDecisions.Resolve(ctx, k.DB, in.DecisionID, in.Code))
}

// ResetKYC restarts a customer's review at the provider, when that was requested. A
// customer who has restarted meanwhile is left alone, and one whose documents are being
// checked is waited for: the provider resets none then.
func (k *KYC) ResetKYC(ctx context.Context, userID string) (KYCState, error) {
	record, err := kyc.KYC(ctx, k.DB, userID)
	if err != nil || !record.Preparing() {
		return afterReview(ctx, k.DB, userID, err)
	}
	review, err := k.Identity.Status(ctx, userID)
	switch {
	case errors.Is(err, provider.ErrNotFound):
		return afterReview(ctx, k.DB, userID, kyc.KYCReset(ctx, k.DB, userID))
	case err != nil:
		return KYCState{}, err
	case review.Status == provider.ReviewNotStarted, record.Attempt != "" && review.Attempt != record.Attempt:
		return afterReview(ctx, k.DB, userID, kyc.KYCReset(ctx, k.DB, userID))
	case kyc.BeingChecked(review.State):
		return afterReview(ctx, k.DB, userID, nil)
	}
	if err := k.Identity.Reset(ctx, review.ApplicantID); err != nil {
		return KYCState{}, err
	}
	return afterReview(ctx, k.DB, userID, kyc.KYCReset(ctx, k.DB, userID))
}
