package support

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// TicketFilter narrows a list of tickets. Empty fields do not narrow.
type TicketFilter struct {
	UserID  string
	Status  TicketStatus
	Subject string
	// Desk is the assignee, or Unassigned.
	Desk  string
	Query string // a reference, an id or the beginning of one, or its customer
}

// Unassigned selects tickets without an assignee.
const Unassigned = "00000000-0000-0000-0000-000000000000"

// ListedTicket is a ticket with its customer, subject, assignee, and first message.
type ListedTicket struct {
	Ticket    `gorm:"embedded"`
	Email     string
	FirstName string
	LastName  string
	Assignee  *string // the assignee's display name for staff
	About     *string // reference of the order or the gift card
	Messages  int
	Opening   string // the beginning of its first message
}

// listed are ListedTicket's columns.
var listed = `tickets.*, u.email, u.first_name, u.last_name, ` + people.NameOf("s") + ` AS assignee, coalesce(o.reference, g.reference) AS about,
	(SELECT count(*) FROM ticket_messages m WHERE m.ticket_id = tickets.id) AS messages,
	(SELECT left(m.body, 140) FROM ticket_messages m WHERE m.ticket_id = tickets.id ORDER BY m.id LIMIT 1) AS opening`

func listedTickets(query *gorm.DB) *gorm.DB {
	return query.Table("tickets").Select(listed).Joins("JOIN users u ON u.id = tickets.user_id").Joins("LEFT JOIN users s ON s.id = tickets.assignee_id").
		Joins("LEFT JOIN orders o ON o.id = tickets.order_id").Joins("LEFT JOIN gift_cards g ON g.id = tickets.gift_card_id")
}

// Tickets is one page of tickets, newest first. Those of one status are a queue: the longest waiting first, and
// closed ones by their closing, latest first.
func Tickets(ctx context.Context, db *store.DB, f TicketFilter, p store.Page) ([]ListedTicket, *store.Cursor, error) {
	query := listedTickets(db.CustomPlans(ctx))
	for column, value := range map[string]string{"user_id": f.UserID, "status": string(f.Status), "subject": f.Subject, "desk": f.Desk} {
		if value != "" {
			query = query.Where("tickets."+column+" = ?", value)
		}
	}
	if f.Query != "" {
		ids, err := people.FoundIn(ctx, db, "tickets", f.Query)
		if err != nil {
			return nil, nil, err
		}
		query = query.Where("tickets.id = ANY(CAST(? AS uuid[]))", ids)
	}
	at := "created_at"
	if f.Status != "" {
		at, p.OldestFirst = "turn_at", f.Status != TicketClosed
	}
	var rows []ListedTicket
	if err := p.By(query, "tickets", at).Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read tickets: %w", err)
	}
	rows, next := store.Cut(rows, p, func(t ListedTicket) store.Cursor {
		if f.Status != "" {
			return store.Cursor{At: t.TurnAt, ID: t.ID}
		}
		return store.Cursor{At: t.CreatedAt, ID: t.ID}
	})
	return rows, next, nil
}

// CountTickets counts a customer's tickets, or all customers', without reading them.
func CountTickets(ctx context.Context, db *store.DB, userID string) (store.Counts[TicketStatus], error) {
	return store.CountByStatus[TicketStatus](ctx, db, "tickets", userID)
}

// InboxCount is how many tickets have the same facets.
type InboxCount struct {
	Status        TicketStatus
	Subject, Desk string
	N             int
}

// InboxCounts counts all customers' tickets, or those that a search finds, by all that the inbox filters by.
func InboxCounts(ctx context.Context, db *store.DB, typed string) ([]InboxCount, error) {
	facets := map[string]int{}
	if typed == "" {
		tallies, err := db.Tally(ctx, "inbox", "")
		if err != nil {
			return nil, err
		}
		for _, t := range tallies {
			facets[t.Facet] = t.N
		}
	} else {
		ids, err := people.FoundIn(ctx, db, "tickets", typed)
		if err != nil {
			return nil, err
		}
		counts, err := store.CountFound[string](ctx, db, "tickets", "status || '/' || subject || '/' || desk", "id", ids)
		if err != nil {
			return nil, err
		}
		facets = counts.ByStatus
	}
	var counts []InboxCount
	for facet, n := range facets {
		if words := strings.SplitN(facet, "/", 3); len(words) == 3 {
			counts = append(counts, InboxCount{TicketStatus(words[0]), words[1], words[2], n})
		}
	}
	return counts, nil
}

// Answerer is a member of staff who answers tickets, with how many of theirs are not closed.
type Answerer struct {
	ID, Name string
	Tickets  int
}

// mostAnswerers bounds the list of those who answer.
const mostAnswerers = 200

