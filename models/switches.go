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
		return nil, Invalid("reason", "required", "Enter a reason")
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
		return Conflict("not_paused", "This isn't paused. Refresh the page.")
	}
	var email string
	if err := db.row(ctx, "SELECT email FROM users WHERE id = $1", row.ActorID).Scan(&email); err != nil {
		return fmt.Errorf("read who paused: %w", err)
	}
	return Conflict("paused_already", fmt.Sprintf("%s already paused this: %s", email, row.Reason))
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
		return Invalid("name", "unknown_switch", "Switch not found")
	}
	return nil
}

// paused reports whether somebody has paused one of these.
func (p *Pricing) paused(kind, name string) bool { return p.Paused[kind+":"+name] }

// RailPaused says that a payment method is paused, or nil.
func (p *Pricing) RailPaused(method string) error {
	if p.paused(SwitchRail, method) {
		return Unavailable("rail_paused", "This payment method is paused at the moment. Choose another one, or try again later.")
	}
	return nil
}

// AssetPaused says that an asset is paused, or nil.
func (p *Pricing) AssetPaused(asset money.Currency) error {
	if p.paused(SwitchAsset, string(asset)) {
		return Unavailable("asset_paused", fmt.Sprintf("%s is paused at the moment. Choose another cryptocurrency, or try again later.", asset))
	}
	return nil
}

// FulfilmentPaused says that nothing is delivered for now, or nil: nobody is to
// pay for what cannot be sent.
func (p *Pricing) FulfilmentPaused() error {
	if p.paused(SwitchFulfilment, "") {
		return Unavailable("fulfilment_paused", "All deliveries are paused at the moment, so you can't place new orders. We send what you paid for when we resume.")
	}
	return nil
}

