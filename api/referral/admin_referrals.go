package referral

import (
	"context"
	"strings"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
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
	rest.Paging
	RewardFilter
}

// ListAdminReferrals is newest first; those that are held are a queue, and its head
// has waited longest.
func (h *Handlers) ListAdminReferrals(ctx context.Context, in *listRewardsInput) (*rest.Page[AdminReward], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	status := referral.RewardStatus(rest.UnlessAll(in.Status))
	wanted.OldestFirst = status == referral.RewardHeld
	rows, next, err := referral.EarnedRewards(ctx, h.DB, status, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := referral.CountEarned(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(r *referral.StaffReward) AdminReward { return h.adminReward(r, who) }
	return &rest.Page[AdminReward]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: matchingRewards(counts, status), Body: rest.Mapped(rows, view)}, nil
}

func matchingRewards(counts store.Counts[referral.RewardStatus], status referral.RewardStatus) int {
	if status == "" {
		return counts.Total
	}
	return counts.ByStatus[status]
}

// GetReferralsSummary answers GET /api/admin/referrals/summary.
func (h *Handlers) GetReferralsSummary(ctx context.Context, in *RewardFilter) (*rest.Body[RewardsSummary], error) {
	counts, err := referral.CountEarned(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	out := RewardsSummary{Total: counts.Total, ByStatus: map[string]int{}, MatchingFilters: matchingRewards(counts, referral.RewardStatus(rest.UnlessAll(in.Status))),
		Paid: money.USD.Format(counts.Sums[referral.RewardRewarded])}
	for _, status := range referral.RewardStatuses {
		out.ByStatus[string(status)] = counts.ByStatus[status]
	}
	return &rest.Body[RewardsSummary]{Body: out}, nil
}

func (h *Handlers) adminReward(r *referral.StaffReward, who *account.Principal) AdminReward {
	view := AdminReward{ID: r.ID, Reference: r.Reference, Kind: r.Kind, Status: string(r.Status), Amount: money.USD.Format(r.Amount), PayeeID: r.UserID, PayeeEmail: r.PayeeEmail,
		FriendID: r.FriendID, FriendEmail: r.FriendEmail, OrderID: *r.OrderID, OrderReference: r.OrderReference, Signals: append([]string{}, r.Signals...), Actions: []string{},
		Deciding: r.Deciding, DecidedBy: r.DecidedBy, Reason: r.Reason, CreatedAt: r.CreatedAt, RewardedAt: r.RewardedAt}
	if r.Status == referral.RewardHeld && !r.Deciding && who.UserID != r.UserID && who.UserID != r.FriendID && h.Policy.Allows(rest.RolesOf(who), policy.ReviewCustomers) {
		view.Actions = []string{"approve", "refuse"}
	}
	if r.WorkflowStartedAt != nil {
		view.WorkflowURL = h.WorkflowURL(workflows.CaseID(referral.Referral, r.ID))
	}
	return view
}

type rewardDecisionInput struct {
	rest.ObjectID
	Body RewardDecision
}

// ApproveReward answers POST /api/admin/referrals/{id}/approve.
func (h *Handlers) ApproveReward(ctx context.Context, in *rewardDecisionInput) (*caseworkapi.Decided, error) {
	return h.decideReward(ctx, in, referral.RewardApprove, "The reward was credited.")
}

// RefuseReward answers POST /api/admin/referrals/{id}/refuse.
func (h *Handlers) RefuseReward(ctx context.Context, in *rewardDecisionInput) (*caseworkapi.Decided, error) {
	return h.decideReward(ctx, in, referral.RewardRefuse, "The reward was rejected.")
}

// rewardOutcomes are the messages for decisions about a reward that could not be executed.
var rewardOutcomes = map[string]string{
	workflows.NotAwaited: "The reward has changed. Refresh the page.",
	"decision_settled":   "This decision was already made.",
	"reward_state":       "The reward has changed. Refresh the page.",
}

func (h *Handlers) decideReward(ctx context.Context, in *rewardDecisionInput, kind, done string) (*caseworkapi.Decided, error) {
	if strings.TrimSpace(in.Body.Reason) == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	decision, err := referral.DecideReward(ctx, h.DB, in.ID, caseworkapi.Asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: in.Body.Reason}))
	if err != nil {
		return nil, err
	}
	return h.Execute(ctx, decision, rewardOutcomes, done)
}
