package api

import (
	"context"
	"net/http"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// What staff can do about a proposal, beside the decisions of the order.
const (
	actionApproveProposal  = "approve_proposal"
	actionRejectProposal   = "reject_proposal"
	actionWithdrawProposal = "withdraw_proposal"
)

// refundAlone is the cents of one order that one person gives back.
func (s *Server) refundAlone() money.Units { return money.FromInt(s.RefundTwoAbove * 100) }

// propose writes down what a second person has to approve; nothing moves.
func (s *Server) propose(ctx context.Context, in models.NewProposal) (*decided, error) {
	who := principalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, actorRole(who), requestID(ctx)
	proposal, err := s.DB.Propose(ctx, in)
	if err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: proposal.ID, State: "proposed", Status: string(proposal.OrderStatus),
		Message: "It is more than one person gives back alone. Nothing has moved: a second person has to approve it."}}, nil
}

// proposalActions are the buttons somebody has on a proposal.
func (s *Server) proposalActions(p models.OpenProposalRow, who *models.Principal) []string {
	switch {
	case p.ProposalBy == who.UserID:
		return []string{actionWithdrawProposal}
	case len(s.allowedDecisions([]string{p.ProposalKind}, who)) == 0:
		return nil
	}
	return []string{actionApproveProposal, actionRejectProposal}
}

func waitingProposal(p models.OpenProposalRow) *WaitingProposal {
	if p.ProposalID == nil {
		return nil
	}
	return &WaitingProposal{ID: *p.ProposalID, Kind: p.ProposalKind, Amount: money.USD.Format(p.ProposalAmount), Proposer: p.ProposalMaker,
		Reason: p.ProposalReason, CreatedAt: p.ProposalAt}
}

func orderProposal(p *models.KnownProposal) OrderProposal {
	return OrderProposal{ID: p.ID, Kind: p.Kind, Amount: money.USD.Format(p.Amount), Proposer: p.Proposer, Reason: p.Reason, Status: string(p.Status),
		Decider: p.Decider, Answer: p.Answer, TxID: p.TxID(), CreatedAt: p.CreatedAt, DecidedAt: p.DecidedAt}
}

type proposalInput struct {
	ObjectID
	Body ProposalChoice
}

// approveProposal lets a second person do what was proposed. It goes on exactly
// as it would have gone by one person's decision.
func (s *Server) approveProposal(ctx context.Context, in *proposalInput) (*decided, error) {
	made, err := s.DB.ApproveProposal(ctx, s.answerTo(ctx, in.ID, in.Body.ProposalID, ""))
	if err != nil {
		return nil, err
	}
	if made.Decision != nil {
		done := orderRefunded
		if made.Decision.Kind == models.DecisionMarkSent {
			done = "The order is marked as sent."
		}
		return s.carryDecision(ctx, made.Decision, done)
	}
	order, err := s.DB.Order(ctx, in.ID)
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
	if err := s.DB.RejectProposal(ctx, s.answerTo(ctx, in.ID, in.Body.ProposalID, in.Body.Reason)); err != nil {
		return nil, err
	}
	order, err := s.DB.Order(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusOK, Body: Outcome{DecisionID: in.Body.ProposalID, State: "done", Status: string(order.Status), Message: "Nothing was given back."}}, nil
}

func (s *Server) answerTo(ctx context.Context, orderID, proposalID, reason string) models.ProposalAnswer {
	who := principalOf(ctx)
	kinds := s.allowedDecisions([]string{models.DecisionRefund, models.DecisionMarkSent}, who)
	return models.ProposalAnswer{OrderID: orderID, ID: proposalID, Kinds: kinds, ActorID: who.UserID, ActorRole: actorRole(who), Reason: reason, RequestID: requestID(ctx)}
}

// notesShown bounds how many notes are shown of an order.
const notesShown = 100

type newOrderNoteInput struct {
	ObjectID
	Body NewOrderNote
}

func (s *Server) noteAboutOrder(ctx context.Context, in *newOrderNoteInput) (*body[[]OrderNote], error) {
	if err := s.DB.AddOrderNote(ctx, in.ID, in.Body.Body, viewer(ctx)); err != nil {
		return nil, err
	}
	notes, err := s.DB.OrderNotes(ctx, in.ID, notesShown)
	if err != nil {
		return nil, err
	}
	return &body[[]OrderNote]{mapped(notes, orderNote)}, nil
}

func orderNote(n *models.Note) OrderNote {
	return OrderNote{ID: n.ID, Author: n.Author, Body: n.Body, CreatedAt: n.CreatedAt}
}
