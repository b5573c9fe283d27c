package api

import (
	"context"
	"strings"

	"github.com/tradepost/tradepost/models"
)

// TicketFilter is what narrows the inbox.
type TicketFilter struct {
	Status string `query:"status" enum:"all,open,in_progress,closed" default:"all"`
}

type listAdminTicketsInput struct {
	Paging
	TicketFilter
}

func (s *Server) listAdminTickets(ctx context.Context, in *listAdminTicketsInput) (*page[AdminTicket], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	status := models.TicketStatus(unlessAll(in.Status))
	rows, next, err := s.DB.Tickets(ctx, models.TicketFilter{Status: status}, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := s.DB.CountTickets(ctx, "")
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(t *models.ListedTicket) AdminTicket { return s.adminTicket(t, who) }
	return &page[AdminTicket]{Link: linkTo(ctx, next, in.Limit), Total: counts.Matching(status), Body: mapped(rows, view)}, nil
}

func (s *Server) getTicketsSummary(ctx context.Context, _ *nothing) (*body[TicketsSummary], error) {
	counts, err := s.DB.CountTickets(ctx, "")
	if err != nil {
		return nil, err
	}
	out := TicketsSummary{Total: counts.Total, ByStatus: map[string]int{}}
	for _, status := range models.TicketStatuses {
		out.ByStatus[string(status)] = counts.ByStatus[status]
	}
	return &body[TicketsSummary]{out}, nil
}

// adminTicket is a ticket as staff see it, with the buttons they have on it.
func (s *Server) adminTicket(t *models.ListedTicket, who *models.Principal) AdminTicket {
	view := AdminTicket{Ticket: ticket(t), UserID: t.UserID, CustomerName: strings.TrimSpace(t.FirstName + " " + t.LastName), CustomerEmail: t.Email, Actions: []string{}}
	if t.UserID != who.UserID && s.policy.allows(rolesOf(who), answerTickets) {
		view.Actions = models.TicketActions(t.Status)
	}
	return view
}

func (s *Server) getAdminTicket(ctx context.Context, in *ObjectID) (*body[AdminTicketDetail], error) {
	record, messages, err := s.DB.TicketRecord(ctx, "", in.ID)
	if err != nil {
		return nil, err
	}
	return &body[AdminTicketDetail]{AdminTicketDetail{AdminTicket: s.adminTicket(record, principalOf(ctx)),
		Conversation: mapped(messages, ticketMessage), ClosesAt: record.ClosesAt}}, nil
}

func (s *Server) replyToTicket(ctx context.Context, in *ticketMessageInput) (*body[AdminTicketDetail], error) {
	err := s.writeOnce(ctx, in, "replyToTicket", func(tx *models.DB) error {
		return actOnTicket(ctx, tx, models.TicketAct{TicketID: in.ID, Action: models.TicketReply, Message: in.Body.Message})
	})
	if err != nil {
		return nil, err
	}
	return s.getAdminTicket(ctx, &in.ObjectID)
}

func (s *Server) takeTicket(ctx context.Context, in *ObjectID) (*body[AdminTicketDetail], error) {
	return s.pressOnTicket(ctx, in, models.TicketTake)
}

func (s *Server) closeTicketForCustomer(ctx context.Context, in *ObjectID) (*body[AdminTicketDetail], error) {
	return s.pressOnTicket(ctx, in, models.TicketClose)
}

func (s *Server) reopenTicket(ctx context.Context, in *ObjectID) (*body[AdminTicketDetail], error) {
	return s.pressOnTicket(ctx, in, models.TicketReopen)
}

func (s *Server) pressOnTicket(ctx context.Context, in *ObjectID, action string) (*body[AdminTicketDetail], error) {
	if err := actOnTicket(ctx, s.DB, models.TicketAct{TicketID: in.ID, Action: action}); err != nil {
		return nil, err
	}
	return s.getAdminTicket(ctx, in)
}

// actOnTicket does what a member of staff asked for, in their name.
func actOnTicket(ctx context.Context, db *models.DB, act models.TicketAct) error {
	who := principalOf(ctx)
	act.ActorID, act.ActorRole, act.RequestID = who.UserID, actorRole(who), requestID(ctx)
	_, err := db.ActOnTicket(ctx, act)
	return err
}
