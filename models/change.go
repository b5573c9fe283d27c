package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"
)

// OrderChange is one transaction on one order. Nothing it does is visible
// until all of it is.
type OrderChange struct {
	Order *Order
	Now   time.Time

	ctx  context.Context
	tx   *DB
	was  Order   // as it was read
	paid Payment // as it was read, or stored, last
	// unproposedNow is set where it was read that nothing is proposed about the order.
	unproposedNow bool
	past          *orderPast // where it was read
}

// Event is something that happened to an order. Data holds codes and figures,
// never a provider's text; Internal events are for staff only. Two events of
// one order with the same Dedupe are one event.
type Event struct {
	Kind     string
	Actor    Actor
	Internal bool
	Data     map[string]any
	Dedupe   string
	// MailAfter is how long the mails that it causes wait.
	MailAfter time.Duration
}

// prepare checks that an event's kind is listed, and gives its data as it is
// stored. One of nobody's is the system's.
func (e *Event) prepare(kinds []string) (json.RawMessage, error) {
	if !slices.Contains(kinds, e.Kind) {
		return nil, fmt.Errorf("write event: %q is no kind of event: list it", e.Kind)
	}
	if e.Actor == "" {
		e.Actor = BySystem
	}
	if e.Data == nil {
		return json.RawMessage("{}"), nil
	}
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("write event %s: %w", e.Kind, err)
	}
	return data, nil
}

// once is the event's Dedupe as it is stored: nothing where it may be told again.
func (e *Event) once() *string {
	if e.Dedupe == "" {
		return nil
	}
	return &e.Dedupe
}

// Actor says on whose side an event began.
type Actor string

// The actors of order events.
const (
	BySystem   Actor = "system"
	ByCustomer Actor = "customer"
	ByStaff    Actor = "staff"
	ByProvider Actor = "provider"
)

// OrderEvent is a stored event.
type OrderEvent struct {
	ID       int64 `gorm:"primaryKey"`
	OrderID  string
	At       time.Time `gorm:"default:clock_now()"`
	Kind     string
	Actor    Actor
	Status   OrderStatus
	Internal bool
	Data     json.RawMessage `gorm:"type:jsonb"`
	Dedupe   *string
}

// ChangeOrder locks an order and runs fn on it; what fn did commits together
// with the order's row. It is the only way an order changes.
func (db *DB) ChangeOrder(ctx context.Context, orderID string, fn func(c *OrderChange) error) error {
	return db.Tx(ctx, func(tx *DB) error {
		order, payment, now, err := tx.lockWithPayment(ctx, orderID)
		if err != nil {
			return err
		}
		c := &OrderChange{Order: order, Now: now, ctx: ctx, tx: tx, was: *order, paid: *payment}
		return tx.together(ctx, func() error {
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
	c.tidyChoice()
	if err := c.lapseProposals(); err != nil {
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
	return storeChanged(c.ctx, c.tx, &c.was, c.Order, c.Now, Conflict("order_moved", "The order has changed. Refresh the page."), nil)
}

// movedSince reports whether an order moved on: a failed attempt is no such thing.
func (o *Order) movedSince(was *Order) bool {
	return o.Status != was.Status || text(o.AttentionReason) != text(was.AttentionReason) || o.ResumedAt != was.ResumedAt
}

// DB is the transaction, for rows beside the order.
func (c *OrderChange) DB() *DB { return c.tx }

// Save writes another row of the same transaction, whole.
func (c *OrderChange) Save(row any) error {
	if err := c.tx.orm(c.ctx).Save(row).Error; err != nil {
		return fmt.Errorf("store %T: %w", row, err)
	}
	return nil
}

// Move changes the order's status; a move the table does not list is refused
// with Conflict. Every way that takes the order's money passes here, and so the
// customer's limits (mayTake).
func (c *OrderChange) Move(to OrderStatus) error {
	if !CanMove(c.Order.Status, to) {
		return Conflict("order_state", fmt.Sprintf("An order that is %s can't become %s", c.Order.Status, to))
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
func (c *OrderChange) Attend(reason string, choices ...string) {
	if c.Order.AttentionReason == nil || *c.Order.AttentionReason != reason {
		c.Order.AttentionSince = &c.Now
	}
	c.Order.AttentionReason = &reason
	c.Order.AttentionChoices = choices
}

// ClearAttention says that nobody has to look any more.
func (c *OrderChange) ClearAttention() {
	c.Order.AttentionReason, c.Order.AttentionSince, c.Order.AttentionChoices = nil, nil, pq.StringArray{}
}

// Event adds to the order's story, with the status the order has now, and writes
// the mails that it causes. Its kind is one of EventKinds.
func (c *OrderChange) Event(e Event) error {
	data, err := e.prepare(EventKinds)
	if err != nil {
		return err
	}
	o := c.Order
	if slices.Contains(paying, e.Kind) {
		if err := c.tx.takeMailBack(c.ctx, o.ID, "order_created"); err != nil {
			return fmt.Errorf("take a mail back: %w", err)
		}
	}
	return c.tx.addEvent(c.ctx, addition{
		into: "order_events (order_id, at, kind, actor, status, internal, data, dedupe)",
		row:  []any{o.ID, c.Now, e.Kind, e.Actor, o.Status, e.Internal, string(data), e.once()},
		kind: e.Kind, userID: o.UserID, orderID: &o.ID, event: "event_id", mailings: mailingsOf(e), dedupe: func(m Mailing) *string { return orderMailOnce(m, e) },
	})
}

// Post writes ledger postings under a group name that is unique to the effect:
// posting it twice is refused, so an effect is never booked twice. No lines is
// no posting.
func (c *OrderChange) Post(event, group string, lines ...Posting) error {
	return c.tx.post(c.ctx, event, "order:"+c.Order.ID+":"+group, &c.Order.ID, lines)
}

// OrderEvents reads an order's story from its beginning.
func (db *DB) OrderEvents(ctx context.Context, orderID string) ([]OrderEvent, error) {
	var events []OrderEvent
	err := db.orm(ctx).Where("order_id = ?", orderID).Order("id").Find(&events).Error
	if err != nil {
		return nil, fmt.Errorf("read order events: %w", err)
	}
	return events, nil
}
