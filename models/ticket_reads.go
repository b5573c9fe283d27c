package models

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// TicketFilter narrows a list of tickets. Empty fields do not narrow.
type TicketFilter struct {
	UserID string
	Status TicketStatus
}

// ListedTicket is a ticket with whose it is, what it is about, and how it
// began.
type ListedTicket struct {
	Ticket    `gorm:"embedded"`
	Email     string
	FirstName string
	LastName  string
	About     *string // reference of the order or the gift card
	Messages  int
	Opening   string // the beginning of its first message
}

// listed are ListedTicket's columns.
const listed = `tickets.*, u.email, u.first_name, u.last_name, coalesce(o.reference, g.reference) AS about,
	(SELECT count(*) FROM ticket_messages m WHERE m.ticket_id = tickets.id) AS messages,
	(SELECT left(m.body, 140) FROM ticket_messages m WHERE m.ticket_id = tickets.id ORDER BY m.id LIMIT 1) AS opening`

// Tickets is one page of tickets, newest first.
func (db *DB) Tickets(ctx context.Context, f TicketFilter, p Page) ([]ListedTicket, *Cursor, error) {
	query := db.customPlans(ctx).Table("tickets").Select(listed).
		Joins("JOIN users u ON u.id = tickets.user_id").
		Joins("LEFT JOIN orders o ON o.id = tickets.order_id").Joins("LEFT JOIN gift_cards g ON g.id = tickets.gift_card_id")
	if f.UserID != "" {
		query = query.Where("tickets.user_id = ?", f.UserID)
	}
	if f.Status != "" {
		query = query.Where("tickets.status = ?", f.Status)
	}
	var rows []ListedTicket
	if err := p.in(query, "tickets").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read tickets: %w", err)
	}
	rows, next := cut(rows, p, func(t ListedTicket) Cursor { return Cursor{At: t.CreatedAt, ID: t.ID} })
	return rows, next, nil
}

// CountTickets counts a customer's tickets, or everybody's, without reading
// them.
func (db *DB) CountTickets(ctx context.Context, userID string) (Counts[TicketStatus], error) {
	return countByStatus[TicketStatus](ctx, db, "tickets", userID)
}

// WrittenMessage is a message with the name its writer signs with.
type WrittenMessage struct {
	TicketMessage `gorm:"embedded"`
	FirstName     string
	Email         string
}

// TicketRecord reads a ticket with its whole conversation: a customer's own, or
// anybody's when userID is empty.
func (db *DB) TicketRecord(ctx context.Context, userID, id string) (*ListedTicket, []WrittenMessage, error) {
	if uuid.Validate(id) != nil {
		return nil, nil, NotFound("Ticket")
	}
	query := db.orm(ctx).Table("tickets").Select(listed).Joins("JOIN users u ON u.id = tickets.user_id").
		Joins("LEFT JOIN orders o ON o.id = tickets.order_id").Joins("LEFT JOIN gift_cards g ON g.id = tickets.gift_card_id").Where("tickets.id = ?", id)
	if userID != "" {
		query = query.Where("tickets.user_id = ?", userID)
	}
	var ticket ListedTicket
	result := query.Scan(&ticket)
	if result.Error != nil {
		return nil, nil, fmt.Errorf("read ticket: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, nil, NotFound("Ticket")
	}
	var messages []WrittenMessage
	err := db.orm(ctx).Table("ticket_messages m").Select("m.*, u.first_name, u.email").Joins("JOIN users u ON u.id = m.author_id").
		Where("m.ticket_id = ?", id).Order("m.id").Scan(&messages).Error
	if err != nil {
		return nil, nil, fmt.Errorf("read messages: %w", err)
	}
	return &ticket, messages, nil
}
