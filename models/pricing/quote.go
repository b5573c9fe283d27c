package pricing

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// QuoteLifetime is how long an order may be made at a quoted price.
const QuoteLifetime = 60 * time.Second

// Quote is a signed statement of a price to one customer. It is no row: the customer holds it, sealed, as quoteId. It
// makes at most one order.
type Quote struct {
	ID        string          `json:"id"`
	UserID    string          `json:"user"`
	Asset     money.Currency  `json:"asset"`
	Amount    money.Units     `json:"amount"`
	Method    string          `json:"method"`
	UnitPrice decimal.Decimal `json:"price"`
	Lines     Lines           `json:"lines"`
	Bonus     decimal.Decimal `json:"bonus"`
	ExpiresAt time.Time       `json:"expires"`
	// Of a requote only: the order it is for, and the cents that arrived for it.
	OrderID  string      `json:"order,omitempty"`
	Received money.Units `json:"received"`
}

// Quoter makes quotes and reads them back.
type Quoter struct {
	DB      *store.DB
	pricing *PricingCache
	markets *MarketCache
	key     []byte
}

// NewQuoter seals quotes with key, which all replicas share.
func NewQuoter(db *store.DB, key []byte) *Quoter {
	return &Quoter{DB: db, pricing: NewPricingCache(db), markets: NewMarketCache(db), key: key}
}

// Offering has the quoter quote what is offered alone.
func (q *Quoter) Offering(offer money.Offer) *Quoter {
	q.pricing.offer = offer
	return q
}

// Offer is what the quoter quotes.
func (q *Quoter) Offer() money.Offer { return q.pricing.offer }

// CheckAsset refuses an asset that is not offered.
func CheckAsset(offer money.Offer, asset money.Currency) error {
	if !offer.Sells(asset) {
		return store.Invalid("asset", "unknown_asset", "Unknown cryptocurrency")
	}
	return nil
}

// Pricing is the configuration of prices in force.
func (q *Quoter) Pricing(ctx context.Context) (*Pricing, error) { return q.pricing.Get(ctx) }

// Markets are the prices in force.
func (q *Quoter) Markets(ctx context.Context) (map[money.Currency]*Market, error) {
	markets, _, err := q.markets.Get(ctx)
	return markets, err
}

// Prices are the prices in force, and the database's time when they were read.
func (q *Quoter) Prices(ctx context.Context) (map[money.Currency]*Market, time.Time, error) {
	return q.markets.Get(ctx)
}

// QuoteInput is a request for the price of amount base units of an asset by a method.
type QuoteInput struct {
	UserID string
	Asset  money.Currency
	Amount money.Units
	Method string
}

// Quote prices a purchase. It refuses what could not be ordered: methods that are unknown, disabled or not offered in
// the customer's country, amounts the exchange cannot buy or the method does not accept, prices that are too old or
// moving too fast.
func (q *Quoter) Quote(ctx context.Context, in QuoteInput) (Quote, error) {
	if err := CheckAsset(q.Offer(), in.Asset); err != nil {
		return Quote{}, err
	}
	if in.Amount.Sign() <= 0 {
		return Quote{}, store.Invalid("amountAsset", "not_positive", "Please enter a valid crypto amount")
	}
	terms, now, err := kyc.ReadTerms(ctx, q.DB, in.UserID)
	if err != nil {
		return Quote{}, err
	}
	pricing, err := q.pricing.at(ctx, terms.Pricing)
	if err != nil {
		return Quote{}, err
	}
	method, err := pricing.Method(in.Method, terms.Country)
	if err := store.FirstError(err, pricing.SellsTo(terms.Country), pricing.Delivers(in.Method, in.Asset)); err != nil {
		return Quote{}, err
	}
	market, err := q.Quotable(ctx, in.Asset, now)
	if err != nil {
		return Quote{}, err
	}
	if err := market.CheckAmount(in.Amount); err != nil {
		return Quote{}, err
	}
	tier := TierOf(terms, pricing)
	lines := Price(PriceInput{Asset: in.Asset, Amount: in.Amount, Ask: market.Ask, Method: method, KYC: LevelOf(terms, pricing), Tier: tier, Country: pricing.OnTop(terms.Country)})
	if err := method.accepts(market, lines.BasePrice); err != nil {
		return Quote{}, err
	}
	return Quote{ID: store.NewID(), UserID: in.UserID, Asset: in.Asset, Amount: in.Amount, Method: in.Method,
		UnitPrice: market.Ask, Lines: lines, Bonus: tier.BonusRewardPercent, ExpiresAt: now.Add(QuoteLifetime)}, nil
}

