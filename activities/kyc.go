package activities

import (
	"context"
	"errors"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models"
)

// KYC reads identity reviews. It runs on the core queue, which holds the
// provider's key for polls; nothing here moves money.
type KYC struct {
	DB       *models.DB
	Identity provider.Identity
	// EnhancedLevel is the provider's name of the level that counts as
	// enhanced; every other level counts as standard.
	EnhancedLevel string
}

// KYCState is where a customer's verification stands after a review was read.
type KYCState struct {
	Status   string `json:"status"`
	CanRetry bool   `json:"canRetry"`
}

// Review asks the provider where a customer's review stands and stores the
// answer. A notice that arrived before the provider was read is then handled.
func (k *KYC) Review(ctx context.Context, userID, source string) (KYCState, error) {
	asked, err := k.DB.Now(ctx)
	if err != nil {
		return KYCState{}, err
	}
	review, err := k.Identity.Status(ctx, userID)
	switch {
	case errors.Is(err, provider.ErrNotFound): // the widget was opened and nothing entered yet
		err = k.DB.StartKYC(ctx, userID)
	case err == nil:
		_, err = k.DB.ApplyReview(ctx, userID, k.read(review), source)
	}
	if err != nil {
		return KYCState{}, err
	}
	if err := k.DB.MarkSubjectHandled(ctx, "sumsub", userID, asked); err != nil {
		return KYCState{}, err
	}
	record, err := k.DB.KYC(ctx, userID)
	if err != nil {
		return KYCState{}, err
	}
	return KYCState{Status: record.Status, CanRetry: record.CanRetry}, nil
}

func (k *KYC) read(r provider.Review) models.KYCReview {
	level := models.KYCStandard
	if k.EnhancedLevel != "" && r.Level == k.EnhancedLevel {
		level = models.KYCEnhanced
	}
	return models.KYCReview{ApplicantID: r.ApplicantID, Level: level, Status: string(r.Status), CanRetry: r.CanRetry,
		OnHold: r.OnHold, Reason: r.Reason, Country: r.Country, At: r.At}
}
