package order

import (
	"context"
	"net/http"
	"slices"
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// TakenRequote accepts a requote.
type TakenRequote struct {
	QuoteID string `json:"quoteId" maxLength:"2048"`
}

// GetRequote prices the money received for one's own order. It writes no row.
func (h *Handlers) GetRequote(ctx context.Context, in *rest.ObjectID) (*rest.Body[rest.Requote], error) {
	order, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	offer, err := h.requote(ctx, order)
	if err != nil {
		return nil, err
	}
	return &rest.Body[rest.Requote]{Body: *offer}, nil
}

func (h *Handlers) requote(ctx context.Context, o *order.Order) (*rest.Requote, error) {
	quote, err := order.QuoteAgain(ctx, h.Quoter, o)
	if err != nil {
		return nil, err
	}
	sealed, err := h.Quoter.Seal(quote)
	if err != nil {
		return nil, err
	}
	return &rest.Requote{QuoteID: sealed, ExpiresAt: quote.ExpiresAt, ExpiresInSeconds: int(pricing.QuoteLifetime / time.Second), Asset: string(quote.Asset),
		AmountAsset: quote.Asset.Format(quote.Amount), UnitPrice: quote.UnitPrice.String(), Received: money.USD.Format(quote.Received),
		Total: money.USD.Format(quote.Lines.Total), Credit: money.USD.Format(quote.Received.Sub(quote.Lines.Total)), Lines: pricingLines(quote.Lines)}, nil
}

type requoteInput struct {
	rest.ObjectID
	Body TakenRequote
}

// RequoteOrder accepts a requote; an expired one is refused together with the one in force,
// for the customer to accept.
func (h *Handlers) RequoteOrder(ctx context.Context, in *requoteInput) (*caseworkapi.Decided, error) {
	o, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(order.CustomerChoices(o, nil), order.DecisionRequote) {
		return nil, store.Conflict("order_state", "This order doesn't need a new price. Refresh the page.")
	}
	now, err := h.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	quote, err := order.OpenRequote(h.Quoter, in.Body.QuoteID, o, now)
	if store.ReasonOf(err) == "quote_expired" {
		refused := rest.NewProblem(http.StatusConflict, "quote_expired", err.Error())
		if refused.Requote, err = h.requote(ctx, o); err != nil {
			return nil, err
		}
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	return h.decide(ctx, order.NewDecision{OrderID: o.ID, Kind: order.DecisionRequote, Data: order.Requoted{Quote: quote}},
		"Your order continues at the new price.")
}

type newAddressInput struct {
	rest.ObjectID
	Body NewAddress
}

// NameAddress sends an order's coin to another address of its customer's, on the
// network it was sold for, once custody has refused the first.
func (h *Handlers) NameAddress(ctx context.Context, in *newAddressInput) (*caseworkapi.Decided, error) {
	o, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	if !order.NamesAddress(o) {
		return nil, store.Conflict("order_state", "This order doesn't need another address. Refresh the page.")
	}
	place, err := h.CheckAddress(o.Asset, in.Body.DestAddress, &o.Network)
	if err != nil {
		return nil, err
	}
	if place.Normalised == o.DestAddress {
		return nil, rest.FieldProblem("destAddress", "same_address", "We couldn't send to this address. Enter another one.")
	}
	decision := ownAmendment(ctx, o.ID)
	decision.Data = order.AmendedAddress{Address: place.Normalised, AddressKey: place.Key()}
	if h.ConfirmsByMail(ctx) {
		return h.holdAddress(ctx, decision)
	}
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	return h.decide(ctx, decision, newAddressText)
}

const newAddressText = "We'll send your crypto to the new address."

func ownAmendment(ctx context.Context, orderID string) order.NewDecision {
	who := rest.PrincipalOf(ctx)
	return order.NewDecision{OrderID: orderID, Kind: order.DecisionAmendAddress, Own: true, ActorID: who.UserID, ActorRole: rest.ActorRole(who), RequestID: rest.RequestID(ctx)}
}

// holdAddress has a link mailed to a customer without a second factor, who confirms
// the address with it.
func (h *Handlers) holdAddress(ctx context.Context, in order.NewDecision) (*caseworkapi.Decided, error) {
	if err := h.AllowLink(ctx, h.DB, in.ActorID); err != nil {
		return nil, err
	}
	if err := order.HoldAddress(ctx, h.DB, in); err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: in.OrderID, State: "mailed",
		Message: "We've e-mailed you a link. Open it to confirm the new address."}}, nil
}

type confirmAddressInput struct {
	rest.ObjectID
	Body ConfirmAddress
}

// ConfirmAddress executes the decision that a mailed link confirms.
func (h *Handlers) ConfirmAddress(ctx context.Context, in *confirmAddressInput) (*caseworkapi.Decided, error) {
	o, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	decision, err := order.ConfirmAddress(ctx, h.DB, in.Body.Token, ownAmendment(ctx, o.ID))
	if err != nil {
		return nil, err
	}
	return h.ExecuteDecision(ctx, decision, newAddressText)
}

// KeepOrder is the choice of a customer who sent more than the order costs.
func (h *Handlers) KeepOrder(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	if _, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionKeepOrder},
		"Your order continues as placed. You can choose what becomes of the rest.")
}
