package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// ends are the events of the ways in which an unpaid order ends.
var ends = map[Resolution]string{
	ResolutionDeclined:  "declined",
	ResolutionCancelled: "cancelled",
	ResolutionExpired:   "expired",
}

// endIfRefunded ends a paid order all of whose money we refunded, once its coin can no longer leave: nothing else can
// become of it. What a bank recalled is no refund of ours.
func (c *OrderChange) endIfRefunded() error {
	o := c.Order
	if !o.Paid() || o.Status == StatusSent || o.Resolution != nil || o.Refunded.Cmp(o.Total) < 0 {
		return nil
	}
	var recalled money.Units
	err := c.Tx.Row(c.Ctx, `SELECT coalesce(sum(from_order), 0) FROM receipt_returns
		WHERE order_id = $1 AND borne_by = $2 AND reinstated_at IS NULL`,
		o.ID, borneByOrder).Scan(&recalled)
	if err != nil {
		return fmt.Errorf("sum what a bank recalled: %w", err)
	}
	if o.Refunded.Sub(recalled).Cmp(o.Total) < 0 {
		return nil
	}
	if err := c.coinIsStill(); store.CodeOf(err) == store.CodeConflict {
		return nil
	} else if err != nil {
		return err
	}
	return c.endRefunded("", "", o.Refunded)
}

// end closes an unpaid order. A decision, when there is one, is thereby done.
func (c *OrderChange) end(p *Payment, how Resolution, actor casework.Actor, decisionID string) error {
	if c.Order.Paid() {
		return store.Conflict("already_paid", "The order is already paid")
	}
	if c.Order.AwaitsLink() {
		if err := c.releaseBalance(); err != nil {
			return err
		}
	}
	if err := c.Resolve(how); err != nil {
		return err
	}
	c.Order.ClosedAt = &c.Now
	p.AdminApprovalStatus, p.CheckoutURL = ApprovalDeclined, nil
	if err := c.decided(p, decisionID); err != nil {
		return err
	}
	if err := c.purgeCardPhotos(); err != nil {
		return err
	}
	if err := c.Event(casework.Event{Kind: ends[how], Actor: actor, Dedupe: "end"}); err != nil {
		return err
	}
	return c.savePayment(p)
}

// purgeCardPhotos marks photos of cards as deleted: they were for the decision only (rules §3). The file itself is
// removed by the owner of the bucket.
func (c *OrderChange) purgeCardPhotos() error {
	err := c.Tx.ORM(c.Ctx).Exec("UPDATE evidence SET purged_at = ? WHERE order_id = ? AND kind = ? AND purged_at IS NULL",
		c.Now, c.Order.ID, EvidenceCardPhoto).Error
	if err != nil {
		return fmt.Errorf("purge card photos: %w", err)
	}
	return nil
}

// Unpaid is why an order ends without having been paid.
type Unpaid struct {
	How        Resolution
	DecisionID string // the decision that ended it; none for a deadline
}

// kinds are the decisions that can end an order this way.
func (u Unpaid) kinds() []string {
	if u.How == ResolutionCancelled {
		return []string{DecisionCancel}
	}
	return []string{DecisionDecline, DecisionReject}
}

func (u Unpaid) actor() casework.Actor {
	switch u.How {
	case ResolutionCancelled:
		return casework.ByCustomer
	case ResolutionDeclined:
		return casework.ByStaff
	}
	return casework.BySystem
}

// PageJob is a payment page to be closed and a hold to be released.
type PageJob struct {
	Done       bool
	CheckoutID string
	// Generation and StartedAt find a page whose response was lost.
	Generation int
	StartedAt  *time.Time
	PaymentID  string
	Key        string
}

// StartClosing commits that the page is about to be closed and the hold, if
// there is one, released. A deadline that has not passed yet is no reason.
func StartClosing(ctx context.Context, db *store.DB, orderID string, why Unpaid) (PageJob, error) {
	var job PageJob
	err := ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if c.Order.ClosedAt != nil || c.Order.Paid() {
			job.Done = true
			return c.resolveDecision(why.DecisionID, "order_state")
		}
		if why.DecisionID != "" {
			if _, err := c.openDecision(why.DecisionID, why.kinds()...); err != nil {
				return err
			}
		} else if c.Now.Before(c.Order.PaymentDueAt) {
			job.Done = true
			return nil
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		job.CheckoutID, job.PaymentID = store.Text(p.CheckoutID), store.Text(p.StripePaymentIntentID)
		job.Generation, job.StartedAt = p.CheckoutGeneration, p.CheckoutStartedAt
		job.Key = cancelKey(orderID, p)
		if p.CancelStartedAt == nil && why.How != ResolutionExpired {
			p.CancelStartedAt = &c.Now
		}
		return c.savePayment(p)
	})
	return job, err
}

func cancelKey(orderID string, p *Payment) string {
	return fmt.Sprintf("ord:%s:cancel:%d", orderID, p.CancelGeneration)
}

// NextCancel gives up the current release's key, because Stripe keeps a failure under it; a read has shown that the
// hold is still there.
func NextCancel(ctx context.Context, db *store.DB, orderID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		p, err := c.Payment()
		if err != nil {
			return err
		}
		p.CancelGeneration++
		return c.savePayment(p)
	})
}

// EndUnpaid ends an order that can no longer be paid.
func EndUnpaid(ctx context.Context, db *store.DB, orderID string, why Unpaid) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if c.Order.ClosedAt != nil {
			return c.resolveDecision(why.DecisionID, casework.DecisionDone)
		}
		if why.DecisionID != "" {
			if _, err := c.openDecision(why.DecisionID, why.kinds()...); err != nil {
				return err
			}
		} else if c.Now.Before(c.Order.PaymentDueAt) || c.Order.MoneyWaits() || c.Order.Paid() { // paid by its mailed link meanwhile
			return nil
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		if p.AuthorisedAt != nil || p.StripePaymentIntentID != nil {
			p.CancelledAt = &c.Now
		}
		return c.end(p, why.How, why.actor(), why.DecisionID)
	})
}

// HoldExpired ends an order whose card hold ran out before it was captured; the decision that came too late is
// refused with that reason.
func HoldExpired(ctx context.Context, db *store.DB, orderID, decisionID string) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		if err := c.resolveDecision(decisionID, "authorisation_expired"); err != nil || c.Order.ClosedAt != nil {
			return err
		}
		p, err := c.Payment()
		if err != nil {
			return err
		}
		return c.end(p, ResolutionExpired, casework.BySystem, "")
	})
}
