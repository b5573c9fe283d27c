package activities

import (
	"context"

	"github.com/tradepost/tradepost/models"
)

// Referrals are the steps of a reward that was earned and not paid at once.
// They touch Postgres alone.
type Referrals struct{ DB *models.DB }

// RewardDecided names a reward and the decision that a step carries out. Code is
// why it could not be.
type RewardDecided struct {
	RewardID   string `json:"rewardId"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// LoadReward reads where the reward stands and notes that its workflow runs.
func (a *Referrals) LoadReward(ctx context.Context, rewardID string) (models.RewardState, error) {
	return a.then(ctx, rewardID, a.DB.MatterStarted(ctx, models.Referral, rewardID))
}

func (a *Referrals) then(ctx context.Context, rewardID string, err error) (models.RewardState, error) {
	if err != nil {
		return models.RewardState{}, err
	}
	return a.DB.RewardState(ctx, rewardID)
}

// PayReward pays what was earned, unless a person is to look at it first.
func (a *Referrals) PayReward(ctx context.Context, rewardID string) (models.RewardState, error) {
	return a.then(ctx, rewardID, a.DB.PayEarnedReward(ctx, rewardID))
}

// ApproveReward pays a reward that was held.
func (a *Referrals) ApproveReward(ctx context.Context, in RewardDecided) (models.RewardState, error) {
	return a.then(ctx, in.RewardID, a.DB.ApproveReward(ctx, in.RewardID, in.DecisionID))
}

// RefuseReward ends a reward that was held.
func (a *Referrals) RefuseReward(ctx context.Context, in RewardDecided) (models.RewardState, error) {
	return a.then(ctx, in.RewardID, a.DB.RefuseReward(ctx, in.RewardID, in.DecisionID))
}

// RefuseRewardDecision settles a decision that could not be carried out.
func (a *Referrals) RefuseRewardDecision(ctx context.Context, in RewardDecided) (models.RewardState, error) {
	return a.then(ctx, in.RewardID, a.DB.RefuseMatterDecision(ctx, in.DecisionID, in.Code))
}
