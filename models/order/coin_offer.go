package order

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// A partial refund before delivery sends all the coin, or less coin if the customer agrees. The offer books nothing.
// Limits and second approvers are checked when it is made, so that a customer never agrees to what is not approved yet.
// See decision 58.

// CoinOfferTime is how long a customer can agree to less coin.
const CoinOfferTime = 72 * time.Hour

// MailCoinOffered is the mail of an offer.
const MailCoinOffered = "coin_offered"

// How an offer ends.
const (
	CoinOfferOpen      = "open"
	CoinOfferAgreed    = "agreed"
	CoinOfferDeclined  = "declined"
	CoinOfferExpired   = "expired"
	CoinOfferWithdrawn = "withdrawn"
	CoinOfferEnded     = "ended"  // the order changed, so that it no longer fits
	CoinOfferUndone    = "undone" // the refund could not be made: the order has its coin again
)

// CoinOffer is a refund together with less coin, before and after. Refund is in cents.
type CoinOffer struct {
	ID                   string `gorm:"primaryKey"`
	OrderID              string
	DecisionID           string
	Status               string
	Refund               money.Units
	Destination          string
	AmountBefore         money.Units
	BasePriceBefore      money.Units
	PaymentFeeBefore     money.Units
	VolumeDiscountBefore money.Units
	Amount               money.Units
	BasePrice            money.Units
	PaymentFee           money.Units
	VolumeDiscount       money.Units
	RefundSequence       *int
	CreatedAt            time.Time
	DueAt                time.Time
	EndedAt              *time.Time
}

// Before returns the order's terms before the offer.
func (f *CoinOffer) Before() CoinTerms {
	return CoinTerms{f.AmountBefore, f.BasePriceBefore, f.PaymentFeeBefore, f.VolumeDiscountBefore}
}

// After returns the offered terms.
func (f *CoinOffer) After() CoinTerms {
	return CoinTerms{f.Amount, f.BasePrice, f.PaymentFee, f.VolumeDiscount}
}

// CoinOffers reads the offers about an order, oldest first.
func CoinOffers(ctx context.Context, db *store.DB, orderID string) ([]CoinOffer, error) {
	var rows []CoinOffer
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read coin offers: %w", err)
	}
	return rows, nil
}

// OpenCoinOffer reads the offer that the order's customer can answer; nil if there is none.
func OpenCoinOffer(ctx context.Context, db *store.DB, o *Order) (*CoinOffer, error) {
	if o.OfferUntil == nil {
		return nil, nil
	}
	rows, err := CoinOffers(ctx, db, o.ID)
	if err != nil || len(rows) == 0 || rows[len(rows)-1].Status != CoinOfferOpen {
		return nil, err
	}
	return &rows[len(rows)-1], nil
}

// coinOffer reads the order's offer with a status; nil if it has none.
func (c *OrderChange) coinOffer(status string) (*CoinOffer, error) {
	rows, err := CoinOffers(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(rows) {
		if rows[i].Status == status {
			return &rows[i], nil
		}
	}
	return nil, nil
}

// barredByCoinOffer are the decisions that an open offer bars: each moves the coin or the money that it is about.
var barredByCoinOffer = slices.Concat(towardsCoin, []string{DecisionRefund, ActionRefundPart, DecisionKeepTrying, DecisionRefundNow})

// ActionWithdrawCoinOffer is the button that ends an open offer.
const ActionWithdrawCoinOffer = "withdraw_coin_offer"

// CoinOfferActions lists what staff can do about an offer of less coin.
func CoinOfferActions(o *Order) []string {
	if o.OfferUntil == nil {
		return nil
	}
	return []string{ActionWithdrawCoinOffer}
}

// CoinOfferBars removes what staff cannot decide while the order's customer has an offer of less coin.
func CoinOfferBars(kinds []string) []string { return without(kinds, barredByCoinOffer) }

// checkNoCoinOffer returns an error if an open offer bars the decision.
func (c *OrderChange) checkNoCoinOffer(kind string) error {
	if c.Order.OfferUntil == nil || !slices.Contains(barredByCoinOffer, kind) {
		return nil
	}
	if MadeByCustomer(kind) {
		return store.Conflict("coin_offer_open", "Answer our offer of a refund with less crypto first.")
	}
	return store.Conflict("coin_offer_open", "The customer was offered less crypto with a refund, and has not answered yet. "+
		"Wait for the answer, or withdraw the offer.")
}

// OfferLessCoin offers the customer a partial refund together with less coin. The caller has checked that the actor's
// role allows refunds.
func OfferLessCoin(ctx context.Context, db *store.DB, in NewRefund) (*CoinOffer, error) {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	in.LessCoin = true
	var offer *CoinOffer
	err := ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) (err error) {
		offer, err = c.offerLess(in)
		return err
	})
	return offer, err
}

