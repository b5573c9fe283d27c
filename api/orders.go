package api

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

	"github.com/tradepost/tradepost/internal/address"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

type pricingRequest struct{ Body PricingInput }

// calculatePricing quotes a price. It writes no row: it is called at each
// keystroke.
func (s *Server) calculatePricing(ctx context.Context, in *pricingRequest) (*body[Pricing], error) {
	asked, err := s.quoteInput(principalOf(ctx).UserID, in.Body.Asset, in.Body.AmountAsset, in.Body.PaymentMethod)
	if err != nil {
		return nil, err
	}
	pricing, err := s.pricing(ctx, asked)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Body.DestAddress) != "" {
		place, err := s.newAddress(asked.Asset, in.Body.DestAddress, nil)
		var wrong *Problem
		if errors.As(err, &wrong) {
			pricing.AddressError = &wrong.Errors[0]
		} else {
			pricing.Network = place.Network
		}
	}
	return &body[Pricing]{*pricing}, nil
}

// quoteInput reads what somebody wants to buy.
func (s *Server) quoteInput(userID, asset, amount, method string) (pricing.QuoteInput, error) {
	currency := money.Currency(asset)
	if err := pricing.CheckAsset(s.Quoter.Offer(), currency); err != nil {
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
func (s *Server) pricing(ctx context.Context, asked pricing.QuoteInput) (*Pricing, error) {
	quote, err := s.Quoter.Quote(ctx, asked)
	if err != nil {
		return nil, err
	}
	sealed, err := s.Quoter.Seal(quote)
	if err != nil {
		return nil, err
	}
	usd := money.USD.Format
	out := &Pricing{BasePrice: usd(quote.Lines.BasePrice), PaymentMethodFee: usd(quote.Lines.PaymentMethodFee),
		VolumeDiscount: usd(quote.Lines.VolumeDiscount), Total: usd(quote.Lines.Total), QuoteID: sealed, ExpiresAt: quote.ExpiresAt,
		ExpiresInSeconds: int(pricing.QuoteLifetime / time.Second), Network: s.usualNetwork(quote.Asset),
		UnitPrice: quote.UnitPrice.String(), Notes: []string{"The network fee is included."}}
	out.Lines = pricingLines(quote.Lines)
	return out, nil
}

// pricingLines are the lines of a price, for people.
func pricingLines(price pricing.Lines) []PricingLine {
	usd := money.USD.Format
	lines := []PricingLine{{"base", "Base price", usd(price.BasePrice)}, {"payment_fee", "Payment fee", usd(price.PaymentMethodFee)}}
	if price.VolumeDiscount.Sign() > 0 {
		lines = append(lines, PricingLine{"volume_discount", "Volume discount", "-" + usd(price.VolumeDiscount)})
	}
	return append(lines, PricingLine{"network_fee", "Network fee", "0.00"}, PricingLine{"total", "Total", usd(price.Total)})
}

// usualNetwork is where an asset goes unless the address says otherwise.
func (s *Server) usualNetwork(asset money.Currency) string {
	return s.Quoter.Offer().NetworksOf(asset)[0]
}

// addressTexts say what is wrong with an address.
var addressTexts = map[address.Code]string{
	address.Malformed:     "Enter a valid wallet address",
	address.BadChecksum:   "This address has a typo. Copy it from your wallet again.",
	address.Testnet:       "This is a test-network address. Enter a main-network address.",
	address.Mainnet:       "This is a main-network address. Enter a test-network address.",
	address.WrongNetwork:  "This address is on another network. Enter another address.",
	address.TokenContract: "This is a token contract, not a wallet. Enter your own wallet address.",
	address.ZeroAddress:   "This is the zero address. Anything sent there is lost. Enter your own wallet address.",
	address.OwnAddress:    "This is one of our own addresses. Enter your own wallet address.",
}

// nets are the networks coin is sent on: the test ones in a rehearsal.
func (s *Server) nets() address.Nets { return address.Nets(s.rehearsal()) }

// offeredPlace recognises where coin is to be sent, on a network that is offered.
func (s *Server) offeredPlace(asset money.Currency, text string) (address.Result, error) {
	place, err := s.nets().Check(asset, text)
	if err == nil && !s.Quoter.Offer().Sends(asset, place.Network) {
		err = &address.Error{Code: address.WrongNetwork, Network: place.Network}
	}
	return place, err
}

// newAddress recognises where the coin of a new order is to be sent. network, when
// given, is what the customer was shown.
func (s *Server) newAddress(asset money.Currency, text string, network *string) (address.Result, error) {
	place, err := s.offeredPlace(asset, text)
	return readAddress(place, err, text, network)
}

// checkAddress recognises where the coin of an order that exists is to be sent, also
// of an asset no longer offered.
func (s *Server) checkAddress(asset money.Currency, text string, network *string) (address.Result, error) {
	place, err := s.nets().Check(asset, text)
	return readAddress(place, err, text, network)
}

// readAddress says of an address that was looked at what is wrong with it.
func readAddress(place address.Result, err error, text string, network *string) (address.Result, error) {
	if strings.TrimSpace(text) == "" {
		return address.Result{}, fieldProblem("destAddress", "required", "Please enter your wallet address to receive crypto")
	}
	var wrong *address.Error
	if errors.As(err, &wrong) {
		return place, fieldProblem("destAddress", string(wrong.Code), addressTexts[wrong.Code])
	}
	if err == nil && network != nil && *network != place.Network {
		return place, fieldProblem("destAddress", string(address.WrongNetwork), addressTexts[address.WrongNetwork])
	}
	return place, err
}

type newOrderInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body NewOrder
}

// createOrder writes the promise down and starts the workflow that keeps it.
// It answers at once, and also while Temporal is away.
func (s *Server) createOrder(ctx context.Context, in *newOrderInput) (*body[Order], error) {
	asked, err := s.quoteInput(principalOf(ctx).UserID, in.Body.Asset, in.Body.AmountAsset, in.Body.PaymentMethod)
	if err != nil {
		return nil, err
	}
	place, err := s.newAddress(asked.Asset, in.Body.DestAddress, in.Body.Network)
	if err != nil {
		return nil, err
	}
	return s.placeOrder(ctx, in.Key, "createOrder", in.Body, func() (order.NewOrder, error) {
		return s.orderAt(ctx, asked, place, word(in.Body.QuoteID))
	})
}

type newPurchaseInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100"`
	Body NewPurchase
}

