package order

import (
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// unrelease withdraws the first of two releases: it was of another address.
func (c *OrderChange) unrelease() error {
	return risk.DropFirstRelease(c.Ctx, c.Tx, c.Order.ID)
}

// RefusalOf is the decision that ends an order under review: what was not paid is
// declined, what was is refunded.
func RefusalOf(o *Order, p *Payment) (string, error) {
	allowed := DecisionsFor(o, p)
	for _, kind := range []string{DecisionDecline, DecisionReject, DecisionRefund} {
		if slices.Contains(allowed, kind) {
			return kind, nil
		}
	}
	if o.Status == StatusPending {
		return "", store.Conflict("not_paid_yet", "The order isn't paid yet. Decide when it's paid. Without a payment, the order expires.")
	}
	return "", store.Conflict("order_state", "You can't reject this order now: "+describe(o, p))
}

// openReview opens a review of the order for the reasons on its row.
func (c *OrderChange) openReview() error {
	o := c.Order
	id, err := risk.InsertReview(c.Ctx, c.Tx, risk.Review{OrderID: &o.ID, UserID: o.UserID, AddressKey: execution.AddressKey(o.Network, o.DestAddress), Score: o.RiskScore, Reasons: o.RiskReasons})
	if id == "" || err != nil {
		return err
	}
	return c.Event(casework.Event{Kind: "under_review", Internal: true, Dedupe: "review:" + id, Data: map[string]any{"score": o.RiskScore, "reasons": []string(o.RiskReasons)}})
}

// blocked reports whether the order's address is on a list by now. A listed address opens a review, unless compliance
// has released it since.
func (c *OrderChange) blocked(kind string, since time.Time) (bool, error) {
	o := c.Order
	if kind == "" {
		return false, nil
	}
	key := execution.AddressKey(o.Network, o.DestAddress)
	if released, err := risk.Released(c.Ctx, c.Tx, "order_id", o.ID, key, since); released || err != nil {
		return false, err
	}
	r := risk.Risk{Score: o.RiskScore, Reasons: o.RiskReasons}
	r.Add(risk.Ruled{Code: risk.RiskBlocked, Score: risk.BlockedScore})
	o.UnderReview, o.RiskScore, o.RiskReasons = true, r.Score, pq.StringArray(r.Reasons)
	return true, c.openReview()
}

// listed reports whether the order's address is on a list now, and opens a review if it is.
func (c *OrderChange) listed() (bool, error) {
	kind, since, err := risk.Listing(c.Ctx, c.Tx, c.Order.Network, execution.AddressKey(c.Order.Network, c.Order.DestAddress))
	if err != nil {
		return false, err
	}
	return c.blocked(kind, since)
}

// reviewed is the reason to wait while compliance has not released the order; "" when there is none. One that was
// reopened after its review is reviewed again.
func (c *OrderChange) reviewed() (string, error) {
	if !c.Order.UnderReview {
		return "", nil
	}
	return casework.AttentionRisk, c.openReview()
}

// keepReview stops an order under review before its money is captured, and a paid one before it is fulfilled, on
// every path; and closes the review of a closed one. Later steps check it themselves (halted).
func (c *OrderChange) keepReview() error {
	o := c.Order
	switch {
	case !o.UnderReview:
		return nil
	case o.ClosedAt != nil:
		return risk.EndReviews(c.Ctx, c.Tx, "order_id", o.ID)
	case o.AttentionReason != nil || o.Status != StatusPending && o.Status != StatusPaymentApproved:
		return nil
	case o.Status == StatusPending:
		if p, err := c.Payment(); err != nil || p.AuthorisedAt == nil {
			return err
		}
	}
	reason, err := c.reviewed()
	if err != nil {
		return err
	}
	return c.Escalate(reason)
}
