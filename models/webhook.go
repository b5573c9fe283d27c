package models

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// WebhookNotice is a verified notice of a provider. It is a hint: whoever acts
// on it reads the provider again.
type WebhookNotice struct {
	Provider string
	EventID  string
	Type     string
	Subject  string
	OrderID  string // empty when the notice is not about one of our orders
	Idle     bool   // nothing comes of it: it is handled by being stored
}

// StoreWebhook keeps a notice before it is acknowledged. done reports that it
// came before and was acted on, so that nothing is left to do.
func (db *DB) StoreWebhook(ctx context.Context, notice WebhookNotice) (done bool, err error) {
	var order any
	if uuid.Validate(notice.OrderID) == nil {
		order = notice.OrderID
	}
	err = db.orm(ctx).Raw(`
		INSERT INTO webhook_inbox (provider, event_id, type, subject, order_id, handled_at) VALUES (?, ?, ?, ?, ?, CASE WHEN ? THEN clock_now() END)
		ON CONFLICT (provider, event_id) DO UPDATE SET order_id = coalesce(webhook_inbox.order_id, excluded.order_id)
		RETURNING handled_at IS NOT NULL`,
		notice.Provider, notice.EventID, notice.Type, notice.Subject, order, notice.Idle).Row().Scan(&done)
	if err != nil {
		return false, fmt.Errorf("store webhook: %w", err)
	}
	return done, nil
}

// MarkWebhookHandled notes that nothing is left to do for a notice.
func (db *DB) MarkWebhookHandled(ctx context.Context, provider, eventID string) error {
	err := db.orm(ctx).Exec(`UPDATE webhook_inbox SET handled_at = clock_now() WHERE provider = ? AND event_id = ? AND handled_at IS NULL`, provider, eventID).Error
	if err != nil {
		return fmt.Errorf("mark webhook handled: %w", err)
	}
	return nil
}

// OrderOfSubject finds the order a provider's object belongs to: a payment
// intent or checkout page of Stripe, a transfer, approval or sequence id of
// BitGo. It is "" when there is none (yet).
func (db *DB) OrderOfSubject(ctx context.Context, provider, subject string) (string, error) {
	query := map[string]string{
		"stripe": `SELECT order_id::text FROM payments WHERE stripe_payment_intent_id = @s OR checkout_id = @s LIMIT 1`,
		"bitgo":  `SELECT order_id::text FROM withdrawals WHERE transfer_id = @s OR approval_id = @s OR sequence_id = @s LIMIT 1`,
	}[provider]
	if query == "" || subject == "" {
		return "", nil
	}
	var id string
	if err := db.orm(ctx).Raw(query, map[string]any{"s": subject}).Scan(&id).Error; err != nil {
		return "", fmt.Errorf("find order of notice: %w", err)
	}
	return id, nil
}

// UserExists reports whether an id is one of our users'.
func (db *DB) UserExists(ctx context.Context, id string) (bool, error) {
	if uuid.Validate(id) != nil {
		return false, nil
	}
	var exists bool
	err := db.orm(ctx).Raw(`SELECT EXISTS (SELECT FROM users WHERE id = ?)`, id).Row().Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("find user: %w", err)
	}
	return exists, nil
}

// MarkSubjectHandled notes that every notice about a subject which had arrived
// by a moment was acted on, because the provider was read after it.
func (db *DB) MarkSubjectHandled(ctx context.Context, provider, subject string, by time.Time) error {
	err := db.orm(ctx).Exec(`UPDATE webhook_inbox SET handled_at = clock_now()
		WHERE provider = ? AND subject = ? AND received_at <= ? AND handled_at IS NULL`, provider, subject, by).Error
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}
