package order

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// Kinds of what an order waits for its customer to do.
const (
	ActionPay      = "pay"             // it is not paid
	ActionChoose   = "choose"          // a choice is offered, or less coin
	ActionAddress  = "address"         // custody refuses the address
	ActionConfirm  = "confirm_address" // another address waits for its mailed link
	ActionIdentity = "identity"        // the identity has to be verified again
	ActionOrder    = "confirm_order"   // the order itself waits for its mailed link
)

// OrderAction is what an order's customer has to do, and until when, where there is
// a deadline.
type OrderAction struct {
	Kind  string
	DueAt *time.Time
}

// toAct is OrderAction as a condition; the index orders_to_act holds what it can be
// true of.
const toAct = `orders.closed_at IS NULL AND (orders.status = 'pending' OR orders.choice_due_at IS NOT NULL OR orders.offer_until IS NOT NULL OR orders.attention_reason IN ('address_refused', 'kyc_revoked'))
	AND (orders.choice_due_at IS NOT NULL OR orders.offer_until IS NOT NULL OR orders.attention_reason IS NOT NULL AND orders.attention_reason IN ('address_refused', 'kyc_revoked')
	  OR orders.attention_reason IS NULL AND EXISTS (SELECT FROM payments WHERE payments.order_id = orders.id AND payments.submitted_at IS NULL))
	AND NOT EXISTS (SELECT FROM users WHERE users.id = orders.user_id AND users.frozen_at IS NOT NULL)`

// ActionOf is what an order waits for its customer to do; nil when nothing, and while
// the account is frozen, which can do nothing. Of the payment, which only cases while
// the order is pending, it reads whether it was made; held is HeldAddressesOf the order.
func ActionOf(o *Order, p *Payment, held *HeldAddress, frozen bool) *OrderAction {
	waits := store.Text(o.AttentionReason)
	switch {
	case o.ClosedAt != nil || frozen:
	case o.OfferUntil != nil:
		return &OrderAction{ActionChoose, o.OfferUntil}
	case o.ChoiceDueAt != nil:
		return &OrderAction{ActionChoose, o.ChoiceDueAt}
	case NamesAddress(o) && held != nil:
		return &OrderAction{ActionConfirm, &held.ExpiresAt}
	case NamesAddress(o):
		return &OrderAction{Kind: ActionAddress}
	case waits == casework.AttentionKYC:
		return &OrderAction{Kind: ActionIdentity}
	case o.AwaitsLink():
		return &OrderAction{ActionOrder, &o.PaymentDueAt}
	case o.Status == StatusPending && waits == "" && p != nil && p.SubmittedAt == nil:
		return &OrderAction{ActionPay, &o.PaymentDueAt}
	}
	return nil
}

// IsAuthorised reports whether the order's card holds the amount and no decision has accepted it yet.
func IsAuthorised(o *Order, p *Payment) bool {
	return o.Status == StatusPending && p != nil && p.AuthorisedAt != nil
}

// AuthorisedSQL is IsAuthorised as a condition. An EXISTS would be hashed over all payments; this is one index lookup
// for each pending order.
const AuthorisedSQL = `(orders.status = 'pending' AND coalesce((SELECT payments.authorised_at IS NOT NULL FROM payments WHERE payments.order_id = orders.id), false))`

// disputedSQL is the amount that the banks of cards dispute of an order, or keep by lost disputes, beyond what is
// counted as refunded, in cents.
const disputedSQL = `coalesce((
	SELECT sum(CASE WHEN d.closed_at IS NULL THEN d.amount ELSE d.withdrawn - d.reinstated - d.settled END)
	FROM disputes d WHERE d.order_id = orders.id AND (d.closed_at IS NULL OR ` + lostSQL + `)), 0)`

// ReturnedSQL is what was returned of an order's money, or is disputed, in cents.
const ReturnedSQL = `(orders.refunded + ` + disputedSQL + `)`

// EndWord is the end of an order that was not delivered, or of all its money after delivery: refunded or disputed. It
// is empty for all others.
const EndWord = `CASE WHEN orders.resolution IS NOT NULL THEN orders.resolution WHEN orders.status <> 'sent' THEN ''
	WHEN ` + disputedSQL + ` > 0 THEN 'disputed' WHEN orders.refunded >= orders.total THEN 'refunded' ELSE '' END`

// OrderWord is an order's state as one code: its EndWord, or authorised, or its status.
const OrderWord = `coalesce(nullif(` + EndWord + `, ''), CASE WHEN ` + AuthorisedSQL + ` THEN 'authorised' ELSE orders.status END)`

// AfterSent is the EndWord of those of some orders that were sent, in one query; an order without a refund has no
// entry.
func AfterSent(ctx context.Context, db *store.DB, orders ...Order) (map[string]string, error) {
	var ids pq.StringArray
	for i := range orders {
		if orders[i].Status == StatusSent {
			ids = append(ids, orders[i].ID)
		}
	}
	words := map[string]string{}
	if len(ids) == 0 {
		return words, nil
	}
	var rows []struct{ ID, Word string }
	err := db.ORM(ctx).Raw("SELECT id, word FROM (SELECT orders.id, "+EndWord+" AS word FROM orders WHERE id = ANY(?)) o WHERE word <> ''", ids).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read what became of sent orders: %w", err)
	}
	for _, row := range rows {
		words[row.ID] = row.Word
	}
	return words, nil
}

// PendingPayments reads, for those of some orders that are pending, how far their
// payment is, in one query.
func PendingPayments(ctx context.Context, db *store.DB, orders []Order) (map[string]*Payment, error) {
	var ids pq.StringArray
	for i := range orders {
		if orders[i].Status == StatusPending {
			ids = append(ids, orders[i].ID)
		}
	}
	stages := map[string]*Payment{}
	if len(ids) == 0 {
		return stages, nil
	}
	rows, err := store.RowsOf[Payment](ctx, db, "SELECT order_id, submitted_at, authorised_at FROM payments WHERE order_id = ANY($1)", []string(ids))
	if err != nil {
		return nil, fmt.Errorf("read pending payments: %w", err)
	}
	for i := range rows {
		stages[rows[i].OrderID] = &rows[i]
	}
	return stages, nil
}
