package pricing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// The kinds of kill switches. A rail is named by its payment method, an asset by
// itself; of the others there is one each.
const (
	SwitchRail       = "rail"
	SwitchAsset      = "asset"
	SwitchFulfilment = "fulfilment"
	SwitchSignups    = "signups"
)

// Switch is a kill switch with its last change.
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
func Switches(ctx context.Context, db *store.DB) ([]SwitchView, error) {
	var rows []SwitchView
	err := db.ORM(ctx).Raw("SELECT s.*, u.email AS actor_email FROM switches s JOIN users u ON u.id = s.actor_id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read switches: %w", err)
	}
	return rows, nil
}

// TurnSwitch pauses something or resumes it: row and audit in one transaction. Setting its present state is refused,
// so that of two concurrent changes one gets an error.
func TurnSwitch(ctx context.Context, db *store.DB, kind, name string, pause bool, by store.Actor) (*Switch, error) {
	to := Switch{Kind: kind, Name: name, Paused: pause, Reason: by.Reason, ActorID: by.ActorID}
	entry := audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, RequestID: by.RequestID}
	return turn(ctx, db, to, entry, map[string]any{"paused": pause})
}

// TurnSwitchByCommand is TurnSwitch for an operator's command. The switch shows the admin whom the operator names. The
// audit log names the operator as the actor, and the admin with the change, since no admin signed in.
func TurnSwitchByCommand(
	ctx context.Context, db *store.DB, kind, name string, pause bool, named store.Actor, operator string,
) (*Switch, error) {
	to := Switch{Kind: kind, Name: name, Paused: pause, Reason: named.Reason, ActorID: named.ActorID}
	after := map[string]any{"paused": pause, "by": operator, "named": named.ActorID}
	return turn(ctx, db, to, audit.AuditEntry{ActorRole: "system"}, after)
}

// turn stores a switch with an entry of the audit log, whose action, object, states and reason it fills in.
func turn(ctx context.Context, db *store.DB, to Switch, entry audit.AuditEntry, after map[string]any) (*Switch, error) {
	if to.Reason == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	if err := checkSwitch(ctx, db, to.Kind, to.Name); err != nil {
		return nil, err
	}
	entry.Action, entry.After, entry.Reason = "switch.resume", after, to.Reason
	entry.ObjectKind, entry.ObjectID = "switch", to.Kind+":"+to.Name
	if to.Paused {
		entry.Action = "switch.pause"
	}
	err := db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockKey(ctx, "switch:"+to.Kind+":"+to.Name); err != nil {
			return fmt.Errorf("lock switch: %w", err)
		}
		var before Switch
		if err := tx.ORM(ctx).Where("kind = ? AND name = ?", to.Kind, to.Name).Limit(1).Find(&before).Error; err != nil {
			return fmt.Errorf("read switch: %w", err)
		}
		if before.Paused == to.Paused {
			return turnedAlready(ctx, tx, before, to.Paused)
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		to.ChangedAt, to.Version = now, before.Version+1
		if err := tx.ORM(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&to).Error; err != nil {
			return fmt.Errorf("store switch: %w", err)
		}
		entry.Before = map[string]any{"paused": before.Paused}
		return audit.Audit(ctx, tx, entry)
	})
	return &to, err
}

func turnedAlready(ctx context.Context, db *store.DB, row Switch, pause bool) error {
	if !pause {
		return store.Conflict("not_paused", "This isn't paused. Refresh the page.")
	}
	var email string
	if err := db.Row(ctx, "SELECT email FROM users WHERE id = $1", row.ActorID).Scan(&email); err != nil {
		return fmt.Errorf("read who paused: %w", err)
	}
	return store.Conflict("paused_already", fmt.Sprintf("%s already paused this: %s", email, row.Reason))
}