// Answerers lists those whom a ticket can be assigned to, by name.
func Answerers(ctx context.Context, db *store.DB) ([]Answerer, error) {
	var rows []Answerer
	err := db.ORM(ctx).Raw(`SELECT u.id, `+people.NameOf("u")+` AS name FROM users u
		WHERE u.id IN (SELECT user_id FROM `+people.EffectiveRoles+` r WHERE role IN ?) ORDER BY 2, 1 LIMIT ?`, TicketAnswerers, mostAnswerers).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read who answers: %w", err)
	}
	counts, err := InboxCounts(ctx, db, "")
	if err != nil {
		return nil, err
	}
	for i := range rows {
		for _, c := range counts {
			if c.Desk == rows[i].ID && c.Status != TicketClosed {
				rows[i].Tickets += c.N
			}
		}
	}
	return rows, nil
}

// WrittenMessage is a message with the name its writer signs with.
type WrittenMessage struct {
	TicketMessage `gorm:"embedded"`
	FirstName     string
	Email         string
}

// TicketRecord reads a ticket with its whole conversation: a customer's own, or any customer's when userID is empty.
func TicketRecord(ctx context.Context, db *store.DB, userID, id string) (*ListedTicket, []WrittenMessage, error) {
	if !store.IsID(id) {
		return nil, nil, store.NotFound("Ticket")
	}
	query := listedTickets(db.ORM(ctx)).Where("tickets.id = ?", id)
	if userID != "" {
		query = query.Where("tickets.user_id = ?", userID)
	}
	var ticket ListedTicket
	result := query.Scan(&ticket)
	if result.Error != nil {
		return nil, nil, fmt.Errorf("read ticket: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, nil, store.NotFound("Ticket")
	}
	var messages []WrittenMessage
	err := db.ORM(ctx).Table("ticket_messages m").Select("m.*, u.first_name, u.email").Joins("JOIN users u ON u.id = m.author_id").
		Where("m.ticket_id = ?", id).Order("m.id").Scan(&messages).Error
	if err != nil {
		return nil, nil, fmt.Errorf("read messages: %w", err)
	}
	return &ticket, messages, nil
}

// mostTicketSteps bounds what is read of a ticket's notes and of its history.
const mostTicketSteps = 500

// TicketNotes reads a ticket's notes, oldest first, as its conversation.
func TicketNotes(ctx context.Context, db *store.DB, id string) ([]casework.Note, error) {
	return casework.TicketNotes.About(ctx, db, id, mostTicketSteps)
}

// TicketStep is one act on a ticket: by staff, with the actor, or else by its customer or the system.
type TicketStep struct {
	At     time.Time
	Kind   string // what staff do with tickets, reply_close where an answer closed it, or an event of its timeline
	By     casework.Actor
	Actor  string // the actor's display name; staff only
	ToID   string // whom it was assigned to, by an assignment or an answer
	To     string
	Reason string
}

// TicketHistory reads who assigned, answered, closed and reopened a ticket, oldest first. Acts of staff are in the
// audit log alone, since the customer reads the timeline.
func TicketHistory(ctx context.Context, db *store.DB, id string) ([]TicketStep, error) {
	var rows []TicketStep
	err := db.ORM(ctx).Raw(`SELECT * FROM (
		SELECT a.at, CASE WHEN a.action = 'ticket.reply' AND a.after->>'status' = 'closed' THEN 'reply_close' ELSE substring(a.action FROM 8) END AS kind, CASE WHEN a.actor_id IS NULL THEN 'system' ELSE 'staff' END AS by, coalesce(`+people.NameOf("u")+`, '') AS actor,
		       coalesce(t.id::text, '') AS to_id, coalesce(`+people.NameOf("t")+`, '') AS to, a.reason, a.id
		  FROM audit_log a LEFT JOIN users u ON u.id = a.actor_id
		  LEFT JOIN users t ON t.id = CAST(a.after->>'assignee' AS uuid) AND a.after->>'assignee' IS DISTINCT FROM a.before->>'assignee'
		 WHERE a.object_kind = 'ticket' AND a.object_id = @id AND a.action <> 'ticket.noted'
		UNION ALL
		SELECT at, kind, actor, '', '', '', '', id FROM matter_events
		 WHERE matter_id = CAST(@id AS uuid) AND matter = @matter AND actor IN @others AND kind <> 'written') steps
		 ORDER BY at, id LIMIT @most`,
		map[string]any{"id": id, "matter": KindTicket, "others": []casework.Actor{casework.ByCustomer, casework.BySystem}, "most": mostTicketSteps}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the history of a ticket: %w", err)
	}
	return rows, nil
}
