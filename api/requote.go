package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Requote is how much coin the money that came for an order buys today.
type Requote struct {
	QuoteID          string        `json:"quoteId"`
	ExpiresAt        time.Time     `json:"expiresAt"`
	ExpiresInSeconds int           `json:"expiresInSeconds" doc:"for a countdown that trusts no clock but the server's"`
	Asset            string        `json:"asset"`
	AmountAsset      string        `json:"amountAsset"`
	UnitPrice        string        `json:"unitPrice"`
	Received         string        `json:"received" doc:"US dollars that came and are not allocated"`
	Total            string        `json:"total"`
	Credit           string        `json:"credit" doc:"what is left over, to the balance"`
	Lines            []PricingLine `json:"lines"`
}

// TakenRequote takes a requote up.
type TakenRequote struct {
	QuoteID string `json:"quoteId" maxLength:"2048"`
}

// getRequote prices what came for one's own order. It writes no row.
func (s *Server) getRequote(ctx context.Context, in *ObjectID) (*body[Requote], error) {
	order, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	offer, err := s.requote(ctx, order)
	if err != nil {
		return nil, err
	}
	return &body[Requote]{*offer}, nil
}

func (s *Server) requote(ctx context.Context, o *order.Order) (*Requote, error) {
	quote, err := order.QuoteAgain(ctx, s.Quoter, o)
	if err != nil {
		return nil, err
	}
	sealed, err := s.Quoter.Seal(quote)
	if err != nil {
		return nil, err
	}
	return &Requote{QuoteID: sealed, ExpiresAt: quote.ExpiresAt, ExpiresInSeconds: int(pricing.QuoteLifetime / time.Second), Asset: string(quote.Asset),
		AmountAsset: quote.Asset.Format(quote.Amount), UnitPrice: quote.UnitPrice.String(), Received: money.USD.Format(quote.Received),
		Total: money.USD.Format(quote.Lines.Total), Credit: money.USD.Format(quote.Received.Sub(quote.Lines.Total)), Lines: pricingLines(quote.Lines)}, nil
}

type requoteInput struct {
	ObjectID
	Body TakenRequote
}

// requoteOrder takes a requote up; an expired one is refused together with the
// one in force, for the customer to accept.
func (s *Server) requoteOrder(ctx context.Context, in *requoteInput) (*decided, error) {
	o, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(order.CustomerChoices(o, nil), order.DecisionRequote) {
		return nil, store.Conflict("order_state", "This order doesn't need a new price. Refresh the page.")
	}
	now, err := s.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	quote, err := order.OpenRequote(s.Quoter, in.Body.QuoteID, o, now)
	if store.ReasonOf(err) == "quote_expired" {
		refused := problem(http.StatusConflict, "quote_expired", err.Error())
		if refused.Requote, err = s.requote(ctx, o); err != nil {
			return nil, err
		}
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, order.NewDecision{OrderID: o.ID, Kind: order.DecisionRequote, Data: order.Requoted{Quote: quote}},
		"Your order continues at the new price.")
}

type newAddressInput struct {
	ObjectID
	Body NewAddress
}

// nameAddress sends an order's coin to another address of its customer's, on the
// network it was sold for, once custody has refused the first.
func (s *Server) nameAddress(ctx context.Context, in *newAddressInput) (*decided, error) {
	o, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	if !order.NamesAddress(o) {
		return nil, store.Conflict("order_state", "This order doesn't need another address. Refresh the page.")
	}
	place, err := s.checkAddress(o.Asset, in.Body.DestAddress, &o.Network)
	if err != nil {
		return nil, err
	}
	if place.Normalised == o.DestAddress {
		return nil, fieldProblem("destAddress", "same_address", "We couldn't send to this address. Enter another one.")
	}
	decision := ownAmendment(ctx, o.ID)
	decision.Data = order.AmendedAddress{Address: place.Normalised, AddressKey: place.Key()}
	if !principalOf(ctx).Enrolled {
		return s.holdAddress(ctx, decision)
	}
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	return s.decide(ctx, decision, newAddressText)
}

const newAddressText = "We'll send your crypto to the new address."

func ownAmendment(ctx context.Context, orderID string) order.NewDecision {
	who := principalOf(ctx)
	return order.NewDecision{OrderID: orderID, Kind: order.DecisionAmendAddress, Own: true, ActorID: who.UserID, ActorRole: actorRole(who), RequestID: requestID(ctx)}
}

// heldPerUser is how many links may be mailed to one customer.
var heldPerUser = store.RateLimit{Burst: 5, Every: 12 * time.Minute}

// holdAddress has a link mailed to a customer without a second factor, who confirms
// the address with it.
func (s *Server) holdAddress(ctx context.Context, in order.NewDecision) (*decided, error) {
	limit := heldPerUser
	limit.Burst *= s.RateScale
	if err := limited(s.DB.Allow(ctx, "held_address:"+in.ActorID, limit)); err != nil {
		return nil, err
	}
	if err := order.HoldAddress(ctx, s.DB, in); err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: in.OrderID, State: "mailed",
		Message: "We've e-mailed you a link. Open it to confirm the new address."}}, nil
}

type confirmAddressInput struct {
	ObjectID
	Body ConfirmAddress
}

// confirmAddress carries out what a mailed link confirms.
func (s *Server) confirmAddress(ctx context.Context, in *confirmAddressInput) (*decided, error) {
	o, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	decision, err := order.ConfirmAddress(ctx, s.DB, in.Body.Token, ownAmendment(ctx, o.ID))
	if err != nil {
		return nil, err
	}
	return s.carryDecision(ctx, decision, newAddressText)
}

// keepOrder is the choice of a customer who sent more than the order costs.
func (s *Server) keepOrder(ctx context.Context, in *ObjectID) (*decided, error) {
	if _, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionKeepOrder},
		"Your order continues as placed. The rest is in your balance.")
}