func (c *OrderChange) offerLess(in NewRefund) (*CoinOffer, error) {
	amount, err := c.amountAlone(in)
	if err != nil {
		return nil, err
	}
	open, err := Decisions.Open(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return nil, err
	}
	if open != nil {
		return nil, store.Conflict("decision_open", "Another decision on this order is in progress")
	}
	terms, err := c.termsWithLess(amount)
	if err != nil {
		return nil, err
	}
	to := RefundToBalance
	if c.Order.ByCard() && in.To != RefundToBalance {
		to = RefundToCard
	}
	wish := RefundWish{Amount: &amount, To: to, LessCoin: true, Sum: &amount}
	decision, err := c.tookDecision(in.ActorID, DecisionRefund, in.Reason, wish)
	if err != nil {
		return nil, err
	}
	made := NewDecision{Kind: DecisionRefund, ActorID: in.ActorID, Data: wish, proposal: in.proposal}
	// Nothing is credited before the customer agrees (creditedNow).
	if err := c.attestDecision(decision, made, stake{amount: amount, ends: true}); err != nil {
		return nil, err
	}
	before := c.Order.Terms()
	offer := &CoinOffer{ID: store.NewID(), OrderID: c.Order.ID, DecisionID: decision.ID, Status: CoinOfferOpen,
		Refund: amount, Destination: to, AmountBefore: before.Amount, BasePriceBefore: before.BasePrice,
		PaymentFeeBefore: before.PaymentFee, VolumeDiscountBefore: before.VolumeDiscount,
		Amount: terms.Amount, BasePrice: terms.BasePrice, PaymentFee: terms.PaymentFee, VolumeDiscount: terms.VolumeDiscount,
		CreatedAt: c.Now, DueAt: c.Now.Add(CoinOfferTime)}
	if err := c.Tx.ORM(c.Ctx).Create(offer).Error; err != nil {
		return nil, fmt.Errorf("store coin offer: %w", err)
	}
	c.Order.OfferUntil = &offer.DueAt
	data := c.coinOfferData(offer)
	data["until"] = offer.DueAt.UTC().Format(time.RFC3339)
	if err := c.Event(casework.Event{Kind: "coin_offered", Actor: casework.ByStaff, Dedupe: "coin_offer:" + offer.ID, Data: data}); err != nil {
		return nil, err
	}
	after := map[string]any{"offer": offer.ID, "refund": data["amount"], "to": to, "from": data["before"], "delivers": data["delivers"]}
	return offer, audit.Audit(c.Ctx, c.Tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole,
		Action: "order.coin_offered", ObjectKind: "order", ObjectID: c.Order.ID,
		Before: map[string]any{"refunded": money.USD.Format(c.Order.Refunded)}, After: in.proposal.audited(after),
		Reason: in.Reason, RequestID: in.RequestID})
}

// coinOfferData returns the figures of an offer for events: the refund and the coin before and after.
func (c *OrderChange) coinOfferData(f *CoinOffer) map[string]any {
	coin := func(amount money.Units) string { return c.Order.Asset.Format(amount) + " " + string(c.Order.Asset) }
	return map[string]any{"amount": money.USD.Format(f.Refund), "to": f.Destination, "before": coin(f.AmountBefore), "delivers": coin(f.Amount)}
}

// CoinAnswer is a customer's answer to an offer of less coin, or the withdrawal of it by staff.
type CoinAnswer struct {
	OrderID, OfferID string
	ActorID          string
	ActorRole        string
	Reason           string // of a withdrawal
	RequestID        string
}

// offerFor returns the open offer that the customer answers. An answer that was given before is repeated: again is
// true and nothing changes.
func (c *OrderChange) offerFor(in CoinAnswer, answer string) (offer *CoinOffer, again bool, err error) {
	if in.ActorID != c.Order.UserID {
		return nil, false, store.NotFound("Order")
	}
	rows, err := CoinOffers(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return nil, false, err
	}
	i := slices.IndexFunc(rows, func(f CoinOffer) bool { return f.ID == in.OfferID })
	if i < 0 {
		return nil, false, store.NotFound("Offer")
	}
	offer = &rows[i]
	switch {
	case offer.Status == answer:
		return offer, true, nil
	case offer.Status != CoinOfferOpen || !c.Now.Before(offer.DueAt):
		return nil, false, store.Conflict("offer_ended", "This offer has ended. Refresh the page.")
	}
	frozen, err := kyc.Frozen(c.Ctx, c.Tx, c.Order.UserID)
	if err != nil {
		return nil, false, err
	}
	if frozen {
		return nil, false, store.Forbidden("account_frozen", "Your account is on hold. Contact support.")
	}
	return offer, false, nil
}

