package kyc

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// KYCFilter is what narrows the queue of verifications.
type KYCFilter struct {
	Standing string `query:"standing" enum:"all,on_hold,pending,retry,rejected,approved,not_started" default:"all"`
	Query    string `query:"q" maxLength:"100" doc:"name, e-mail or id of the customer"`
}

func (f KYCFilter) model() kyc.KYCFilter {
	return kyc.KYCFilter{Standing: kyc.Standing(rest.UnlessAll(f.Standing)), Query: strings.TrimSpace(f.Query)}
}

type listAdminKYCInput struct {
	rest.Paging
	KYCFilter
}

// ListAdminKYC is newest first; what waits for a review is a queue, and its head
// has waited longest.
func (h *Handlers) ListAdminKYC(ctx context.Context, in *listAdminKYCInput) (*rest.Page[AdminKYC], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	wanted.OldestFirst = filter.Standing.Waits()
	rows, next, err := kyc.KYCCases(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := kyc.CountKYC(ctx, h.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(c *kyc.KYCCase) AdminKYC { return h.adminKYC(c, who) }
	return &rest.Page[AdminKYC]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: counts.Matching(filter.Standing), Body: rest.Mapped(rows, view)}, nil
}

// GetKYCSummary answers GET /api/admin/kyc/summary.
func (h *Handlers) GetKYCSummary(ctx context.Context, in *KYCFilter) (*rest.Body[KYCSummary], error) {
	filter := in.model()
	counts, err := kyc.CountKYC(ctx, h.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	out := KYCSummary{Total: counts.Total, ByStanding: map[string]int{}, MatchingFilters: counts.Matching(filter.Standing)}
	for _, standing := range kyc.Standings {
		out.ByStanding[string(standing)] = counts.ByStatus[standing]
	}
	return &rest.Body[KYCSummary]{Body: out}, nil
}

// adminKYC is a case as staff see it in the queue.
func (h *Handlers) adminKYC(c *kyc.KYCCase, who *account.Principal) AdminKYC {
	view := AdminKYC{ID: c.UserID, CustomerName: strings.TrimSpace(c.FirstName + " " + c.LastName), CustomerEmail: c.Email, Country: c.Country,
		Standing: string(c.Standing), Status: c.Status, Level: c.LevelInForce(), ReviewLevel: c.ReviewLevel, Held: c.HeldAt != nil,
		ExpiresAt: c.ExpiresAt, PolledAt: c.PolledAt, Actions: []string{}, WorkflowURL: h.WorkflowURL(workflows.KYCID(c.UserID)), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
	if c.Standing.Waits() {
		view.WaitingSince = c.WaitingSince
	}
	if !c.Verified() {
		view.ExpiresAt = nil
	}
	if c.DecisionID != nil && c.DecisionAt != nil {
		view.Decision = &caseworkapi.Decision{ID: *c.DecisionID, Kind: *c.DecisionKind, CreatedAt: *c.DecisionAt}
	} else if c.UserID != who.UserID && h.Policy.Allows(rest.RolesOf(who), policy.ReviewCustomers) {
		view.Actions = c.Awaits()
	}
	if c.FinalAt != nil {
		view.Final = &FinalRejection{At: *c.FinalAt, By: string(c.FinalBy), Labels: append([]string{}, c.FinalLabels...)}
	}
	if c.ProposalID != nil {
		view.Proposal = h.kycProposal(c, who)
		view.Actions = slices.DeleteFunc(view.Actions, func(action string) bool { return action == kyc.KYCApprove })
	}
	return view
}

// kycProposal is an approval that waits for a second person, with what the principal may do with it.
func (h *Handlers) kycProposal(c *kyc.KYCCase, who *account.Principal) *KYCProposal {
	view := &KYCProposal{ID: *c.ProposalID, Level: c.ProposalLevel, Version: c.ProposalVersion, Reason: c.ProposalReason, Proposer: c.ProposalMaker,
		Actions: []string{}, CreatedAt: c.ProposalAt}
	switch {
	case c.UserID == who.UserID || !h.Policy.Allows(rest.RolesOf(who), policy.ReviewCustomers):
	case c.ProposalBy == who.UserID:
		view.Actions = []string{"withdraw"}
	default:
		view.Actions = []string{"approve", "reject"}
	}
	return view
}

// GetAdminKYC answers GET /api/admin/kyc/{id}.
func (h *Handlers) GetAdminKYC(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminKYCDetail], error) {
	c, err := kyc.ReadKYCCase(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, h.DB, kyc.KindKYC, in.ID)
	if err != nil {
		return nil, err
	}
	decisions, err := casework.CaseDecisions.Of(kyc.KindKYC).List(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	out := AdminKYCDetail{AdminKYC: h.adminKYC(c, rest.PrincipalOf(ctx)), CanRetry: c.CanRetry, Ended: rest.Optional(c.EndedBy), ProviderState: c.ProviderState,
		Labels: append([]string{}, c.Labels...), Reason: c.Reason, ReviewedAt: c.ProviderAt, DecidedAt: c.DecidedAt, Renewing: c.RenewingSince != nil,
		Preparing: c.Preparing(), Events: rest.Mapped(events, kycEvent), Decisions: rest.Mapped(decisions, caseworkapi.ShownDecision)}
	if c.ApplicantID != "" && h.IdentityDashboard != "" {
		link := h.IdentityDashboard + url.PathEscape(c.ApplicantID)
		out.ProviderURL = &link
	}
	return &rest.Body[AdminKYCDetail]{Body: out}, nil
}

func kycEvent(e *casework.StoredEvent) KYCEvent {
	return KYCEvent{ID: e.ID, At: e.At, Kind: e.Kind, Actor: string(e.Actor), Internal: e.Internal, Data: e.Fields()}
}

type kycApprovalInput struct {
	rest.ObjectID
	Body KYCApproval
}

// ApproveKYC answers POST /api/admin/kyc/{id}/approve.
func (h *Handlers) ApproveKYC(ctx context.Context, in *kycApprovalInput) (*caseworkapi.Decided, error) {
	if in.Body.Level == kyc.KYCEnhanced && h.EnhancedLevel == "" {
		return nil, store.Invalid("level", "not_offered", "There is no enhanced level")
	}
	if strings.TrimSpace(in.Body.Reason) == "" { // no code for what is refused
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	answer, err := h.decideKYC(ctx, in.ID, kyc.KYCApprove, in.Body.Reason, kyc.KYCVerdict{Level: in.Body.Level}, kycApproved)
	if errors.Is(err, kyc.ErrSecondPerson) {
		return h.proposeKYC(ctx, in)
	}
	return answer, err
}

const kycApproved = "The identity was approved."

// proposeKYC has the approval of an identity that was rejected finally wait for a second person.
func (h *Handlers) proposeKYC(ctx context.Context, in *kycApprovalInput) (*caseworkapi.Decided, error) {
	proposal, err := kyc.ProposeKYC(ctx, h.DB, in.ID, in.Body.Level, rest.By(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	record, err := kyc.KYC(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: proposal.ID, State: "proposed", Status: record.Status,
		Message: "This identity was rejected finally. Nothing was changed. A second person must approve it."}}, nil
}

type kycProposalInput struct {
	rest.ObjectID
	Body KYCProposalChoice
}

// ApproveProposal approves an identity as the second person. It is then executed exactly as
// one person's decision.
func (h *Handlers) ApproveProposal(ctx context.Context, in *kycProposalInput) (*caseworkapi.Decided, error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	decision, err := kyc.ApproveProposal(ctx, h.DB, answerTo(ctx, in.ID, in.Body, ""))
	if err != nil {
		return nil, err
	}
	return h.Execute(ctx, decision, kycOutcomes, kycApproved)
}

type kycProposalRejectionInput struct {
	rest.ObjectID
	Body KYCProposalRejection
}

// RejectProposal ends a proposal without effect. Its proposer withdraws it by the same call.
func (h *Handlers) RejectProposal(ctx context.Context, in *kycProposalRejectionInput) (*caseworkapi.Decided, error) {
	if err := kyc.RejectProposal(ctx, h.DB, answerTo(ctx, in.ID, in.Body.KYCProposalChoice, in.Body.Reason)); err != nil {
		return nil, err
	}
	record, err := kyc.KYC(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusOK, Body: caseworkapi.Outcome{DecisionID: in.Body.ProposalID, State: "done", Status: record.Status, Message: "Nothing was changed."}}, nil
}

func answerTo(ctx context.Context, userID string, chosen KYCProposalChoice, reason string) kyc.ProposalAnswer {
	return kyc.ProposalAnswer{UserID: userID, ID: chosen.ProposalID, Version: chosen.Version, Actor: rest.By(ctx, reason)}
}

type kycRejectionInput struct {
	rest.ObjectID
	Body KYCRejection
}

// RejectKYC answers POST /api/admin/kyc/{id}/reject.
func (h *Handlers) RejectKYC(ctx context.Context, in *kycRejectionInput) (*caseworkapi.Decided, error) {
	return h.decideKYC(ctx, in.ID, kyc.KYCReject, in.Body.Reason, kyc.KYCVerdict{CanRetry: in.Body.CanRetry}, "The verification was rejected.")
}

type kycReasonInput struct {
	rest.ObjectID
	Body KYCReason
}

// kycDone are the messages of executed decisions, by kind.
var kycDone = map[string]string{
	kyc.KYCRevoke:  "The approval was withdrawn.",
	kyc.KYCHold:    "The verification is on hold.",
	kyc.KYCRelease: "The hold was removed.",
	kyc.KYCAsk:     "We asked the customer to verify again.",
}

// DecideKYCWith is the handler of a decision that needs a reason only.
func (h *Handlers) DecideKYCWith(kind string) func(context.Context, *kycReasonInput) (*caseworkapi.Decided, error) {
	return func(ctx context.Context, in *kycReasonInput) (*caseworkapi.Decided, error) {
		return h.decideKYC(ctx, in.ID, kind, in.Body.Reason, kyc.KYCVerdict{}, kycDone[kind])
	}
}

// kycOutcomes are the messages for decisions about an identity that could not be executed.
var kycOutcomes = map[string]string{
	workflows.NotAwaited: "The verification has changed. Refresh the page.",
	"kyc_state":          "The verification has changed. Refresh the page.",
}

func (h *Handlers) decideKYC(ctx context.Context, userID, kind, reason string, verdict kyc.KYCVerdict, done string) (*caseworkapi.Decided, error) {
	decision, err := kyc.OpenKYCDecision(ctx, h.DB, userID, caseworkapi.Asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: reason, Data: verdict}))
	if err != nil {
		return nil, err
	}
	return h.Execute(ctx, decision, kycOutcomes, done)
}
