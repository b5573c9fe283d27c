package api

import (
	"context"
	"strings"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// RewardFilter is what narrows the admin's rewards.
type RewardFilter struct {
	Status string `query:"status" enum:"all,active,held,rewarded,refused,clawed_back" default:"all"`
}

type listRewardsInput struct {
	Paging
	RewardFilter
}

// listAdminReferrals is newest first; those that are held are a queue, and its head
// has waited longest.
func (s *Server) listAdminReferrals(ctx context.Context, in *listRewardsInput) (*page[AdminReward], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	status := referral.RewardStatus(unlessAll(in.Status))
	wanted.OldestFirst = status == referral.RewardHeld
	rows, next, err := referral.EarnedRewards(ctx, s.DB, status, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := referral.CountEarned(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(r *referral.StaffReward) AdminReward { return s.adminReward(r, who) }
	return &page[AdminReward]{Link: linkTo(ctx, next, wanted.Limit), Total: matchingRewards(counts, status), Body: mapped(rows, view)}, nil
}

func matchingRewards(counts store.Counts[referral.RewardStatus], status referral.RewardStatus) int {
	if status == "" {
		return counts.Total
	}
	return counts.ByStatus[status]
}

func (s *Server) getReferralsSummary(ctx context.Context, in *RewardFilter) (*body[RewardsSummary], error) {
	counts, err := referral.CountEarned(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	out := RewardsSummary{Total: counts.Total, ByStatus: map[string]int{}, MatchingFilters: matchingRewards(counts, referral.RewardStatus(unlessAll(in.Status))),
		Paid: money.USD.Format(counts.Sums[referral.RewardRewarded])}
	for _, status := range referral.RewardStatuses {
		out.ByStatus[string(status)] = counts.ByStatus[status]
	}
	return &body[RewardsSummary]{out}, nil
}

func (s *Server) adminReward(r *referral.StaffReward, who *account.Principal) AdminReward {
	view := AdminReward{ID: r.ID, Reference: r.Reference, Kind: r.Kind, Status: string(r.Status), Amount: money.USD.Format(r.Amount), PayeeID: r.UserID, PayeeEmail: r.PayeeEmail,
		FriendID: r.FriendID, FriendEmail: r.FriendEmail, OrderID: *r.OrderID, OrderReference: r.OrderReference, Signals: append([]string{}, r.Signals...), Actions: []string{},
		Deciding: r.Deciding, DecidedBy: r.DecidedBy, Reason: r.Reason, CreatedAt: r.CreatedAt, RewardedAt: r.RewardedAt}
	if r.Status == referral.RewardHeld && !r.Deciding && who.UserID != r.UserID && who.UserID != r.FriendID && s.policy.allows(rolesOf(who), reviewCustomers) {
		view.Actions = []string{"approve", "refuse"}
	}
	if r.WorkflowStartedAt != nil {
		view.WorkflowURL = s.workflowURL(workflows.CaseID(referral.Referral, r.ID))
	}
	return view
}

type rewardDecisionInput struct {
	ObjectID
	Body RewardDecision
}

func (s *Server) approveReward(ctx context.Context, in *rewardDecisionInput) (*decided, error) {
	return s.decideReward(ctx, in, referral.RewardApprove, "The reward was credited.")
}

func (s *Server) refuseReward(ctx context.Context, in *rewardDecisionInput) (*decided, error) {
	return s.decideReward(ctx, in, referral.RewardRefuse, "The reward was rejected.")
}

// rewardOutcomes say why a decision about a reward could not be carried out.
var rewardOutcomes = map[string]string{
	workflows.NotAwaited: "The reward has changed. Refresh the page.",
	"decision_settled":   "This decision was already made.",
	"reward_state":       "The reward has changed. Refresh the page.",
}

func (s *Server) decideReward(ctx context.Context, in *rewardDecisionInput, kind, done string) (*decided, error) {
	if strings.TrimSpace(in.Body.Reason) == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	decision, err := referral.DecideReward(ctx, s.DB, in.ID, asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: in.Body.Reason}))
	if err != nil {
		return nil, err
	}
	return s.carryOut(ctx, decision, rewardOutcomes, done)
}
