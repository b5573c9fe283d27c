package voucher

import (
	"context"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Decisions that staff make about a waiting redemption.
const (
	VoucherResume  = "resume"  // continue from where it stopped
	VoucherRestore = "restore" // give it up; the voucher can be redeemed again
)

// restoredLife is how long a restored voucher can be redeemed at least.
const restoredLife = 30 * 24 * time.Hour

// VoucherDecisions is what can be decided about a redemption, by its row alone; what may still happen at a provider
// is checked as the decision is made.
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

// OpenVoucherDecision stores a person's decision about a redemption. Declaring its transfer dead needs two people,
// and is refused here.
func OpenVoucherDecision(ctx context.Context, db *store.DB, id string, in casework.NewCaseDecision) (decision *casework.CaseDecision, err error) {
	if in.Kind == VoucherTransferDead {
		return nil, dualcontrol.ErrSecondPerson
	}
	return StoreVoucherDecision(ctx, db, id, in)
}

// StoreVoucherDecision stores a decision, of staff or of the platform.
func StoreVoucherDecision(ctx context.Context, db *store.DB, id string, in casework.NewCaseDecision) (decision *casework.CaseDecision, err error) {
	err = ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		if err := c.MayDecide(in.Kind); err != nil {
			return err
		}
		if in.Kind == VoucherResume {
			if err := c.CheckRelease(dualcontrol.ResumeVoucher, in.ActorID); err != nil {
				return err
			}
		}
		decision, err = casework.StoreCaseDecision(ctx, c.Tx, c.Redemption.About(), in)
		return err
	})
	return decision, err
}

// CheckRelease returns an error if one of the actors must not release the redemption's value.
func (c *RedemptionChange) CheckRelease(action dualcontrol.Action, actors ...string) error {
	return dualcontrol.CheckRelease(c.ctx, c.Tx, dualcontrol.Release{Action: action, Actors: actors, Customer: c.Redemption.UserID, Subject: dualcontrol.RedemptionRef(c.Redemption.ID)})
}

// MayDecide refuses a decision that the redemption does not wait for.
func (c *RedemptionChange) MayDecide(kind string) error {
	if kind == VoucherTransferDead {
		_, err := c.removedTransfer()
		return err
	}
	if !slices.Contains(VoucherDecisions(c.Redemption), kind) {
		return store.Conflict("redemption_state", "The redemption has changed. Refresh the page.")
	}
	if kind == VoucherRestore {
		return c.nothingUnderWay()
	}
	return nil
}

// nothingUnderWay refuses while coin may have been sent, or bought, or may still
// be.
func (c *RedemptionChange) nothingUnderWay() error {
	last, err := c.Subject().LastTransfer()
	if err != nil {
		return err
	}
	if last != nil && !last.Dead() {
		return store.Conflict("transfer_open", "A transfer for this voucher may still be sent. Resume first to check.")
	}
	bought, err := c.Subject().ExchangeOrders()
	if err != nil {
		return err
	}
	if n := len(bought); n > 0 && bought[n-1].DoneAt == nil {
		return store.Conflict("purchase_open", "A purchase for this voucher may still be made. Resume first to check.")
	}
	return nil
}

// ResumeVoucher continues a redemption from where it stopped, at today's price.
func ResumeVoucher(ctx context.Context, db *store.DB, id, decisionID string) error {
	return ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		if _, err := casework.CaseDecisions.Of(KindVoucher).Current(ctx, c.Tx, id, decisionID, VoucherResume); err != nil {
			return err
		}
		if err := c.MayDecide(VoucherResume); err != nil {
			return err
		}
		market, err := pricing.ReadMarket(ctx, c.Tx, c.Redemption.Asset)
		if err != nil {
			return err
		}
		if store.Text(c.Redemption.AttentionReason) == casework.AttentionPrice && market.Ask.GreaterThan(c.Redemption.PriceLimit) {
			c.Redemption.PriceLimit = market.Ask
		}
		c.Redemption.ResumedAt = &c.Now
		c.clearAttention()
		if err := c.event(casework.Event{Kind: "resumed", Actor: casework.ByStaff, Dedupe: "decision:" + decisionID}); err != nil {
			return err
		}
		return casework.CaseDecisions.Resolve(ctx, c.Tx, decisionID, casework.DecisionDone)
	})
}

// RestoreVoucher gives a redemption up: the coin that was reserved is free, what was bought stays ours, and the
// voucher's code can be redeemed again. If its batch was voided meanwhile, the voucher ends void instead.
func RestoreVoucher(ctx context.Context, db *store.DB, id, decisionID string) error {
	return ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		if _, err := casework.CaseDecisions.Of(KindVoucher).Current(ctx, c.Tx, id, decisionID, VoucherRestore); err != nil {
			return err
		}
		if err := c.MayDecide(VoucherRestore); err != nil {
			return err
		}
		bought, err := c.Subject().ExchangeOrders()
		if err != nil {
			return err
		}
		lines := append(VoucherGivenUpPostings(c.Redemption, execution.FillOf(bought)), VoucherRestoredPostings(c.Redemption)...)
		if err := store.FirstError(c.move(RedemptionRestored), c.Voucher.move(VoucherActive), c.post("voucher_restored", "restored", lines...)); err != nil {
			return err
		}
		c.Voucher.RedemptionID = nil
		voided, err := c.voidWithBatch()
		if err != nil {
			return err
		}
		event := "voided"
		if !voided {
			event = "restored"
			if longer := c.Now.Add(restoredLife); c.Voucher.ExpiresAt.Before(longer) {
				c.Voucher.ExpiresAt = longer
			}
		}
		c.clearAttention()
		c.Redemption.ClosedAt = &c.Now
		if err := c.event(casework.Event{Kind: event, Actor: casework.ByStaff, Dedupe: event}); err != nil {
			return err
		}
		return casework.CaseDecisions.Resolve(ctx, c.Tx, decisionID, casework.DecisionDone)
	})
}
