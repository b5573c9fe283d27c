package dualcontrol

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Kind is what a person attested.
type Kind string

// The kinds of attestations.
const (
	Receipt        Kind = "receipt"         // money arrived for an order, or was placed on it
	Credit         Kind = "credit"          // money was credited to a balance: unplaced money, a journal
	CardValue      Kind = "card_value"      // what a gift card is worth
	PayoutReturned Kind = "payout_returned" // a bank returned a payout
	Refund         Kind = "refund"          // a refund outside the card
	MarkedSent     Kind = "marked_sent"     // coin was sent by other means
	Destination    Kind = "destination"     // another address for an order's coin
	Death          Kind = "death"           // a transfer can never confirm
	Released       Kind = "release"         // a risk review was cleared
	Identity       Kind = "identity"        // who a customer is, without the provider
	Batch          Kind = "batch"           // a voucher was made
	Void           Kind = "void"            // a voucher was voided
	CodesExported  Kind = "codes_exported"  // voucher codes were exported
	BreakBooked    Kind = "break"           // a reconciliation break was booked
	PayoutApproved Kind = "payout"          // a payout may be made
	PaidBack       Kind = "pay_back"        // money of a closed account was returned to its sender
	Loosening      Kind = "loosening"       // a risk rule or list lets more through
)

// Kinds lists every kind of attestation.
var Kinds = []Kind{Receipt, Credit, CardValue, PayoutReturned, Refund, MarkedSent, Destination, Death, Released, Identity, Batch, Void,
	CodesExported, BreakBooked, PayoutApproved, PaidBack, Loosening}

// credits are the kinds that credit a customer's balance. Those of onceCredited do so from credited_at on: a receipt whose money
// went to the balance, and a refund that leaves the customer both money and coin.
var (
	credits      = []Kind{Receipt, Refund, Credit, CardValue, PayoutReturned}
	onceCredited = []Kind{Receipt, Refund}
)

// counted are the kinds whose value rests on one person's statement, and counts towards what that person attests alone
// within a day.
var counted = []Kind{Receipt, Credit, CardValue, PayoutReturned, Refund, MarkedSent, Batch, BreakBooked}

// Ref names a row: the kind of object it is, and its id. A source is named by its table.
type Ref struct{ Kind, ID string }

// OrderRef is the reference of an order.
func OrderRef(id string) Ref { return Ref{Kind: "order", ID: id} }

// RedemptionRef is the reference of a voucher's redemption.
func RedemptionRef(id string) Ref { return Ref{Kind: "redemption", ID: id} }

// Attestation is one person's statement that value moves or may move on.
type Attestation struct {
	Kind     Kind
	By       string       // a member of staff
	Customer string       // empty: no customer's
	Subject  Ref          // what the statement is about
	Amount   *money.Units // in US cents; nil: no amount
	Source   Ref          // the decision, proposal or row that rests on it
	// Proposed is set where the statement has no effect before a second person agrees. Second is that person, if they
	// have agreed already.
	Proposed bool
	Second   string
	// Credits is set if a refund leaves the customer both the money and the coin.
	Credits bool
}

// Attest stores an attestation. It is idempotent per source, kind, subject and person.
func Attest(ctx context.Context, tx *store.DB, a Attestation) error {
	var second *string
	if a.Second != "" && a.Second != a.By {
		second = &a.Second
	}
	var customer *string
	if a.Customer != "" {
		customer = &a.Customer
	}
	err := tx.Later(ctx, store.Write{Table: "attestations", Query: `INSERT INTO attestations
		(id, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id, proposed, second_by, second_at, credited_at)
		SELECT CAST($1 AS uuid), $2, CAST($3 AS uuid), CAST($4 AS uuid), $5, $6, CAST($7 AS numeric), $8, $9, CAST($10 AS boolean), CAST($11 AS uuid),
		  CASE WHEN CAST($11 AS uuid) IS NOT NULL THEN clock_now() END, CASE WHEN CAST($12 AS boolean) THEN clock_now() END
		ON CONFLICT (source_kind, source_id, kind, subject_id, by_id) DO NOTHING`,
		Args: []any{store.NewID(), string(a.Kind), a.By, customer, a.Subject.Kind, a.Subject.ID, a.Amount, a.Source.Kind, a.Source.ID, a.Proposed, second, a.Credits}})
	if err != nil {
		return fmt.Errorf("store attestation: %w", err)
	}
	return nil
}

// Second notes that another person agrees with what a source rests on. It changes nothing that was seconded or withdrawn
// before, and no attestation by that person.
func Second(ctx context.Context, tx *store.DB, source Ref, by string) error {
	err := tx.Exec(ctx, `UPDATE attestations SET second_by = $3, second_at = clock_now()
		WHERE source_kind = $1 AND source_id = $2 AND by_id <> $3 AND second_by IS NULL AND withdrawn_at IS NULL`, source.Kind, source.ID, by)
	if err != nil {
		return fmt.Errorf("second attestation: %w", err)
	}
	return nil
}

