package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/money"
)

// The kinds of kill switches. A rail is named by its payment method, an asset by
// itself; of the others there is one each.
const (
	SwitchRail       = "rail"
	SwitchAsset      = "asset"
	SwitchFulfilment = "fulfilment"
	SwitchSignups    = "signups"
)

// Switch is a kill switch: what somebody paused, or resumed last.
type Switch struct {
	Kind      string `gorm:"primaryKey"`
	Name      string `gorm:"primaryKey"`
	Paused    bool
	Reason    string
	ActorID   string
	ChangedAt time.Time
	Version   int
}

// SwitchView is a switch with who turned it.
type SwitchView struct {
	Switch     `gorm:"embedded"`
	ActorEmail string
}

// Switches are all switches that were ever turned.
func (db *DB) Switches(ctx context.Context) ([]SwitchView, error) {
	var rows []SwitchView
	err := db.orm(ctx).Raw("SELECT s.*, u.email AS actor_email FROM switches s JOIN users u ON u.id = s.actor_id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read switches: %w", err)
	}
	return rows, nil
}

// Parked counts what waits for a switch to be turned back, up to a bound.
func (db *DB) Parked(ctx context.Context) (orders, redemptions int, err error) {
	err = db.row(ctx, `SELECT (SELECT count(*) FROM (SELECT FROM orders WHERE attention_reason = 'paused' LIMIT 1000) o),
		(SELECT count(*) FROM (SELECT FROM voucher_redemptions WHERE attention_reason = 'paused' LIMIT 1000) r)`).Scan(&orders, &redemptions)
	if err != nil {
		return 0, 0, fmt.Errorf("count what is parked: %w", err)
	}
	return orders, redemptions, nil
}

// TurnSwitch pauses something or resumes it: row and audit in one transaction.
// Turning it to where it stands is refused, so that of two people who press at
// once one is told.
func (db *DB) TurnSwitch(ctx context.Context, kind, name string, pause bool, by By) (*Switch, error) {
	if by.Reason == "" {
		return nil, Invalid("reason", "required", "Please say why")
	}
	if err := db.checkSwitch(ctx, kind, name); err != nil {
		return nil, err
	}
	var row Switch
	err := db.Tx(ctx, func(tx *DB) error {
		if err := tx.lockKey(ctx, "switch:"+kind+":"+name); err != nil {
			return fmt.Errorf("lock switch: %w", err)
		}
		if err := tx.orm(ctx).Where("kind = ? AND name = ?", kind, name).Limit(1).Find(&row).Error; err != nil {
			return fmt.Errorf("read switch: %w", err)
		}
		if row.Paused == pause {
			return tx.turnedAlready(ctx, row, pause)
		}
		before := map[string]any{"paused": row.Paused}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		row = Switch{Kind: kind, Name: name, Paused: pause, Reason: by.Reason, ActorID: by.ActorID, ChangedAt: now, Version: row.Version + 1}
		if err := tx.orm(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error; err != nil {
			return fmt.Errorf("store switch: %w", err)
		}
		action := "switch.resume"
		if pause {
			action = "switch.pause"
		}
		return tx.Audit(ctx, AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: action, ObjectKind: "switch", ObjectID: kind + ":" + name,
			Before: before, After: map[string]any{"paused": pause}, Reason: by.Reason, RequestID: by.RequestID})
	})
	return &row, err
}

func (db *DB) turnedAlready(ctx context.Context, row Switch, pause bool) error {
	if !pause {
		return Conflict("not_paused", "This is not paused. Please refresh.")
	}
	var email string
	if err := db.row(ctx, "SELECT email FROM users WHERE id = $1", row.ActorID).Scan(&email); err != nil {
		return fmt.Errorf("read who paused: %w", err)
	}
	return Conflict("paused_already", fmt.Sprintf("%s has paused this already: %s", email, row.Reason))
}

// checkSwitch refuses a switch that is none.
func (db *DB) checkSwitch(ctx context.Context, kind, name string) error {
	known := false
	switch kind {
	case SwitchRail:
		pricing, err := db.ReadPricing(ctx)
		if err != nil {
			return err
		}
		_, known = pricing.Methods[name]
	case SwitchAsset:
		known = slices.Contains(money.Assets, money.Currency(name))
	case SwitchFulfilment, SwitchSignups:
		known = name == ""
	}
	if !known {
		return Invalid("name", "unknown_switch", "There is no such switch")
	}
	return nil
}

