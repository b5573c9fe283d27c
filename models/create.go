package models

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/money"
)

// customerTerms is what a customer may do and on what terms.
type customerTerms struct {
	Level      string
	Revoked    bool
	VolumeTier string
	Disabled   bool
	Frozen     bool
	Restricted bool
	Unproven   bool // the address is not known to be theirs
	Country    string
	Pricing    int64 // the version of the pricing then
	Now        time.Time
}

// revokedIdentity is the condition that the identity of a row k of kyc_records was
// withdrawn, or has run out.
const revokedIdentity = `k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= clock_now(), false)`

// customerTerms reads a customer's terms and the database's time in one query.
func (db *DB) customerTerms(ctx context.Context, userID string) (t customerTerms, now time.Time, err error) {
	err = db.row(ctx, `
		SELECT coalesce(k.level, 'none'), `+revokedIdentity+`, u.volume_tier, u.disabled_at IS NOT NULL, u.frozen_at IS NOT NULL, u.restricted_at IS NOT NULL, NOT u.email_verified, u.country,
		       (SELECT version FROM pricing_state), clock_now()
		  FROM users u LEFT JOIN kyc_records k ON k.user_id = u.id WHERE u.id = $1`, userID).
		Scan(&t.Level, &t.Revoked, &t.VolumeTier, &t.Disabled, &t.Frozen, &t.Restricted, &t.Unproven, &t.Country, &t.Pricing, &t.Now)
	if isMissing(err) {
		return customerTerms{}, time.Time{}, NotFound("Customer")
	}
	if err != nil {
		return customerTerms{}, time.Time{}, fmt.Errorf("read customer: %w", err)
	}
	return t, t.Now, nil
}

// verified is true only for a level that is known to be one.
func (t customerTerms) verified() bool {
	return (t.Level == KYCStandard || t.Level == KYCEnhanced) && !t.Revoked
}

// kyc is the pricing of the level in force.
func (t customerTerms) kyc(p *Pricing) *KYCPricing {
	level := t.Level
	if t.Revoked {
		level = "none"
	}
	if k, ok := p.KYC[level]; ok {
		return k
	}
	return &KYCPricing{KYCLevel: level}
}

// tier is the volume tier in force; an unknown one earns nothing.
func (t customerTerms) tier(p *Pricing) *VolumeTier {
	if tier, ok := p.Tiers[t.VolumeTier]; ok {
		return tier
	}
	return &VolumeTier{TierName: t.VolumeTier}
}

// NewOrder is an order about to be made: its price is the quote's, its address
// has been checked for form by the caller.
type NewOrder struct {
	Quote   Quote
	Network string
	Address string
	// AddressKey is the address in the form lists are compared in.
	AddressKey string
	Channel    string
	// RemindAfter is how long it stays unpaid before its customer is mailed how to pay.
	RemindAfter time.Duration
}

// CreateOrder writes an order, its payment and its first event. Under a lock
// per customer it checks identity and limits, so that two tabs together cannot
// exceed what one may, and asks what speaks against it: that does not refuse the
// order, compliance looks at it. One that is paid from the balance is paid then.
func (db *DB) CreateOrder(ctx context.Context, pricing *Pricing, in NewOrder) (*Order, error) {
	var order *Order
	err := db.Tx(ctx, func(tx *DB) error {
		return tx.together(ctx, func() (err error) {
			order, err = tx.createOrder(ctx, pricing, in)
			return err
		})
	})
	return order, err
}

func (db *DB) createOrder(ctx context.Context, pricing *Pricing, in NewOrder) (*Order, error) {
	if err := db.lockCustomer(ctx, in.Quote.UserID); err != nil {
		return nil, err
	}
	terms, now, err := db.customerTerms(ctx, in.Quote.UserID)
	if err != nil {
		return nil, err
	}
	if pricing.Version < terms.Pricing { // changed since the caller read it: what is switched off takes no order
		if pricing, err = db.ReadPricing(ctx); err != nil {
			return nil, err
		}
	}
	method, err := pricing.Method(in.Quote.Method)
	if err := firstError(terms.mayBegin(), terms.mayBuy(), err, pricing.SellsTo(terms.Country), pricing.delivers(in.Quote.Method, in.Quote.Asset)); err != nil {
		return nil, err
	}
	found, err := db.checks(ctx, riskQuestion{UserID: in.Quote.UserID, Total: in.Quote.Lines.Total, Network: in.Network, Address: in.Address, AddressKey: in.AddressKey})
	if err != nil {
		return nil, err
	}
	if found.Listed == AddressOwn {
		return nil, errOwnAddress
	}
	if err := terms.limits(pricing, found.spent(), now, money.Units{}).check(in.Quote.Lines.Total); err != nil {
		return nil, err
	}
	risk, err := db.riskOf(ctx, found)
	if err != nil {
		return nil, err
	}
	return db.insertOrder(ctx, in, method, now, risk)
}

