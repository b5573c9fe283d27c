package support

import (
	"context"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

type ticketAnswerInput struct {
	rest.ObjectID
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per answer; a repeat adds nothing"`
	Body TicketAnswer
}

// ReplyToTicket answers, and closes the ticket with it when requested.
func (h *Handlers) ReplyToTicket(ctx context.Context, in *ticketAnswerInput) (*rest.Body[AdminTicketDetail], error) {
	said := []string{in.ID, in.Body.Message}
	if in.Body.Close {
		said = append(said, support.TicketClose)
	}
	err := h.writeOnce(ctx, in.Key, "replyToTicket", said, func(tx *store.DB) error {
		return actOnTicket(ctx, tx, support.TicketAct{TicketID: in.ID, Action: support.TicketReply, Message: in.Body.Message, Closes: in.Body.Close})
	})
	if err != nil {
		return nil, err
	}
	return h.GetAdminTicket(ctx, &in.ObjectID)
}

// TakeTicket assigns an unassigned ticket to the caller.
func (h *Handlers) TakeTicket(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminTicketDetail], error) {
	return h.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketTake})
}

type assignTicketInput struct {
	rest.ObjectID
	Body TicketAssignment
}

// AssignTicket assigns a ticket to another member of staff, or to none. The call names the
// former assignee: of two simultaneous calls the second is refused, with the name of the
// first.
func (h *Handlers) AssignTicket(ctx context.Context, in *assignTicketInput) (*rest.Body[AdminTicketDetail], error) {
	return h.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketAssign, AssigneeID: in.Body.AssigneeID, From: in.Body.From})
}

type closeTicketInput struct {
	rest.ObjectID
	Body TicketClosing
}

// CloseTicketForCustomer closes a ticket without an answer, with a reason that
// stays among staff.
func (h *Handlers) CloseTicketForCustomer(ctx context.Context, in *closeTicketInput) (*rest.Body[AdminTicketDetail], error) {
	return h.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketClose, Reason: in.Body.Reason})
}

// ReopenTicket answers POST /api/admin/support/tickets/{id}/reopen.
func (h *Handlers) ReopenTicket(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminTicketDetail], error) {
	return h.pressOnTicket(ctx, support.TicketAct{TicketID: in.ID, Action: support.TicketReopen})
}

type noteOnTicketInput struct {
	rest.ObjectID
	Body NewTicketNote
}

// NoteOnTicket answers POST /api/admin/support/tickets/{id}/notes.
func (h *Handlers) NoteOnTicket(ctx context.Context, in *noteOnTicketInput) (*rest.Body[AdminTicketDetail], error) {
	if err := support.NoteOnTicket(ctx, h.DB, in.ID, in.Body.Body, rest.Viewer(ctx)); err != nil {
		return nil, err
	}
	return h.GetAdminTicket(ctx, &in.ObjectID)
}

func (h *Handlers) pressOnTicket(ctx context.Context, act support.TicketAct) (*rest.Body[AdminTicketDetail], error) {
	if err := actOnTicket(ctx, h.DB, act); err != nil {
		return nil, err
	}
	return h.GetAdminTicket(ctx, &rest.ObjectID{ID: act.TicketID})
}

// actOnTicket executes an action of a member of staff in their name.
func actOnTicket(ctx context.Context, db *store.DB, act support.TicketAct) error {
	who := rest.PrincipalOf(ctx)
	act.ActorID, act.ActorRole, act.RequestID = who.UserID, rest.ActorRole(who), rest.RequestID(ctx)
	_, err := support.ActOnTicket(ctx, db, act)
	return err
}
