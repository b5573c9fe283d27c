package payout

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
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
	return payout.PayoutFilter{Status: payout.PayoutStatus(rest.UnlessAll(f.Status)), Query: strings.TrimSpace(f.Query)}
}

type listAdminPayoutsInput struct {
	rest.Paging
	PayoutFilter
}

// ListAdminPayouts is newest first; what waits for staff is a queue, and its
// head has waited longest.
func (h *Handlers) ListAdminPayouts(ctx context.Context, in *listAdminPayoutsInput) (*rest.Page[AdminPayout], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := in.model()
	wanted.OldestFirst = filter.Status.Waits()
	rows, next, err := payout.Payouts(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := payout.CountPayoutsFound(ctx, h.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(p *payout.StaffPayout) AdminPayout { return h.adminPayout(p, who) }
	return &rest.Page[AdminPayout]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: counts.Matching(filter.Status), Body: rest.Mapped(rows, view)}, nil
}

// GetPayoutsSummary answers GET /api/admin/payouts/summary.
func (h *Handlers) GetPayoutsSummary(ctx context.Context, in *PayoutFilter) (*rest.Body[PayoutsSummary], error) {
	filter := in.model()
	counts, err := payout.CountPayoutsFound(ctx, h.DB, filter.Query)
	if err != nil {
		return nil, err
	}
	all, err := payout.CountPayouts(ctx, h.DB, "")
	if err != nil {
		return nil, err
	}
	out := PayoutsSummary{Total: counts.Total, ByStatus: map[string]int{}, MatchingFilters: counts.Matching(filter.Status),
		WaitingSum: money.USD.Format(all.Sums[payout.PayoutRequested].Add(all.Sums[payout.PayoutApproved]))}
	for _, status := range payout.PayoutStatuses {
		out.ByStatus[string(status)] = counts.ByStatus[status]
	}
	return &rest.Body[PayoutsSummary]{Body: out}, nil
}

// adminPayout is a payout as staff see it.
func (h *Handlers) adminPayout(p *payout.StaffPayout, who *account.Principal) AdminPayout {
	view := AdminPayout{ID: p.ID, Reference: p.Reference, UserID: p.UserID, CustomerName: strings.TrimSpace(p.FirstName + " " + p.LastName), CustomerEmail: p.Email,
		Amount: money.USD.Format(p.Amount), Status: string(p.Status), AccountKind: p.AccountKind, AccountCountry: p.AccountCountry, AccountLast4: p.AccountLast4,
		AccountDestroyed: p.AccountDestroyedAt != nil, ApprovalsNeeded: p.ApprovalsNeeded, HolderDiffers: p.HolderDiffers, Reason: p.Reason, BankReference: p.BankReference, ReturnableUntil: p.ReturnableUntil,
		Actions: h.payoutActions(p, who), WorkflowURL: h.WorkflowURL(workflows.CaseID(payout.KindPayout, p.ID)), PaidAt: p.PaidAt, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt}
	view.Restored = p.RestoredAt != nil
	for _, approved := range []*string{p.FirstApprovedBy, p.ApprovedBy} {
		if approved != nil {
			view.Approvals++
		}
	}
	if p.DecisionID != nil && p.DecisionAt != nil {
		view.Decision = &caseworkapi.Decision{ID: *p.DecisionID, Kind: *p.DecisionKind, CreatedAt: *p.DecisionAt}
	}
	return view
}

// payoutActions are the caller's actions on a payout.
func (h *Handlers) payoutActions(p *payout.StaffPayout, who *account.Principal) []string {
	actions := []string{}
	if p.UserID == who.UserID || !h.Policy.Allows(rest.RolesOf(who), policy.DecidePayments) {
		return actions
	}
	if p.AccountDestroyedAt == nil {
		actions = append(actions, "reveal")
	}
	if p.DecisionID != nil {
		return actions
	}
	for _, kind := range p.Decisions() {
		if kind != payout.PayoutApprove || rest.Word(p.FirstApprovedBy) != who.UserID {
			actions = append(actions, kind)
		}
	}
	return actions
}

// GetAdminPayout answers GET /api/admin/payouts/{id}.
func (h *Handlers) GetAdminPayout(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminPayoutDetail], error) {
	p, err := payout.ReadStaffPayout(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, h.DB, payout.KindPayout, in.ID)
	if err != nil {
		return nil, err
	}
	decisions, err := casework.CaseDecisions.Of(payout.KindPayout).List(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	postings, err := ledger.PostingsOf(ctx, h.DB, string(payout.KindPayout), in.ID)
	if err != nil {
		return nil, err
	}
	checks, err := payout.PayoutChecks(ctx, h.DB, h.Vault, &p.Payout)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := AdminPayoutDetail{AdminPayout: h.adminPayout(p, who), Events: rest.Mapped(events, payoutEvent), Decisions: rest.Mapped(decisions, caseworkapi.ShownDecision), Postings: ledgerapi.ShownPostings(ctx, h.Policy, postings)}
	if err := h.addReturn(ctx, &view); err != nil {
		return nil, err
	}
	check := func(c *casework.Check) PayoutCheck {
		return PayoutCheck{Name: c.Name, Result: string(c.Result), Count: c.N}
	}
	view.Checks = rest.Mapped(checks, check)
	return &rest.Body[AdminPayoutDetail]{Body: view}, nil
}

// addReturn adds what one person may still credit to the customer, and the return that
// waits for a second approval.
func (h *Handlers) addReturn(ctx context.Context, view *AdminPayoutDetail) error {
	left, err := h.CreditLeft(ctx, view.UserID)
	if err != nil {
		return err
	}
	view.CreditAlone = money.USD.Format(left)
	p, err := correction.OpenMoneyProposal(ctx, h.DB, view.ID)
	if err != nil || p == nil {
		return err
	}
	view.Proposal = &OpenMoneyProposal{ID: p.ID, Kind: p.Kind, Reason: p.Reason, By: p.Proposer}
	view.Actions = slices.DeleteFunc(view.Actions, func(action string) bool { return action == payout.PayoutReturn })
	return nil
}

type payoutRevealInput struct {
	rest.ObjectID
	Body *PayoutStatement
}

// RevealPayout returns whose account a payout goes to, and its number, to the member of
// staff who makes the transfer and gives a fresh code for it; the access is in the audit
// log before the answer.
func (h *Handlers) RevealPayout(ctx context.Context, in *payoutRevealInput) (*rest.Body[PayoutAccount], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	var stated PayoutStatement
	if in.Body != nil {
		stated = *in.Body
	}
	account, err := payout.RevealPayout(ctx, h.DB, h.Vault, in.ID, stated.Statement, rest.Viewer(ctx))
	if err != nil {
		return nil, err
	}
	return &rest.Body[PayoutAccount]{Body: PayoutAccount{AccountHolder: account.Holder, IBAN: account.IBAN, RoutingNumber: account.Routing, AccountNumber: account.Number}}, nil
}

type payoutApprovalInput struct {
	rest.ObjectID
	Body *PayoutApproval
}

// ApprovePayout answers POST /api/admin/payouts/{id}/approve. With what the bank's statement shows, it approves a
// restored payout that the bank made.
func (h *Handlers) ApprovePayout(ctx context.Context, in *payoutApprovalInput) (*caseworkapi.Decided, error) {
	decision := casework.NewCaseDecision{Kind: payout.PayoutApprove}
	if in.Body != nil {
		decision.Seen = in.Body.Version
		if in.Body.Statement != "" {
			decision.Data = payout.BankStatement{Statement: in.Body.Statement}
		}
	}
	return h.decidePayout(ctx, in.ID, decision, "Your approval was recorded.")
}

type payoutRejectionInput struct {
	rest.ObjectID
	Body PayoutRejection
}

// RejectPayout answers POST /api/admin/payouts/{id}/reject.
func (h *Handlers) RejectPayout(ctx context.Context, in *payoutRejectionInput) (*caseworkapi.Decided, error) {
	decision := casework.NewCaseDecision{Kind: payout.PayoutReject, Reason: in.Body.Reason}
	if in.Body.Statement != "" {
		decision.Data = payout.BankStatement{Statement: in.Body.Statement}
	}
	return h.decidePayout(ctx, in.ID, decision, "The payout was rejected. The amount is back in the customer's balance.")
}

type payoutReturnInput struct {
	rest.ObjectID
	Body PayoutReturn
}

// ReturnPayout answers POST /api/admin/payouts/{id}/return.
func (h *Handlers) ReturnPayout(ctx context.Context, in *payoutReturnInput) (*caseworkapi.Decided, error) {
	var back payout.ReturnedPayout
	if in.Body.Returned != nil {
		amount, err := money.USD.Parse(strings.TrimSpace(*in.Body.Returned))
		if err != nil {
			return nil, store.Invalid("returned", "invalid_amount", "Enter the returned amount")
		}
		back.Amount = &amount
	}
	alone := h.CreditAlone()
	answer, err := h.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutReturn, Reason: in.Body.Reason, Data: back, Alone: &alone, StaffAlone: h.StaffAlone()},
		"The return was booked. The amount is back in the customer's balance.")
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		return h.proposeReturn(ctx, &correction.ReturnPayout{PayoutID: in.ID, Returned: back.Amount, Said: strings.TrimSpace(in.Body.Reason)})
	}
	return answer, err
}

// proposeReturn writes a proposal of a return that a second person has to approve.
func (h *Handlers) proposeReturn(ctx context.Context, act *correction.ReturnPayout) (*caseworkapi.Decided, error) {
	row, err := correction.ProposeMoney(ctx, h.DB, act, "", rest.By(ctx, act.Said))
	if err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: row.ID, State: "proposed", Status: string(payout.PayoutPaid),
		Message: "Another person must approve the return. Nothing was booked."}}, nil
}

type payoutConfirmationInput struct {
	rest.ObjectID
	Body PayoutConfirmation
}

// ConfirmPayout answers POST /api/admin/payouts/{id}/confirm.
func (h *Handlers) ConfirmPayout(ctx context.Context, in *payoutConfirmationInput) (*caseworkapi.Decided, error) {
	reference := payout.PayoutReference{Reference: typed.Reference(in.Body.Reference)}
	return h.decidePayout(ctx, in.ID, casework.NewCaseDecision{Kind: payout.PayoutConfirm, Data: reference}, "The transfer was recorded.")
}
