package support

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// KindTicket is a customer's question.
const KindTicket casework.Kind = "ticket"

// What is in a ticket is read on its page, never in a mail.
var _ = casework.ListCases(&casework.CaseRules{Matter: KindTicket, Label: "ticket", Page: "/support/{id}", StaffPage: "/admin/support/{id}",
	Events: []string{"opened", "written", "taken", "assigned", "answered", "closed", "reopened"},
	Mailings: []casework.Mailing{
		{Event: "opened", Kind: "ticket_opened", Roles: TicketAnswerers},
		{Event: "answered", Kind: "ticket_answered"},
	}})

// TicketStatus is the state of a support ticket (specification §4).
type TicketStatus string

// The statuses.
const (
	TicketOpen       TicketStatus = "open"
	TicketInProgress TicketStatus = "in_progress"
	TicketClosed     TicketStatus = "closed"
)

// TicketStatuses lists them all, for filters and generated tests.
var TicketStatuses = []TicketStatus{TicketOpen, TicketInProgress, TicketClosed}

// ticketTransitions is the one table of what a ticket's status may become.
var ticketTransitions = map[TicketStatus][]TicketStatus{
	TicketOpen:       {TicketInProgress, TicketClosed},
	TicketInProgress: {TicketClosed},
	TicketClosed:     {TicketOpen},
}

// TicketSubjects are what a ticket can be about (specification §2).
var TicketSubjects = []string{"general", "transaction", "account", "technical", "kyc", "voucher"}

// Sides of a conversation; a ticket awaits one of them.
const (
	TicketStaff    = "staff"
	TicketCustomer = "customer"
)

// Bounds of tickets: characters of a message, messages of a ticket, and open tickets of a customer.
const (
	MaxTicketMessage  = 5000
	maxTicketMessages = 200
	maxOpenTickets    = 20
)

// ticketSilence is how long a customer may stay silent after an answer before
// their ticket is closed. They can write in it at any time afterwards.
const ticketSilence = 14 * 24 * time.Hour

// Ticket is a customer's question and what was written about it.
type Ticket struct {
	ID         string `gorm:"primaryKey"`
	Reference  string
	UserID     string
	Subject    string
	Status     TicketStatus
	OrderID    *string
	GiftCardID *string
	Awaits     string
	WaitsSince *time.Time // when the first unanswered message came
	AssigneeID *string
	AssignedAt *time.Time
	ClosesAt   *time.Time
	TurnAt     time.Time `gorm:"->"` // its place in the queue (migration 00061)
	CreatedAt  time.Time `gorm:"default:clock_now()"`
	UpdatedAt  time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt   *time.Time
}

// TicketMessage is one message of a ticket, as its writer wrote it: plain text, never markup.
type TicketMessage struct {
	ID        int64 `gorm:"primaryKey"`
	TicketID  string
	Author    string
	AuthorID  string
	Body      string
	CreatedAt time.Time `gorm:"default:clock_now()"`
	ErasedAt  *time.Time
}

// NewTicket is a ticket about to be opened. OrderID and GiftCardID, when given,
// must be the customer's own.
type NewTicket struct {
	UserID           string
	Subject, Message string
	OrderID          string
	GiftCardID       string
}

// ticketChange is one transaction on one ticket.
type ticketChange struct {
	*Ticket
	now time.Time
	ctx context.Context
	tx  *store.DB
}

