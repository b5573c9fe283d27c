package order

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// OrderRecord is an order's data beside its timeline: decisions with their reasons, purchases, and bookings.
type OrderRecord struct {
	Decisions []Decision
	Purchases []execution.ExchangeOrder
	Postings  []ledger.StoredPosting
	Mails     []casework.OrderMail
}

// ReadOrderRecord reads an order's record, each list oldest first.
func ReadOrderRecord(ctx context.Context, db *store.DB, orderID string) (OrderRecord, error) {
	decisions, err := Decisions.List(ctx, db, orderID)
	postings, failed := ledger.PostingsOf(ctx, db, ledger.OfOrder, orderID)
	record := OrderRecord{Decisions: decisions, Postings: postings}
	err = store.FirstError(
		err, failed,
		db.ORM(ctx).Where("order_id = ?", orderID).Order("generation").Find(&record.Purchases).Error,
		db.ORM(ctx).Table("mails").Select(`mails.*, users.email AS "to"`).
			Joins("JOIN users ON users.id = mails.user_id").
			Where("mails.order_id = ?", orderID).Order("mails.event_id, mails.id").Find(&record.Mails).Error,
	)
	if err != nil {
		return OrderRecord{}, fmt.Errorf("read the order's record: %w", err)
	}
	return record, record.followRefunds(ctx, db, orderID)
}

// followRefunds sets on each decision to refund the outcome of its newest refund: the decision is resolved once that
// has begun, and the card's bank may still refuse it.
func (r *OrderRecord) followRefunds(ctx context.Context, db *store.DB, orderID string) error {
	var refunds []Refund
	err := db.ORM(ctx).Where("order_id = ? AND decision_id IS NOT NULL", orderID).Order("sequence").Find(&refunds).Error
	if err != nil {
		return fmt.Errorf("read what became of refunds: %w", err)
	}
	outcomes := map[string]*string{}
	for _, refund := range refunds {
		outcomes[*refund.DecisionID] = refund.outcome()
	}
	for i, d := range r.Decisions {
		if outcome, found := outcomes[d.ID]; found && store.Text(d.OutcomeCode) == casework.DecisionDone {
			r.Decisions[i].OutcomeCode = outcome
		}
	}
	return nil
}

// outcome is that of the decision behind it; nil while it is executed.
func (r *Refund) outcome() *string {
	done, failed := casework.DecisionDone, AttentionRefundFailed
	switch r.Status {
	case RefundSucceeded:
		return &done
	case RefundFailed:
		return &failed
	default:
		return nil
	}
}
