package casework

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// outbox is a table of messages to an external receiver; a row stays until it was accepted there or given up.
type outbox string

// The outboxes.
const (
	MailOutbox outbox = "mails"
	CallOutbox outbox = "alert_calls"
)

// Claim is the query, to be named in a WITH, that claims the row due the longest, without those that an added
// condition excludes. It is claimed by pushing its next try ahead by a lease, its one argument, so that a sender that
// dies only delays it.
func (o outbox) Claim(beside string) string {
	return "UPDATE " + string(o) + ` SET attempts = attempts + 1, next_try_at = clock_now() + CAST(@lease AS interval)
		   WHERE id = (SELECT id FROM ` + string(o) + ` WHERE sent_at IS NULL AND given_up_at IS NULL AND next_try_at <= clock_now() ` + beside + `
		                ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
		  RETURNING *`
}

// Sent records that the receiver accepted the row.
func (o outbox) Sent(ctx context.Context, db *store.DB, id string) error {
	err := db.ORM(ctx).Exec(o.Noting("?"), id).Error
	if err != nil {
		return fmt.Errorf("note in %s what was sent: %w", o, err)
	}
	return nil
}

// Failed records why the receiver did not accept a row, as a code, and when it is tried again; a wait of zero gives
// it up.
func (o outbox) Failed(ctx context.Context, db *store.DB, id, code string, wait time.Duration) error {
	err := db.ORM(ctx).Exec("UPDATE "+string(o)+` SET last_error = ?, next_try_at = clock_now() + CAST(? AS interval),
		given_up_at = CASE WHEN CAST(? AS bool) THEN clock_now() END WHERE id = ?`, code, store.Seconds(wait), wait <= 0, id).Error
	if err != nil {
		return fmt.Errorf("note in %s what failed: %w", o, err)
	}
	return nil
}

// Noting is the query, to be named in a WITH, that records that the receiver accepted a row.
func (o outbox) Noting(id string) string {
	return "UPDATE " + string(o) + " SET sent_at = clock_now(), last_error = NULL WHERE id = " + id + " AND sent_at IS NULL"
}

// CallAlert writes the call about an alert in a state.
func CallAlert(ctx context.Context, db *store.DB, alertID, state string) error {
	return db.ORM(ctx).Exec(`INSERT INTO alert_calls (alert_id, state) VALUES (?, ?)`, alertID, state).Error
}

// Pruned are the rows that were sent or given up. An event causes its mails once, whether or not they are there.
func (o outbox) Pruned() store.Pruned {
	pruned := store.Pruned{Table: string(o), Age: "coalesce(sent_at, given_up_at)"}
	if o == MailOutbox { // a mail that an open order causes once is known by its row
		pruned.If = "NOT EXISTS (SELECT FROM orders o WHERE o.id = mails.order_id AND o.closed_at IS NULL)"
	}
	return pruned
}
