package pricing

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// PaymentMethod is the pricing of one rail. Fees and limits are cents.
type PaymentMethod struct {
	ID                string `gorm:"primaryKey"`
	PaymentMethod     string
	BaseMarginPercent decimal.Decimal
	ProcessingFee     money.Units
	MinOrderAmount    money.Units
	MaxOrderAmount    *money.Units
	IsEnabled         bool
	Description       string
	IsPublic          bool
	InBuyFlow         bool
	Timing            string
	WindowMinutes     int
	WantsCardPhoto    bool
	Countries         pq.StringArray `gorm:"type:text[]"` // where it is offered; none: everywhere
	Position          int
	Version           int
	UpdatedAt         time.Time
}

// Buys reports whether customers buy with the method: it is in the buy flow, or is the balance that each customer
// has.
func (m *PaymentMethod) Buys() bool { return m.InBuyFlow || m.PaymentMethod == MethodBalance }

// Window is how long the price stays locked while the payment is awaited.
func (m *PaymentMethod) Window() time.Duration { return time.Duration(m.WindowMinutes) * time.Minute }

// VolumeTier is what a customer's 30-day volume earns.
type VolumeTier struct {
	ID                    string `gorm:"primaryKey"`
	TierName              string
	MinVolume30Days       money.Units `gorm:"column:min_volume_30_days"`
	MarginDiscountPercent decimal.Decimal
	BonusRewardPercent    decimal.Decimal
	IsActive              bool
}

// KYCPricing is what a verification level allows and costs. A nil limit means
// unlimited; limits are cents.
type KYCPricing struct {
	ID                      string `gorm:"primaryKey"`
	KYCLevel                string `gorm:"column:kyc_level"`
	MarginAdjustmentPercent decimal.Decimal
	MaxSingleTransaction    *money.Units
	MaxDailyVolume          *money.Units
	MaxMonthlyVolume        *money.Units
}

// TableName implements GORM's Tabler.
func (KYCPricing) TableName() string { return "kyc_pricing" }

// PriceInput is all that a price depends on.
type PriceInput struct {
	Asset  money.Currency
	Amount money.Units
	Ask    decimal.Decimal // US dollars for one coin
	Method *PaymentMethod
	KYC    *KYCPricing
	Tier   *VolumeTier
	// Country is what the customer's country pays on top, in percent.
	Country decimal.Decimal
}

// Lines are the lines of a price, in cents.
type Lines struct {
	BasePrice        money.Units
	PaymentMethodFee money.Units
	VolumeDiscount   money.Units
	Total            money.Units
	MarginPercent    decimal.Decimal
	DiscountPercent  decimal.Decimal
}

// Price computes what a customer pays, as rules §2 says: the base is the ask times the amount rounded up to the cent;
// margin and discount are percentages of that same base, rounded half up, and the discount never exceeds the margin.
func Price(in PriceInput) Lines {
	return PriceOf(money.USD.FromDecimal(in.Ask.Mul(in.Asset.Decimal(in.Amount)), money.Up), in)
}

// PriceOf is the price of a base price in cents.
func PriceOf(base money.Units, in PriceInput) Lines {
	margin, discount := marginOf(in)
	lines := Lines{
		BasePrice:        base,
		PaymentMethodFee: percentOf(base, margin, money.HalfUp).Add(in.Method.ProcessingFee),
		VolumeDiscount:   percentOf(base, discount, money.HalfUp),
		MarginPercent:    margin,
		DiscountPercent:  discount,
	}
	lines.Total = base.Add(lines.PaymentMethodFee).Sub(lines.VolumeDiscount)
	return lines
}

// marginOf is a method's margin at a level and in a country, in percent, and the volume tier's discount on it.
func marginOf(in PriceInput) (margin, discount decimal.Decimal) {
	margin = decimal.Max(in.Method.BaseMarginPercent.Add(in.KYC.MarginAdjustmentPercent).Add(in.Country), decimal.Zero)
	return margin, decimal.Min(margin, in.Tier.MarginDiscountPercent)
}

// Margin is a method's margin for the customer whose limits these are, in percent,
// and the volume discount, in percent of the same price.
func (p *Pricing) Margin(method *PaymentMethod, of Limits) (margin, discount decimal.Decimal) {
	terms := kyc.CustomerTerms{Level: of.Level, VolumeTier: of.VolumeTier}
	return marginOf(PriceInput{Method: method, KYC: LevelOf(terms, p), Tier: TierOf(terms, p), Country: p.OnTop(of.Country)})
}

// percentOf is percent of cents, in cents.
func percentOf(cents money.Units, percent decimal.Decimal, round money.Round) money.Units {
	return money.USD.FromDecimal(money.USD.Decimal(cents).Mul(percent).Shift(-2), round)
}

