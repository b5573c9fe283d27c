package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/store"
)

// ErrReferenceUsed rejects a bank reference under which money was booked before.
var ErrReferenceUsed = store.Conflict("bank_reference_used", "This bank reference was already used")

// FreeReference returns ErrReferenceUsed if money was booked under a bank reference before: as a receipt, as a return
// that the bank reinstated, as unplaced money or its return to the sender, as a payout, as money of a closed account
// that was sent back, as the proceeds of a gift card, or as proceeds that the card's buyer took back or paid again.
// Upper and lower case are one. except is the id of the row that may have the reference already; empty is none. A bank's
// reference of a return is not compared: banks repeat that of the payment.
// It holds a lock per reference, so that of concurrent uses one succeeds. The caller is in the transaction of its use,
// and calls it before it takes a customer's lock.
func FreeReference(ctx context.Context, db *store.DB, reference, except string) error {
	if err := db.LockKey(ctx, "bank reference:"+strings.ToLower(reference)); err != nil {
		return fmt.Errorf("lock bank reference: %w", err)
	}
	var used bool
	err := db.Row(ctx, `SELECT EXISTS (SELECT FROM receipts WHERE lower(bank_reference) = lower($1) AND reversed_at IS NULL)
		OR EXISTS (SELECT FROM unplaced_money
		  WHERE lower(bank_reference) = lower($1) AND status <> 'placed' AND id::text <> $2)
		OR EXISTS (SELECT FROM receipt_returns WHERE lower(reinstated_reference) = lower($1))
		OR EXISTS (SELECT FROM recalls WHERE lower(reinstated_reference) = lower($1))
		OR EXISTS (SELECT FROM unplaced_money WHERE lower(sent_reference) = lower($1))
		OR EXISTS (SELECT FROM payouts WHERE lower(bank_reference) = lower($1))
		OR EXISTS (SELECT FROM stranded_credits WHERE lower(bank_reference) = lower($1) AND id::text <> $2)
		OR EXISTS (SELECT FROM gift_cards WHERE lower(realised_reference) = lower($1))
		OR EXISTS (SELECT FROM gift_card_claims WHERE lower(bank_reference) = lower($1))
		OR EXISTS (SELECT FROM gift_card_claims WHERE lower(returned_reference) = lower($1))`,
		reference, except).Scan(&used)
	if err != nil {
		return fmt.Errorf("look for bank reference: %w", err)
	}
	if used {
		return ErrReferenceUsed
	}
	return nil
}