// OpenTicket writes a ticket with its first message.
func OpenTicket(ctx context.Context, db *store.DB, in NewTicket) (*Ticket, error) {
	text, err := ticketText(in.Message)
	if in.Subject == "" && text == "" && store.ReasonOf(err) == "required" {
		return nil, fillAll("subject", "message")
	}
	if err != nil {
		return nil, err
	}
	if in.Subject == "" {
		return nil, fillAll("subject")
	}
	if !slices.Contains(TicketSubjects, in.Subject) {
		return nil, store.Invalid("subject", "unknown_subject", "Choose a subject")
	}
	ticket := &Ticket{ID: store.NewID(), UserID: in.UserID, Subject: in.Subject, Status: TicketOpen, Awaits: TicketStaff}
	err = db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockKey(ctx, "tickets:"+in.UserID); err != nil {
			return fmt.Errorf("lock customer: %w", err)
		}
		if err := mayOpenTicket(ctx, tx, in, ticket); err != nil {
			return err
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		ticket.CreatedAt, ticket.UpdatedAt, ticket.WaitsSince = now, now, &now
		if err := insertTicket(ctx, tx, ticket); err != nil {
			return err
		}
		c := &ticketChange{Ticket: ticket, now: now, ctx: ctx, tx: tx}
		if err := c.add(TicketCustomer, in.UserID, text); err != nil {
			return err
		}
		return c.appendEvent("opened", casework.ByCustomer)
	})
	if err != nil {
		return nil, err
	}
	return ticket, nil
}

// mayOpenTicket bounds a customer's open tickets, and checks that a ticket's subject is theirs.
func mayOpenTicket(ctx context.Context, db *store.DB, in NewTicket, ticket *Ticket) error {
	var open int64
	if err := db.ORM(ctx).Model(&Ticket{}).Where("user_id = ? AND status <> ?", in.UserID, TicketClosed).Count(&open).Error; err != nil {
		return fmt.Errorf("count open tickets: %w", err)
	}
	if open >= maxOpenTickets {
		return &store.Error{Code: store.CodeTooMany, Reason: "too_many_tickets", Message: "You have too many open tickets. Reply in one of them."}
	}
	switch {
	case in.OrderID != "" && in.GiftCardID != "":
		return store.Invalid("giftCardId", "one_only", "Choose an order or a gift card, not both")
	case in.OrderID != "":
		if _, err := order.OrderOf(ctx, db, in.UserID, in.OrderID); err != nil {
			return err
		}
		ticket.OrderID = &in.OrderID
	case in.GiftCardID != "":
		if _, err := giftcard.GiftCardOf(ctx, db, in.UserID, in.GiftCardID); err != nil {
			return err
		}
		ticket.GiftCardID = &in.GiftCardID
	}
	return nil
}

// insertTicket stores a ticket under a fresh short reference.
func insertTicket(ctx context.Context, db *store.DB, ticket *Ticket) error {
	for {
		ticket.Reference = store.Reference("ST-")
		result := db.ORM(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(ticket)
		if result.Error != nil {
			return fmt.Errorf("store ticket: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
	}
}

// ticketText is a message as it is kept: without what no screen can show. Its letters are composed, so that a text has
// the same length however its accents were copied.
func ticketText(typed string) (string, error) {
	text := strings.TrimSpace(norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ReplaceAll(typed, "\r\n", "\n"))))
	if text == "" {
		return "", fillAll("message")
	}
	if len([]rune(text)) > MaxTicketMessage {
		return "", store.Invalid("message", "too_long", fmt.Sprintf("Enter at most %d characters", MaxTicketMessage))
	}
	return text, nil
}

// fillAll is the refusal of specification §5 of a form with a gap.
func fillAll(fields ...string) error { return store.Incomplete(fields, "Please fill in all fields") }

// changeTicket locks a ticket and runs fn on it; what fn did commits together
// with the row. It is the only way a ticket changes.
func changeTicket(ctx context.Context, db *store.DB, id string, fn func(c *ticketChange) error) (ticket *Ticket, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		locked, now, err := store.LockedRow[Ticket](ctx, tx, "tickets", id, "Ticket")
		if err != nil {
			return err
		}
		ticket = locked
		c := &ticketChange{Ticket: ticket, now: now, ctx: ctx, tx: tx}
		if err := fn(c); err != nil {
			return err
		}
		c.UpdatedAt = c.now
		if err := tx.ORM(ctx).Select("*").Omit("id", "created_at").Updates(c.Ticket).Error; err != nil {
			return fmt.Errorf("store ticket: %w", err)
		}
		return nil
	})
	return ticket, err
}

