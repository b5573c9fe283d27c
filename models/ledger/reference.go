package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/store"
)

// ErrReferenceUsed rejects a bank reference under which money was booked before.
var ErrReferenceUsed = store.Conflict("bank_reference_used", "This bank reference was already used")

// Direction is the direction in which money moves at our bank.
type Direction string

// Money arrives at our bank, or leaves it.
const (
	MoneyIn  Direction = "in"
	MoneyOut Direction = "out"
)

// usedReferences are the conditions that a bank reference $1 was used, by the direction of its money. $2 are the ids of
// the rows that may have it. A reversed receipt has given its reference free, including for a reinstatement under the
// same reference.
var usedReferences = map[Direction]string{
	MoneyIn: `EXISTS (SELECT FROM receipts
		  WHERE lower(bank_reference) = lower($1) AND reversed_at IS NULL AND id::text <> ALL ($2))
		OR EXISTS (SELECT FROM unplaced_money
		  WHERE lower(bank_reference) = lower($1) AND status <> 'placed' AND id::text <> ALL ($2))
		OR EXISTS (SELECT FROM receipt_returns v JOIN receipts r ON r.id = v.receipt_id
		  WHERE lower(v.reinstated_reference) = lower($1)
		    AND (r.reversed_at IS NULL OR lower(r.bank_reference) <> lower($1)))
		OR EXISTS (SELECT FROM recalls WHERE lower(reinstated_reference) = lower($1))
		OR EXISTS (SELECT FROM gift_cards WHERE lower(realised_reference) = lower($1) AND id::text <> ALL ($2))
		OR EXISTS (SELECT FROM gift_card_claims WHERE lower(returned_reference) = lower($1))`,
	MoneyOut: `EXISTS (SELECT FROM payouts WHERE lower(bank_reference) = lower($1))
		OR EXISTS (SELECT FROM unplaced_money WHERE lower(sent_reference) = lower($1))
		OR EXISTS (SELECT FROM stranded_credits WHERE lower(bank_reference) = lower($1) AND id::text <> ALL ($2))
		OR EXISTS (SELECT FROM receipt_returns WHERE lower(bank_reference) = lower($1))
		OR EXISTS (SELECT FROM recalls WHERE lower(bank_reference) = lower($1))
		OR EXISTS (SELECT FROM gift_card_claims WHERE lower(bank_reference) = lower($1))`,
}

// FreeReference returns ErrReferenceUsed if money was booked before under a bank reference, in the same direction.
// In: a receipt, unplaced money, a return or a recall that the bank reinstated, the proceeds of a gift card, or
// proceeds that the card's buyer paid again. Out: a payout, unplaced money or money of a closed account that was sent
// back, a return or a recall by the bank, or proceeds that a card's buyer took back.
// The directions do not conflict, because banks repeat the reference of a payment on its return. own are the ids of the
// rows that may have the reference already: the payment that the new money repeats. Upper and lower case are equal, and
// so are references that differ only in how they were copied (typed.Reference).
// It holds a lock per direction and reference, so that of concurrent uses one succeeds. The caller is in the
// transaction of its use, and calls it before it acquires a customer's lock.
func FreeReference(ctx context.Context, db *store.DB, way Direction, reference string, own ...string) error {
	clean := typed.Reference(reference)
	if err := db.LockKey(ctx, "bank reference "+string(way)+":"+strings.ToLower(clean)); err != nil {
		return fmt.Errorf("lock bank reference: %w", err)
	}
	for _, form := range slices.Compact([]string{clean, reference}) {
		var used bool
		err := db.Row(ctx, "SELECT "+usedReferences[way], form, append([]string{}, own...)).Scan(&used)
		if err != nil {
			return fmt.Errorf("look for bank reference: %w", err)
		}
		if used {
			return ErrReferenceUsed
		}
	}
	return nil
}