// checkSwitch refuses an unknown switch.
func checkSwitch(ctx context.Context, db *store.DB, kind, name string) error {
	known := false
	switch kind {
	case SwitchRail:
		pricing, err := ReadPricing(ctx, db)
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
		return store.Invalid("name", "unknown_switch", "Switch not found")
	}
	return nil
}

// Switched reports whether a switch is of something that an installation offers.
func Switched(offer money.Offer, kind, name string) bool {
	switch kind {
	case SwitchRail:
		return offer.Takes(name)
	case SwitchAsset:
		return offer.Sells(money.Currency(name))
	}
	return true
}

// IsPaused reports whether one of these is paused.
func (p *Pricing) IsPaused(kind, name string) bool { return p.Paused[kind+":"+name] }

// RailPaused says that a payment method is paused, or nil.
func (p *Pricing) RailPaused(method string) error {
	if p.IsPaused(SwitchRail, method) {
		return store.Unavailable("rail_paused", "This payment method is paused at the moment. Choose another one, or try again later.")
	}
	return nil
}

// AssetPaused says that an asset is paused, or nil.
func (p *Pricing) AssetPaused(asset money.Currency) error {
	if p.IsPaused(SwitchAsset, string(asset)) {
		return store.Unavailable("asset_paused", fmt.Sprintf("%s is paused at the moment. Choose another cryptocurrency, or try again later.", asset))
	}
	return nil
}

// FulfilmentPaused returns why nothing is delivered for now, or nil: no customer may pay for what cannot be sent.
func (p *Pricing) FulfilmentPaused() error {
	if p.IsPaused(SwitchFulfilment, "") {
		return store.Unavailable("fulfilment_paused", "All deliveries are paused at the moment, so you can't place new orders. We send what you paid for when we resume.")
	}
	return nil
}

// SignupsPaused returns why no new account is made for now, or nil.
func (p *Pricing) SignupsPaused() error {
	if p.IsPaused(SwitchSignups, "") {
		return store.Unavailable("signups_paused", "You can't create an account at the moment. Try again later.")
	}
	return nil
}

// Delivers says why nothing can be bought in an asset, by a method or at all.
func (p *Pricing) Delivers(method string, asset money.Currency) error {
	return store.FirstError(p.FulfilmentPaused(), p.AssetPaused(asset), p.RailPaused(method))
}

