package models

import (
	"context"
	"slices"
	"time"
)

// Decisions people take about a redemption that waits.
const (
	VoucherResume  = "resume"  // go on from where it stopped
	VoucherRestore = "restore" // give it up; the voucher can be redeemed again
)

// restoredLife is how long a restored voucher can be redeemed at least.
const restoredLife = 30 * 24 * time.Hour

// VoucherDecisions is what can be decided about a redemption, as far as its row
// tells; what may still happen at a provider is looked at when it is taken.
func VoucherDecisions(r *Redemption) []string {
	switch {
	case !r.Waits() || r.ClosedAt != nil:
		return []string{}
	case r.Status == RedemptionSent:
		return []string{VoucherResume}
	case r.UnderReview:
		return []string{VoucherRestore}
	}
	return []string{VoucherResume, VoucherRestore}
}

// OpenVoucherDecision writes down what a person decided about a redemption. That its
// transfer is dead takes two.
func (db *DB) OpenVoucherDecision(ctx context.Context, id string, in NewMatterDecision) (decision *MatterDecision, err error) {
	if in.Kind == VoucherTransferDead {
		return nil, ErrSecondPerson
	}
	return db.openVoucherDecision(ctx, id, in)
}

// openVoucherDecision writes a decision down whoever took it.
func (db *DB) openVoucherDecision(ctx context.Context, id string, in NewMatterDecision) (decision *MatterDecision, err error) {
	err = db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		if err := c.mayDecide(in.Kind); err != nil {
			return err
		}
		decision, err = c.tx.openMatterDecision(ctx, c.Redemption.about(), in)
		return err
	})
	return decision, err
}

// mayDecide refuses a decision that the redemption does not wait for.
func (c *redemptionChange) mayDecide(kind string) error {
	if kind == VoucherTransferDead {
		_, err := c.removedTransfer()
		return err
	}
	if !slices.Contains(VoucherDecisions(c.Redemption), kind) {
		return Conflict("redemption_state", "The redemption has changed. Refresh the page.")
	}
	if kind == VoucherRestore {
		return c.nothingUnderWay()
	}
	return nil
}

// nothingUnderWay refuses while coin may have been sent, or bought, or may still
// be.
func (c *redemptionChange) nothingUnderWay() error {
	last, err := c.lastTransfer()
	if err != nil {
		return err
	}
	if last != nil && !last.dead() {
		return Conflict("transfer_open", "A transfer for this voucher may still be sent. Resume first to check.")
	}
	bought, err := c.exchangeOrders()
	if err != nil {
		return err
	}
	if n := len(bought); n > 0 && bought[n-1].DoneAt == nil {
		return Conflict("purchase_open", "A purchase for this voucher may still be made. Resume first to check.")
	}
	return nil
}

// ResumeVoucher goes on from where the redemption stopped, at today's price.
func (db *DB) ResumeVoucher(ctx context.Context, id, decisionID string) error {
	return db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		if _, err := c.tx.matterDecision(ctx, c.Redemption.about(), decisionID, VoucherResume); err != nil {
			return err
		}
		if err := c.mayDecide(VoucherResume); err != nil {
			return err
		}
		market, err := c.tx.market(ctx, c.Redemption.Asset)
		if err != nil {
			return err
		}
		if text(c.Redemption.AttentionReason) == AttentionPrice && market.Ask.GreaterThan(c.Redemption.PriceLimit) {
			c.Redemption.PriceLimit = market.Ask
		}
		c.Redemption.ResumedAt = &c.Now
		c.clearAttention()
		if err := c.event(Event{Kind: "resumed", Actor: ByStaff, Dedupe: "decision:" + decisionID}); err != nil {
			return err
		}
		return c.tx.settleMatterDecision(ctx, decisionID, DecisionDone)
	})
}

// RestoreVoucher gives a redemption up: the coin that was reserved is free, what
// was bought stays ours, and whoever has the code can redeem the voucher again.
func (db *DB) RestoreVoucher(ctx context.Context, id, decisionID string) error {
	return db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		if _, err := c.tx.matterDecision(ctx, c.Redemption.about(), decisionID, VoucherRestore); err != nil {
			return err
		}
		if err := c.mayDecide(VoucherRestore); err != nil {
			return err
		}
		bought, err := c.exchangeOrders()
		if err != nil {
			return err
		}
		lines := append(VoucherGivenUpPostings(c.Redemption, fillOf(bought)), VoucherRestoredPostings(c.Redemption)...)
		if err := firstError(c.move(RedemptionRestored), c.Voucher.move(VoucherActive), c.post("voucher_restored", "restored", lines...)); err != nil {
			return err
		}
		c.Voucher.RedemptionID = nil
		if longer := c.Now.Add(restoredLife); c.Voucher.ExpiresAt.Before(longer) {
			c.Voucher.ExpiresAt = longer
		}
		c.clearAttention()
		c.Redemption.ClosedAt = &c.Now
		if err := c.event(Event{Kind: "restored", Actor: ByStaff, Dedupe: "restored"}); err != nil {
			return err
		}
		return c.tx.settleMatterDecision(ctx, decisionID, DecisionDone)
	})
}
