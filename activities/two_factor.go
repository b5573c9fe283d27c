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

// CaseDecided names a case and the decision that a step executes. Code is why that failed.
type CaseDecided struct {
	ID         string `json:"id"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// LoadRecovery reads a recovery's state and records that its workflow runs.
func (a *TwoFactor) LoadRecovery(ctx context.Context, id string) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, id, casework.CaseStarted(ctx, a.DB, account.KindTwoFactor, id))
}

// DecideRecovery executes a decision of staff.
func (a *TwoFactor) DecideRecovery(ctx context.Context, in CaseDecided) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, in.ID, account.DecideRecovery(ctx, a.DB, in.ID, in.DecisionID))
}

// RefuseRecoveryDecision refuses a decision that could not be executed.
func (a *TwoFactor) RefuseRecoveryDecision(ctx context.Context, in CaseDecided) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, in.ID, casework.CaseDecisions.Resolve(ctx, a.DB, in.DecisionID, in.Code))
}

// LateRecovery notifies that the delay is over, and ends a case that was not approved in
// time.
func (a *TwoFactor) LateRecovery(ctx context.Context, id string) (account.RecoveryState, error) {
	return afterRecovery(ctx, a.DB, id, account.LateRecovery(ctx, a.DB, id))
}