// ReadPaused reads what is paused now.
func ReadPaused(ctx context.Context, db *store.DB) (map[string]bool, error) {
	var rows []Switch
	if err := db.ORM(ctx).Where("paused").Find(&rows).Error; err != nil {
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

// RefundOpenOf is the condition that a refund of ours of the order with an id is not
// done: requested, or still on its way at the processor.
const RefundOpenOf = `EXISTS (SELECT FROM refunds WHERE done_at IS NULL AND origin = 'ours' AND order_id = `

// CoinProposed is the condition that the order with an id has an open proposal that blocks sending its coin: a
// refund, coin sent by hand, or another address.
const CoinProposed = `EXISTS (SELECT FROM order_proposals WHERE status = 'open' AND kind IN ('refund', 'mark_sent', 'amend_address', 'transfer_dead') AND order_id = `

// Blockers is what may stop a delivery besides its own row.
type Blockers struct {
	Customer  kyc.CustomerTerms
	Stopped   bool // by a switch
	Refunding bool
	Proposed  bool
	Recalled  bool // it was paid from a balance that was debited by a return since
}

// balanceRecalled is the condition that something paid by method $2 was paid from the
// balance of a user u who owes us by now: what they paid with was not theirs.
const balanceRecalled = `($2 = '` + MethodBalance + `' AND EXISTS (SELECT FROM customer_balances b
	WHERE b.account = 'customer:' || u.id || ':receivable' AND b.currency = 'USD' AND b.amount > 0))`

// Read are the fields of blockers that one query reads; halting is that query with its further conditions, of asset
// $1, method $2, user $3 and order $4.
func (b *Blockers) Read() []any {
	return []any{&b.Customer.Frozen, &b.Customer.Disabled, &b.Customer.Level, &b.Customer.Revoked, &b.Stopped, &b.Refunding, &b.Proposed, &b.Recalled}
}

// Halting is the query of what may stop a delivery; %s are the conditions of an order alone.
const Halting = `SELECT u.frozen_at IS NOT NULL, u.disabled_at IS NOT NULL, coalesce(k.level, 'none'), ` + kyc.RevokedIdentity + `, ` + switchedOff + `, ` + RefundOpenOf + `$4), ` + CoinProposed + `$4), ` + balanceRecalled + `%s
	FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $3 FOR SHARE OF u`

// ReadBlockers reads in one query whatever may stop a delivery to a customer of an asset
// that was paid by a method; the customer stays as they are until the transaction
// ends. orderID is nil for what is no order.
func ReadBlockers(ctx context.Context, db *store.DB, userID, method string, asset money.Currency, orderID *string) (b Blockers, err error) {
	err = db.Row(ctx, fmt.Sprintf(Halting, ""), string(asset), method, userID, orderID).Scan(b.Read()...)
	if err != nil {
		return Blockers{}, fmt.Errorf("read what may stop a delivery: %w", err)
	}
	return b, nil
}

// Stopped reports whether a switch stops what is delivered in an asset, and was
// paid by a method; none is "".
func Stopped(ctx context.Context, db *store.DB, method string, asset money.Currency) (bool, error) {
	var stopped bool
	err := db.Row(ctx, "SELECT "+switchedOff, string(asset), method).Scan(&stopped)
	if err != nil {
		return false, fmt.Errorf("read switches: %w", err)
	}
	return stopped, nil
}

// GoesOnOrder is the condition that an order o waits for a switch which is turned back, or for a proposal that is
// decided, and for nothing else: an open decision, proposal or refund comes first.
const GoesOnOrder = `coalesce(o.attention_reason = 'paused', false) AND NOT o.held AND NOT EXISTS (SELECT FROM switches s
	WHERE s.paused AND (s.kind = 'fulfilment' OR s.kind = 'asset' AND s.name = o.asset OR s.kind = 'rail' AND s.name = o.payment_method))
	AND NOT ` + UndecidedOrder + ` AND NOT ` + RefundOpenOf + `o.id)`

// UndecidedOrder is the condition that a decision or a proposal about an order o is open, or an offer to its customer of
// less coin.
const UndecidedOrder = `(EXISTS (SELECT FROM decisions d WHERE d.order_id = o.id AND d.settled_at IS NULL)
	OR EXISTS (SELECT FROM order_proposals p WHERE p.order_id = o.id AND p.status = 'open')
	OR o.offer_until IS NOT NULL)`

// GoesOnRedemption is goesOnOrder for a redemption r.
const GoesOnRedemption = `coalesce(r.attention_reason = 'paused', false) AND NOT EXISTS (SELECT FROM switches s
	WHERE s.paused AND (s.kind = 'fulfilment' OR s.kind = 'asset' AND s.name = r.asset))
	AND NOT EXISTS (SELECT FROM matter_decisions d WHERE d.matter = 'voucher' AND d.matter_id = r.id AND d.settled_at IS NULL)`

// Is reports whether a condition about a row of a table holds, as it is stored.
func Is(ctx context.Context, db *store.DB, table, condition, id string) (bool, error) {
	var holds bool
	if err := db.Row(ctx, "SELECT "+condition+" FROM "+table+" WHERE id = $1", id).Scan(&holds); err != nil {
		return false, fmt.Errorf("ask of %s: %w", table, err)
	}
	return holds, nil
}

// LetsIn refuses a new user while sign-ups are paused.
func LetsIn(ctx context.Context, db *store.DB) error {
	paused, err := ReadPaused(ctx, db)
	if err != nil {
		return err
	}
	return (&Pricing{Paused: paused}).SignupsPaused()
}