// paused reports whether somebody has paused one of these.
func (p *Pricing) paused(kind, name string) bool { return p.Paused[kind+":"+name] }

// RailPaused says that a payment method is paused, or nil.
func (p *Pricing) RailPaused(method string) error {
	if p.paused(SwitchRail, method) {
		return Unavailable("rail_paused", "This payment method is paused at the moment. Please choose another one, or come back later.")
	}
	return nil
}

// AssetPaused says that an asset is paused, or nil.
func (p *Pricing) AssetPaused(asset money.Currency) error {
	if p.paused(SwitchAsset, string(asset)) {
		return Unavailable("asset_paused", fmt.Sprintf("%s is paused at the moment. Please choose another cryptocurrency, or come back later.", asset))
	}
	return nil
}

// FulfilmentPaused says that nothing is delivered for now, or nil: nobody is to
// pay for what cannot be sent.
func (p *Pricing) FulfilmentPaused() error {
	if p.paused(SwitchFulfilment, "") {
		return Unavailable("fulfilment_paused", "We have paused all deliveries for the moment, so new orders are not taken. What you have paid for is kept and sent when we go on.")
	}
	return nil
}

// SignupsPaused says that nobody new is let in, or nil.
func (p *Pricing) SignupsPaused() error {
	if p.paused(SwitchSignups, "") {
		return Unavailable("signups_paused", "We are not taking new accounts at the moment. Please come back later.")
	}
	return nil
}

// delivers says why nothing can be bought in an asset, by a method or at all.
func (p *Pricing) delivers(method string, asset money.Currency) error {
	return firstError(p.FulfilmentPaused(), p.AssetPaused(asset), p.RailPaused(method))
}

// deliversVouchers says why no voucher is redeemed in an asset now, or nil.
func (db *DB) deliversVouchers(ctx context.Context, asset money.Currency) error {
	paused, err := db.readPaused(ctx)
	if err != nil {
		return err
	}
	p := Pricing{Paused: paused}
	if p.paused(SwitchFulfilment, "") {
		return Unavailable("fulfilment_paused", "We have paused all deliveries for the moment. Your voucher stays as it is; please redeem it later.")
	}
	return p.AssetPaused(asset)
}

// readPaused reads what is paused now.
func (db *DB) readPaused(ctx context.Context) (map[string]bool, error) {
	var rows []Switch
	if err := db.orm(ctx).Where("paused").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read switches: %w", err)
	}
	paused := map[string]bool{}
	for _, row := range rows {
		paused[row.Kind+":"+row.Name] = true
	}
	return paused, nil
}

// switchedOff is the condition that a switch stops what is delivered in asset $1 and
// was paid by method $2.
const switchedOff = `EXISTS (SELECT FROM switches WHERE paused AND (kind = 'fulfilment' OR kind = 'asset' AND name = $1 OR kind = 'rail' AND name = $2))`

// frozenOrStopped is frozen and stopped in one.
func (db *DB) frozenOrStopped(ctx context.Context, userID, method string, asset money.Currency) (frozen, stopped bool, err error) {
	err = db.row(ctx, "SELECT frozen_at IS NOT NULL, "+switchedOff+" FROM users WHERE id = $3 FOR SHARE", string(asset), method, userID).Scan(&frozen, &stopped)
	if err != nil {
		return false, false, fmt.Errorf("read customer and switches: %w", err)
	}
	return frozen, stopped, nil
}

// stopped reports whether a switch stops what is delivered in an asset, and was
// paid by a method; none is "".
func (db *DB) stopped(ctx context.Context, method string, asset money.Currency) (bool, error) {
	var stopped bool
	err := db.row(ctx, "SELECT "+switchedOff, string(asset), method).Scan(&stopped)
	if err != nil {
		return false, fmt.Errorf("read switches: %w", err)
	}
	return stopped, nil
}

// pausedNow is the reason to wait while a switch stops the order; "" when none
// does.
func (c *OrderChange) pausedNow() (string, error) {
	stopped, err := c.tx.stopped(c.ctx, c.Order.PaymentMethod, c.Order.Asset)
	if err != nil || !stopped {
		return "", err
	}
	return AttentionPaused, nil
}