// AgreeToLessCoin changes the order to the offered coin and begins the refund, in one transaction. A refund to a card is
// executed by a workflow of its own, which the caller starts. An agreement that is repeated returns the same refund.
func AgreeToLessCoin(ctx context.Context, db *store.DB, in CoinAnswer) (*Refund, error) {
	var row *Refund
	err := ChangeOrder(ctx, db, in.OrderID, func(c *OrderChange) error {
		row = nil
		offer, again, err := c.offerFor(in, CoinOfferAgreed)
		if err != nil {
			return err
		}
		if again {
			row = new(Refund)
			return c.Tx.ORM(ctx).Where("order_id = ? AND sequence = ?", c.Order.ID, *offer.RefundSequence).Take(row).Error
		}
		row, err = c.agree(offer)
		return err
	})
	return row, err
}

// agree applies an offer. It makes all checks of a refund again.
func (c *OrderChange) agree(offer *CoinOffer) (*Refund, error) {
	if err := c.checkMayAgree(offer); err != nil {
		return nil, err
	}
	c.setTerms(offer.After())
	row := &Refund{Amount: offer.Refund, Destination: offer.Destination, Carrier: runByOwn, DecisionID: &offer.DecisionID, Reduces: true}
	if offer.Destination == RefundToBalance {
		row.Carrier = runByNone
	}
	if err := c.writeRefund(row); err != nil {
		return nil, err
	}
	offer.RefundSequence = &row.Sequence
	if err := c.closeCoinOffer(offer, CoinOfferAgreed); err != nil {
		return nil, err
	}
	err := c.Event(casework.Event{Kind: "coin_reduced", Actor: casework.ByCustomer, Dedupe: "coin_offer:" + offer.ID + ":agreed",
		Data: c.coinOfferData(offer)})
	if err != nil || row.Carrier == runByOwn {
		return row, err
	}
	if err := c.creditedNow(offer); err != nil {
		return nil, err
	}
	return row, c.gaveBack(row, "")
}

// checkMayAgree returns an error unless the offer can be applied to the order as it is now.
func (c *OrderChange) checkMayAgree(offer *CoinOffer) error {
	frozen, err := c.offeredByFrozen(offer)
	if err != nil {
		return err
	}
	if frozen {
		return store.Conflict("offer_ended", "This offer has ended. Refresh the page.")
	}
	open, err := Decisions.Open(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return err
	}
	if open != nil || !c.Order.Terms().Equal(offer.Before()) {
		return store.Conflict("order_moved", "The order has changed. Refresh the page.")
	}
	if err := c.undisputed(); err != nil {
		return err
	}
	if err := c.noRefundUnderWay(); err != nil {
		return err
	}
	if err := c.coinIsKnown(); err != nil {
		return err
	}
	if err := c.checkNothingBought(); err != nil {
		return err
	}
	left, err := c.refundable()
	if err != nil {
		return err
	}
	if offer.Refund.Cmp(left) >= 0 {
		return store.Conflict("refund_exceeds", "The order has changed. Refresh the page.")
	}
	return nil
}

// creditedNow notes that what staff stated about the refund is credited to the customer's balance by now.
func (c *OrderChange) creditedNow(offer *CoinOffer) error {
	return c.eachSource(offer, dualcontrol.CreditedLater)
}

// eachSource runs fn on each source of what staff stated: the decision, or the proposal that it was.
func (c *OrderChange) eachSource(f *CoinOffer, fn func(ctx context.Context, tx *store.DB, source dualcontrol.Ref) error) error {
	proposals, err := OrderProposals(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return err
	}
	sources := []dualcontrol.Ref{{Kind: Decisions.Table, ID: f.DecisionID}}
	for i := range proposals {
		if store.Text(proposals[i].DecisionID) == f.DecisionID {
			sources = append(sources, proposals[i].source())
		}
	}
	for _, source := range sources {
		if err := fn(c.Ctx, c.Tx, source); err != nil {
			return err
		}
	}
	return nil
}
