package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/store"
)

// OutgoingUsed reports whether a payment that left our bank is recorded under the bank's reference: for a payout, for
// money that was sent back, or for money of a closed account other than the row except. It compares without case, and
// holds a lock on the reference until the transaction ends.
func OutgoingUsed(ctx context.Context, tx *store.DB, reference, except string) (used bool, err error) {
	if err := tx.LockKey(ctx, "outgoing reference:"+strings.ToLower(reference)); err != nil {
		return false, fmt.Errorf("lock bank reference: %w", err)
	}
	err = tx.Row(ctx, `SELECT EXISTS (SELECT FROM payouts WHERE lower(bank_reference) = lower($1))
		OR EXISTS (SELECT FROM unplaced_money WHERE lower(sent_reference) = lower($1))
		OR EXISTS (SELECT FROM stranded_credits WHERE lower(bank_reference) = lower($1) AND id::text <> $2)`,
		reference, except).Scan(&used)
	if err != nil {
		return false, fmt.Errorf("look for bank reference: %w", err)
	}
	return used, nil
}
