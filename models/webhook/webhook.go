package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// UnhandledSignals finds webhooks about open orders without effect yet, of the provider of one capability.
func UnhandledSignals(ctx context.Context, db *store.DB, of ledger.Capability, grace time.Duration, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find unheard webhooks", `
		SELECT DISTINCT o.id AS subject, 'webhook' AS reason FROM webhook_inbox i JOIN orders o ON o.id = i.order_id
		 WHERE i.provider = `+ledger.ProviderOf(of)+` AND i.handled_at IS NULL AND i.received_at < clock_now() - ?::interval AND o.closed_at IS NULL
		   AND NOT (i.provider = 'stripe' AND `+store.MoneySignal+`) AND NOT `+DeadNotice+` LIMIT ?`,
		store.Seconds(grace), limit)
}

// DeleteSignals marks webhooks as handled that nothing can come of: their order or
// redemption is closed, or they are a day old and about nothing we know, such as an
// order that a restored backup did not have. It does so with a number of them, the oldest first; more says that there are more.
func DeleteSignals(ctx context.Context, db *store.DB) (forgot int64, more bool, err error) {
	result := db.ORM(ctx).Exec(`
		UPDATE webhook_inbox SET handled_at = clock_now() WHERE (provider, event_id) IN (
		  SELECT i.provider, i.event_id FROM webhook_inbox i WHERE i.handled_at IS NULL AND NOT `+DeadNotice+` AND (
		    EXISTS (SELECT FROM orders o WHERE o.id = i.order_id AND o.closed_at IS NOT NULL) AND NOT `+store.MoneySignal+`
		    OR EXISTS (SELECT FROM voucher_redemptions r WHERE r.id = i.redemption_id AND r.closed_at IS NOT NULL)
		    OR NOT EXISTS (SELECT FROM orders o WHERE o.id = i.order_id) AND NOT EXISTS (SELECT FROM voucher_redemptions r WHERE r.id = i.redemption_id) AND i.received_at < clock_now() - interval '1 day')
		  ORDER BY i.received_at LIMIT ? FOR UPDATE SKIP LOCKED)`, signalsBatch)
	if result.Error != nil {
		return 0, false, fmt.Errorf("forget webhooks: %w", result.Error)
	}
	return result.RowsAffected, result.RowsAffected == signalsBatch, nil
}

// signalsBatch is how many webhooks are forgotten in one statement.
const signalsBatch = 1000

// DeadNotice is the condition of custody's webhooks about transfers that are called dead: a reading of the statement
// answers them, not the workflow.
var DeadNotice = `(provider = ` + ledger.ProviderOf(ledger.Custody) + ` AND EXISTS (SELECT FROM withdrawals w WHERE w.status = 'dead' AND subject IN (w.transfer_id, w.approval_id, w.sequence_id)))`

// Owner is what a provider's object was made for: an order, or the redemption of
// a voucher. Neither: nothing of ours, or nothing yet.
type Owner struct {
	OrderID      string
	RedemptionID string
	// Over is set where its subject is closed, so that a webhook changes nothing.
	Over bool
	// Dead is set where it is about a transfer that was declared dead.
	Dead bool
}

// WebhookNotice is a verified webhook of a provider. It is a signal only: its handler reads the provider again.
type WebhookNotice struct {
	Of       ledger.Capability // what the provider does for this installation
	Provider ledger.Provider
	EventID  string
	Type     string
	Subject  string
	Owner
	Idle bool // nothing comes of it: it is handled by being stored
	// Previous is set where the secret that is being replaced signed it.
	Previous bool
	At       time.Time
}

const keepNotice = `INSERT INTO webhook_inbox (provider, event_id, type, subject, order_id, redemption_id, handled_at, previous_secret)
	VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 THEN clock_now() END, $8)
	ON CONFLICT (provider, event_id) DO UPDATE SET order_id = coalesce(webhook_inbox.order_id, excluded.order_id),
	  redemption_id = coalesce(webhook_inbox.redemption_id, excluded.redemption_id),
	  handled_at = coalesce(webhook_inbox.handled_at, excluded.handled_at)`

// StoreWebhook stores a webhook before it is acknowledged. done reports that nothing is left to do: it was received
// and handled before, or contains nothing new.
func StoreWebhook(ctx context.Context, db *store.DB, notice WebhookNotice) (done bool, err error) {
	args := []any{notice.Provider, notice.EventID, notice.Type, notice.Subject, store.SomeID(notice.OrderID), store.SomeID(notice.RedemptionID), notice.Idle, notice.Previous}
	if notice.Idle { // handled by being stored, whether or not it came before
		return true, db.Later(ctx, store.Write{Table: "webhook_inbox", Query: keepNotice, Args: args})
	}
	if err = db.Row(ctx, keepNotice+" RETURNING handled_at IS NOT NULL", args...).Scan(&done); err != nil {
		return false, fmt.Errorf("store webhook: %w", err)
	}
	return done, nil
}

// PreviousUsed is when the last webhook of a provider arrived that its previous secret signed; nil for none.
func PreviousUsed(ctx context.Context, db *store.DB, provider ledger.Provider) (at *time.Time, err error) {
	err = db.Row(ctx, `SELECT max(received_at) FROM webhook_inbox WHERE provider = $1 AND previous_secret`, provider).Scan(&at)
	if err != nil {
		return nil, fmt.Errorf("read when the previous webhook secret was used: %w", err)
	}
	return at, nil
}

// MarkWebhookHandled records that nothing is left to do for a webhook.
func MarkWebhookHandled(ctx context.Context, db *store.DB, provider ledger.Provider, eventID string) error {
	err := db.ORM(ctx).Exec(`UPDATE webhook_inbox SET handled_at = clock_now() WHERE provider = ? AND event_id = ? AND handled_at IS NULL`, provider, eventID).Error
	if err != nil {
		return fmt.Errorf("mark webhook handled: %w", err)
	}
	return nil
}

// OwnerOfSubject finds what the object of a capability's provider belongs to: a payment
// or checkout page, a transfer, approval or sequence id.
func OwnerOfSubject(ctx context.Context, db *store.DB, of ledger.Capability, subject string) (owner Owner, err error) {
	query := map[ledger.Capability]string{
		ledger.Payments: `SELECT order_id FROM payments WHERE stripe_payment_intent_id = @s OR checkout_id = @s LIMIT 1`,
		ledger.Custody: `SELECT w.order_id, w.redemption_id, w.status = 'dead' AS dead, coalesce(o.closed_at, r.closed_at) IS NOT NULL AND w.status <> 'dead' AS over FROM withdrawals w
			LEFT JOIN orders o ON o.id = w.order_id LEFT JOIN voucher_redemptions r ON r.id = w.redemption_id
			WHERE w.transfer_id = @s OR w.approval_id = @s OR w.sequence_id = @s LIMIT 1`,
	}[of]
	if query == "" || subject == "" {
		return owner, nil
	}
	if err := db.ORM(ctx).Raw(query, map[string]any{"s": subject}).Scan(&owner).Error; err != nil {
		return owner, fmt.Errorf("find what a notice is about: %w", err)
	}
	return owner, nil
}

// UserExists reports whether an id is one of our users'.
func UserExists(ctx context.Context, db *store.DB, id string) (bool, error) {
	if !store.IsID(id) {
		return false, nil
	}
	var exists bool
	err := db.ORM(ctx).Raw(`SELECT EXISTS (SELECT FROM users WHERE id = ?)`, id).Row().Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("find user: %w", err)
	}
	return exists, nil
}

// CardRead records that a processor's webhooks about an order's payment received by a moment are answered by a
// reading after it.
func CardRead(ctx context.Context, tx *store.DB, orderID string, now, by time.Time) error {
	err := tx.Later(ctx, store.Write{Table: "webhook_inbox", Args: []any{now, orderID, by}, Query: `UPDATE webhook_inbox SET handled_at = $1
		WHERE order_id = $2 AND provider = 'stripe' AND handled_at IS NULL AND received_at <= $3 AND NOT ` + store.MoneySignal})
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}

// MoneyRead is CardRead for webhooks of refunds and disputes.
func MoneyRead(ctx context.Context, db *store.DB, orderID string, by time.Time) error {
	err := db.ORM(ctx).Exec(`UPDATE webhook_inbox SET handled_at = clock_now() WHERE provider = 'stripe' AND order_id = ?
		AND handled_at IS NULL AND received_at <= ? AND `+store.MoneySignal, orderID, by).Error
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}

// TransferRead records that custody's webhooks about an order's transfer received by a moment are answered by a
// reading after it.
func TransferRead(ctx context.Context, tx *store.DB, orderID string, now, by time.Time) error {
	return tx.Later(ctx, store.Write{Table: "webhook_inbox", Args: []any{now, orderID, by}, Query: `UPDATE webhook_inbox SET handled_at = $1
		WHERE order_id = $2 AND provider = ` + ledger.ProviderOf(ledger.Custody) + ` AND handled_at IS NULL AND received_at <= $3`})
}

// RedemptionRead is TransferRead for the redemption of a voucher.
func RedemptionRead(ctx context.Context, tx *store.DB, redemptionID string, now, by time.Time) error {
	err := tx.ORM(ctx).Exec(`UPDATE webhook_inbox SET handled_at = ? WHERE redemption_id = ? AND handled_at IS NULL AND received_at <= ?`,
		now, redemptionID, by).Error
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}

// DeadRead records that custody's webhooks about dead transfers received by a moment are answered by the statement of
// their sender.
func DeadRead(ctx context.Context, db *store.DB, custodian ledger.Provider, by time.Time) error {
	err := db.ORM(ctx).Exec("UPDATE webhook_inbox SET handled_at = clock_now() WHERE handled_at IS NULL AND received_at <= ? AND provider = ? AND "+DeadNotice, by, custodian).Error
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}

// MarkSubjectHandled records that every webhook about a subject received by a moment was handled, because the
// provider was read after it.
func MarkSubjectHandled(ctx context.Context, db *store.DB, provider, subject string, by time.Time) error {
	err := db.ORM(ctx).Exec(`UPDATE webhook_inbox SET handled_at = clock_now()
		WHERE provider = ? AND subject = ? AND received_at <= ? AND handled_at IS NULL`, provider, subject, by).Error
	if err != nil {
		return fmt.Errorf("mark webhooks handled: %w", err)
	}
	return nil
}

// Pruned are webhooks that were handled and are about nothing open. One that comes again after it was pruned has the
// provider read again at most: what its first arrival changed is guarded by the state of the order.
var Pruned = store.Pruned{Table: "webhook_inbox", Age: "handled_at",
	If: "NOT EXISTS (SELECT FROM orders o WHERE o.id = webhook_inbox.order_id AND o.closed_at IS NULL) AND NOT EXISTS (SELECT FROM voucher_redemptions r WHERE r.id = webhook_inbox.redemption_id AND r.closed_at IS NULL)"}
