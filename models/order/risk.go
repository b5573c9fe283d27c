package order

import (
	"slices"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// assessAgain checks the risk rules for the order as it is now, as CreateOrder does. A broken rule opens a review,
// which stops the order in any status (keepReview, halted); the caller holds the customer's lock.
func (c *OrderChange) assessAgain() error {
	o := c.Order
	now, err := risk.Assess(c.Ctx, c.Tx, risk.RiskQuestion{UserID: o.UserID, OrderID: o.ID, Total: o.Total, Network: o.Network,
		Address: o.DestAddress, AddressKey: execution.AddressKey(o.Network, o.DestAddress)})
	if err != nil {
		return err
	}
	for _, reason := range o.RiskReasons { // what was found before stays on the row
		if !slices.Contains(now.Reasons, reason) {
			now.Reasons = append(now.Reasons, reason)
		}
	}
	o.RiskScore, o.RiskReasons = max(now.Score, o.RiskScore), append(pq.StringArray{}, now.Reasons...)
	if !now.Review || o.UnderReview {
		return nil
	}
	o.UnderReview = true
	return c.openReview()
}

// assessCard checks the rules again when the card is known, before it is approved.
func (c *OrderChange) assessCard(p *Payment) error {
	r := risk.Risk{Score: c.Order.RiskScore, Reasons: c.Order.RiskReasons}
	err := risk.AddBroken(c.Ctx, c.Tx, &r, risk.BrokenByCard, map[string]any{"user": c.Order.UserID, "card": store.Text(p.CardFingerprint)})
	if err != nil {
		return err
	}
	c.Order.RiskScore, c.Order.RiskReasons = r.Score, pq.StringArray(r.Reasons)
	if !r.Review || c.Order.UnderReview {
		return nil
	}
	c.Order.UnderReview = true
	return c.openReview()
}

// assessAddress checks the rules again when staff have changed the coin's address: what the new address breaks is
// reviewed, whatever was released of the old one.
func (c *OrderChange) assessAddress() error {
	o := c.Order
	broken, err := risk.Broken(c.Ctx, c.Tx, risk.BrokenByAddress, map[string]any{"user": o.UserID, "address": o.DestAddress, "network": o.Network})
	if err != nil || len(broken) == 0 {
		return err
	}
	r := risk.Risk{Score: o.RiskScore, Reasons: o.RiskReasons}
	if err := risk.Weigh(c.Ctx, c.Tx, &r, broken); err != nil {
		return err
	}
	o.RiskScore, o.RiskReasons, o.UnderReview = r.Score, pq.StringArray(r.Reasons), o.UnderReview || r.Review
	if !o.UnderReview {
		return nil
	}
	return c.openReview()
}