// Quotable gives an asset's market while its price may be quoted.
func (q *Quoter) Quotable(ctx context.Context, asset money.Currency, now time.Time) (*Market, error) {
	markets, _, err := q.markets.Get(ctx)
	if err != nil {
		return nil, err
	}
	market, ok := markets[asset]
	if !ok {
		return nil, store.Unavailable("price_stale", "Live prices are not available at the moment. Try again in a minute.")
	}
	return market, market.Quotable(now)
}

// Takes returns why the method does not accept an order of a base price, or nil.
func (m *PaymentMethod) Takes(base money.Units) error {
	if !m.IsEnabled {
		return errMethodOff
	}
	return m.CheckAmount(base)
}

// CheckAmount holds a method's minimum and maximum against the base price.
func (m *PaymentMethod) CheckAmount(base money.Units) error {
	if base.Cmp(m.MinOrderAmount) < 0 {
		return store.Invalid("amountAsset", "below_minimum", fmt.Sprintf("The minimum purchase is %s", money.Dollars(m.MinOrderAmount)))
	}
	if m.MaxOrderAmount != nil && base.Cmp(*m.MaxOrderAmount) > 0 {
		return store.Invalid("amountAsset", "above_maximum", fmt.Sprintf("The maximum purchase by this payment method is %s", money.Dollars(*m.MaxOrderAmount)))
	}
	return nil
}

// Seal writes a quote as the text of a quoteId.
func (q *Quoter) Seal(quote Quote) (string, error) {
	body, err := json.Marshal(quote)
	if err != nil {
		return "", fmt.Errorf("seal quote: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(body) + "." + base64.RawURLEncoding.EncodeToString(q.mac(body)), nil
}

// ErrQuote is the one answer to a quote that is not ours, not this customer's or not for this purchase: it reveals
// nothing to an attacker.
var ErrQuote = store.Invalid("quoteId", "bad_quote", "This price is for another purchase. Get a new price.")

// Open reads a sealed quote back, for this purchase at this moment. An expired
// one is a Conflict, so that the customer is shown the new price.
func (q *Quoter) Open(sealed string, in QuoteInput, now time.Time) (Quote, error) {
	quote, err := q.Unseal(sealed)
	if err != nil {
		return Quote{}, err
	}
	if quote.OrderID != "" || quote.UserID != in.UserID || quote.Asset != in.Asset || quote.Amount.Cmp(in.Amount) != 0 || quote.Method != in.Method {
		return Quote{}, ErrQuote
	}
	return quote, quote.InForce(now)
}

// Unseal checks that a quote is one of ours.
func (q *Quoter) Unseal(sealed string) (Quote, error) {
	bodyText, macText, _ := strings.Cut(sealed, ".")
	body, err1 := base64.RawURLEncoding.DecodeString(bodyText)
	mac, err2 := base64.RawURLEncoding.DecodeString(macText)
	if err1 != nil || err2 != nil || !hmac.Equal(mac, q.mac(body)) {
		return Quote{}, ErrQuote
	}
	var quote Quote
	if json.Unmarshal(body, &quote) != nil {
		return Quote{}, ErrQuote
	}
	return quote, nil
}

// InForce refuses a quote that has expired.
func (quote *Quote) InForce(now time.Time) error {
	if now.After(quote.ExpiresAt) {
		return store.Conflict("quote_expired", "This price has expired. Check the new price.")
	}
	return nil
}

func (q *Quoter) mac(body []byte) []byte {
	h := hmac.New(sha256.New, q.key)
	h.Write([]byte("tradepost quote v1\n"))
	h.Write(body)
	return h.Sum(nil)
}
