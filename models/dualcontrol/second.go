package dualcontrol

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// OpenAttestation is an attestation that bars the person who made it until another person seconds it.
type OpenAttestation struct {
	ID            string
	At            time.Time // when it began to bar
	Kind          Kind
	ByID          string
	ByEmail       string
	CustomerID    string
	CustomerEmail string
	SubjectKind   string
	SubjectID     string
	Amount        *money.Units // in US cents; nil of an identity
	BarsUntil     time.Time
}

// openSQL selects the attestations that bar somebody until they are seconded: balances credited, and identities approved,
// by one person within $1 seconds. Its condition is that of the index attestations_open.
const openSQL = `SELECT a.id::text AS id, greatest(a.at, a.credited_at) AS at, a.kind, a.by_id::text AS by_id, b.email AS by_email, a.customer_id::text AS customer_id,
		c.email AS customer_email, a.subject_kind, a.subject_id, a.amount, greatest(a.at, a.credited_at) + make_interval(secs => $1) AS bars_until
	  FROM attestations a JOIN users b ON b.id = a.by_id JOIN users c ON c.id = a.customer_id
	 WHERE a.withdrawn_at IS NULL AND a.second_by IS NULL AND NOT a.proposed
	   AND (a.kind IN ('credit', 'card_value', 'payout_returned', 'identity') OR a.kind IN ('receipt', 'refund') AND a.credited_at IS NOT NULL)
	   AND greatest(a.at, a.credited_at) > clock_now() - make_interval(secs => $1)`

// OpenAttestations returns one page of the attestations that bar somebody until they are seconded, oldest first. Its cursor is
// the time and id of the last one.
func OpenAttestations(ctx context.Context, db *store.DB, page store.Page) ([]OpenAttestation, *store.Cursor, error) {
	after := store.Cursor{ID: "00000000-0000-0000-0000-000000000000"}
	if page.After != nil {
		after = *page.After
	}
	rows, err := store.RowsOf[OpenAttestation](ctx, db, openSQL+` AND (greatest(a.at, a.credited_at), a.id) > ($2, CAST($3 AS uuid))
		ORDER BY greatest(a.at, a.credited_at), a.id LIMIT $4`, barFor.Seconds(), after.At, after.ID, page.Limit+1)
	if err != nil {
		return nil, nil, fmt.Errorf("list attestations: %w", err)
	}
	rows, next := store.Cut(rows, page, func(a OpenAttestation) store.Cursor { return store.Cursor{At: a.At, ID: a.ID} })
	return rows, next, nil
}

// maxCounted bounds how many open attestations are counted.
const maxCounted = 500

// CountOpenAttestations counts the attestations that bar somebody until they are seconded, up to maxCounted.
func CountOpenAttestations(ctx context.Context, db *store.DB) (n int, err error) {
	err = db.Row(ctx, "SELECT count(*) FROM ("+openSQL+" ORDER BY greatest(a.at, a.credited_at), a.id LIMIT $2) o", barFor.Seconds(), maxCounted).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count attestations: %w", err)
	}
	return n, nil
}

// SecondAttestation notes that another person has checked what one person stated. It returns Forbidden for the person who
// stated it, for the customer, and for kinds that the actor's role does not confirm; and Conflict for an attestation that
// bars nobody any more.
func SecondAttestation(ctx context.Context, db *store.DB, id string, kinds []Kind, by store.Actor) error {
	if by.Reason = strings.TrimSpace(by.Reason); by.Reason == "" {
		return store.Invalid("reason", "required", "Enter what you checked")
	}
	if !store.IsID(id) {
		return store.NotFound("Statement")
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		var exists bool
		if err := tx.Row(ctx, "SELECT EXISTS (SELECT FROM attestations WHERE id = $1)", id).Scan(&exists); err != nil {
			return fmt.Errorf("read attestation: %w", err)
		}
		if !exists {
			return store.NotFound("Statement")
		}
		rows, err := store.RowsOf[OpenAttestation](ctx, tx, openSQL+" AND a.id = CAST($2 AS uuid)", barFor.Seconds(), id)
		if err != nil {
			return fmt.Errorf("read attestation: %w", err)
		}
		if len(rows) == 0 {
			return errNotOpen
		}
		a := rows[0]
		if !slices.Contains(kinds, a.Kind) {
			return store.Forbidden("forbidden", "Someone else must confirm this")
		}
		if err := people.Another(ctx, tx, by.ActorID, store.Forbidden("second_person", "A second person must confirm this"), a.ByID); err != nil {
			return err
		}
		if err := people.Another(ctx, tx, by.ActorID, store.Forbidden("own_account", "You can't decide on your own account"), a.CustomerID); err != nil {
			return err
		}
		done, err := tx.Changed(ctx, "UPDATE attestations SET second_by = ?, second_at = clock_now() WHERE id = ? AND second_by IS NULL AND withdrawn_at IS NULL RETURNING id", by.ActorID, id)
		if err != nil {
			return fmt.Errorf("second attestation: %w", err)
		}
		if len(done) == 0 {
			return errNotOpen
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "attestation.seconded", ObjectKind: a.SubjectKind, ObjectID: a.SubjectID,
			Before: map[string]any{"attestation": a.ID, "kind": a.Kind, "by": a.ByID}, After: map[string]any{"second": by.ActorID}, Reason: by.Reason, RequestID: by.RequestID})
	})
}

var errNotOpen = store.Conflict("attestation_closed", "Another person has confirmed this already, or it has ended. Refresh the page.")
