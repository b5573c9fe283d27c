package order

import (
	"context"
	"net/http"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// What staff can do about a proposal, beside the decisions of the order.
const (
	actionApproveProposal  = "approve_proposal"
	actionRejectProposal   = "reject_proposal"
	actionWithdrawProposal = "withdraw_proposal"
)

// proposable are the decisions that are proposed when one person alone may not make them.
var proposable = []string{order.DecisionRefund, order.DecisionMarkSent, order.DecisionConfirmReceipt, order.DecisionAmendAddress, order.DecisionTransferDead}

// proposalRequested is why it needs a second person.
var proposalRequested = map[string]string{
	order.DecisionRefund:         "This is above the refund limit for one person. Nothing was refunded. A second person must approve it.",
	order.DecisionMarkSent:       "This is above the refund limit for one person. Nothing was refunded. A second person must approve it.",
	order.DecisionConfirmReceipt: "This is above the daily limit for one person. Nothing was booked. A second person must approve it.",
	order.DecisionTransferDead:   executionapi.TransferProposed,
	order.DecisionAmendAddress:   "Two people must approve a new address. Nothing was changed. A second person must approve it.",
}

// proposalExecuted is what an approved proposal did.
var proposalExecuted = map[string]string{
	order.DecisionRefund: orderRefunded, order.DecisionMarkSent: "The order was marked as sent.",
	order.DecisionConfirmReceipt: receiptConfirmed, order.DecisionAmendAddress: "The address was changed.", order.DecisionTransferDead: "The transfer was declared dead.",
}

// proposalActions lists what the principal may do with a proposal. Whoever is
// barred from releasing the order's value approves nothing about its coin.
func (h *Handlers) proposalActions(p order.OpenProposalRow, who *account.Principal, barred bool) []string {
	switch {
	case p.ProposalBy == who.UserID:
		return []string{actionWithdrawProposal}
	case len(h.allowedDecisions([]string{p.ProposalKind}, who)) == 0:
		return nil
	case barred && len(order.WithoutReleases([]string{p.ProposalKind})) == 0:
		return []string{actionRejectProposal}
	}
	return []string{actionApproveProposal, actionRejectProposal}
}

func waitingProposal(p order.OpenProposalRow) *WaitingProposal {
	if p.ProposalID == nil {
		return nil
	}
	return &WaitingProposal{ID: *p.ProposalID, Kind: p.ProposalKind, Amount: money.USD.Format(p.ProposalAmount), Proposer: p.ProposalMaker,
		Reason: p.ProposalReason, ProposalEvidence: evidenceOf(p.Proposal()), CreatedAt: p.ProposalAt}
}

func orderProposal(p *order.KnownProposal) OrderProposal {
	return OrderProposal{ID: p.ID, Kind: p.Kind, Amount: money.USD.Format(p.Amount), Proposer: p.Proposer, Reason: p.Reason, Status: string(p.Status),
		Decider: p.Decider, Answer: p.Answer, ProposalEvidence: evidenceOf(&p.Proposal), CreatedAt: p.CreatedAt, DecidedAt: p.DecidedAt}
}

// evidenceOf is what a second person checks.
func evidenceOf(p *order.Proposal) ProposalEvidence {
	out := ProposalEvidence{TxID: p.TxID(), LessCoin: p.LessCoin()}
	if receipt := p.Receipt(); receipt != nil {
		out.ReceivedOn, out.BankReference = &receipt.ReceivedOn, &receipt.BankReference
	}
	if to := p.NewAddress(); to != "" {
		out.DestAddress = &to
	}
	if seen := p.Evidence(); seen != "" {
		out.Evidence = &seen
	}
	return out
}

type proposalInput struct {
	rest.ObjectID
	Body ProposalChoice
}

// ApproveProposal approves a proposal as a second person. It is then executed exactly as
// one person's decision.
func (h *Handlers) ApproveProposal(ctx context.Context, in *proposalInput) (*caseworkapi.Decided, error) {
	answer := h.answerTo(ctx, in.ID, in.Body.ProposalID, "")
	answer.Seen = in.Body.Version
	made, err := order.ApproveProposal(ctx, h.DB, answer)
	if err != nil {
		return nil, err
	}
	if made.Decision != nil {
		answer, err := h.ExecuteDecision(ctx, made.Decision, proposalExecuted[made.Decision.Kind])
		return h.aboutReceipt(ctx, made.Decision.Kind, made.Decision.OrderID, answer), err
	}
	order, err := order.ReadOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	if made.Offer != nil {
		return coinOffered(order, made.Offer), nil
	}
	return h.runRefund(ctx, order, made.Refund)
}

type proposalRejectionInput struct {
	rest.ObjectID
	Body ProposalRejection
}

// RejectProposal ends a proposal without effect. Its proposer withdraws it by the same
// call.
func (h *Handlers) RejectProposal(ctx context.Context, in *proposalRejectionInput) (*caseworkapi.Decided, error) {
	if err := order.RejectProposal(ctx, h.DB, h.answerTo(ctx, in.ID, in.Body.ProposalID, in.Body.Reason)); err != nil {
		return nil, err
	}
	order, err := order.ReadOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusOK, Body: caseworkapi.Outcome{DecisionID: in.Body.ProposalID, State: "done", Status: string(order.Status), Message: "Nothing was changed."}}, nil
}

func (h *Handlers) answerTo(ctx context.Context, orderID, proposalID, reason string) order.ProposalAnswer {
	who := rest.PrincipalOf(ctx)
	kinds := h.allowedDecisions(proposable, who)
	return order.ProposalAnswer{OrderID: orderID, ID: proposalID, Kinds: kinds, ActorID: who.UserID, ActorRole: rest.ActorRole(who), Reason: reason, RequestID: rest.RequestID(ctx)}
}

// notesShown bounds how many notes are shown of an order.
const notesShown = 100

type newOrderNoteInput struct {
	rest.ObjectID
	Body NewOrderNote
}

// NoteAboutOrder answers POST /api/admin/orders/{id}/notes.
func (h *Handlers) NoteAboutOrder(ctx context.Context, in *newOrderNoteInput) (*rest.Body[[]OrderNote], error) {
	if err := order.AddOrderNote(ctx, h.DB, in.ID, in.Body.Body, rest.Viewer(ctx)); err != nil {
		return nil, err
	}
	notes, err := order.OrderNotes(ctx, h.DB, in.ID, notesShown)
	if err != nil {
		return nil, err
	}
	return &rest.Body[[]OrderNote]{Body: rest.Mapped(notes, orderNote)}, nil
}

func orderNote(n *casework.Note) OrderNote {
	return OrderNote{ID: n.ID, Author: n.Author, Body: n.Body, CreatedAt: n.CreatedAt}
}