// Withdraw ends the attestations of a source that had no effect: a decision that was refused, or a proposal that was rejected,
// withdrawn or expired.
func Withdraw(ctx context.Context, tx *store.DB, source Ref) error {
	err := tx.Exec(ctx, `UPDATE attestations SET withdrawn_at = clock_now() WHERE source_kind = $1 AND source_id = $2 AND withdrawn_at IS NULL`, source.Kind, source.ID)
	if err != nil {
		return fmt.Errorf("withdraw attestation: %w", err)
	}
	return nil
}

// WithdrawOpen ends the attestations of a decision that is still open. It changes nothing if the decision is settled:
// an executed decision had its effect and keeps its attestation. The sweep refuses executed decisions too, because
// their workflow no longer expects them.
func WithdrawOpen(ctx context.Context, tx *store.DB, decision Ref) error {
	err := tx.Exec(ctx, `WITH open AS (
		  SELECT id FROM `+decision.Kind+` WHERE id = CAST($2 AS uuid) AND settled_at IS NULL FOR UPDATE)
		UPDATE attestations SET withdrawn_at = clock_now() FROM open
		 WHERE source_kind = $1 AND source_id = CAST(open.id AS text) AND withdrawn_at IS NULL`, decision.Kind, decision.ID)
	if err != nil {
		return fmt.Errorf("withdraw attestation: %w", err)
	}
	return nil
}

// WithdrawIdentity ends the attestations of a customer's identity: the provider has confirmed it, or it is revoked.
func WithdrawIdentity(ctx context.Context, tx *store.DB, customer string) error {
	err := tx.Exec(ctx, `UPDATE attestations SET withdrawn_at = clock_now() WHERE customer_id = $1 AND kind = $2 AND withdrawn_at IS NULL`, customer, string(Identity))
	if err != nil {
		return fmt.Errorf("withdraw attestation: %w", err)
	}
	return nil
}

// Credited notes that money which was received for an order went to its customer's balance, from where other orders and
// payouts can spend it: that of some receipts, by the ids of their sources, or of all if there are none.
func Credited(ctx context.Context, tx *store.DB, order string, sources ...string) error {
	err := tx.Exec(ctx, `UPDATE attestations SET credited_at = clock_now()
		WHERE subject_kind = 'order' AND subject_id = $1 AND kind = $2 AND credited_at IS NULL AND withdrawn_at IS NULL
		  AND (cardinality($3::text[]) = 0 OR source_id = ANY($3))`, order, string(Receipt), append([]string{}, sources...))
	if err != nil {
		return fmt.Errorf("mark attestation as credited: %w", err)
	}
	return nil
}

// AttestCredited stores that an amount, in US cents, was credited of what was received for an order, on the statement of the
// people who confirmed the receipt, by the ids of their sources: it counts anew on the day of the credit. What a second
// person confirmed stays confirmed. credited is the row that was credited.
func AttestCredited(ctx context.Context, tx *store.DB, order string, amount money.Units, credited Ref, sources ...string) error {
	err := tx.Exec(ctx, `INSERT INTO attestations (id, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id,
		  proposed, second_by, second_at)
		SELECT gen_random_uuid(), $3, by_id, customer_id, subject_kind, subject_id, CAST($4 AS numeric), $5, $6, proposed, second_by, second_at
		  FROM attestations WHERE subject_kind = 'order' AND subject_id = $1 AND kind = $7 AND source_id = ANY($2) AND withdrawn_at IS NULL
		ON CONFLICT (source_kind, source_id, kind, subject_id, by_id) DO NOTHING`,
		order, append([]string{}, sources...), string(Credit), amount, credited.Kind, credited.ID, string(Receipt))
	if err != nil {
		return fmt.Errorf("store attestation: %w", err)
	}
	return nil
}

// CreditedLater notes that value was credited to its customer's balance now, after it was stated: the bar begins now.
// It changes nothing that was withdrawn.
func CreditedLater(ctx context.Context, tx *store.DB, source Ref) error {
	err := tx.Exec(ctx, `UPDATE attestations SET credited_at = clock_now()
		WHERE source_kind = $1 AND source_id = $2 AND credited_at IS NULL AND withdrawn_at IS NULL`, source.Kind, source.ID)
	if err != nil {
		return fmt.Errorf("mark attestation as credited: %w", err)
	}
	return nil
}

// Attestors returns who attested something of a kind about subjects since a time, seconded or not.
func Attestors(ctx context.Context, db *store.DB, kind Kind, since time.Time, subjects ...Ref) ([]string, error) {
	var kinds, ids []string
	for _, subject := range subjects {
		kinds, ids = append(kinds, subject.Kind), append(ids, subject.ID)
	}
	rows, err := store.RowsOf[struct{ Who string }](ctx, db, `SELECT DISTINCT w::text AS who
		FROM unnest($1::text[], $2::text[]) AS s(kind, id) JOIN attestations a ON a.subject_kind = s.kind AND a.subject_id = s.id, unnest(ARRAY[a.by_id, a.second_by]) w
		WHERE a.kind = $3 AND a.at >= $4 AND a.withdrawn_at IS NULL AND w IS NOT NULL`, kinds, ids, string(kind), since)
	if err != nil {
		return nil, fmt.Errorf("read attestors: %w", err)
	}
	who := make([]string, len(rows))
	for i, row := range rows {
		who[i] = row.Who
	}
	return who, nil
}

// barFor is how long an unseconded credit or identity bars the person who attested it.
const barFor = 30 * 24 * time.Hour
