package order

import (
	"context"
	"encoding/json"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// The customer's choices about money that differs from their order's terms.

// giveBackReceipts credits all that was kept apart for an order to its
// customer's balance, and ends the order.
func (c *OrderChange) giveBackReceipts(decisionID string) error {
	waiting, err := c.unallocated()
	if err != nil {
		return err
	}
	p, err := c.Payment()
	if err != nil {
		return err
	}
	c.ClearAttention()
	p.AdminApprovalStatus = ApprovalDeclined
	if err := c.purgeCardPhotos(); err != nil {
		return err
	}
	if err := c.savePayment(p); err != nil {
		return err
	}
	return c.creditRefund(waiting, ReceiptBackPostings(c.Order, waiting), decisionID)
}

// KeepOrder allocates the order's price out of money that is more than it. The rest is the order's surplus.
func KeepOrder(ctx context.Context, db *store.DB, orderID, decisionID string, terms SurplusTerms) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if _, err := c.openDecision(decisionID, DecisionKeepOrder); err != nil {
			return err
		}
		waiting, err := c.unallocated()
		if err != nil {
			return err
		}
		left := waiting.Sub(c.Order.Total)
		if store.Text(c.Order.AttentionReason) != AttentionOver || left.Sign() < 0 {
			return store.Conflict("order_state", "The payment isn't more than the order costs. Refresh the page.")
		}
		data := map[string]any{"amount": money.USD.Format(c.Order.Total)}
		return c.takeMoney(left, decisionID, data, terms)
	})
}

// takeMoney pays the order out of what was kept apart for it. What is left of that is its surplus.
func (c *OrderChange) takeMoney(left money.Units, decisionID string, data map[string]any, terms SurplusTerms) error {
	p, err := c.Payment()
	if err != nil {
		return err
	}
	p.Amount = c.Order.Total
	if err := c.allocate(); err != nil {
		return err
	}
	if err := c.paidByReceipt(p, casework.ByCustomer, data); err != nil {
		return err
	}
	if err := c.holdSurplus(left, terms); err != nil {
		return err
	}
	return c.resolveDecision(decisionID, casework.DecisionDone)
}

// Requoted is the data of requote: the terms that the customer has accepted.
type Requoted struct {
	Quote pricing.Quote `json:"quote"`
}

// Requote gives the customer as much coin as the money that arrived buys at the price they have accepted; what is
// left over is the order's surplus. The limits are checked again: their room may have been used since.
func Requote(ctx context.Context, db *store.DB, orderID, decisionID string, terms SurplusTerms) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		decision, err := c.openDecision(decisionID, DecisionRequote)
		if err != nil {
			return err
		}
		var accepted Requoted
		if err := json.Unmarshal(decision.Data, &accepted); err != nil {
			return store.Conflict("bad_quote", "We can't read this price. Get a new price.")
		}
		if err := c.mayRequote(accepted.Quote); err != nil {
			return err
		}
		once, err := c.again("requoted")
		if err != nil {
			return err
		}
		c.Order.reprice(accepted.Quote)
		if err := c.unrelease(); err != nil { // the first of two people released another amount
			return err
		}
		left := accepted.Quote.Received.Sub(c.Order.Total)
		data := map[string]any{"asset": c.Order.Asset, "amountAsset": c.Order.Asset.Format(c.Order.Amount),
			"total": money.USD.Format(c.Order.Total), "left": money.USD.Format(left)}
		if err := c.Event(casework.Event{Kind: "requoted", Actor: casework.ByCustomer, Data: data, Dedupe: once}); err != nil {
			return err
		}
		return c.takeMoney(left, decisionID, nil, terms)
	})
}

// reprice gives an order the amount and the price of a quote.
func (o *Order) reprice(q pricing.Quote) {
	o.Amount, o.UnitPrice, o.BonusPercent, o.QuoteID = q.Amount, q.UnitPrice, q.Bonus, &q.ID
	o.BasePrice, o.PaymentFee, o.VolumeDiscount, o.Total = q.Lines.BasePrice, q.Lines.PaymentMethodFee, q.Lines.VolumeDiscount, q.Lines.Total
}

// mayRequote refuses terms that do not match the money there now. Whether its customer may buy on them is checked at
// the payment (mayTake).
func (c *OrderChange) mayRequote(q pricing.Quote) error {
	waiting, err := c.unallocated()
	if err != nil {
		return err
	}
	if !c.Order.MoneyWaits() || q.OrderID != c.Order.ID || q.Received.Cmp(waiting) != 0 || q.Lines.Total.Cmp(waiting) > 0 {
		return store.Conflict("money_changed", "More money has arrived. Check the new price.")
	}
	return nil
}
