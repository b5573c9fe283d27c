package order

import (
	"context"
	"errors"
	"net/http"
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// CoinOffer is a refund that is offered to an order's customer together with less coin.
type CoinOffer struct {
	ID           string    `json:"id" format:"uuid"`
	Status       string    `json:"status" enum:"open,agreed,declined,expired,withdrawn,ended,undone"`
	Refund       string    `json:"refund" doc:"US dollars"`
	Destination  string    `json:"destination" enum:"card,balance"`
	AmountBefore string    `json:"amountBefore" doc:"coin that the order sends without the refund"`
	AmountAsset  string    `json:"amountAsset" doc:"coin that it sends with it"`
	Total        string    `json:"total" doc:"US dollars that this coin costs"`
	At           time.Time `json:"at"`
	DueAt        time.Time `json:"dueAt" doc:"until when it can be agreed to"`
}

func coinOffer(o *order.Order, f *order.CoinOffer) CoinOffer {
	return CoinOffer{ID: f.ID, Status: f.Status, Refund: money.USD.Format(f.Refund), Destination: f.Destination,
		AmountBefore: o.Asset.Format(f.AmountBefore), AmountAsset: o.Asset.Format(f.Amount), Total: money.USD.Format(f.After().Price()),
		At: f.CreatedAt, DueAt: f.DueAt}
}

func (h *Handlers) openCoinOffer(ctx context.Context, o *order.Order) (*CoinOffer, error) {
	open, err := order.OpenCoinOffer(ctx, h.DB, o)
	if err != nil || open == nil {
		return nil, err
	}
	view := coinOffer(o, open)
	return &view, nil
}

// LessCoin is what an order would send with a refund and less coin.
type LessCoin struct {
	Refund       string `json:"refund" doc:"US dollars"`
	AmountBefore string `json:"amountBefore" doc:"coin that the order sends now"`
	AmountAsset  string `json:"amountAsset" doc:"coin that the rest buys at the order's own price"`
}

type lessCoinInput struct {
	rest.ObjectID
	Refund string `query:"refund" required:"true" maxLength:"20" doc:"US dollars"`
}

// GetLessCoin calculates what a refund with less coin would leave. It writes no row.
func (h *Handlers) GetLessCoin(ctx context.Context, in *lessCoinInput) (*rest.Body[LessCoin], error) {
	o, err := order.ReadOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	refund, err := money.USD.Parse(in.Refund)
	if err != nil || refund.Sign() <= 0 {
		return nil, store.Invalid("amount", "invalid_amount", "Enter the amount to refund")
	}
	terms, err := order.LessCoin(ctx, h.DB, o, refund)
	if err != nil {
		return nil, err
	}
	return &rest.Body[LessCoin]{Body: LessCoin{Refund: money.USD.Format(refund), AmountBefore: o.Asset.Format(o.Amount),
		AmountAsset: o.Asset.Format(terms.Amount)}}, nil
}

// offerLessCoin offers a partial refund together with less coin. Above one person's limit it becomes a proposal first.
func (h *Handlers) offerLessCoin(ctx context.Context, o *order.Order, wanted order.NewRefund) (*caseworkapi.Decided, error) {
	if wanted.Amount == nil {
		return nil, store.Invalid("amount", "invalid_amount", "Enter the amount to refund")
	}
	offer, err := order.OfferLessCoin(ctx, h.DB, wanted)
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		return h.Propose(ctx, order.NewProposal{OrderID: o.ID, Kind: order.DecisionRefund, Amount: wanted.Amount, To: wanted.To,
			LessCoin: true, Reason: wanted.Reason})
	}
	if err != nil {
		return nil, err
	}
	return coinOffered(o, offer), nil
}

// coinOffered is the answer to an offer that was made.
func coinOffered(o *order.Order, offer *order.CoinOffer) *caseworkapi.Decided {
	return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: offer.DecisionID, State: "offered",
		Status: string(o.Status), Message: "The customer was asked. Nothing is refunded before they agree."}}
}

// CoinOfferChoice names the offer that a customer saw.
type CoinOfferChoice struct {
	OfferID string `json:"offerId" format:"uuid" maxLength:"36"`
}

type coinAnswerInput struct {
	rest.ObjectID
	Body CoinOfferChoice
}

func coinAnswer(ctx context.Context, orderID, offerID string) order.CoinAnswer {
	who := rest.PrincipalOf(ctx)
	return order.CoinAnswer{OrderID: orderID, OfferID: offerID, ActorID: who.UserID, ActorRole: rest.ActorRole(who), RequestID: rest.RequestID(ctx)}
}

// AgreeToLessCoin is a customer's agreement to an offer. The refund starts with it.
func (h *Handlers) AgreeToLessCoin(ctx context.Context, in *coinAnswerInput) (*caseworkapi.Decided, error) {
	o, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	refund, err := order.AgreeToLessCoin(ctx, h.DB, coinAnswer(ctx, in.ID, in.Body.OfferID))
	if err != nil {
		return nil, err
	}
	answer, err := h.runRefund(ctx, o, refund)
	if reason := store.ReasonOf(err); reason == "refund_failed" || reason == "refund_gone" { // which is told to staff
		return nil, store.Conflict("refund_failed", "The refund failed, so your order has all its crypto again. We're checking it.")
	}
	if err != nil {
		return nil, err
	}
	answer.Body.Message = "Thank you. Your order sends less crypto now, and the refund is on its way."
	return answer, nil
}

// KeepAllCoin is a customer who declines an offer.
func (h *Handlers) KeepAllCoin(ctx context.Context, in *coinAnswerInput) (*caseworkapi.Decided, error) {
	o, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	if err := order.KeepAllCoin(ctx, h.DB, coinAnswer(ctx, in.ID, in.Body.OfferID)); err != nil {
		return nil, err
	}
	h.SignalOrders(ctx, []string{o.ID})
	return &caseworkapi.Decided{Status: http.StatusOK, Body: caseworkapi.Outcome{DecisionID: in.Body.OfferID, State: "done",
		Status: string(o.Status), Message: "Your order stays as it is."}}, nil
}

// CoinOfferWithdrawal is why staff withdraw an offer.
type CoinOfferWithdrawal struct {
	OfferID string `json:"offerId" format:"uuid" maxLength:"36"`
	Reason  string `json:"reason" minLength:"1" maxLength:"500"`
}

type withdrawCoinOfferInput struct {
	rest.ObjectID
	Body CoinOfferWithdrawal
}

// WithdrawCoinOffer ends an offer that its customer has not answered.
func (h *Handlers) WithdrawCoinOffer(ctx context.Context, in *withdrawCoinOfferInput) (*caseworkapi.Decided, error) {
	o, err := order.ReadOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	answer := coinAnswer(ctx, in.ID, in.Body.OfferID)
	answer.Reason = in.Body.Reason
	if err := order.WithdrawCoinOffer(ctx, h.DB, answer); err != nil {
		return nil, err
	}
	h.SignalOrders(ctx, []string{o.ID})
	return &caseworkapi.Decided{Status: http.StatusOK, Body: caseworkapi.Outcome{DecisionID: in.Body.OfferID, State: "done",
		Status: string(o.Status), Message: "The offer was withdrawn. The order continues as it was."}}, nil
}
