package order

import (
	"fmt"

	"github.com/tradepost/tradepost/models/store"
)

// bounced is for a refund that the card's bank sent back after it had succeeded: its posting is reversed. When the
// order has ended without coin, or is about to, the customer gets on their balance instead what they are owed by
// that.
func (c *OrderChange) bounced(row *Refund) error {
	bearer := store.Text(row.BookedTo)
	back := RefundPostings(c.Order, row.Destination, bearer, row.Amount)[0]
	back.From, back.To = back.To, back.From
	if err := c.Post("refund_bounced", fmt.Sprintf("refund:%d:bounced", row.Sequence), back); err != nil {
		return err
	}
	if err := c.Save(row); err != nil {
		return err
	}
	if err := c.bearExcess(); err != nil {
		return err
	}
	c.Order.Refunded = c.Order.Refunded.Sub(row.Amount)
	what := fmt.Sprintf("refund:%d:bounced", row.Sequence)
	if err := store.FirstError(c.settleBounced(), c.bonusAfter(what)); err != nil {
		return err
	}
	ends, err := c.endsByRefund()
	if err != nil {
		return err
	}
	waits, err := c.maySettle()
	switch {
	case err != nil:
		return err
	case row.Reduces && waits && !ends: // creditDecided
	case ends, row.Reduces: // less coin is sent for it
		err = c.creditInstead(row)
	default:
		err = c.refundFailed(row, "")
	}
	return store.FirstError(err, c.regainRewards())
}

// creditInstead refunds to the balance of a customer what did not reach, or left, their card: up to the amount of that
// refund, and no more than we owe. Their order ended, or sends less coin for it.
func (c *OrderChange) creditInstead(of *Refund) error {
	owed := c.Order.Total.Sub(c.Order.Refunded).Min(of.Amount)
	if owed.Sign() <= 0 {
		return nil
	}
	instead := &Refund{Amount: owed, Destination: RefundToBalance, Carrier: runByNone, Status: RefundSucceeded,
		DoneAt: &c.Now, DecisionID: of.DecisionID, Reduces: of.Reduces}
	if err := c.writeRefund(instead); err != nil {
		return err
	}
	return c.gaveBack(instead, "")
}

// endsByRefund reports whether the order has ended without coin, or will by the refund
// that its workflow has begun.
func (c *OrderChange) endsByRefund() (bool, error) {
	open, err := c.unfinishedRefund()
	return c.Order.Resolution != nil || open != nil && open.Carrier == runByOrder, err
}
