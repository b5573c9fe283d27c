package order

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/store"
)

// ActionablePayment is the condition of what staff can decide now: a card that
// holds, or money that its customer says was sent or of which a part arrived.
const ActionablePayment = `payments.admin_approval_status = 'pending'
	AND (payments.authorised_at IS NOT NULL OR payments.payment_method <> 'card' AND (payments.submitted_at IS NOT NULL OR payments.received_amount IS NOT NULL))`

// WaitingPayment is the condition of a pending payment that waits for its
// customer: the card is not entered, the money is not sent.
const WaitingPayment = `payments.admin_approval_status = 'pending' AND NOT (` + ActionablePayment + `)`

// What a payment waits for while staff cannot decide it.
const (
	WaitsForCard  = "card"
	WaitsForMoney = "money"
)

// WaitsFor is what a payment waits for, as WaitingPayment has it; empty for one
// that can be decided or is.
func (p *Payment) WaitsFor() string {
	switch {
	case p.AdminApprovalStatus != ApprovalPending:
	case p.ByCard() && p.AuthorisedAt == nil:
		return WaitsForCard
	case !p.ByCard() && p.SubmittedAt == nil && p.ReceivedAmount == nil:
		return WaitsForMoney
	}
	return ""
}

// CountActionablePayments counts the payments that staff can decide now, of one
// method or of all, by an index that holds no others.
func CountActionablePayments(ctx context.Context, db *store.DB, method string) (n int, err error) {
	if err := db.ORM(ctx).Raw("SELECT count(*) FROM payments WHERE "+ActionablePayment+" AND (? = '' OR payment_method = ?)", method, method).Row().Scan(&n); err != nil {
		return 0, fmt.Errorf("count payments to decide: %w", err)
	}
	return n, nil
}
