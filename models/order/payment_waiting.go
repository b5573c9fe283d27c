package order

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// ActionablePayment is the condition of what staff can decide now: a card that
// nobody entered yet waits for its customer, not for staff.
const ActionablePayment = `payments.admin_approval_status = 'pending' AND (payments.payment_method <> 'card' OR payments.authorised_at IS NOT NULL)`

// heldCards counts the cards that hold and are not decided, by an index that
// holds no others.
const heldCards = `SELECT count(*) FROM payments WHERE payment_method = 'card' AND admin_approval_status = 'pending' AND authorised_at IS NOT NULL AND captured_at IS NULL`

// CountActionablePayments counts the payments that staff can decide now, of one
// method or of all: cards that hold, and whatever else is pending, as tallied.
func CountActionablePayments(ctx context.Context, db *store.DB, method string) (n int, err error) {
	facets, err := db.Tally(ctx, "payments", "")
	if err != nil {
		return 0, err
	}
	if method == "" || method == pricing.MethodCard {
		if err := db.ORM(ctx).Raw(heldCards).Row().Scan(&n); err != nil {
			return 0, fmt.Errorf("count payments to decide: %w", err)
		}
	}
	for _, facet := range facets {
		of, status, _ := strings.Cut(facet.Facet, "/")
		if of != pricing.MethodCard && status == string(ApprovalPending) && (method == "" || method == of) {
			n += facet.N
		}
	}
	return n, nil
}
