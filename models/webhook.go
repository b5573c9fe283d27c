package models

import (
	"context"
	"fmt"
	"time"
)

// Owner is what a provider's object was made for: an order, or the redemption of
// a voucher. Neither: nothing of ours, or nothing yet.
type Owner struct {
	OrderID      string
	RedemptionID string
	// Over is set where nothing can come of a notice about it any more.
	Over bool
	// Dead is set where it is about a transfer that was declared dead.
	Dead bool
}

// WebhookNotice is a verified notice of a provider. It is a hint: whoever acts
// on it reads the provider again.
type WebhookNotice struct {
	Provider string
	EventID  string
	Type     string
	Subject  string
	Owner
	Idle bool // nothing comes of it: it is handled by being stored
	At   time.Time
}

const keepNotice = `INSERT INTO webhook_inbox (provider, event_id, type, subject, order_id, redemption_id, handled_at)
	VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 THEN clock_now() END)
	ON CONFLICT (provider, event_id) DO UPDATE SET order_id = coalesce(webhook_inbox.order_id, excluded.order_id),
	  redemption_id = coalesce(webhook_inbox.redemption_id, excluded.redemption_id),
	  handled_at = coalesce(webhook_inbox.handled_at, excluded.handled_at)`

// StoreWebhook keeps a notice before it is acknowledged. done reports that nothing
// is left to do: it came before and was acted on, or tells what is known.
func (db *DB) StoreWebhook(ctx context.Context, notice WebhookNotice) (done bool, err error) {
	args := []any{notice.Provider, notice.EventID, notice.Type, notice.Subject, someID(notice.OrderID), someID(notice.RedemptionID), notice.Idle}
	if notice.Idle { // handled by being stored, whether or not it came before
		return true, db.later(ctx, write{table: "webhook_inbox", query: keepNotice, args: args})
	}
	if err = db.row(ctx, keepNotice+" RETURNING handled_at IS NOT NULL", args...).Scan(&done); err != nil {
		return false, fmt.Errorf("store webhook: %w", err)
	}
	return done, nil
}

// someID is an id to store, or nothing.
func someID(id string) any {
	if !IsID(id) {
		return nil
	}
	return id
}

// MarkWebhookHandled notes that nothing is left to do for a notice.
func (db *DB) MarkWebhookHandled(ctx context.Context, provider, eventID string) error {
	err := db.orm(ctx).Exec(`UPDATE webhook_inbox SET handled_at = clock_now() WHERE provider = ? AND event_id = ? AND handled_at IS NULL`, provider, eventID).Error
	if err != nil {
		return fmt.Errorf("mark webhook handled: %w", err)
	}
	return nil
}

// OwnerOfSubject finds what a provider's object belongs to: a payment intent or
// checkout page of Stripe, a transfer, approval or sequence id of BitGo.
func (db *DB) OwnerOfSubject(ctx context.Context, provider, subject string) (owner Owner, err error) {
	query := map[string]string{
		"stripe": `SELECT order_id FROM payments WHERE stripe_payment_intent_id = @s OR checkout_id = @s LIMIT 1`,
		"bitgo": `SELECT w.order_id, w.redemption_id, w.status = 'dead' AS dead, coalesce(o.closed_at, r.closed_at) IS NOT NULL AND w.status <> 'dead' AS over FROM withdrawals w
			LEFT JOIN orders o ON o.id = w.order_id LEFT JOIN voucher_redemptions r ON r.id = w.redemption_id
			WHERE w.transfer_id = @s OR w.approval_id = @s OR w.sequence_id = @s LIMIT 1`,
	}[provider]
	if query == "" || subject == "" {
		return owner, nil
	}
	if err := db.orm(ctx).Raw(query, map[string]any{"s": subject}).Scan(&owner).Error; err != nil {
		return owner, fmt.Errorf("find what a notice is about: %w", err)
	}
	return owner, nil
}

// UserExists reports whether an id is one of our users'.
func (db *DB) UserExists(ctx context.Context, id string) (bool, error) {
	if !IsID(id) {
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
