package order

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// OrderChange is one transaction on one order. Nothing it does is visible
// until all of it is.
type OrderChange struct {
	Order *Order
	Now   time.Time

	Ctx  context.Context
	Tx   *store.DB
	was  Order   // as it was read
	paid Payment // as it was read, or stored, last
	// unproposedNow is set where it was read that nothing is proposed about the order.
	unproposedNow bool
	past          *orderPast // where it was read
	unplaced      bool       // a receipt's money was recorded before, as unplaced money
	stop          execution.Stop
}

// Timeline holds the events of orders.
var Timeline = &casework.Timeline{Table: "order_events", Subject: "order_id", Columns: "order_id, at", Mail: "event_id"}

// ChangeOrder locks an order and runs fn on it; what fn did commits together
// with the order's row. It is the only way an order changes.
func ChangeOrder(ctx context.Context, db *store.DB, orderID string, fn func(c *OrderChange) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		order, payment, now, err := lockWithPayment(ctx, tx, orderID)
		if err != nil {
			return err
		}
		c := &OrderChange{Order: order, Now: now, Ctx: ctx, Tx: tx, was: *order, paid: *payment}
		return tx.Together(ctx, func() error {
			if err := fn(c); err != nil {
				return err
			}
			return c.store()
		})
	})
}

// store writes what changed of the order's row, guarded by the status it was read
// with.
func (c *OrderChange) store() error {
	if err := c.endIfRefunded(); err != nil {
		return err
	}
	if err := c.tidyCoinOffer(); err != nil {
		return err
	}
	c.tidyChoice()
	if err := c.expireProposals(); err != nil {
		return err
	}
	if err := c.keepReview(); err != nil {
		return err
	}
	if err := c.Order.checkSituation(); err != nil {
		return err
	}
	if c.Order.movedSince(&c.was) {
		c.Order.MovedAt = &c.Now
	}
	if c.Order.AttentionChoices == nil {
		c.Order.AttentionChoices = pq.StringArray{}
	}
	return store.StoreChanged(c.Ctx, c.Tx, &c.was, c.Order, c.Now, store.Conflict("order_moved", "The order has changed. Refresh the page."), nil)
}

// movedSince reports whether an order moved on: a failed attempt is no such thing.
func (o *Order) movedSince(was *Order) bool {
	return o.Status != was.Status || store.Text(o.AttentionReason) != store.Text(was.AttentionReason) || o.ResumedAt != was.ResumedAt
}

// DB is the transaction, for rows beside the order.
func (c *OrderChange) DB() *store.DB { return c.Tx }

// Save writes another row of the same transaction, whole.
func (c *OrderChange) Save(row any) error {
	if err := c.Tx.ORM(c.Ctx).Save(row).Error; err != nil {
		return fmt.Errorf("store %T: %w", row, err)
	}
	return nil
}

// Move changes the order's status; a move the table does not list is refused with Conflict. Every payment of an order
// passes here, and so the customer's limits (mayTake).
func (c *OrderChange) Move(to OrderStatus) error {
	if !CanMove(c.Order.Status, to) {
		return store.Conflict("order_state", fmt.Sprintf("An order that is %s can't become %s", c.Order.Status, to))
	}
	if to == StatusPaymentApproved && c.Order.PaidAt == nil {
		if err := c.mayTake(); err != nil {
			return err
		}
		c.Order.PaidAt = &c.Now
	}
	c.Order.Status = to
	switch to {
	case StatusSent:
		c.Order.SentAt = &c.Now
	}
	return nil
}

// Resolve ends the order without coin: failed, with how it ended.
func (c *OrderChange) Resolve(r Resolution) error {
	if c.Order.Status != StatusFailed {
		if err := c.Move(StatusFailed); err != nil {
			return err
		}
	}
	c.Order.Resolution = &r
	c.ClearAttention()
	return nil
}

// Attend marks that the order waits for a person, beside whatever its status
// is, and what that person can choose.
func (c *OrderChange) Flag(reason string, choices ...string) {
	if c.Order.AttentionReason == nil || *c.Order.AttentionReason != reason {
		c.Order.AttentionSince = &c.Now
	}
	c.Order.AttentionReason = &reason
	c.Order.AttentionChoices = choices
}

// ClearAttention clears the reason why staff review the order.
func (c *OrderChange) ClearAttention() {
	c.Order.AttentionReason, c.Order.AttentionSince, c.Order.AttentionChoices = nil, nil, pq.StringArray{}
}

// Event adds to the order's timeline, with the status the order has now.
func (c *OrderChange) Event(e casework.Event) error {
	o := c.Order
	if slices.Contains(paying, e.Kind) {
		if err := casework.TakeMailBack(c.Ctx, c.Tx, o.ID, "order_created"); err != nil {
			return fmt.Errorf("take a mail back: %w", err)
		}
	}
	return Timeline.Add(c.Ctx, c.Tx, EventKinds, casework.Addition{Event: e, Subject: []any{o.ID, c.Now}, Status: string(o.Status), UserID: o.UserID,
		OrderID: &o.ID, Mailings: mailingsOf(e), MailOnce: func(m casework.Mailing) *string { return orderMailOnce(m, e) }})
}

// Post books an effect on the order under a group name that is unique to it. No
// lines is no posting.
func (c *OrderChange) Post(event, group string, lines ...ledger.Posting) error {
	return ledger.PostAbout(c.Ctx, c.Tx, c.booking(event, group), lines)
}

// booking names a group of postings of the order.
func (c *OrderChange) booking(event, group string) ledger.StoredPosting {
	return ledger.About(ledger.OfOrder, c.Order.ID, event, group)
}
