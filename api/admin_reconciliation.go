package api

import (
	"context"
	"net/url"
	"slices"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
)

type listBreaksInput struct {
	Paging
	Status string `query:"status" enum:"open,closed" default:"open"`
	Holder string `query:"holder" enum:"all,stripe,kraken,bitgo" default:"all"`
}

// listBreaks is what does not agree, oldest first, or what did not once.
func (s *Server) listBreaks(ctx context.Context, in *listBreaksInput) (*page[ReconciliationBreak], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter := reconciliation.BreakFilter{Closed: in.Status == "closed", Holder: ledger.Provider(unlessAll(in.Holder))}
	rows, next, err := reconciliation.Breaks(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	stands, err := reconciliation.ReconciliationNow(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &page[ReconciliationBreak]{Link: linkTo(ctx, next, in.Limit), Total: stands.Count(filter),
		Body: mapped(rows, func(b *reconciliation.StaffBreak) ReconciliationBreak { return s.breakView(b, who) })}, nil
}

func (s *Server) breakView(b *reconciliation.StaffBreak, who *account.Principal) ReconciliationBreak {
	view := ReconciliationBreak{ID: b.ID, Holder: string(b.Holder), Kind: b.Kind(), Subject: b.Subject(), URL: s.breakURL(b), Cause: BreakCause(b.Cause()),
		Currency: string(b.Currency), Booked: b.Currency.Format(b.Booked), Told: b.Currency.Format(b.Told), Difference: b.Currency.Format(b.Difference()),
		Reference: b.Reference, LastAt: b.LastAt, CreatedAt: b.CreatedAt, Actions: s.breakActions(b, who), Accounts: []string{},
		Outcome: b.Outcome, Account: b.Account, Reason: b.Reason, ClosedBy: b.ClosedEmail, ClosedAt: b.ClosedAt}
	order := "order"
	switch {
	case b.OrderID != nil:
		view.ObjectKind, view.ObjectID = &order, b.OrderID
	case b.MatterID != nil:
		view.ObjectKind, view.ObjectID = b.Matter, b.MatterID
	}
	if b.WantedBy != nil {
		view.Wanted = &BreakWanted{Account: *b.WantedAccount, Reason: *b.WantedReason, By: word(b.WantedEmail), At: *b.WantedAt}
	}
	if slices.Contains(view.Actions, "resolve") {
		view.Accounts = b.Accounts()
	}
	return view
}

// breakActions are the buttons somebody has on a break.
func (s *Server) breakActions(b *reconciliation.StaffBreak, who *account.Principal) []string {
	switch {
	case b.Unsettled() && b.ClosedAt == nil && s.policy.allows(who.Roles, decidePayments):
		return []string{"end"}
	case b.ClosedAt != nil || b.Difference().IsZero() || !s.policy.allows(who.Roles, decidePayments):
		return []string{}
	case b.WantedBy == nil:
		return []string{"resolve"}
	case *b.WantedBy == who.UserID:
		return []string{"withdraw"}
	}
	return []string{"approve", "reject"}
}

// breakURL is the effect's page at its provider, where there is one.
func (s *Server) breakURL(b *reconciliation.StaffBreak) *string {
	place := map[string]string{"charge": s.Places.Stripe, "refund": s.Places.Stripe, "dispute": s.Places.Stripe, "payout": s.Places.Stripe, "fill": s.Places.Kraken}[b.Kind()]
	if place == "" {
		return nil
	}
	link := place + url.PathEscape(b.Subject())
	return &link
}

func (s *Server) getReconciliation(ctx context.Context, _ *nothing) (*body[ReconciliationSummary], error) {
	stands, err := reconciliation.ReconciliationNow(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	providersReconciled := mapped(stands.Holders, func(h *reconciliation.StandsReconciled) HolderReconciled {
		return HolderReconciled{Holder: string(h.Holder), ReadTo: h.ReadTo, Open: h.Open, Oldest: h.OldestAt, Agreed: h.Agreed, Booked: h.Booked, Unsettled: h.Unsettled}
	})
	return &body[ReconciliationSummary]{ReconciliationSummary{ComparedAt: stands.ComparedAt, Holders: providersReconciled, TwoAbove: money.USD.Format(s.refundAlone())}}, nil
}

// postingsShown bounds how many postings of a break's object are shown.
const postingsShown = 50

func (s *Server) getBreak(ctx context.Context, in *ObjectID) (*body[BreakDetail], error) {
	b, err := reconciliation.OneBreak(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	told, err := reconciliation.ReportedFor(ctx, s.DB, &b.Break)
	if err != nil {
		return nil, err
	}
	booked, err := reconciliation.BookedAt(ctx, s.DB, b, postingsShown)
	if err != nil {
		return nil, err
	}
	story, err := reconciliation.BreakTimeline(ctx, s.DB, &b.Break)
	if err != nil {
		return nil, err
	}
	return &body[BreakDetail]{BreakDetail{ReconciliationBreak: s.breakView(b, principalOf(ctx)), BookedLines: mapped(booked, bookedPosting),
		CustomerID: b.CustomerID, CustomerEmail: b.CustomerEmail,
		Story: mapped(story, func(e *reconciliation.BreakEvent) BreakEvent {
			return BreakEvent{At: e.At, Kind: BreakEventKind(e.Kind), Actor: e.Actor, Account: e.Account, Amount: e.Amount, Reason: e.Reason, Other: e.Other}
		}),
		ToldLines: mapped(told, func(l *reconciliation.ReportedLine) ToldLine {
			return ToldLine{ID: l.ID, Kind: l.Kind, State: l.State, At: l.At, Amount: l.Currency.Format(l.Amount), Ours: l.Ours, TxID: l.TxID}
		})}}, nil
}

type breakInput struct {
	ObjectID
	Body BreakResolution
}

// resolveBreak books the difference, or proposes that when it is more than one
// person books alone.
func (s *Server) resolveBreak(ctx context.Context, in *breakInput) (*body[BreakResolved], error) {
	waiting, err := reconciliation.ResolveBreak(ctx, s.DB, reconciliation.BreakResolution{ID: in.ID, Account: in.Body.Account, Seen: in.Body.Difference, Alone: s.refundAlone(), By: by(ctx, in.Body.Reason)})
	if err != nil {
		return nil, err
	}
	return &body[BreakResolved]{BreakResolved{Waiting: waiting}}, nil
}

type breakApprovalInput struct {
	ObjectID
	Body BreakApproval
}

func (s *Server) approveBreak(ctx context.Context, in *breakApprovalInput) (*body[BreakResolved], error) {
	if err := reconciliation.ApproveBreak(ctx, s.DB, reconciliation.BreakResolution{ID: in.ID, Account: in.Body.Account, Seen: in.Body.Difference, By: by(ctx, in.Body.Reason)}); err != nil {
		return nil, err
	}
	return &body[BreakResolved]{}, nil
}

type breakEndInput struct {
	ObjectID
	Body Rejection
}

type breakRejectionInput struct {
	ObjectID
	Body Reasoned
}

// rejectBreak drops what was proposed; who proposed it takes it back so.
func (s *Server) rejectBreak(ctx context.Context, in *breakRejectionInput) (*body[BreakResolved], error) {
	if err := reconciliation.DropBreakProposal(ctx, s.DB, in.ID, by(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return &body[BreakResolved]{}, nil
}

// endBreak closes a break about a line that does not settle.
func (s *Server) endBreak(ctx context.Context, in *breakEndInput) (*body[BreakResolved], error) {
	if err := reconciliation.EndBreak(ctx, s.DB, in.ID, by(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return &body[BreakResolved]{}, nil
}

// reconcileNow has statements and books compared now instead of at the next time.
func (s *Server) reconcileNow(ctx context.Context, _ *nothing) (*body[Comparing], error) {
	if err := s.Workflows.ReconcileNow(ctx); err != nil {
		return nil, store.Unavailable("workflows_away", "We can't compare statements right now. We compare them automatically later.")
	}
	return &body[Comparing]{Comparing{Started: true}}, nil
}
