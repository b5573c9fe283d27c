package reconciliation

import (
	"context"
	"net/url"
	"slices"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
)

type listBreaksInput struct {
	rest.Paging
	Status string `query:"status" enum:"open,closed" default:"open"`
	Holder string `query:"holder" enum:"all,stripe,kraken,bitgo" default:"all"`
}

// ListBreaks is what does not agree, oldest first, or what did not once.
func (h *Handlers) ListBreaks(ctx context.Context, in *listBreaksInput) (*rest.Page[ReconciliationBreak], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := reconciliation.BreakFilter{Closed: in.Status == "closed", Holder: ledger.Provider(rest.UnlessAll(in.Holder))}
	rows, next, err := reconciliation.Breaks(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	status, err := reconciliation.ReconciliationNow(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	return &rest.Page[ReconciliationBreak]{Link: rest.LinkTo(ctx, next, in.Limit), Total: status.Count(filter),
		Body: rest.Mapped(rows, func(b *reconciliation.StaffBreak) ReconciliationBreak { return h.breakView(b, who) })}, nil
}

func (h *Handlers) breakView(b *reconciliation.StaffBreak, who *account.Principal) ReconciliationBreak {
	view := ReconciliationBreak{ID: b.ID, Holder: string(b.Holder), Kind: b.Kind(), Subject: b.Subject(), URL: h.breakURL(b), Cause: BreakCause(b.Cause()),
		Currency: string(b.Currency), Booked: b.Currency.Format(b.Booked), Told: b.Currency.Format(b.Told), Difference: b.Currency.Format(b.Difference()),
		Reference: b.Reference, Opposite: b.OppositeID, LastAt: b.LastAt, CreatedAt: b.CreatedAt, Actions: h.breakActions(b, who), Accounts: []string{},
		Outcome: b.Outcome, Account: b.Account, Reason: b.Reason, ClosedBy: b.ClosedEmail, ClosedAt: b.ClosedAt}
	order := "order"
	switch {
	case b.OrderID != nil:
		view.ObjectKind, view.ObjectID = &order, b.OrderID
	case b.MatterID != nil:
		view.ObjectKind, view.ObjectID = b.Matter, b.MatterID
	}
	if b.WantedBy != nil {
		view.Wanted = &BreakWanted{Account: *b.WantedAccount, Reason: *b.WantedReason, By: rest.Word(b.WantedEmail), At: *b.WantedAt}
	}
	if slices.Contains(view.Actions, "resolve") {
		view.Accounts = b.Accounts()
	}
	return view
}

// breakActions are the actions that a member of staff has on a break.
func (h *Handlers) breakActions(b *reconciliation.StaffBreak, who *account.Principal) []string {
	switch {
	case b.Unsettled() && b.ClosedAt == nil && h.Policy.Allows(who.Roles, policy.DecidePayments):
		return []string{"end"}
	case b.ClosedAt != nil || b.Difference().IsZero() || !h.Policy.Allows(who.Roles, policy.DecidePayments):
		return []string{}
	case b.WantedBy == nil:
		return []string{"resolve"}
	case *b.WantedBy == who.UserID:
		return []string{"withdraw"}
	}
	return []string{"approve", "reject"}
}

// breakURL is the effect's page at its provider, or the transaction's at an explorer, where there is one.
func (h *Handlers) breakURL(b *reconciliation.StaffBreak) *string {
	var place, id string
	switch b.Kind() {
	case "charge", "refund", "dispute", "payout":
		place, id = h.Places.Stripe, b.Subject()
	case "fill":
		place, id = h.Places.Kraken, b.Subject()
	case "transfer", "receipt", "by_hand":
		place, id = h.Places.Custody, store.Text(b.LineID)
		if txid := b.Subject(); (place == "" || id == "") && b.Kind() != "transfer" {
			return h.Places.Transaction(store.Text(b.Network), &txid)
		}
	}
	if place == "" || id == "" {
		return nil
	}
	link := place + url.PathEscape(id)
	return &link
}

// GetReconciliation answers GET /api/admin/reconciliation.
func (h *Handlers) GetReconciliation(ctx context.Context, _ *rest.Nothing) (*rest.Body[ReconciliationSummary], error) {
	status, err := reconciliation.ReconciliationNow(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	providersReconciled := rest.Mapped(status.Holders, func(one *reconciliation.ReconciliationStatus) HolderReconciled {
		return HolderReconciled{Holder: string(one.Holder), ReadTo: one.ReadTo, Open: one.Open, Oldest: one.OldestAt, Agreed: one.Agreed, Booked: one.Booked, Unsettled: one.Unsettled,
			Differing: one.Differing, BreakAt: one.BreakAt}
	})
	return &rest.Body[ReconciliationSummary]{Body: ReconciliationSummary{ComparedAt: status.ComparedAt, Holders: providersReconciled, TwoAbove: money.USD.Format(h.RefundAlone())}}, nil
}

// postingsShown bounds how many postings of a break's object are shown.
const postingsShown = 50

// GetBreak answers GET /api/admin/reconciliation/breaks/{id}.
func (h *Handlers) GetBreak(ctx context.Context, in *rest.ObjectID) (*rest.Body[BreakDetail], error) {
	b, err := reconciliation.OneBreak(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	reported, err := reconciliation.ReportedFor(ctx, h.DB, &b.Break)
	if err != nil {
		return nil, err
	}
	booked, err := reconciliation.BookedAt(ctx, h.DB, b, postingsShown)
	if err != nil {
		return nil, err
	}
	timeline, err := reconciliation.BreakTimeline(ctx, h.DB, &b.Break)
	if err != nil {
		return nil, err
	}
	return &rest.Body[BreakDetail]{Body: BreakDetail{ReconciliationBreak: h.breakView(b, rest.PrincipalOf(ctx)), BookedLines: rest.Mapped(booked, ledgerapi.ShownBooked),
		CustomerID: b.CustomerID, CustomerEmail: b.CustomerEmail,
		Story: rest.Mapped(timeline, func(e *reconciliation.BreakEvent) BreakEvent {
			return BreakEvent{At: e.At, Kind: BreakEventKind(e.Kind), Actor: e.Actor, Account: e.Account, Amount: e.Amount, Reason: e.Reason, Other: e.Other}
		}),
		ToldLines: rest.Mapped(reported, func(l *reconciliation.ReportedLine) ToldLine {
			return ToldLine{ID: l.ID, Kind: l.Kind, State: l.State, At: l.At, Amount: l.Currency.Format(l.Amount), Ours: l.Ours, TxID: l.TxID}
		})}}, nil
}

type breakInput struct {
	rest.ObjectID
	Body BreakResolution
}

// ResolveBreak books the difference, or proposes that when it is more than one
// person books alone.
func (h *Handlers) ResolveBreak(ctx context.Context, in *breakInput) (*rest.Body[BreakResolved], error) {
	waiting, err := reconciliation.ResolveBreak(ctx, h.DB, reconciliation.BreakResolution{ID: in.ID, Account: in.Body.Account, Seen: in.Body.Difference, Alone: h.RefundAlone(), StaffAlone: h.StaffAlone(), By: rest.By(ctx, in.Body.Reason)})
	if err != nil {
		return nil, err
	}
	return &rest.Body[BreakResolved]{Body: BreakResolved{Waiting: waiting}}, nil
}

type breakApprovalInput struct {
	rest.ObjectID
	Body BreakApproval
}

// ApproveBreak answers POST /api/admin/reconciliation/breaks/{id}/approve.
func (h *Handlers) ApproveBreak(ctx context.Context, in *breakApprovalInput) (*rest.Body[BreakResolved], error) {
	if err := reconciliation.ApproveBreak(ctx, h.DB, reconciliation.BreakResolution{ID: in.ID, Account: in.Body.Account, Seen: in.Body.Difference, By: rest.Approver(ctx, in.Body.Reason, in.Body.Version)}); err != nil {
		return nil, err
	}
	return &rest.Body[BreakResolved]{}, nil
}

type breakEndInput struct {
	rest.ObjectID
	Body caseworkapi.Rejection
}

type breakRejectionInput struct {
	rest.ObjectID
	Body caseworkapi.Reasoned
}

// RejectBreak drops a proposal; its proposer withdraws it by the same call.
func (h *Handlers) RejectBreak(ctx context.Context, in *breakRejectionInput) (*rest.Body[BreakResolved], error) {
	if err := reconciliation.DropBreakProposal(ctx, h.DB, in.ID, rest.By(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return &rest.Body[BreakResolved]{}, nil
}

// EndBreak closes a break about a line that does not settle.
func (h *Handlers) EndBreak(ctx context.Context, in *breakEndInput) (*rest.Body[BreakResolved], error) {
	if err := reconciliation.EndBreak(ctx, h.DB, in.ID, rest.By(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return &rest.Body[BreakResolved]{}, nil
}

// ReconcileNow has statements and books compared now instead of at the next time.
func (h *Handlers) ReconcileNow(ctx context.Context, _ *rest.Nothing) (*rest.Body[Comparing], error) {
	if err := h.Workflows.ReconcileNow(ctx); err != nil {
		return nil, store.Unavailable("workflows_away", "We can't compare statements right now. We compare them automatically later.")
	}
	return &rest.Body[Comparing]{Body: Comparing{Started: true}}, nil
}
