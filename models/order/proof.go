package order

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// AuditRow is a stored audit entry.
type AuditRow struct {
	ID         int64           `json:"id"`
	At         time.Time       `json:"at"`
	ActorID    *string         `json:"actorId"`
	ActorRole  string          `json:"actorRole"`
	Action     string          `json:"action"`
	ObjectKind string          `json:"objectKind"`
	ObjectID   string          `json:"objectId"`
	Before     json.RawMessage `json:"before,omitempty"`
	After      json.RawMessage `json:"after,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	RequestID  string          `json:"requestId,omitempty"`
}

// OrderAudit reads what the audit log holds about an order, oldest first.
func OrderAudit(ctx context.Context, db *store.DB, orderID string) ([]AuditRow, error) {
	var rows []AuditRow
	err := db.ORM(ctx).Table("audit_log").Where("object_kind = 'order' AND object_id = ?", orderID).Order("id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the order's audit entries: %w", err)
	}
	return rows, nil
}

// Call is an effect at a provider: who we said we were, and what the provider
// made of it.
type Call struct {
	Provider  string     `json:"provider"`
	What      string     `json:"what"`
	Identity  string     `json:"identity"`             // ours: idempotency key, cl_ord_id, sequenceId, refund key
	Reference *string    `json:"reference"`            // the provider's
	More      *string    `json:"reference2,omitempty"` // a second one: the transaction id
	FirstSent *time.Time `json:"firstSentAt"`
	Outcome   string     `json:"outcome"`
	DoneAt    *time.Time `json:"doneAt"`
}

// OrderCalls lists the effects an order has, or may have, had at providers.
func OrderCalls(ctx context.Context, db *store.DB, o *Order) ([]Call, error) {
	p, err := PaymentOf(ctx, db, o.ID)
	if err != nil {
		return nil, err
	}
	record, err := ReadOrderRecord(ctx, db, o.ID)
	if err != nil {
		return nil, err
	}
	transfers, err := execution.OrderWithdrawals(ctx, db, o.ID)
	if err != nil {
		return nil, err
	}
	refunds, err := OrderRefunds(ctx, db, o.ID)
	if err != nil {
		return nil, err
	}
	calls := p.calls(o)
	for _, e := range record.Purchases {
		outcome := fmt.Sprintf("filled %s of %s for $%s and a fee of $%s", e.Asset.Format(e.Filled), e.Asset.Format(e.Asked), money.USD.Format(e.Cost), money.USD.Format(e.Fee))
		calls = append(calls, Call{"kraken", "order", e.ClientID, e.ExchangeID, nil, e.SendStartedAt, outcome, e.DoneAt})
	}
	for _, w := range transfers {
		calls = append(calls, Call{string(w.Provider), "transfer", w.SequenceID, w.TransferID, w.TxID, w.SendStartedAt, w.Status, &w.UpdatedAt})
	}
	for _, r := range refunds {
		if r.Destination == "card" {
			calls = append(calls, Call{"stripe", "refund", r.Key, r.ProviderID, nil, r.SendStartedAt, r.Status, r.DoneAt})
		}
	}
	return calls, nil
}

// calls are those at the card processor: the last generation of each.
func (p *Payment) calls(o *Order) []Call {
	var calls []Call
	add := func(what string, generation int, reference *string, sent *time.Time, done *time.Time, good, open string) {
		if sent == nil {
			return
		}
		outcome := open
		if done != nil {
			outcome = good
		}
		calls = append(calls, Call{"stripe", what, fmt.Sprintf("ord:%s:%s:%d", o.ID, what, generation), reference, nil, sent, outcome, done})
	}
	add("checkout", p.CheckoutGeneration, p.CheckoutID, p.CheckoutStartedAt, p.AuthorisedAt, "the amount was held on the card", "no payment is known")
	add("capture", p.CaptureGeneration, p.StripePaymentIntentID, p.CaptureStartedAt, p.CapturedAt, "captured", "not known to be captured")
	add("cancel", p.CancelGeneration, p.StripePaymentIntentID, p.CancelStartedAt, p.CancelledAt, "the hold was released", "not known to be released")
	return calls
}
