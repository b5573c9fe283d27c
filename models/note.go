package models

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// OrderNote is what somebody of the staff noted about an order.
type OrderNote struct {
	ID        string `gorm:"primaryKey"`
	OrderID   string
	AuthorID  string
	Body      string
	CreatedAt time.Time `gorm:"default:clock_now()"`
	Author    string    `gorm:"->"`
}

// OrderNotes reads them, newest first.
func (db *DB) OrderNotes(ctx context.Context, orderID string, limit int) ([]OrderNote, error) {
	var rows []OrderNote
	err := db.orm(ctx).Raw(`SELECT n.*, coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.email) AS author FROM order_notes n
		JOIN users u ON u.id = n.author_id WHERE n.order_id = ? AND n.erased_at IS NULL ORDER BY n.created_at DESC, n.id DESC LIMIT ?`, orderID, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return rows, nil
}

// AddOrderNote notes something about an order; nothing else of it changes.
func (db *DB) AddOrderNote(ctx context.Context, orderID, body string, who Viewer) error {
	body = strings.TrimSpace(body)
	if body == "" || len(body) > longestNote {
		return Invalid("body", "required", "Please write a note of at most 2,000 characters")
	}
	if _, err := db.Order(ctx, orderID); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *DB) error {
		note := OrderNote{ID: NewID(), OrderID: orderID, AuthorID: who.ID, Body: body}
		if err := tx.orm(ctx).Omit("Author").Create(&note).Error; err != nil {
			return fmt.Errorf("store note: %w", err)
		}
		return tx.Audit(ctx, AuditEntry{ActorID: who.ID, ActorRole: who.Role, Action: "order.noted", ObjectKind: "order", ObjectID: orderID,
			After: map[string]any{"note": note.ID}, RequestID: who.RequestID})
	})
}
