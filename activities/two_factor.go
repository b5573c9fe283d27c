package activities

import (
	"context"

	"github.com/tradepost/tradepost/models"
)

// TwoFactor are the steps of lifting a lost second factor off an account. They
// touch Postgres alone, hold no key, and never see a seed or a code.
type TwoFactor struct{ DB *models.DB }

// MatterDecided names a matter and the decision that a step carries out. Code is
// why it could not be.
type MatterDecided struct {
	ID         string `json:"id"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// LoadRecovery reads where a recovery stands and notes that its workflow runs.
func (a *TwoFactor) LoadRecovery(ctx context.Context, id string) (models.RecoveryState, error) {
	return a.then(ctx, id, a.DB.MatterStarted(ctx, models.MatterTwoFactor, id))
}

func (a *TwoFactor) then(ctx context.Context, id string, err error) (models.RecoveryState, error) {
	if err != nil {
		return models.RecoveryState{}, err
	}
	return a.DB.RecoveryState(ctx, id)
}

// DecideRecovery carries out what a person decided.
func (a *TwoFactor) DecideRecovery(ctx context.Context, in MatterDecided) (models.RecoveryState, error) {
	return a.then(ctx, in.ID, a.DB.DecideRecovery(ctx, in.ID, in.DecisionID))
}

// RefuseRecoveryDecision settles a decision that could not be carried out.
func (a *TwoFactor) RefuseRecoveryDecision(ctx context.Context, in MatterDecided) (models.RecoveryState, error) {
	return a.then(ctx, in.ID, a.DB.RefuseMatterDecision(ctx, in.DecisionID, in.Code))
}

// LateRecovery tells that the delay is over, and ends what nobody approved.
func (a *TwoFactor) LateRecovery(ctx context.Context, id string) (models.RecoveryState, error) {
	return a.then(ctx, id, a.DB.LateRecovery(ctx, id))
}
