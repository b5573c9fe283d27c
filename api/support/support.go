package support

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

// ListTickets answers GET /api/support/tickets.
func (h *Handlers) ListTickets(ctx context.Context, in *listTicketsInput) (*rest.Page[Ticket], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	rows, next, err := support.Tickets(ctx, h.DB, support.TicketFilter{UserID: userID}, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := support.CountTickets(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	return &rest.Page[Ticket]{Link: rest.LinkTo(ctx, next, in.Limit), Total: counts.Total, Body: rest.Mapped(rows, ticket)}, nil
}

type listTicketsInput struct {
	rest.Paging
}

type ticketInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body NewTicket
}

// CreateTicket opens a ticket, once for an intent however often it is sent.
func (h *Handlers) CreateTicket(ctx context.Context, in *ticketInput) (*rest.Body[Ticket], error) {
	intent, err := h.ticketIntent(ctx, in.Key, "createTicket", in.Body)
	if err != nil {
		return nil, err
	}
	answer, _, err := h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
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
	record, _, err := support.TicketRecord(ctx, h.DB, intent.UserID, out.ID)
	if err != nil {
		return nil, err
	}
	out.Message = record.Opening
	return &rest.Body[Ticket]{Body: out}, nil
}

// ticketIntent is one message of a user. Its hash is keyed, so that a short message cannot
// be found by guessing.
func (h *Handlers) ticketIntent(ctx context.Context, key, route string, said any) (store.IdempotencyKey, error) {
	canonical, err := json.Marshal(said)
	if err != nil {
		return store.IdempotencyKey{}, err
	}
	sum, err := h.Vault.Index("ticket message", canonical)
	return store.IdempotencyKey{UserID: rest.PrincipalOf(ctx).UserID, Key: key, Route: route, BodyHash: sum}, err
}

// writeOnce has write add one message to a ticket, however often it is sent.
// Nothing is kept for an answer: that is always the ticket as it stands.
func (h *Handlers) writeOnce(ctx context.Context, key, route string, said []string, write func(tx *store.DB) error) error {
	intent, err := h.ticketIntent(ctx, key, route, said)
	if err != nil {
		return err
	}
	_, _, err = h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		return store.Answer{Status: http.StatusOK, Body: "{}"}, write(tx)
	})
	return err
}

// GetTicket answers GET /api/support/tickets/{id}.
func (h *Handlers) GetTicket(ctx context.Context, in *rest.ObjectID) (*rest.Body[TicketDetail], error) {
	return h.ownTicket(ctx, in.ID)
}

func (h *Handlers) ownTicket(ctx context.Context, id string) (*rest.Body[TicketDetail], error) {
	record, messages, err := support.TicketRecord(ctx, h.DB, rest.PrincipalOf(ctx).UserID, id)
	if err != nil {
		return nil, err
	}
	return &rest.Body[TicketDetail]{Body: TicketDetail{Ticket: ticket(record), Conversation: rest.Mapped(messages, ticketMessage), ClosesAt: record.ClosesAt}}, nil
}

type ticketMessageInput struct {
	rest.ObjectID
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per message; a repeat adds nothing"`
	Body NewTicketMessage
}

// WriteInTicket answers POST /api/support/tickets/{id}/messages.
func (h *Handlers) WriteInTicket(ctx context.Context, in *ticketMessageInput) (*rest.Body[TicketDetail], error) {
	err := h.writeOnce(ctx, in.Key, "writeInTicket", []string{in.ID, in.Body.Message}, func(tx *store.DB) error {
		_, err := support.WriteInTicket(ctx, tx, rest.PrincipalOf(ctx).UserID, in.ID, in.Body.Message)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h.ownTicket(ctx, in.ID)
}

// CloseTicket answers POST /api/support/tickets/{id}/close.
func (h *Handlers) CloseTicket(ctx context.Context, in *rest.ObjectID) (*rest.Body[TicketDetail], error) {
	if _, err := support.CloseOwnTicket(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return h.ownTicket(ctx, in.ID)
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
