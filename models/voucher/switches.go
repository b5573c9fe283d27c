package voucher

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Parked counts what waits for a switch to be turned back, up to a bound.
func Parked(ctx context.Context, db *store.DB) (orders, redemptions int, err error) {
	err = db.Row(ctx, `SELECT (SELECT count(*) FROM (SELECT FROM orders WHERE attention_reason = 'paused' LIMIT 1000) o),
		(SELECT count(*) FROM (SELECT FROM voucher_redemptions WHERE attention_reason = 'paused' LIMIT 1000) r)`).Scan(&orders, &redemptions)
	if err != nil {
		return 0, 0, fmt.Errorf("count what is parked: %w", err)
	}
	return orders, redemptions, nil
}

// deliversVouchers says why no voucher is redeemed in an asset now, or nil.
func deliversVouchers(ctx context.Context, db *store.DB, asset money.Currency) error {
	paused, err := pricing.ReadPaused(ctx, db)
	if err != nil {
		return err
	}
	p := pricing.Pricing{Paused: paused}
	if p.IsPaused(pricing.SwitchFulfilment, "") {
		return store.Unavailable("fulfilment_paused", "All deliveries are paused at the moment. Your voucher doesn't change. Redeem it later.")
	}
	return p.AssetPaused(asset)
}

// ResumedVouchers finds redemptions that waited for a switch which is turned
// back.
func ResumedVouchers(ctx context.Context, db *store.DB, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find redemptions to go on", `
		SELECT r.id AS subject, 'resumed' AS reason FROM voucher_redemptions r WHERE r.attention_reason = 'paused' AND `+pricing.GoesOnRedemption+`
		 ORDER BY r.updated_at LIMIT ?`, limit)
}

// pausedNow is the reason to wait while a switch stops the redemption; "" when
// none does.
func (c *RedemptionChange) pausedNow() (string, error) {
	stopped, err := pricing.Stopped(c.ctx, c.Tx, "", c.Redemption.Asset)
	if err != nil || !stopped {
		return "", err
	}
	return casework.AttentionPaused, nil
}

// Halted is why nothing more may begin for the redemption at a provider: its customer is frozen, or not identified
// any more where the voucher's worth requires it, compliance has not released it, or a switch stops it.
func (c *RedemptionChange) Halted() (string, error) {
	b, err := pricing.ReadBlockers(c.ctx, c.Tx, c.Redemption.UserID, "", c.Redemption.Asset, nil)
	switch {
	case err != nil:
		return "", err
	case b.Customer.Open() != nil:
		return casework.AttentionFrozen, nil
	case c.Redemption.NeedsIdentity && !b.Customer.Verified():
		return casework.AttentionKYC, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if b.Stopped {
		return casework.AttentionPaused, nil
	}
	return "", nil
}

// MaySendVoucher is MaySend for a redemption.
func MaySendVoucher(ctx context.Context, db *store.DB, id string) (may bool, err error) {
	err = ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		may, err = execution.MaySend(c)
		return err
	})
	return may, err
}

// GoOnVoucher resumes a redemption that waited for a switch.
func GoOnVoucher(ctx context.Context, db *store.DB, id string) error {
	return ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		if goes, err := pricing.Is(ctx, c.Tx, "voucher_redemptions r", pricing.GoesOnRedemption, id); err != nil || !goes {
			return err
		}
		c.Redemption.ResumedAt = &c.Now
		c.clearAttention()
		return c.event(casework.Event{Kind: "resumed", Internal: true})
	})
}
