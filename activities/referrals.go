package activities

import (
	"context"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
)

// Referrals are the steps of a reward that was earned and not paid at once.
// They touch Postgres alone.
type Referrals struct{ DB *store.DB }

// RewardDecided names a reward and the decision that a step executes. Code is why that
// failed.
type RewardDecided struct {
	RewardID   string `json:"rewardId"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// LoadReward reads the reward's state and records that its workflow runs.
func (a *Referrals) LoadReward(ctx context.Context, rewardID string) (referral.RewardState, error) {
	return afterReward(ctx, a.DB, rewardID, casework.CaseStarted(ctx, a.DB, referral.Referral, rewardID))
}

// PayReward pays an earned reward, unless it needs a review first.
func (a *Referrals) PayReward(ctx context.Context, rewardID string) (referral.RewardState, error) {
	return afterReward(ctx, a.DB, rewardID, referral.PayEarnedReward(ctx, a.DB, rewardID))
}

// ApproveReward pays a reward that was held.
func (a *Referrals) ApproveReward(ctx context.Context, in RewardDecided) (referral.RewardState, error) {
	return afterReward(ctx, a.DB, in.RewardID, referral.ApproveReward(ctx, a.DB, in.RewardID, in.DecisionID))
}

// RefuseReward ends a reward that was held.
func (a *Referrals) RefuseReward(ctx context.Context, in RewardDecided) (referral.RewardState, error) {
	return afterReward(ctx, a.DB, in.RewardID, referral.RefuseReward(ctx, a.DB, in.RewardID, in.DecisionID))
}

// RefuseRewardDecision refuses a decision that could not be executed.
func (a *Referrals) RefuseRewardDecision(ctx context.Context, in RewardDecided) (referral.RewardState, error) {
	return afterReward(ctx, a.DB, in.RewardID, casework.CaseDecisions.Resolve(ctx, a.DB, in.DecisionID, in.Code))
}