// buy makes an order of a price before fees: as much coin as that buys now,
// rounded down to what the exchange sells.
func (s *Server) buy(ctx context.Context, in *newPurchaseInput) (*body[Order], error) {
	asset := money.Currency(in.Body.Asset)
	if err := pricing.CheckAsset(s.Quoter.Offer(), asset); err != nil {
		return nil, err
	}
	fiat, err := money.USD.Parse(in.Body.AmountFiat)
	if err != nil || fiat.Sign() <= 0 {
		return nil, store.Invalid("amountFiat", "invalid_amount", "Please enter a valid amount")
	}
	if strings.TrimSpace(in.Body.DestAddress) == "" {
		return nil, store.Invalid("destAddress", "required", "Please enter your wallet address")
	}
	place, err := s.newAddress(asset, in.Body.DestAddress, nil)
	if err != nil {
		return nil, err
	}
	userID := principalOf(ctx).UserID
	return s.placeOrder(ctx, in.Key, "buy", in.Body, func() (order.NewOrder, error) {
		amount, err := s.coinFor(ctx, asset, fiat)
		if err != nil {
			return order.NewOrder{}, err
		}
		asked := pricing.QuoteInput{UserID: userID, Asset: asset, Amount: amount, Method: in.Body.PaymentMethod}
		return s.orderAt(ctx, asked, place, "")
	})
}

