package api

import (
	"context"

	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

type ticketAnswerInput struct {
	ObjectID
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per answer; a repeat adds nothing"`
	Body TicketAnswer
}

// replyToTicket answers, and closes the ticket with it when asked to.
func (s *Server) replyToTicket(ctx context.Context, in *ticketAnswerInput) (*body[AdminTicketDetail], error) {
	said := []string{in.ID, in.Body.Message}
	if in.Body.Close {
		said = append(said, support.TicketClose)
	}
	err := s.writeOnce(ctx, in.Key, "replyToTicket", said, func(tx *store.DB) error {
		return actOnTicket(ctx, tx, support.TicketAct{TicketID: in.ID, Action: support.TicketReply, Message: in.Body.Message, Closes: in.Body.Close})
	})
	if err != nil {
		return nil, err
	}
	return s.getAdminTicket(ctx, &in.ObjectID)
}

// takeTicket gives a ticket that nobody has to who presses.
func (s *Server) takeTicket(ctx context.Context, in *ObjectID) (*body[AdminTicketDetail], error) {
	return s.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketTake})
}

type assignTicketInput struct {
	ObjectID
	Body TicketAssignment
}

// assignTicket gives a ticket to somebody else, or to nobody. Whose it was is
// named with it: of two who choose at once, one is told who was first.
func (s *Server) assignTicket(ctx context.Context, in *assignTicketInput) (*body[AdminTicketDetail], error) {
	return s.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketAssign, AssigneeID: in.Body.AssigneeID, From: in.Body.From})
}

type closeTicketInput struct {
	ObjectID
	Body TicketClosing
}

// closeTicketForCustomer closes a ticket without an answer, with a reason that
// stays among staff.
func (s *Server) closeTicketForCustomer(ctx context.Context, in *closeTicketInput) (*body[AdminTicketDetail], error) {
	return s.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketClose, Reason: in.Body.Reason})
}

func (s *Server) reopenTicket(ctx context.Context, in *ObjectID) (*body[AdminTicketDetail], error) {
	return s.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketReopen})
}

type noteOnTicketInput struct {
	ObjectID
	Body NewTicketNote
}

func (s *Server) noteOnTicket(ctx context.Context, in *noteOnTicketInput) (*body[AdminTicketDetail], error) {
	if err := support.NoteOnTicket(ctx, s.DB, in.ID, in.Body.Body, viewer(ctx)); err != nil {
		return nil, err
	}
	return s.getAdminTicket(ctx, &in.ObjectID)
}

func (s *Server) pressOnTicket(ctx context.Context, act support.TicketAct) (*body[AdminTicketDetail], error) {
	if err := actOnTicket(ctx, s.DB, act); err != nil {
		return nil, err
	}
	return s.getAdminTicket(ctx, &ObjectID{ID: act.TicketID})
}

// actOnTicket does what a member of staff asked for, in their name.
func actOnTicket(ctx context.Context, db *store.DB, act support.TicketAct) error {
	who := principalOf(ctx)
	act.ActorID, act.ActorRole, act.RequestID = who.UserID, actorRole(who), requestID(ctx)
	_, err := support.ActOnTicket(ctx, db, act)
	return err
}
