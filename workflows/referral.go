package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/referral"
)

// ReferralType is the workflow type of a reward.
const ReferralType = "Referral"

// referrals names the activities; it is never called here.
var referrals *activities.Referrals

var rewardFlow = caseFlow[referral.RewardState]{
	kind: ReferralType, signal: CaseChanged, kinds: []string{referral.RewardApprove, referral.RewardRefuse},
	view: func(at referral.RewardState) caseView {
		open := at.Payable || at.Status == referral.RewardHeld
		return caseView{status: string(at.Status), details: at.Summary + "\n\n" + rewardDetails[at.Status], closed: !open}
	},
	awaits: func(at referral.RewardState, _ string) bool { return at.Status == referral.RewardHeld },
	decided: func(id, decisionID, code string) any {
		return activities.RewardDecided{RewardID: id, DecisionID: decisionID, Code: code}
	},
	load: caseStep{"Read the reward", referrals.LoadReward},
	due:  caseStep{"Look again", referrals.LoadReward}, // the order that earned it may have been refunded

	refuse: referrals.RefuseRewardDecision,
	decisions: map[string]caseStep{
		referral.RewardApprove: {"Approve: credit the reward", referrals.ApproveReward},
		referral.RewardRefuse:  {"Refuse: end the reward", referrals.RefuseReward},
	},
}

var rewardDetails = map[referral.RewardStatus]string{
	referral.RewardRegistered: "promised",
	referral.RewardActive:     "promised; the friend's identity is verified",
	referral.RewardHeld:       "earned; waiting for a person to approve or refuse",
	referral.RewardRewarded:   "ended: paid",
	referral.RewardRefused:    "ended: not paid",
	referral.RewardClawedBack: "ended: paid, and taken back",
}

// Referral executes a reward that was not paid at once, to its end: it pays one whose
// friend has been verified since, and leaves to staff one whose signals suggest that friend
// and payee are the same person. Most rewards are paid with their order, and have no
// workflow.
func Referral(ctx workflow.Context, in CaseInput) error {
	r, err := openCase(ctx, &rewardFlow, in.ID)
	if err != nil {
		return err
	}
	return r.run(ctx, in, r.load, func(ctx workflow.Context) error {
		if r.at.Payable {
			return r.row(ctx, "Pay what was earned", referrals.PayReward, r.id)
		}
		return r.wait(ctx)
	})
}