// SignupsPaused says that nobody new is let in, or nil.
func (p *Pricing) SignupsPaused() error {
	if p.paused(SwitchSignups, "") {
		return Unavailable("signups_paused", "You can't create an account at the moment. Try again later.")
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
		return Unavailable("fulfilment_paused", "All deliveries are paused at the moment. Your voucher doesn't change. Redeem it later.")
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

// refundOpenOf is the condition that a refund of ours of the order with an id is not
// done: requested, or still on its way at the processor.
const refundOpenOf = `EXISTS (SELECT FROM refunds WHERE done_at IS NULL AND origin = 'ours' AND order_id = `

// coinProposed is the condition that somebody has proposed something of the order with
// an id that its coin must not overtake: its money goes back, the coin was sent by hand,
// or is to go elsewhere.
const coinProposed = `EXISTS (SELECT FROM order_proposals WHERE status = 'open' AND kind IN ('refund', 'mark_sent', 'amend_address', 'transfer_dead') AND order_id = `

// blockers is what may stop a delivery besides its own row.
type blockers struct {
	customer  customerTerms
	stopped   bool // by a switch
	refunding bool
	proposed  bool
	recalled  bool // it was paid from a balance of which money was taken back since
}

// balanceRecalled is the condition that something paid by method $2 was paid from the
// balance of a user u who owes us by now: what they paid with was not theirs.
const balanceRecalled = `($2 = '` + MethodBalance + `' AND EXISTS (SELECT FROM customer_balances b
	WHERE b.account = 'customer:' || u.id || ':receivable' AND b.currency = 'USD' AND b.amount > 0))`

// read is what of blockers is read in one query, and halting the query of it and of
// what more is asked, of asset $1, method $2, user $3 and order $4.
func (b *blockers) read() []any {
	return []any{&b.customer.Frozen, &b.customer.Disabled, &b.customer.Level, &b.customer.Revoked, &b.stopped, &b.refunding, &b.proposed, &b.recalled}
}

// halting asks what may stop a delivery; %s is what is asked of an order alone.
const halting = `SELECT u.frozen_at IS NOT NULL, u.disabled_at IS NOT NULL, coalesce(k.level, 'none'), ` + revokedIdentity + `, ` + switchedOff + `, ` + refundOpenOf + `$4), ` + coinProposed + `$4), ` + balanceRecalled + `%s
	FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $3 FOR SHARE OF u`

// blockers reads in one query whatever may stop a delivery to a customer of an asset
// that was paid by a method; the customer stays as they are until the transaction
// ends. orderID is nil for what is no order.
func (db *DB) blockers(ctx context.Context, userID, method string, asset money.Currency, orderID *string) (b blockers, err error) {
	err = db.row(ctx, fmt.Sprintf(halting, ""), string(asset), method, userID, orderID).Scan(b.read()...)
	if err != nil {
		return blockers{}, fmt.Errorf("read what may stop a delivery: %w", err)
	}
	return b, nil
}

// hindrances is what may stop an order: blockers, and what became of its money. What is
// read of the order itself is changed under its lock alone, which is held.
type hindrances struct {
	blockers
	disputed    bool // the bank has not decided
	givenBack   bool // at the processor itself, and no decision has continued the order since
	receiptGone bool
	received    money.Units // for the order, by the ledger
}

var haltingOrder = fmt.Sprintf(halting, `,
	EXISTS (SELECT FROM disputes WHERE order_id = $4 AND closed_at IS NULL), `+givenBackOf4+`, `+receiptGoneOf4+`, `+receivedOf4)

func (c *OrderChange) hindrances() (h hindrances, err error) {
	o := c.Order
	err = c.tx.row(c.ctx, haltingOrder, string(o.Asset), o.PaymentMethod, o.UserID, o.ID).Scan(append(h.read(), &h.disputed, &h.givenBack, &h.receiptGone, &h.received)...)
	if err != nil {
		return hindrances{}, fmt.Errorf("read what may stop the order: %w", err)
	}
	return h, nil
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

// halted is why nothing more may begin for the order at a provider: its money has
// gone or is on its way back, its customer is frozen or not identified any more,
// compliance has not released it, or a switch or a proposal about it stops it. What was
// begun is finished and recorded. What waits for a proposal is paused: it goes on by
// itself once that is decided (goesOnOrder).
func (c *OrderChange) halted() (string, error) {
	h, err := c.hindrances()
	if err != nil {
		return "", err
	}
	return c.haltedBy(h)
}

func (c *OrderChange) haltedBy(b hindrances) (string, error) {
	if gone := b.moneyGone(c.Order); gone != "" {
		return gone, nil
	}
	switch {
	case b.refunding:
		return AttentionRefundPending, nil
	case b.recalled:
		return AttentionRefundedThere, nil
	case b.customer.Frozen:
		return AttentionCustomer, nil
	case b.customer.mayBuy() != nil:
		return AttentionKYC, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if b.stopped || b.proposed {
		return AttentionPaused, nil
	}
	return "", nil
}

// goesOnOrder is the condition that an order o waits for a switch which is turned back,
// or for a proposal that is decided, and for nothing else: what somebody has decided or proposed about it comes first,
// and so does a refund that is under way.
const goesOnOrder = `coalesce(o.attention_reason = 'paused', false) AND NOT o.held AND NOT EXISTS (SELECT FROM switches s
	WHERE s.paused AND (s.kind = 'fulfilment' OR s.kind = 'asset' AND s.name = o.asset OR s.kind = 'rail' AND s.name = o.payment_method))
	AND NOT ` + undecidedOrder + ` AND NOT ` + refundOpenOf + `o.id)`

// undecidedOrder is the condition that a decision or a proposal about an order o is
// open.
const undecidedOrder = `(EXISTS (SELECT FROM decisions d WHERE d.order_id = o.id AND d.settled_at IS NULL)
	OR EXISTS (SELECT FROM order_proposals p WHERE p.order_id = o.id AND p.status = 'open'))`

// goesOnRedemption is goesOnOrder for a redemption r.
const goesOnRedemption = `coalesce(r.attention_reason = 'paused', false) AND NOT EXISTS (SELECT FROM switches s
	WHERE s.paused AND (s.kind = 'fulfilment' OR s.kind = 'asset' AND s.name = r.asset))
	AND NOT EXISTS (SELECT FROM matter_decisions d WHERE d.matter = 'voucher' AND d.matter_id = r.id AND d.settled_at IS NULL)`

// is reports whether a condition about a row of a table holds, as it is stored.
func (db *DB) is(ctx context.Context, table, condition, id string) (bool, error) {
	var holds bool
	if err := db.row(ctx, "SELECT "+condition+" FROM "+table+" WHERE id = $1", id).Scan(&holds); err != nil {
		return false, fmt.Errorf("ask of %s: %w", table, err)
	}
	return holds, nil
}

// GoOn takes an order up again that waited for a switch: a paid one is promised
// its coin, because somebody had pressed Fulfill. Whatever else stands in its
// way by now is asked for then.
func (db *DB) GoOn(ctx context.Context, orderID string, slippageBPS int64) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if goes, err := c.tx.is(ctx, "orders o", goesOnOrder, orderID); err != nil || !goes {
			return err
		}
		if c.Order.Status != StatusPaymentApproved {
			c.Order.ResumedAt = &c.Now
			return c.clearAttention()
		}
		reason, err := c.unfit(slippageBPS)
		if err != nil {
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
		SELECT o.id AS subject, 'resumed' AS reason FROM orders o WHERE o.attention_reason = 'paused' AND `+goesOnOrder+`
		 ORDER BY o.updated_at LIMIT ?`, limit)
}

// ResumedVouchers finds redemptions that waited for a switch which is turned
// back.
func (db *DB) ResumedVouchers(ctx context.Context, limit int) ([]Wake, error) {
	return db.wakes(ctx, "find redemptions to go on", `
		SELECT r.id AS subject, 'resumed' AS reason FROM voucher_redemptions r WHERE r.attention_reason = 'paused' AND `+goesOnRedemption+`
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
// customer is frozen, or not identified any more where the voucher's worth asks for
// it, compliance has not released it, or a switch stops it.
func (c *redemptionChange) halted() (string, error) {
	b, err := c.tx.blockers(c.ctx, c.Redemption.UserID, "", c.Redemption.Asset, nil)
	switch {
	case err != nil:
		return "", err
	case b.customer.open() != nil:
		return AttentionFrozen, nil
	case c.Redemption.NeedsIdentity && !b.customer.verified():
		return AttentionKYC, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if b.stopped {
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
		if goes, err := c.tx.is(ctx, "voucher_redemptions r", goesOnRedemption, id); err != nil || !goes {
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
