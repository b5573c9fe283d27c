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

// Referral carries a reward that was earned and not paid at once: it pays one
// whose friend is verified since, and has a person decide where signs say that
// friend and payee are the same. Most rewards are paid with their order, and
// never come here.
func Referral(ctx workflow.Context, in CaseInput) error {
	r := &reward{id: in.ID}
	var err error
	if r.decisionHandler, err = openDecisionHandler(ctx, r.awaits, referral.RewardApprove, referral.RewardRefuse); err != nil {
		return err
	}
	if err := r.row(ctx, "Read the reward", referrals.LoadReward, r.id); err != nil {
		return err
	}
	for r.open() {
		if err := r.step(ctx); err != nil {
			return err
		}
		if r.open() && r.decisionHandler.tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, ReferralType, in)
		}
	}
	if r.decisionHandler.taken != nil {
		if err := r.refuse(ctx, NotAwaited); err != nil {
			return err
		}
	}
	return r.decisionHandler.close(ctx)
}

// reward is one run: what it knows of the row, and what it was told.
type reward struct {
	id              string
	at              referral.RewardState
	loaded          bool
	decisionHandler *decisionHandler
}

// open reports whether the reward is still to be paid, or decided about.
func (r *reward) open() bool { return r.at.Payable || r.at.Status == referral.RewardHeld }

// awaits reports whether a person may decide, as far as the workflow knows.
func (r *reward) awaits(string) bool { return !r.loaded || r.at.Status == referral.RewardHeld }

// step pays what may be paid; else it waits for a person, or for news: the order
// that earned the reward may have been refunded.
func (r *reward) step(ctx workflow.Context) error {
	if r.at.Payable {
		return r.row(ctx, "Pay what was earned", referrals.PayReward, r.id)
	}
	if err := workflow.Await(ctx, r.decisionHandler.busy); err != nil {
		return err
	}
	if r.decisionHandler.taken == nil {
		r.decisionHandler.woken = false
		return r.row(ctx, "Look again", referrals.LoadReward, r.id)
	}
	return r.decide(ctx)
}

// decide carries out what a person decided, and answers.
func (r *reward) decide(ctx workflow.Context) error {
	summary, step := "Approve: credit the reward", any(referrals.ApproveReward)
	if r.decisionHandler.taken.kind == referral.RewardRefuse {
		summary, step = "Refuse: end the reward", referrals.RefuseReward
	}
	err := r.row(ctx, summary, step, activities.RewardDecided{RewardID: r.id, DecisionID: r.decisionHandler.taken.id})
	if err == nil {
		r.decisionHandler.answer(string(r.at.Status), Done)
		return nil
	}
	if f := failureOf(err); f.final() {
		return r.refuse(ctx, f.code)
	}
	return err
}

// refuse settles a decision that could not be carried out, and says why.
func (r *reward) refuse(ctx workflow.Context, code string) error {
	err := r.row(ctx, "Note that the decision could not be carried out", referrals.RefuseRewardDecision,
		activities.RewardDecided{RewardID: r.id, DecisionID: r.decisionHandler.taken.id, Code: code})
	r.decisionHandler.answer(string(r.at.Status), code)
	return err
}

// row runs a step that only touches the reward's row, and shows operators where
// that stands.
func (r *reward) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at referral.RewardState
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	r.at, r.loaded = at, true
	workflow.SetCurrentDetails(ctx, at.Summary+"\n\n"+map[referral.RewardStatus]string{
		referral.RewardRegistered: "promised",
		referral.RewardActive:     "promised; the friend's identity is verified",
		referral.RewardHeld:       "earned; waiting for a person to approve or refuse",
		referral.RewardRewarded:   "ended: paid",
		referral.RewardRefused:    "ended: not paid",
		referral.RewardClawedBack: "ended: paid, and taken back",
	}[at.Status])
	return nil
}