// appendEvent appends to the ticket's timeline. An assignment is an event too, although the customer does not see it, so
// that every open inbox is notified.
func (c *ticketChange) appendEvent(kind string, by casework.Actor) error {
	about := casework.About{Matter: KindTicket, ID: c.ID, UserID: c.UserID, Reference: c.Reference, Status: string(c.Status)}
	return casework.Append(c.ctx, c.tx, about, casework.Event{Kind: kind, Actor: by, Internal: kind == "assigned", Data: map[string]any{"subject": c.Subject}})
}

// move changes the ticket's status; a move the table does not list is refused.
func (c *ticketChange) move(to TicketStatus) error {
	if !slices.Contains(ticketTransitions[c.Status], to) {
		return store.Conflict("ticket_state", "The ticket is already "+strings.ReplaceAll(string(c.Status), "_", " "))
	}
	c.Status, c.ClosesAt, c.ClosedAt = to, nil, nil
	if to == TicketClosed {
		c.ClosedAt, c.WaitsSince = &c.now, nil
	}
	return nil
}

// add writes a message; it is the other side's turn then.
func (c *ticketChange) add(author, authorID, text string) error {
	orm := c.tx.ORM(c.ctx)
	var written int64
	if err := orm.Model(&TicketMessage{}).Where("ticket_id = ?", c.ID).Count(&written).Error; err != nil {
		return fmt.Errorf("count messages: %w", err)
	}
	if written >= maxTicketMessages {
		return store.Conflict("ticket_full", "This ticket is full. Open a new one.")
	}
	if err := orm.Create(&TicketMessage{TicketID: c.ID, Author: author, AuthorID: authorID, Body: text, CreatedAt: c.now}).Error; err != nil {
		return fmt.Errorf("store message: %w", err)
	}
	if author == TicketCustomer {
		c.awaitStaff()
		return nil
	}
	closes := c.now.Add(ticketSilence)
	c.Awaits, c.WaitsSince, c.ClosesAt = TicketCustomer, nil, &closes
	return nil
}

// awaitStaff records that the customer waits. A customer who waits already keeps their place, however often they
// write.
func (c *ticketChange) awaitStaff() {
	if c.WaitsSince == nil {
		c.WaitsSince = &c.now
	}
	c.Awaits, c.ClosesAt = TicketStaff, nil
}

// WriteInTicket adds a customer's message to their own ticket; a closed one is
// open again.
func WriteInTicket(ctx context.Context, db *store.DB, userID, id, message string) (*Ticket, error) {
	text, err := ticketText(message)
	if err != nil {
		return nil, err
	}
	return changeTicket(ctx, db, id, func(c *ticketChange) error {
		if c.UserID != userID {
			return store.NotFound("Ticket")
		}
		if c.Status == TicketClosed {
			if err := store.FirstError(c.move(TicketOpen), c.leaveGone()); err != nil {
				return err
			}
		}
		if err := c.add(TicketCustomer, userID, text); err != nil {
			return err
		}
		return c.appendEvent("written", casework.ByCustomer)
	})
}

// CloseOwnTicket ends a ticket for its customer.
func CloseOwnTicket(ctx context.Context, db *store.DB, userID, id string) (*Ticket, error) {
	return changeTicket(ctx, db, id, func(c *ticketChange) error {
		if c.UserID != userID {
			return store.NotFound("Ticket")
		}
		if err := c.move(TicketClosed); err != nil {
			return err
		}
		return c.appendEvent("closed", casework.ByCustomer)
	})
}

// CloseSilentTickets ends tickets whose customers were answered and have had
// nothing to add for a long time.
func CloseSilentTickets(ctx context.Context, db *store.DB, limit int) error {
	return chore.Each(ctx, db, "silent tickets", `SELECT id FROM tickets WHERE closes_at < clock_now() AND id <> ALL(@done) ORDER BY closes_at LIMIT @limit`, limit, func(id string) error {
		_, err := changeTicket(ctx, db, id, func(c *ticketChange) error {
			if c.ClosesAt == nil || c.ClosesAt.After(c.now) {
				return nil // a message came in the meantime
			}
			if err := c.move(TicketClosed); err != nil {
				return err
			}
			return c.appendEvent("closed", casework.BySystem)
		})
		return err
	})
}