// halted is why nothing more may begin for the order at a provider: its money has
// gone, its customer is frozen, compliance has not released it, or a switch stops it. What was begun is finished
// and recorded.
func (c *OrderChange) halted() (string, error) {
	if gone, err := c.moneyGone(); gone != "" || err != nil {
		return gone, err
	}
	frozen, stopped, err := c.tx.frozenOrStopped(c.ctx, c.Order.UserID, c.Order.PaymentMethod, c.Order.Asset)
	switch {
	case err != nil:
		return "", err
	case frozen:
		return AttentionCustomer, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if stopped {
		return AttentionPaused, nil
	}
	return "", nil
}

// GoOn takes an order up again that waited for a switch: a paid one is promised
// its coin, because somebody had pressed Fulfill. Whatever else stands in its
// way by now is asked for then.
func (db *DB) GoOn(ctx context.Context, orderID string, slippageBPS int64) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if text(c.Order.AttentionReason) != AttentionPaused || c.Order.Held {
			return nil
		}
		reason, err := c.pausedNow()
		if err != nil || reason != "" {
			return err
		}
		if c.Order.Status != StatusPaymentApproved {
			c.Order.ResumedAt = &c.Now
			return c.clearAttention()
		}
		if reason, err = c.unfit(slippageBPS); err != nil {
			return err
		}
		if reason != "" {
			return c.attend(reason)
		}
		return c.reserve("")
	})
}

// Resumed finds orders that waited for a switch which is turned back.
func (db *DB) Resumed(ctx context.Context, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find orders to go on", `
		SELECT o.id AS subject, 'resumed' AS reason FROM orders o WHERE o.attention_reason = 'paused' AND NOT o.held AND NOT EXISTS (SELECT FROM switches s
		   WHERE s.paused AND (s.kind = 'fulfilment' OR s.kind = 'asset' AND s.name = o.asset OR s.kind = 'rail' AND s.name = o.payment_method))
		 ORDER BY o.updated_at LIMIT ?`, limit)
}

// ResumedVouchers finds redemptions that waited for a switch which is turned
// back.
func (db *DB) ResumedVouchers(ctx context.Context, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find redemptions to go on", `
		SELECT r.id AS subject, 'resumed' AS reason FROM voucher_redemptions r WHERE r.attention_reason = 'paused' AND NOT EXISTS (SELECT FROM switches s
		   WHERE s.paused AND (s.kind = 'fulfilment' OR s.kind = 'asset' AND s.name = r.asset))
		 ORDER BY r.updated_at LIMIT ?`, limit)
}

// pausedNow is the reason to wait while a switch stops the redemption; "" when
// none does.
func (c *redemptionChange) pausedNow() (string, error) {
	stopped, err := c.tx.stopped(c.ctx, "", c.Redemption.Asset)
	if err != nil || !stopped {
		return "", err
	}
	return AttentionPaused, nil
}

// halted is why nothing more may begin for the redemption at a provider: its
// customer is frozen, compliance has not released it, or a switch stops it.
func (c *redemptionChange) halted() (string, error) {
	frozen, stopped, err := c.tx.frozenOrStopped(c.ctx, c.Redemption.UserID, "", c.Redemption.Asset)
	switch {
	case err != nil:
		return "", err
	case frozen:
		return AttentionFrozen, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if stopped {
		return AttentionPaused, nil
	}
	return "", nil
}

// MaySendVoucher is MaySend for a redemption.
func (db *DB) MaySendVoucher(ctx context.Context, id string) (may bool, err error) {
	err = db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		reason, err := c.halted()
		if may = reason == "" && err == nil; may || err != nil {
			return err
		}
		return c.attend(reason)
	})
	return may, err
}

// GoOnVoucher takes a redemption up again that waited for a switch.
func (db *DB) GoOnVoucher(ctx context.Context, id string) error {
	return db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		if text(c.Redemption.AttentionReason) != AttentionPaused {
			return nil
		}
		reason, err := c.pausedNow()
		if err != nil || reason != "" {
			return err
		}
		c.Redemption.ResumedAt = &c.Now
		c.clearAttention()
		return c.event(Event{Kind: "resumed", Internal: true})
	})
}

// letsIn refuses who is new while sign-ups are paused.
func (db *DB) letsIn(ctx context.Context) error {
	paused, err := db.readPaused(ctx)
	if err != nil {
		return err
	}
	return (&Pricing{Paused: paused}).SignupsPaused()
}
