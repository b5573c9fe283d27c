package api

import (
	"context"
	"net/http"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// What staff can do about a proposal, beside the decisions of the order.
const (
	actionApproveProposal  = "approve_proposal"
	actionRejectProposal   = "reject_proposal"
	actionWithdrawProposal = "withdraw_proposal"
)

// refundAlone is the cents that one person gives back to a customer in a day.
func (s *Server) refundAlone() money.Units { return money.FromInt(s.RefundTwoAbove * 100) }

// creditAlone is the cents that one person lets in for a customer in a day.
func (s *Server) creditAlone() money.Units { return money.FromInt(s.CreditTwoAbove * 100) }

// refundLeft is what one person may still give back of an order today.
func (s *Server) refundLeft(ctx context.Context, o *order.Order) (money.Units, error) {
	used, err := order.GivenBack(ctx, s.DB, o)
	return leftOf(s.refundAlone(), used), err
}

func leftOf(limit, used money.Units) money.Units {
	if left := limit.Sub(used); left.Sign() > 0 {
		return left
	}
	return money.Units{}
}

// creditLeft is what one person may still let in for a customer today.
func (s *Server) creditLeft(ctx context.Context, userID string) (money.Units, error) {
	used, err := dualcontrol.ByOneWord(ctx, s.DB, userID)
	return leftOf(s.creditAlone(), used), err
}

// aloneOf is the limit of one person that a kind of decision counts towards.
func (s *Server) aloneOf(kind string) money.Units {
	if kind == order.DecisionConfirmReceipt {
		return s.creditAlone()
	}
	return s.refundAlone()
}

// proposable are the decisions that are proposed when one person may not take them.
var proposable = []string{order.DecisionRefund, order.DecisionMarkSent, order.DecisionConfirmReceipt, order.DecisionAmendAddress, order.DecisionTransferDead}

// proposalAsked is why it needs a second person.
var proposalAsked = map[string]string{
	order.DecisionRefund:         "This is above the refund limit for one person. Nothing was refunded. A second person must approve it.",
	order.DecisionMarkSent:       "This is above the refund limit for one person. Nothing was refunded. A second person must approve it.",
	order.DecisionConfirmReceipt: "This is above the daily limit for one person. Nothing was booked. A second person must approve it.",
	order.DecisionTransferDead:   transferProposed,
	order.DecisionAmendAddress:   "Two people must approve a new address. Nothing was changed. A second person must approve it.",
}

const transferProposed = "Two people must declare a transfer dead. Nothing was changed. A second person must approve it."

// proposalCarried is what an approved proposal did.
var proposalCarried = map[string]string{
	order.DecisionRefund: orderRefunded, order.DecisionMarkSent: "The order was marked as sent.",
	order.DecisionConfirmReceipt: receiptConfirmed, order.DecisionAmendAddress: "The address was changed.", order.DecisionTransferDead: "The transfer was declared dead.",
}

// propose writes down what a second person has to approve; nothing moves.
func (s *Server) propose(ctx context.Context, in order.NewProposal) (*decided, error) {
	who := principalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, actorRole(who), requestID(ctx)
	proposal, err := order.Propose(ctx, s.DB, in)
	if err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: proposal.ID, State: "proposed", Status: string(proposal.OrderStatus),
		Message: proposalAsked[in.Kind]}}, nil
}

// proposalActions lists what the principal may do with a proposal. Who confirmed the
// order's receipt approves nothing about its coin.
func (s *Server) proposalActions(p order.OpenProposalRow, who *account.Principal, ownReceipt bool) []string {
	switch {
	case p.ProposalBy == who.UserID:
		return []string{actionWithdrawProposal}
	case len(s.allowedDecisions([]string{p.ProposalKind}, who)) == 0:
		return nil
	case ownReceipt && len(order.ReceiptBars([]string{p.ProposalKind})) == 0:
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

// evidenceOf is what a second person looks at.
func evidenceOf(p *order.Proposal) ProposalEvidence {
	out := ProposalEvidence{TxID: p.TxID()}
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
	ObjectID
	Body ProposalChoice
}

// approveProposal lets a second person do what was proposed. It goes on exactly
// as it would have gone by one person's decision.
func (s *Server) approveProposal(ctx context.Context, in *proposalInput) (*decided, error) {
	made, err := order.ApproveProposal(ctx, s.DB, s.answerTo(ctx, in.ID, in.Body.ProposalID, ""))
	if err != nil {
		return nil, err
	}
	if made.Decision != nil {
		answer, err := s.carryDecision(ctx, made.Decision, proposalCarried[made.Decision.Kind])
		return s.aboutReceipt(ctx, made.Decision, answer), err
	}
	order, err := order.ReadOrder(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return s.carryRefund(ctx, order, made.Refund)
}

type proposalRejectionInput struct {
	ObjectID
	Body ProposalRejection
}

// rejectProposal ends a proposal without effect. Who made it takes it back so.
func (s *Server) rejectProposal(ctx context.Context, in *proposalRejectionInput) (*decided, error) {
	if err := order.RejectProposal(ctx, s.DB, s.answerTo(ctx, in.ID, in.Body.ProposalID, in.Body.Reason)); err != nil {
		return nil, err
	}
	order, err := order.ReadOrder(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusOK, Body: Outcome{DecisionID: in.Body.ProposalID, State: "done", Status: string(order.Status), Message: "Nothing was changed."}}, nil
}

func (s *Server) answerTo(ctx context.Context, orderID, proposalID, reason string) order.ProposalAnswer {
	who := principalOf(ctx)
	kinds := s.allowedDecisions(proposable, who)
	return order.ProposalAnswer{OrderID: orderID, ID: proposalID, Kinds: kinds, ActorID: who.UserID, ActorRole: actorRole(who), Reason: reason, RequestID: requestID(ctx)}
}

// notesShown bounds how many notes are shown of an order.
const notesShown = 100

type newOrderNoteInput struct {
	ObjectID
	Body NewOrderNote
}

func (s *Server) noteAboutOrder(ctx context.Context, in *newOrderNoteInput) (*body[[]OrderNote], error) {
	if err := order.AddOrderNote(ctx, s.DB, in.ID, in.Body.Body, viewer(ctx)); err != nil {
		return nil, err
	}
	notes, err := order.OrderNotes(ctx, s.DB, in.ID, notesShown)
	if err != nil {
		return nil, err
	}
	return &body[[]OrderNote]{mapped(notes, orderNote)}, nil
}

func orderNote(n *casework.Note) OrderNote {
	return OrderNote{ID: n.ID, Author: n.Author, Body: n.Body, CreatedAt: n.CreatedAt}
}