// coinFor is how much coin an amount of dollars buys before fees, so that the
// base price comes out at no more than it.
func (s *Server) coinFor(ctx context.Context, asset money.Currency, fiat money.Units) (money.Units, error) {
	markets, err := s.Quoter.Markets(ctx)
	if err != nil {
		return money.Units{}, err
	}
	now, err := s.DB.Now(ctx)
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
func (s *Server) orderAt(ctx context.Context, asked pricing.QuoteInput, place address.Result, quoteID string) (order.NewOrder, error) {
	var quote pricing.Quote
	var err error
	if quoteID == "" {
		quote, err = s.Quoter.Quote(ctx, asked)
	} else {
		quote, err = s.openQuote(ctx, asked, quoteID)
	}
	return order.NewOrder{Quote: quote, Network: place.Network, Address: place.Normalised, AddressKey: place.Key(), Channel: "web", RemindAfter: s.RemindAfter}, err
}

// openQuote takes a quote up; an expired one is refused together with the
// price in force, for the customer to accept.
func (s *Server) openQuote(ctx context.Context, asked pricing.QuoteInput, quoteID string) (pricing.Quote, error) {
	now, err := s.DB.Now(ctx)
	if err != nil {
		return pricing.Quote{}, err
	}
	quote, err := s.Quoter.Open(quoteID, asked, now)
	if store.ReasonOf(err) != "quote_expired" {
		return quote, err
	}
	refused := problem(http.StatusConflict, "quote_expired", err.Error())
	if refused.Pricing, err = s.pricing(ctx, asked); err != nil {
		return pricing.Quote{}, err
	}
	return pricing.Quote{}, refused
}

// placeOrder makes one order per idempotency key and then starts its workflow.
// What an order needs to know is found out before the transaction, which holds
// the key, the order and the answer.
func (s *Server) placeOrder(ctx context.Context, key, route string, asked any, prepare func() (order.NewOrder, error)) (*body[Order], error) {
	canonical, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(canonical)
	intent := store.IdempotencyKey{UserID: principalOf(ctx).UserID, Key: key, Route: route, BodyHash: sum[:]}
	answer, found, err := s.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = s.newOrder(ctx, intent, prepare)
	}
	if err != nil {
		return nil, err
	}
	var out Order
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &body[Order]{out}, nil
}

func (s *Server) newOrder(ctx context.Context, intent store.IdempotencyKey, prepare func() (order.NewOrder, error)) (store.Answer, error) {
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return store.Answer{}, err
	}
	wanted, err := prepare()
	if err != nil {
		return store.Answer{}, err
	}
	var o *order.Order
	answer, _, err := s.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		o, err = order.CreateOrder(ctx, tx, pricing, wanted)
		if err != nil {
			return store.Answer{}, err
		}
		text, err := json.Marshal(customerOrder(o, &order.Payment{}, nil, false))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err == nil && o != nil {
		s.startOrder(ctx, o)
	}
	return answer, err
}

// startOrder starts the order's workflow beside the answer, which does not wait
// for Temporal. What fails here, or dies with us, the sweeper starts.
func (s *Server) startOrder(ctx context.Context, order *order.Order) {
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		// The workflow's first step notes that it runs.
		if err := s.Workflows.StartOrder(ctx, order); err != nil {
			s.Log.WarnContext(ctx, "order workflow not started yet; the sweeper will", "order", order.ID, "error", err)
		}
	})
}

func (s *Server) cancelOrder(ctx context.Context, in *ObjectID) (*decided, error) {
	if _, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: workflows.Cancel}, "Your order has been cancelled.")
}

// keepTrying is a customer who would rather have the coin, later.
func (s *Server) keepTrying(ctx context.Context, in *ObjectID) (*decided, error) {
	if _, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: workflows.KeepTrying}, "We keep trying. You can request a refund at any time.")
}

// refundNow is a customer who would rather have the money back.
func (s *Server) refundNow(ctx context.Context, in *ObjectID) (*decided, error) {
	if _, err := order.OrderOf(ctx, s.DB, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: workflows.RefundNow}, "Your refund is on its way.")
}
