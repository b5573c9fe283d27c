package casework

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// Note is a note by staff about a customer, an order or a ticket.
type Note struct {
	ID        string
	Author    string // the author's display name for staff
	Body      string
	CreatedAt time.Time
}

// notes is a table of them, its column that says what they are about, and the way
// they are read: newest first, but those of a ticket as its conversation.
type notes struct{ table, subject, order string }

// Kinds of notes of staff.
var (
	CustomerNotes = notes{"customer_notes", "user_id", "n.created_at DESC, n.id DESC"}
	OrderNotes    = notes{"order_notes", "order_id", "n.created_at DESC, n.id DESC"}
	TicketNotes   = notes{"ticket_notes", "ticket_id", "n.created_at, n.id"}
)

// longestNote bounds a note, in characters.
const longestNote = 2000

// NoteText is a note without surrounding space; an empty or too long one is refused.
func NoteText(body string) (string, error) {
	body = strings.TrimSpace(body)
	if body == "" || utf8.RuneCountInString(body) > longestNote {
		return "", store.Invalid("body", "required", "Enter a note of at most 2,000 characters")
	}
	return body, nil
}

// About reads the notes about one subject.
func (n notes) About(ctx context.Context, db *store.DB, id string, limit int) ([]Note, error) {
	var rows []Note
	err := db.ORM(ctx).Raw("SELECT n.id, "+people.NameOf("u")+" AS author, n.body, n.created_at FROM "+n.table+` n JOIN users u ON u.id = n.author_id
		WHERE n.`+n.subject+" = ? AND n.erased_at IS NULL ORDER BY "+n.order+" LIMIT ?", id, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return rows, nil
}

// Add writes a note and gives its id, in the transaction of its audit entry.
func (n notes) Add(ctx context.Context, tx *store.DB, about, author, body string) (id string, err error) {
	id = store.NewID()
	err = tx.ORM(ctx).Exec("INSERT INTO "+n.table+" (id, "+n.subject+", author_id, body) VALUES (?, ?, ?, ?)", id, about, author, body).Error
	if err != nil {
		return "", fmt.Errorf("store note: %w", err)
	}
	return id, nil
}