// mayBuy refuses customers who must not buy, in the words of SPEC §5.
func (t customerTerms) mayBuy() error {
	if err := t.open(); err != nil {
		return err
	}
	if !t.verified() {
		return Forbidden("kyc_required", "Please complete identity verification before making purchases")
	}
	return nil
}

// errUnproven refuses who has yet to prove their e-mail address.
var errUnproven = Forbidden("email_unverified", "Confirm your e-mail address first. Use the link in our e-mail.")

// open refuses customers whose account was closed or frozen.
func (t customerTerms) open() error {
	if t.Disabled || t.Frozen {
		return Forbidden("account_frozen", "You can't buy right now. Contact support.")
	}
	return nil
}

// mayBegin refuses customers who want nothing new begun, and those whose address may
// be somebody else's: what we write about money and safety would go there. What is
// under way goes on.
func (t customerTerms) mayBegin() error {
	if t.Restricted {
		return Forbidden("account_restricted", "You restricted your account. Remove the restriction in your settings first.")
	}
	if t.Unproven {
		return errUnproven
	}
	return nil
}

func (db *DB) insertOrder(ctx context.Context, in NewOrder, method *PaymentMethod, now time.Time, risk Risk) (*Order, error) {
	quote := in.Quote
	order := &Order{ID: NewID(), UserID: quote.UserID, Asset: quote.Asset, Network: in.Network, Amount: quote.Amount,
		DestAddress: in.Address, PaymentMethod: quote.Method, Channel: in.Channel, Status: StatusPending,
		UnitPrice: quote.UnitPrice, BasePrice: quote.Lines.BasePrice, PaymentFee: quote.Lines.PaymentMethodFee,
		VolumeDiscount: quote.Lines.VolumeDiscount, Total: quote.Lines.Total, BonusPercent: quote.Bonus,
		QuoteID: &quote.ID, PaymentDueAt: now.Add(method.Window()), AttentionChoices: []string{}, CreatedAt: now, UpdatedAt: now,
		UnderReview: risk.Review, RiskScore: risk.Score, RiskReasons: append([]string{}, risk.Reasons...)}
	if err := db.insertWithReference(ctx, order); err != nil {
		return nil, err
	}
	payment := &Payment{ID: NewID(), OrderID: order.ID, UserID: order.UserID, PaymentMethod: order.PaymentMethod,
		Amount: order.Total, AdminApprovalStatus: ApprovalPending, DueAt: order.PaymentDueAt, CaptureGeneration: 1, CancelGeneration: 1, CreatedAt: now, UpdatedAt: now}
	if err := db.laterORM(ctx, write{table: "payments"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(payment) }); err != nil {
		return nil, fmt.Errorf("store payment: %w", err)
	}
	c := &OrderChange{Order: order, Now: now, ctx: ctx, tx: db, was: *order, paid: *payment}
	err := c.Event(Event{Kind: "created", Actor: ByCustomer, Dedupe: "created", MailAfter: in.RemindAfter,
		Data: map[string]any{"asset": order.Asset, "amount": order.Asset.Format(order.Amount), "total": money.USD.Format(order.Total), "method": order.PaymentMethod}})
	if err == nil && risk.Review {
		err = c.openReview()
	}
	if err != nil || order.PaymentMethod != MethodBalance {
		return order, err
	}
	return order, c.payFromBalance(payment)
}

// insertWithReference stores the order under a fresh short reference. A
// reference that is taken is drawn again; a quote that made an order already is
// refused.
func (db *DB) insertWithReference(ctx context.Context, order *Order) error {
	for {
		order.Reference = newReference()
		result := db.orm(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(order)
		if violates(result.Error, "orders_quote_id_key") {
			return Conflict("quote_used", "This price was already used for an order. Get a new price.")
		}
		if result.Error != nil {
			return fmt.Errorf("store order: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
	}
}
