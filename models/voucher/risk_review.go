package voucher

import (
	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/risk"
)

// openReview opens a review of the redemption: of vouchers only the address is checked.
func (c *RedemptionChange) openReview() error {
	r := c.Redemption
	_, err := risk.InsertReview(c.ctx, c.Tx, risk.Review{RedemptionID: &r.ID, UserID: r.UserID, AddressKey: execution.AddressKey(r.Network, r.DestAddress),
		Score: risk.BlockedScore, Reasons: pq.StringArray{risk.RiskBlocked}})
	return err
}

// blocked is OrderChange's, for a redemption.
func (c *RedemptionChange) blocked() (bool, error) {
	r := c.Redemption
	key := execution.AddressKey(r.Network, r.DestAddress)
	kind, since, err := risk.Listing(c.ctx, c.Tx, r.Network, key)
	if kind == "" || err != nil {
		return false, err
	}
	if released, err := risk.Released(c.ctx, c.Tx, "redemption_id", r.ID, key, since); released || err != nil {
		return false, err
	}
	r.UnderReview = true
	return true, c.openReview()
}

// markBlocked puts a redemption to a listed address under review as it is made.
func (c *RedemptionChange) markBlocked() error {
	if blocked, err := c.blocked(); !blocked || err != nil {
		return err
	}
	return c.store()
}

// reviewed is OrderChange's, for a redemption.
func (c *RedemptionChange) reviewed() (string, error) {
	if !c.Redemption.UnderReview {
		return "", nil
	}
	return casework.AttentionRisk, c.openReview()
}

// keepReview closes the review of a redemption that is over.
func (c *RedemptionChange) keepReview() error {
	if !c.Redemption.UnderReview || c.Redemption.ClosedAt == nil {
		return nil
	}
	return risk.EndReviews(c.ctx, c.Tx, "redemption_id", c.Redemption.ID)
}
