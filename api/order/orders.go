package order

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/address"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

type pricingRequest struct{ Body PricingInput }

// CalculatePricing quotes a price. It writes no row: it is called at each
// keystroke.
func (h *Handlers) CalculatePricing(ctx context.Context, in *pricingRequest) (*rest.Body[rest.Pricing], error) {
	asked, err := h.quoteInput(rest.PrincipalOf(ctx).UserID, in.Body.Asset, in.Body.AmountAsset, in.Body.PaymentMethod)
	if err != nil {
		return nil, err
	}
	pricing, err := h.pricing(ctx, asked)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Body.DestAddress) != "" {
		place, err := h.NewAddress(asked.Asset, in.Body.DestAddress, nil)
		var wrong *rest.Problem
		if errors.As(err, &wrong) {
			pricing.AddressError = &wrong.Errors[0]
		} else {
			pricing.Network = place.Network
		}
	}
	return &rest.Body[rest.Pricing]{Body: *pricing}, nil
}

// quoteInput reads the purchase that a quote is for.
func (h *Handlers) quoteInput(userID, asset, amount, method string) (pricing.QuoteInput, error) {
	currency := money.Currency(asset)
	if err := pricing.CheckAsset(h.Quoter.Offer(), currency); err != nil {
		return pricing.QuoteInput{}, err
	}
	units, err := currency.Parse(amount)
	switch {
	case errors.Is(err, money.ErrPrecision):
		return pricing.QuoteInput{}, tooFine(currency, amount)
	case err != nil || units.Sign() <= 0:
		return pricing.QuoteInput{}, store.Invalid("amountAsset", "invalid_amount", "Please enter a valid crypto amount")
	}
	return pricing.QuoteInput{UserID: userID, Asset: currency, Amount: units, Method: method}, nil
}

// exchangeDecimals are the most decimals the exchange sells a coin in.
const exchangeDecimals = 8

// tooFine refuses an amount with more decimals than a coin has, and names the
// nearest one above zero that can be bought, as the page does.
func tooFine(asset money.Currency, amount string) error {
	exact, err := decimal.NewFromString(amount)
	if err != nil {
		return store.Invalid("amountAsset", "invalid_amount", "Please enter a valid crypto amount")
	}
	places := min(asset.Decimals(), exchangeDecimals)
	return store.Invalid("amountAsset", "too_fine", fmt.Sprintf("Enter %s with at most %d decimals. The nearest amount is %s.", asset, places, pricing.NearestStep(exact, places)))
}

// pricing quotes and seals.
func (h *Handlers) pricing(ctx context.Context, asked pricing.QuoteInput) (*rest.Pricing, error) {
	quote, err := h.Quoter.Quote(ctx, asked)
	if err != nil {
		return nil, err
	}
	sealed, err := h.Quoter.Seal(quote)
	if err != nil {
		return nil, err
	}
	usd := money.USD.Format
	out := &rest.Pricing{BasePrice: usd(quote.Lines.BasePrice), PaymentMethodFee: usd(quote.Lines.PaymentMethodFee),
		VolumeDiscount: usd(quote.Lines.VolumeDiscount), Total: usd(quote.Lines.Total), QuoteID: sealed, ExpiresAt: quote.ExpiresAt,
		ExpiresInSeconds: int(pricing.QuoteLifetime / time.Second), Network: h.usualNetwork(quote.Asset),
		UnitPrice: quote.UnitPrice.String(), Notes: []string{"The network fee is included."}}
	out.Lines = pricingLines(quote.Lines)
	return out, nil
}

// pricingLines are the lines of a price, for people.
func pricingLines(price pricing.Lines) []rest.PricingLine {
	usd := money.USD.Format
	lines := []rest.PricingLine{{Code: "base", Label: "Base price", Amount: usd(price.BasePrice)}, {Code: "payment_fee", Label: "Payment fee", Amount: usd(price.PaymentMethodFee)}}
	if price.VolumeDiscount.Sign() > 0 {
		lines = append(lines, rest.PricingLine{Code: "volume_discount", Label: "Volume discount", Amount: "-" + usd(price.VolumeDiscount)})
	}
	return append(lines, rest.PricingLine{Code: "network_fee", Label: "Network fee", Amount: "0.00"}, rest.PricingLine{Code: "total", Label: "Total", Amount: usd(price.Total)})
}

// usualNetwork is the network of an asset unless the address determines another.
func (h *Handlers) usualNetwork(asset money.Currency) string {
	return h.Quoter.Offer().NetworksOf(asset)[0]
}

type newOrderInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body NewOrder
}

// CreateOrder writes the order and starts its workflow. It answers at once, and also while
// Temporal is down.
func (h *Handlers) CreateOrder(ctx context.Context, in *newOrderInput) (*rest.Body[Order], error) {
	asked, err := h.quoteInput(rest.PrincipalOf(ctx).UserID, in.Body.Asset, in.Body.AmountAsset, in.Body.PaymentMethod)
	if err != nil {
		return nil, err
	}
	place, err := h.NewAddress(asked.Asset, in.Body.DestAddress, in.Body.Network)
	if err != nil {
		return nil, err
	}
	return h.placeOrder(ctx, in.Key, "createOrder", in.Body, func() (order.NewOrder, error) {
		return h.orderAt(ctx, asked, place, rest.Word(in.Body.QuoteID))
	})
}

type newPurchaseInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100"`
	Body NewPurchase
}

