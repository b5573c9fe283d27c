package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// PayoutFilter is what narrows the admin's payouts.
type PayoutFilter struct {
	Status string `query:"status" enum:"all,requested,approved,paid,rejected,cancelled,returned" default:"all"`
	Query  string `query:"q" maxLength:"100" doc:"a reference, an id or the beginning of one, or name or e-mail of whose it is"`
}

func (f PayoutFilter) model() payout.PayoutFilter {
	return payout.PayoutFilter{Status: payout.PayoutStatus(unlessAll(f.Status)), Query: strings.TrimSpace(f.Query)}
}

type listAdminPayoutsInput struct {
	Paging
	PayoutFilter
}

// listAdminPayouts is newest first; what waits for staff is a queue, and its
// head has waited longest.
func (s *Server) listAdminPayouts(ctx context.Context, in *listAdminPayoutsInput) (*page[AdminPayout], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	wanted.OldestFirst = filter.Status.Waits()
	rows, next, err := payout.Payouts(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := payout.CountPayoutsFound(ctx, s.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(p *payout.StaffPayout) AdminPayout { return s.adminPayout(p, who) }
	return &page[AdminPayout]{Link: linkTo(ctx, next, wanted.Limit), Total: counts.Matching(filter.Status), Body: mapped(rows, view)}, nil
}

func (s *Server) getPayoutsSummary(ctx context.Context, in *PayoutFilter) (*body[PayoutsSummary], error) {
	filter := in.model()
	counts, err := payout.CountPayoutsFound(ctx, s.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	all, err := payout.CountPayouts(ctx, s.DB, "")
	if err != nil {
		return nil, err
	}
	out := PayoutsSummary{Total: counts.Total, ByStatus: map[string]int{}, MatchingFilters: counts.Matching(filter.Status),
		WaitingSum: money.USD.Format(all.Sums[payout.PayoutRequested].Add(all.Sums[payout.PayoutApproved]))}
	for _, status := range payout.PayoutStatuses {
		out.ByStatus[string(status)] = counts.ByStatus[status]
	}
	return &body[PayoutsSummary]{out}, nil
}

// adminPayout is a payout as staff see it.
func (s *Server) adminPayout(p *payout.StaffPayout, who *account.Principal) AdminPayout {
	view := AdminPayout{ID: p.ID, Reference: p.Reference, UserID: p.UserID, CustomerName: strings.TrimSpace(p.FirstName + " " + p.LastName), CustomerEmail: p.Email,
		Amount: money.USD.Format(p.Amount), Status: string(p.Status), AccountKind: p.AccountKind, AccountCountry: p.AccountCountry, AccountLast4: p.AccountLast4,
		AccountDestroyed: p.AccountDestroyedAt != nil, ApprovalsNeeded: p.ApprovalsNeeded, Reason: p.Reason, BankReference: p.BankReference, ReturnableUntil: p.ReturnableUntil,
		Actions: s.payoutActions(p, who), WorkflowURL: s.workflowURL(workflows.CaseID(payout.KindPayout, p.ID)), PaidAt: p.PaidAt, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt}
	for _, approved := range []*string{p.FirstApprovedBy, p.ApprovedBy} {
		if approved != nil {
			view.Approvals++
		}
	}
	if p.DecisionID != nil && p.DecisionAt != nil {
		view.Decision = &Decision{ID: *p.DecisionID, Kind: *p.DecisionKind, CreatedAt: *p.DecisionAt}
	}
	return view
}

// payoutActions are the buttons the signed-in person has on a payout.
func (s *Server) payoutActions(p *payout.StaffPayout, who *account.Principal) []string {
	actions := []string{}
	if p.UserID == who.UserID || !s.policy.allows(rolesOf(who), decidePayments) {
		return actions
	}
	if p.AccountDestroyedAt == nil {
		actions = append(actions, "reveal")
	}
	if p.DecisionID != nil {
		return actions
	}
	for _, kind := range payout.PayoutDecisions(p.Status) {
		if kind != payout.PayoutApprove || word(p.FirstApprovedBy) != who.UserID {
			actions = append(actions, kind)
		}
	}
	return actions
}

func (s *Server) getAdminPayout(ctx context.Context, in *ObjectID) (*body[AdminPayoutDetail], error) {
	p, err := payout.ReadStaffPayout(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, s.DB, payout.KindPayout, in.ID)
	if err != nil {
		return nil, err
	}
	decisions, err := casework.CaseDecisions(ctx, s.DB, payout.KindPayout, in.ID)
	if err != nil {
		return nil, err
	}
	postings, err := casework.CasePostings(ctx, s.DB, payout.KindPayout, in.ID)
	if err != nil {
		return nil, err
	}
	checks, err := payout.PayoutChecks(ctx, s.DB, s.Vault, &p.Payout)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := AdminPayoutDetail{AdminPayout: s.adminPayout(p, who), Events: mapped(events, payoutEvent), Decisions: mapped(decisions, takenPayoutDecision), Postings: mapped(postings, ledgerPosting)}
	if err := s.addReturn(ctx, &view); err != nil {
		return nil, err
	}
	check := func(c *casework.Check) PayoutCheck {
		return PayoutCheck{Name: c.Name, Result: string(c.Result), Count: c.N}
	}
	view.Checks = mapped(checks, check)
	return &body[AdminPayoutDetail]{view}, nil
}

// addReturn says what one person may still credit to the customer, and which return
// waits for a second one.
func (s *Server) addReturn(ctx context.Context, view *AdminPayoutDetail) error {
	left, err := s.creditLeft(ctx, view.UserID)
	if err != nil {
		return err
	}
	view.CreditAlone = money.USD.Format(left)
	p, err := correction.OpenMoneyProposal(ctx, s.DB, view.ID)
	if err != nil || p == nil {
		return err
	}
	view.Proposal = &OpenMoneyProposal{ID: p.ID, Kind: p.Kind, Reason: p.Reason, By: p.Proposer}
	view.Actions = slices.DeleteFunc(view.Actions, func(action string) bool { return action == payout.PayoutReturn })
	return nil
}

func takenPayoutDecision(d *casework.StaffCaseDecision) TakenDecision {
	return TakenDecision{ID: d.ID, Kind: d.Kind, Actor: d.ActorEmail, Reason: d.Reason, CreatedAt: d.CreatedAt, SettledAt: d.SettledAt, Outcome: d.OutcomeCode}
}

// revealPayout shows whose account a payout goes to, and its number, to who
// makes the transfer and gives a fresh code for it; that it did is in the audit
// log before it answers.
func (s *Server) revealPayout(ctx context.Context, in *ObjectID) (*body[PayoutAccount], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	account, err := payout.RevealPayout(ctx, s.DB, s.Vault, in.ID, store.Actor{ActorID: who.UserID, ActorRole: actorRole(who), RequestID: requestID(ctx)})
	if err != nil {
		return nil, err
	}
	return &body[PayoutAccount]{PayoutAccount{AccountHolder: account.Holder, IBAN: account.IBAN, RoutingNumber: account.Routing, AccountNumber: account.Number}}, nil
}

func (s *Server) approvePayout(ctx context.Context, in *ObjectID) (*decided, error) {
	return s.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutApprove}, "Your approval was recorded.")
}

type payoutReasonInput struct {
	ObjectID
	Body PayoutReason
}

func (s *Server) rejectPayout(ctx context.Context, in *payoutReasonInput) (*decided, error) {
	return s.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutReject, Reason: in.Body.Reason}, "The payout was rejected. The amount is back in the customer's balance.")
}

