package dualcontrol

import (
	"context"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// Limits are the dollars of a customer and day up to which one person decides alone.
type Limits struct {
	DB             *store.DB
	RefundTwoAbove int64 // giving money back
	CreditTwoAbove int64 // letting money in
	StaffPerDay    int64 // that rest on one person's statement, over all customers
}

// RefundAlone is the cents that one person alone may refund to a customer in a day.
func (l *Limits) RefundAlone() money.Units { return money.FromInt(l.RefundTwoAbove * 100) }

// CreditAlone is the cents that one person alone may credit to a customer in a day.
func (l *Limits) CreditAlone() money.Units { return money.FromInt(l.CreditTwoAbove * 100) }

// StaffAlone is the cents that may rest on one person's statement in a day, over all customers.
func (l *Limits) StaffAlone() *money.Units {
	limit := money.FromInt(l.StaffPerDay * 100)
	return &limit
}

// RefundLeft is what one person may still refund of an order today.
func (l *Limits) RefundLeft(ctx context.Context, o *order.Order) (money.Units, error) {
	used, err := order.GivenBack(ctx, l.DB, o)
	return leftOf(l.RefundAlone(), used), err
}

func leftOf(limit, used money.Units) money.Units {
	if left := limit.Sub(used); left.Sign() > 0 {
		return left
	}
	return money.Units{}
}

// CreditLeft is what one person may still credit to a customer today.
func (l *Limits) CreditLeft(ctx context.Context, userID string) (money.Units, error) {
	used, err := dualcontrol.AloneFor(ctx, l.DB, userID, dualcontrol.Ref{}, dualcontrol.Receipt, dualcontrol.CardValue, dualcontrol.PayoutReturned)
	return leftOf(l.CreditAlone(), used), err
}
