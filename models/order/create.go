package order

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// NewOrder is an order about to be made: its price is the quote's, its address
// has been checked for form by the caller.
type NewOrder struct {
	Quote   pricing.Quote
	Network string
	Address string
	// AddressKey is the address in the form lists are compared in.
	AddressKey string
	Channel    string
	// ByMail is set for a customer without a second factor: from the balance to a new address, they confirm the order by
	// a mailed link.
	ByMail bool
	// RemindAfter is how long it stays unpaid before its customer is mailed how to pay.
	RemindAfter time.Duration
}

// CreateOrder writes an order, its payment and its first event. Under a lock per customer it checks identity and
// limits, so that two tabs together cannot exceed what one may, and checks the risk rules: a broken rule does not
// refuse the order, compliance reviews it. One that is paid from the balance is paid then, or reserved until its customer
// has confirmed it (confirm.go).
func CreateOrder(ctx context.Context, db *store.DB, pricing *pricing.Pricing, in NewOrder) (*Order, error) {
	var order *Order
	err := db.Tx(ctx, func(tx *store.DB) error {
		return tx.Together(ctx, func() (err error) {
			order, err = createOrder(ctx, tx, pricing, in)
			return err
		})
	})
	return order, err
}

func createOrder(ctx context.Context, db *store.DB, prices *pricing.Pricing, in NewOrder) (*Order, error) {
	if err := ledger.LockCustomer(ctx, db, in.Quote.UserID); err != nil {
		return nil, err
	}
	terms, now, err := kyc.ReadTerms(ctx, db, in.Quote.UserID)
	if err != nil {
		return nil, err
	}
	if prices.Version < terms.Pricing { // changed since the caller read it: paused methods and assets accept no order
		if prices, err = pricing.ReadOffered(ctx, db, prices.Offer); err != nil {
			return nil, err
		}
	}
	method, err := prices.Method(in.Quote.Method, terms.Country)
	if err := store.FirstError(terms.MayBegin(), terms.MayBuy(), err, pricing.CheckAsset(prices.Offer, in.Quote.Asset), prices.SellsTo(terms.Country), prices.Delivers(in.Quote.Method, in.Quote.Asset)); err != nil {
		return nil, err
	}
	found, err := risk.Checks(ctx, db, risk.RiskQuestion{UserID: in.Quote.UserID, Total: in.Quote.Lines.Total, Network: in.Network, Address: in.Address, AddressKey: in.AddressKey})
	if err != nil {
		return nil, err
	}
	if found.Listed == risk.AddressOwn {
		return nil, risk.ErrOwnAddress
	}
	if err := pricing.LimitsOf(terms, prices, found.Spent(), now, money.Units{}).Check(in.Quote.Lines.Total); err != nil {
		return nil, err
	}
	risk, err := risk.RiskOf(ctx, db, found)
	if err != nil {
		return nil, err
	}
	asks, err := asksByMail(ctx, db, in)
	if err != nil {
		return nil, err
	}
	window := method.Window()
	if asks {
		window = ConfirmWindow
	}
	return insertOrder(ctx, db, in, now.Add(window), asks, now, risk)
}

func insertOrder(ctx context.Context, db *store.DB, in NewOrder, due time.Time, asks bool, now time.Time, risk risk.Risk) (*Order, error) {
	quote := in.Quote
	order := &Order{ID: store.NewID(), UserID: quote.UserID, Asset: quote.Asset, Network: in.Network, Amount: quote.Amount,
		DestAddress: in.Address, PaymentMethod: quote.Method, Channel: in.Channel, Status: StatusPending,
		UnitPrice: quote.UnitPrice, BasePrice: quote.Lines.BasePrice, PaymentFee: quote.Lines.PaymentMethodFee,
		VolumeDiscount: quote.Lines.VolumeDiscount, Total: quote.Lines.Total, BonusPercent: quote.Bonus,
		QuoteID: &quote.ID, PaymentDueAt: due, AttentionChoices: []string{}, CreatedAt: now, UpdatedAt: now,
		UnderReview: risk.Review, RiskScore: risk.Score, RiskReasons: append([]string{}, risk.Reasons...)}
	if err := insertWithReference(ctx, db, order); err != nil {
		return nil, err
	}
	payment := &Payment{ID: store.NewID(), OrderID: order.ID, UserID: order.UserID, PaymentMethod: order.PaymentMethod,
		Amount: order.Total, AdminApprovalStatus: ApprovalPending, DueAt: order.PaymentDueAt, CaptureGeneration: 1, CancelGeneration: 1, CreatedAt: now, UpdatedAt: now}
	if err := db.LaterORM(ctx, store.Write{Table: "payments"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(payment) }); err != nil {
		return nil, fmt.Errorf("store payment: %w", err)
	}
	c := &OrderChange{Order: order, Now: now, Ctx: ctx, Tx: db, was: *order, paid: *payment}
	err := c.Event(casework.Event{Kind: "created", Actor: casework.ByCustomer, Dedupe: "created", MailAfter: in.RemindAfter,
		Data: map[string]any{"asset": order.Asset, "amount": order.Asset.Format(order.Amount), "total": money.USD.Format(order.Total), "method": order.PaymentMethod}})
	if err == nil && risk.Review {
		err = c.openReview()
	}
	if err != nil || order.PaymentMethod != pricing.MethodBalance {
		return order, err
	}
	if asks {
		return order, c.askToConfirm()
	}
	return order, store.FirstError(c.payFromBalance(payment), c.store())
}

// insertWithReference stores the order under a fresh short reference. A reference in use is drawn again; a quote that
// made an order already is refused.
func insertWithReference(ctx context.Context, db *store.DB, order *Order) error {
	for {
		order.Reference = newReference()
		result := db.ORM(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(order)
		if store.Violates(result.Error, "orders_quote_id_key") {
			return store.Conflict("quote_used", "This price was already used for an order. Get a new price.")
		}
		if result.Error != nil {
			return fmt.Errorf("store order: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
	}
}
