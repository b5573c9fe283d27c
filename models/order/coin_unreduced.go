package order

import (
	"fmt"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// A card's bank may send back a refund that came with less coin. The customer is owed that money: it is credited to
// their balance, unless the bank takes it by a dispute.

// unreducedSQL is the SQL of what lost disputes settled of the order $1 although less coin is sent for it, in cents:
// its customer does not have the refund, because the card's bank sent it back after a dispute of the whole price was
// lost.
const unreducedSQL = `(SELECT least((SELECT coalesce(sum(settled), 0) FROM disputes WHERE order_id = o.id),
	greatest(0, o.reduced - (SELECT coalesce(sum(amount), 0) FROM refunds
		WHERE order_id = o.id AND reduces AND status <> 'failed')))
	FROM orders o WHERE o.id = $1)`

// reduction is what less coin is sent for although the customer does not have the refund.
type reduction struct {
	refund *Refund     // that the card's bank sent back; nil if there is none
	owed   money.Units // cents
	most   money.Units // that we owe at all, less refunds in progress
	n      int         // how many refunds with less coin there are
}

// missingReduction reads it from the refunds.
func (c *OrderChange) missingReduction() (r reduction, err error) {
	if c.Order.Reduced.IsZero() {
		return r, nil
	}
	rows, err := OrderRefunds(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return r, err
	}
	r.owed, r.most = c.Order.Reduced, c.Order.Total.Sub(c.Order.Refunded)
	for i := range rows {
		row := &rows[i]
		if row.DoneAt == nil {
			r.most = r.most.Sub(row.Amount)
		}
		switch {
		case !row.Reduces:
			continue
		case row.Status == RefundFailed:
			r.refund = row
		default:
			r.owed = r.owed.Sub(row.Amount)
		}
		r.n++
	}
	return r, nil
}

// creditReduction credits so much of it to the balance, in cents, and no more than we owe.
func (c *OrderChange) creditReduction(r reduction, amount money.Units) error {
	if amount = amount.Min(r.most); r.refund == nil || amount.Sign() <= 0 {
		return nil
	}
	r.refund.Amount = amount
	return c.creditInstead(r.refund)
}

// regainReduction refunds to the customer's balance what less coin is sent for, up to the cents that a dispute no
// longer settles. What had settled it is booked as a chargeback of coin that is sent already.
func (c *OrderChange) regainReduction(over money.Units) error {
	if over.Sign() <= 0 || c.Order.Resolution != nil {
		return nil
	}
	r, err := c.missingReduction()
	if err != nil || r.refund == nil {
		return err
	}
	owed := r.owed.Min(over).Min(r.most)
	if owed.Sign() > 0 && c.Order.Status == StatusSent {
		lines := ForgonePostings(ledger.AccountChargebacks, owed)
		if err := c.Post("dispute_reinstated", fmt.Sprintf("less_coin:%d:regained", r.n), lines...); err != nil {
			return err
		}
	}
	return c.creditReduction(r, owed)
}

// maySettle reports whether an open dispute holds money of an order whose coin is not on its way: if the bank keeps it,
// it settles what we owe, so that nothing else is credited before. It is claimed from the customer of sent coin.
func (c *OrderChange) maySettle() (bool, error) {
	if c.Order.Status == StatusSent {
		return false, nil
	}
	open, err := c.openDispute()
	if err != nil || open == nil || open.kept().Sign() <= 0 {
		return false, err
	}
	err = c.noOpenTransfer()
	if store.CodeOf(err) == store.CodeConflict {
		return false, nil
	}
	return err == nil, err
}

// creditDecided credits what waited for the bank's decision, and was not settled by it.
func (c *OrderChange) creditDecided() error {
	if c.Order.Resolution != nil || c.Order.Reduced.IsZero() {
		return nil
	}
	if waits, err := c.maySettle(); err != nil || waits {
		return err
	}
	r, err := c.missingReduction()
	if err != nil || r.refund == nil {
		return err
	}
	var settled money.Units // of it, when the coin left
	if c.Order.Status == StatusSent {
		if err := c.Tx.Row(c.Ctx, "SELECT "+unreducedSQL, c.Order.ID).Scan(&settled); err != nil {
			return fmt.Errorf("read what disputes settled: %w", err)
		}
	}
	return c.creditReduction(r, r.owed.Sub(settled))
}