// Buy makes an order of a price before fees: as much coin as that buys now,
// rounded down to what the exchange sells.
func (h *Handlers) Buy(ctx context.Context, in *newPurchaseInput) (*rest.Body[Order], error) {
	asset := money.Currency(in.Body.Asset)
	if err := pricing.CheckAsset(h.Quoter.Offer(), asset); err != nil {
		return nil, err
	}
	fiat, err := money.USD.Parse(in.Body.AmountFiat)
	if err != nil || fiat.Sign() <= 0 {
		return nil, store.Invalid("amountFiat", "invalid_amount", "Please enter a valid amount")
	}
	if strings.TrimSpace(in.Body.DestAddress) == "" {
		return nil, store.Invalid("destAddress", "required", "Please enter your wallet address")
	}
	place, err := h.NewAddress(asset, in.Body.DestAddress, nil)
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	return h.placeOrder(ctx, in.Key, "buy", in.Body, func() (order.NewOrder, error) {
		amount, err := h.coinFor(ctx, asset, fiat)
		if err != nil {
			return order.NewOrder{}, err
		}
		asked := pricing.QuoteInput{UserID: userID, Asset: asset, Amount: amount, Method: in.Body.PaymentMethod}
		return h.orderAt(ctx, asked, place, "")
	})
}

// coinFor is how much coin an amount of dollars buys before fees, so that the base price
// does not exceed it.
func (h *Handlers) coinFor(ctx context.Context, asset money.Currency, fiat money.Units) (money.Units, error) {
	markets, err := h.Quoter.Markets(ctx)
	if err != nil {
		return money.Units{}, err
	}
	now, err := h.DB.Now(ctx)
	if err != nil {
		return money.Units{}, err
	}
	market, known := markets[asset]
	if !known {
		return money.Units{}, store.Unavailable("price_stale", "Live prices are not available at the moment. Try again in a minute.")
	}
	if err := market.Quotable(now); err != nil {
		return money.Units{}, err
	}
	places := min(asset.Decimals(), market.LotDecimals)
	coins, _ := money.USD.Decimal(fiat).QuoRem(market.Ask, places)
	if coins.LessThanOrEqual(decimal.Zero) {
		return money.Units{}, store.Invalid("amountFiat", "below_minimum", "This amount is too small to buy "+string(asset))
	}
	return asset.FromDecimal(coins, money.Down), nil
}

// orderAt is an order at the quoted price, or at the price now.
func (h *Handlers) orderAt(ctx context.Context, asked pricing.QuoteInput, place address.Result, quoteID string) (order.NewOrder, error) {
	var quote pricing.Quote
	var err error
	if quoteID == "" {
		quote, err = h.Quoter.Quote(ctx, asked)
	} else {
		quote, err = h.openQuote(ctx, asked, quoteID)
	}
	return order.NewOrder{Quote: quote, Network: place.Network, Address: place.Normalised, AddressKey: place.Key(), Channel: "web", RemindAfter: h.RemindAfter,
		ByMail: h.ConfirmsByMail(ctx)}, err
}

// openQuote reads a quote; an expired one is refused together with the price in force, for
// the customer to accept.
func (h *Handlers) openQuote(ctx context.Context, asked pricing.QuoteInput, quoteID string) (pricing.Quote, error) {
	now, err := h.DB.Now(ctx)
	if err != nil {
		return pricing.Quote{}, err
	}
	quote, err := h.Quoter.Open(quoteID, asked, now)
	if store.ReasonOf(err) != "quote_expired" {
		return quote, err
	}
	refused := rest.NewProblem(http.StatusConflict, "quote_expired", err.Error())
	if refused.Pricing, err = h.pricing(ctx, asked); err != nil {
		return pricing.Quote{}, err
	}
	return pricing.Quote{}, refused
}

// placeOrder makes one order per idempotency key and then starts its workflow. What the
// order needs is read before the transaction, which holds the key, the order and the
// answer.
func (h *Handlers) placeOrder(ctx context.Context, key, route string, asked any, prepare func() (order.NewOrder, error)) (*rest.Body[Order], error) {
	canonical, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(canonical)
	intent := store.IdempotencyKey{UserID: rest.PrincipalOf(ctx).UserID, Key: key, Route: route, BodyHash: sum[:]}
	answer, found, err := h.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = h.newOrder(ctx, intent, prepare)
	}
	if err != nil {
		return nil, err
	}
	var out Order
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &rest.Body[Order]{Body: out}, nil
}

func (h *Handlers) newOrder(ctx context.Context, intent store.IdempotencyKey, prepare func() (order.NewOrder, error)) (store.Answer, error) {
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return store.Answer{}, err
	}
	wanted, err := prepare()
	if err != nil {
		return store.Answer{}, err
	}
	var o *order.Order
	answer, _, err := h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		o, err = order.CreateOrder(ctx, tx, pricing, wanted)
		if err != nil {
			return store.Answer{}, err
		}
		if o.AwaitsLink() {
			if err := h.AllowLink(ctx, tx, o.UserID); err != nil {
				return store.Answer{}, err
			}
		}
		text, err := json.Marshal(customerOrder(o, &order.Payment{}, nil, "", false))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err == nil && o != nil {
		h.startOrder(ctx, o)
	}
	return answer, err
}

// CancelOrder answers POST /api/orders/{id}/cancel.
func (h *Handlers) CancelOrder(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	if _, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: workflows.Cancel}, "Your order has been cancelled.")
}

// KeepTrying is a customer who would rather have the coin, later.
func (h *Handlers) KeepTrying(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	if _, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: workflows.KeepTrying}, "We keep trying. You can request a refund at any time.")
}

// RefundNow is a customer who would rather have the money back.
func (h *Handlers) RefundNow(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	if _, err := order.OrderOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: workflows.RefundNow}, "Your refund is on its way.")
}
