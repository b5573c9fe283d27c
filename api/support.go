package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

func (s *Server) listTickets(ctx context.Context, in *listTicketsInput) (*page[Ticket], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	userID := principalOf(ctx).UserID
	rows, next, err := support.Tickets(ctx, s.DB, support.TicketFilter{UserID: userID}, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := support.CountTickets(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	return &page[Ticket]{Link: linkTo(ctx, next, in.Limit), Total: counts.Total, Body: mapped(rows, ticket)}, nil
}

type listTicketsInput struct {
	Paging
}

type ticketInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body NewTicket
}

// createTicket opens a ticket, once for an intent however often it is sent.
func (s *Server) createTicket(ctx context.Context, in *ticketInput) (*body[Ticket], error) {
	intent, err := s.ticketIntent(ctx, in.Key, "createTicket", in.Body)
	if err != nil {
		return nil, err
	}
	answer, _, err := s.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		opened, err := support.OpenTicket(ctx, tx, support.NewTicket{UserID: intent.UserID, Subject: in.Body.Subject, Message: in.Body.Message,
			OrderID: in.Body.OrderID, GiftCardID: in.Body.GiftCardID})
		if err != nil {
			return store.Answer{}, err
		}
		record, _, err := support.TicketRecord(ctx, tx, intent.UserID, opened.ID)
		if err != nil {
			return store.Answer{}, err
		}
		view := ticket(record)
		view.Message = "" // what customers write is kept in one place
		text, err := json.Marshal(view)
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err != nil {
		return nil, err
	}
	var out Ticket
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	record, _, err := support.TicketRecord(ctx, s.DB, intent.UserID, out.ID)
	if err != nil {
		return nil, err
	}
	out.Message = record.Opening
	return &body[Ticket]{out}, nil
}

// ticketIntent is one thing that somebody writes. Its hash is keyed: a short
// message is not found again by trying.
func (s *Server) ticketIntent(ctx context.Context, key, route string, said any) (store.IdempotencyKey, error) {
	canonical, err := json.Marshal(said)
	if err != nil {
		return store.IdempotencyKey{}, err
	}
	sum, err := s.Vault.Index("ticket message", canonical)
	return store.IdempotencyKey{UserID: principalOf(ctx).UserID, Key: key, Route: route, BodyHash: sum}, err
}

// writeOnce has write add one message to a ticket, however often it is sent.
// Nothing is kept for an answer: that is always the ticket as it stands.
func (s *Server) writeOnce(ctx context.Context, key, route string, said []string, write func(tx *store.DB) error) error {
	intent, err := s.ticketIntent(ctx, key, route, said)
	if err != nil {
		return err
	}
	_, _, err = s.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		return store.Answer{Status: http.StatusOK, Body: "{}"}, write(tx)
	})
	return err
}

func (s *Server) getTicket(ctx context.Context, in *ObjectID) (*body[TicketDetail], error) {
	return s.ownTicket(ctx, in.ID)
}

func (s *Server) ownTicket(ctx context.Context, id string) (*body[TicketDetail], error) {
	record, messages, err := support.TicketRecord(ctx, s.DB, principalOf(ctx).UserID, id)
	if err != nil {
		return nil, err
	}
	return &body[TicketDetail]{TicketDetail{Ticket: ticket(record), Conversation: mapped(messages, ticketMessage), ClosesAt: record.ClosesAt}}, nil
}

type ticketMessageInput struct {
	ObjectID
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per message; a repeat adds nothing"`
	Body NewTicketMessage
}

func (s *Server) writeInTicket(ctx context.Context, in *ticketMessageInput) (*body[TicketDetail], error) {
	err := s.writeOnce(ctx, in.Key, "writeInTicket", []string{in.ID, in.Body.Message}, func(tx *store.DB) error {
		_, err := support.WriteInTicket(ctx, tx, principalOf(ctx).UserID, in.ID, in.Body.Message)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.ownTicket(ctx, in.ID)
}

func (s *Server) closeTicket(ctx context.Context, in *ObjectID) (*body[TicketDetail], error) {
	if _, err := support.CloseOwnTicket(ctx, s.DB, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return s.ownTicket(ctx, in.ID)
}

func ticket(t *support.ListedTicket) Ticket {
	return Ticket{ID: t.ID, Reference: t.Reference, Subject: t.Subject, Status: string(t.Status), Message: t.Opening, About: ticketAbout(t),
		Messages: t.Messages, Awaits: t.Awaits, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, ClosedAt: t.ClosedAt}
}

func ticketAbout(t *support.ListedTicket) *TicketAbout {
	switch {
	case t.About == nil:
	case t.OrderID != nil:
		return &TicketAbout{Kind: "order", ID: *t.OrderID, Reference: *t.About}
	case t.GiftCardID != nil:
		return &TicketAbout{Kind: "gift_card", ID: *t.GiftCardID, Reference: *t.About}
	}
	return nil
}

func ticketMessage(m *support.WrittenMessage) TicketMessage {
	return TicketMessage{ID: m.ID, Author: m.Author, Name: m.FirstName, Body: m.Body, Erased: m.ErasedAt != nil, CreatedAt: m.CreatedAt}
}
