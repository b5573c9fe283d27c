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
}

// RefundAlone is the cents that one person alone may refund to a customer in a day.
func (l *Limits) RefundAlone() money.Units { return money.FromInt(l.RefundTwoAbove * 100) }

// CreditAlone is the cents that one person alone may credit to a customer in a day.
func (l *Limits) CreditAlone() money.Units { return money.FromInt(l.CreditTwoAbove * 100) }

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
	used, err := dualcontrol.ByOneWord(ctx, l.DB, userID)
	return leftOf(l.CreditAlone(), used), err
}
