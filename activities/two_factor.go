package activities

import (
	"context"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// TwoFactor are the steps of lifting a lost second factor off an account. They
// touch Postgres alone, hold no key, and never see a seed or a code.
type TwoFactor struct{ DB *store.DB }

// CaseDecided names a case and the decision that a step carries out. Code is
// why it could not be.
type CaseDecided struct {
	ID         string `json:"id"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// LoadRecovery reads where a recovery stands and notes that its workflow runs.
func (a *TwoFactor) LoadRecovery(ctx context.Context, id string) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, id, casework.CaseStarted(ctx, a.DB, account.KindTwoFactor, id))
}

// DecideRecovery carries out what a person decided.
func (a *TwoFactor) DecideRecovery(ctx context.Context, in CaseDecided) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, in.ID, account.DecideRecovery(ctx, a.DB, in.ID, in.DecisionID))
}

// RefuseRecoveryDecision settles a decision that could not be carried out.
func (a *TwoFactor) RefuseRecoveryDecision(ctx context.Context, in CaseDecided) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, in.ID, casework.CaseDecisions.Resolve(ctx, a.DB, in.DecisionID, in.Code))
}

// LateRecovery tells that the delay is over, and ends what nobody approved.
func (a *TwoFactor) LateRecovery(ctx context.Context, id string) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, id, account.LateRecovery(ctx, a.DB, id))
}
