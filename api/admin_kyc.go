package api

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

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
	return kyc.KYCFilter{Standing: kyc.Standing(unlessAll(f.Standing)), Query: strings.TrimSpace(f.Query)}
}

type listAdminKYCInput struct {
	Paging
	KYCFilter
}

// listAdminKYC is newest first; what waits for a review is a queue, and its head
// has waited longest.
func (s *Server) listAdminKYC(ctx context.Context, in *listAdminKYCInput) (*page[AdminKYC], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	wanted.OldestFirst = filter.Standing.Waits()
	rows, next, err := kyc.KYCCases(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := kyc.CountKYC(ctx, s.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(c *kyc.KYCCase) AdminKYC { return s.adminKYC(c, who) }
	return &page[AdminKYC]{Link: linkTo(ctx, next, wanted.Limit), Total: counts.Matching(filter.Standing), Body: mapped(rows, view)}, nil
}

func (s *Server) getKYCSummary(ctx context.Context, in *KYCFilter) (*body[KYCSummary], error) {
	filter := in.model()
	counts, err := kyc.CountKYC(ctx, s.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	out := KYCSummary{Total: counts.Total, ByStanding: map[string]int{}, MatchingFilters: counts.Matching(filter.Standing)}
	for _, standing := range kyc.Standings {
		out.ByStanding[string(standing)] = counts.ByStatus[standing]
	}
	return &body[KYCSummary]{out}, nil
}

// adminKYC is a case as staff see it in the queue.
func (s *Server) adminKYC(c *kyc.KYCCase, who *account.Principal) AdminKYC {
	view := AdminKYC{ID: c.UserID, CustomerName: strings.TrimSpace(c.FirstName + " " + c.LastName), CustomerEmail: c.Email, Country: c.Country,
		Standing: string(c.Standing), Status: c.Status, Level: c.LevelInForce(), ReviewLevel: c.ReviewLevel, Held: c.HeldAt != nil,
		ExpiresAt: c.ExpiresAt, PolledAt: c.PolledAt, Actions: []string{}, WorkflowURL: s.workflowURL(workflows.KYCID(c.UserID)), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
	if c.Standing.Waits() {
		view.WaitingSince = c.WaitingSince
	}
	if !c.Verified() {
		view.ExpiresAt = nil
	}
	if c.DecisionID != nil && c.DecisionAt != nil {
		view.Decision = &Decision{ID: *c.DecisionID, Kind: *c.DecisionKind, CreatedAt: *c.DecisionAt}
	} else if c.UserID != who.UserID && s.policy.allows(rolesOf(who), reviewCustomers) {
		view.Actions = c.Awaits()
	}
	return view
}

func (s *Server) getAdminKYC(ctx context.Context, in *ObjectID) (*body[AdminKYCDetail], error) {
	c, err := kyc.ReadKYCCase(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, s.DB, kyc.KindKYC, in.ID)
	if err != nil {
		return nil, err
	}
	decisions, err := casework.CaseDecisions(ctx, s.DB, kyc.KindKYC, in.ID)
	if err != nil {
		return nil, err
	}
	out := AdminKYCDetail{AdminKYC: s.adminKYC(c, principalOf(ctx)), CanRetry: c.CanRetry, Ended: optional(c.EndedBy), ProviderState: c.ProviderState,
		Labels: append([]string{}, c.Labels...), Reason: c.Reason, ReviewedAt: c.ProviderAt, DecidedAt: c.DecidedAt, Renewing: c.RenewingSince != nil,
		Preparing: c.Preparing(), Events: mapped(events, kycEvent), Decisions: mapped(decisions, staffCaseDecision)}
	if c.ApplicantID != "" && s.IdentityDashboard != "" {
		link := s.IdentityDashboard + url.PathEscape(c.ApplicantID)
		out.ProviderURL = &link
	}
	return &body[AdminKYCDetail]{out}, nil
}

func kycEvent(e *casework.CaseEvent) KYCEvent {
	data := map[string]any{}
	_ = json.Unmarshal(e.Data, &data) // an object, by the column's default and every writer
	return KYCEvent{ID: e.ID, At: e.At, Kind: e.Kind, Actor: string(e.Actor), Internal: e.Internal, Data: data}
}

func staffCaseDecision(d *casework.StaffCaseDecision) TakenDecision {
	return TakenDecision{ID: d.ID, Kind: d.Kind, Actor: d.ActorEmail, Reason: d.Reason, CreatedAt: d.CreatedAt, SettledAt: d.SettledAt, Outcome: d.OutcomeCode}
}

type kycApprovalInput struct {
	ObjectID
	Body KYCApproval
}

func (s *Server) approveKYC(ctx context.Context, in *kycApprovalInput) (*decided, error) {
	if in.Body.Level == kyc.KYCEnhanced && s.EnhancedLevel == "" {
		return nil, store.Invalid("level", "not_offered", "There is no enhanced level")
	}
	return s.decideKYC(ctx, in.ID, kyc.KYCApprove, in.Body.Reason, kyc.KYCVerdict{Level: in.Body.Level}, "The identity was approved.")
}

type kycRejectionInput struct {
	ObjectID
	Body KYCRejection
}

func (s *Server) rejectKYC(ctx context.Context, in *kycRejectionInput) (*decided, error) {
	return s.decideKYC(ctx, in.ID, kyc.KYCReject, in.Body.Reason, kyc.KYCVerdict{CanRetry: in.Body.CanRetry}, "The verification was rejected.")
}

type kycReasonInput struct {
	ObjectID
	Body KYCReason
}

// kycDone says what was done, by kind.
var kycDone = map[string]string{
	kyc.KYCRevoke:  "The approval was withdrawn.",
	kyc.KYCHold:    "The verification is on hold.",
	kyc.KYCRelease: "The hold was removed.",
	kyc.KYCAsk:     "We asked the customer to verify again.",
}

// decideKYCWith is the handler of a decision that needs a reason only.
func (s *Server) decideKYCWith(kind string) func(context.Context, *kycReasonInput) (*decided, error) {
	return func(ctx context.Context, in *kycReasonInput) (*decided, error) {
		return s.decideKYC(ctx, in.ID, kind, in.Body.Reason, kyc.KYCVerdict{}, kycDone[kind])
	}
}

// kycOutcomes say why a decision about an identity could not be carried out.
var kycOutcomes = map[string]string{
	workflows.NotAwaited: "The verification has changed. Refresh the page.",
	"kyc_state":          "The verification has changed. Refresh the page.",
}

func (s *Server) decideKYC(ctx context.Context, userID, kind, reason string, verdict kyc.KYCVerdict, done string) (*decided, error) {
	decision, err := kyc.OpenKYCDecision(ctx, s.DB, userID, asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: reason, Data: verdict}))
	if err != nil {
		return nil, err
	}
	return s.carryOut(ctx, decision, kycOutcomes, done)
}