type payoutReturnInput struct {
	ObjectID
	Body PayoutReturn
}

func (s *Server) returnPayout(ctx context.Context, in *payoutReturnInput) (*decided, error) {
	var back payout.ReturnedPayout
	if in.Body.Returned != nil {
		amount, err := money.USD.Parse(strings.TrimSpace(*in.Body.Returned))
		if err != nil {
			return nil, store.Invalid("returned", "invalid_amount", "Enter the returned amount")
		}
		back.Amount = &amount
	}
	alone := s.creditAlone()
	answer, err := s.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutReturn, Reason: in.Body.Reason, Data: back, Alone: &alone},
		"The return was booked. The amount is back in the customer's balance.")
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		return s.proposeReturn(ctx, &correction.ReturnPayout{PayoutID: in.ID, Returned: back.Amount, Said: strings.TrimSpace(in.Body.Reason)})
	}
	return answer, err
}

// proposeReturn writes down a return that a second person has to approve.
func (s *Server) proposeReturn(ctx context.Context, act *correction.ReturnPayout) (*decided, error) {
	row, err := correction.ProposeMoney(ctx, s.DB, act, "", by(ctx, act.Said))
	if err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: row.ID, State: "proposed", Status: string(payout.PayoutPaid),
		Message: "Another person must approve the return. Nothing was booked."}}, nil
}

type payoutConfirmationInput struct {
	ObjectID
	Body PayoutConfirmation
}

func (s *Server) confirmPayout(ctx context.Context, in *payoutConfirmationInput) (*decided, error) {
	told := payout.PayoutReference{Reference: strings.TrimSpace(in.Body.Reference)}
	return s.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutConfirm, Data: told}, "The transfer was recorded.")
}