// Pricing is all configuration of prices at one moment.
type Pricing struct {
	// Version is the configuration's own number at that moment, or an earlier one.
	Version int64
	// Offer is what the installation sells, and how it is paid.
	Offer money.Offer
	// Methods are all methods, also those that are no longer offered and by which
	// orders were made; Ordered are the offered ones.
	Methods   map[string]*PaymentMethod
	Ordered   []*PaymentMethod
	Tiers     map[string]*VolumeTier
	Levels    []*VolumeTier // the tiers by the volume they begin at
	KYC       map[string]*KYCPricing
	Countries map[string]*CountryPricing
	Paused    map[string]bool // the switches that stop something, as kind:name
}

// errMethodOff refuses a method that is switched off.
var errMethodOff = store.Invalid("paymentMethod", "method_disabled", "This payment method is not available right now. Choose another one.")

// Offered gives a method that is offered, enabled or not.
func (p *Pricing) Offered(code string) (*PaymentMethod, bool) {
	m, known := p.Methods[code]
	return m, known && p.Offer.Takes(code)
}

// Method gives a method that is enabled and offered in the customer's country, or says which field is wrong. Every path
// to a new order asks it; open orders continue.
func (p *Pricing) Method(code, country string) (*PaymentMethod, error) {
	m, ok := p.Offered(code)
	switch {
	case !ok:
		return nil, store.Invalid("paymentMethod", "unknown_method", "Unknown payment method")
	case !m.IsEnabled:
		return nil, errMethodOff
	case !m.OfferedIn(country):
		return nil, errMethodElsewhere
	}
	return m, nil
}

// PricingCache keeps the pricing for as long as its version is the database's:
// whatever was changed is in force in every process with the next question.
type PricingCache struct {
	db    *store.DB
	offer money.Offer
	mu    sync.Mutex
	value *Pricing
}

// NewPricingCache makes an empty cache over db.
func NewPricingCache(db *store.DB) *PricingCache { return &PricingCache{db: db} }

// Get gives the pricing in force.
func (c *PricingCache) Get(ctx context.Context) (*Pricing, error) {
	version, err := pricingVersion(ctx, c.db)
	if err != nil {
		return nil, err
	}
	return c.at(ctx, version)
}

// at gives pricing that is no older than a version that was just read.
func (c *PricingCache) at(ctx context.Context, version int64) (*Pricing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.value != nil && c.value.Version >= version {
		return c.value, nil
	}
	value, err := ReadOffered(ctx, c.db, c.offer)
	if err != nil {
		return nil, err
	}
	c.value = value
	return value, nil
}

func pricingVersion(ctx context.Context, db *store.DB) (int64, error) {
	var version int64
	if err := db.Row(ctx, "SELECT version FROM pricing_state").Scan(&version); err != nil {
		return 0, fmt.Errorf("read the version of the pricing: %w", err)
	}
	return version, nil
}

// ReadPricing reads the pricing of everything that can be offered.
func ReadPricing(ctx context.Context, db *store.DB) (*Pricing, error) {
	return ReadOffered(ctx, db, money.Offer{})
}

// ReadOffered reads all pricing rows. Its version is read first: what is changed
// while the rows are read makes them newer than it says, and they are read again.
func ReadOffered(ctx context.Context, db *store.DB, offer money.Offer) (*Pricing, error) {
	version, err := pricingVersion(ctx, db)
	if err != nil {
		return nil, err
	}
	var methods []*PaymentMethod
	var tiers []*VolumeTier
	var levels []*KYCPricing
	var countries []*CountryPricing
	orm := db.ORM(ctx)
	for _, err := range []error{
		orm.Order("position").Find(&methods).Error,
		orm.Where("is_active").Order("min_volume_30_days").Find(&tiers).Error,
		orm.Find(&levels).Error,
		orm.Find(&countries).Error,
	} {
		if err != nil {
			return nil, fmt.Errorf("read pricing: %w", err)
		}
	}
	paused, err := ReadPaused(ctx, db)
	if err != nil {
		return nil, err
	}
	p := &Pricing{Version: version, Offer: offer, Paused: paused, Levels: tiers, Countries: map[string]*CountryPricing{}, Methods: map[string]*PaymentMethod{}, Tiers: map[string]*VolumeTier{}, KYC: map[string]*KYCPricing{}}
	for _, m := range methods {
		p.Methods[m.PaymentMethod] = m
		if offer.Takes(m.PaymentMethod) {
			p.Ordered = append(p.Ordered, m)
		}
	}
	for _, t := range tiers {
		p.Tiers[t.TierName] = t
	}
	for _, k := range levels {
		p.KYC[k.KYCLevel] = k
	}
	for _, c := range countries {
		p.Countries[c.Country] = c
	}
	return p, nil
}
