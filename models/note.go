package models

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Note is what somebody of the staff noted about a customer, an order or
// a ticket.
type Note struct {
	ID        string
	Author    string // what colleagues call who wrote it
	Body      string
	CreatedAt time.Time
}

// notes is a table of them, its column that says what they are about, and the way
// they are read: newest first, but those of a ticket as its conversation.
type notes struct{ table, subject, order string }

// The notes that staff keep.
var (
	customerNotes = notes{"customer_notes", "user_id", "n.created_at DESC, n.id DESC"}
	orderNotes    = notes{"order_notes", "order_id", "n.created_at DESC, n.id DESC"}
	ticketNotes   = notes{"ticket_notes", "ticket_id", "n.created_at, n.id"}
)

// longestNote bounds a note, in bytes.
const longestNote = 2000

// noteText is a note without the space around it; one of nothing, or too long, is
// refused.
func noteText(body string) (string, error) {
	body = strings.TrimSpace(body)
	if body == "" || len(body) > longestNote {
		return "", Invalid("body", "required", "Enter a note of at most 2,000 characters")
	}
	return body, nil
}

// about reads the notes about one subject.
func (n notes) about(ctx context.Context, db *DB, id string, limit int) ([]Note, error) {
	var rows []Note
	err := db.orm(ctx).Raw("SELECT n.id, "+nameOf("u")+" AS author, n.body, n.created_at FROM "+n.table+` n JOIN users u ON u.id = n.author_id
		WHERE n.`+n.subject+" = ? AND n.erased_at IS NULL ORDER BY "+n.order+" LIMIT ?", id, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return rows, nil
}

// add writes a note and gives its id, in the transaction of its audit entry.
func (n notes) add(ctx context.Context, tx *DB, about, author, body string) (id string, err error) {
	id = NewID()
	err = tx.orm(ctx).Exec("INSERT INTO "+n.table+" (id, "+n.subject+", author_id, body) VALUES (?, ?, ?, ?)", id, about, author, body).Error
	if err != nil {
		return "", fmt.Errorf("store note: %w", err)
	}
	return id, nil
}

// OrderNotes reads what staff noted about an order, newest first.
func (db *DB) OrderNotes(ctx context.Context, orderID string, limit int) ([]Note, error) {
	return orderNotes.about(ctx, db, orderID, limit)
}

// AddOrderNote notes something about an order; nothing else of it changes.
func (db *DB) AddOrderNote(ctx context.Context, orderID, body string, who Viewer) error {
	body, err := noteText(body)
	if err != nil {
		return err
	}
	if _, err := db.Order(ctx, orderID); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *DB) error {
		id, err := orderNotes.add(ctx, tx, orderID, who.ID, body)
		if err != nil {
			return err
		}
		return tx.Audit(ctx, AuditEntry{ActorID: who.ID, ActorRole: who.Role, Action: "order.noted", ObjectKind: "order", ObjectID: orderID,
			After: map[string]any{"note": id}, RequestID: who.RequestID})
	})
}
