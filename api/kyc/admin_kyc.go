package kyc

import (
	"context"
	"net/url"
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
	return h.decideKYC(ctx, in.ID, kyc.KYCApprove, in.Body.Reason, kyc.KYCVerdict{Level: in.Body.Level}, "The identity was approved.")
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
