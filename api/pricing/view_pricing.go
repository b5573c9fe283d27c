package pricing

import (
	"time"
)

// PriceHistory is the history of the prices in the last day.
type PriceHistory struct {
	Prices map[string][]PricePoint `json:"prices" doc:"points of the last 24 hours by asset, oldest first"`
}

// PricePoint is what one coin cost at a moment.
type PricePoint struct {
	At    time.Time `json:"at"`
	Price string    `json:"price" doc:"US dollars"`
}

// PublicPrices is the pricing page's data.
type PublicPrices struct {
	LastUpdated    *time.Time        `json:"lastUpdated"`
	CryptoPrices   map[string]string `json:"cryptoPrices" doc:"US dollars by asset; an asset without a recent price is missing"`
	PaymentMethods []PublicMethod    `json:"paymentMethods"`
}

// PublicMethod is a payment method as the pricing page shows it.
type PublicMethod struct {
	Method        string  `json:"method"`
	Description   string  `json:"description"`
	IsEnabled     bool    `json:"isEnabled"`
	Margin        string  `json:"margin" doc:"percent"`
	ProcessingFee string  `json:"processingFee" doc:"US dollars"`
	MinAmount     string  `json:"minAmount"`
	MaxAmount     *string `json:"maxAmount"`
}

// MethodPricing is what a payment method costs and allows, for staff.
type MethodPricing struct {
	ID                string    `json:"id" format:"uuid"`
	PaymentMethod     string    `json:"paymentMethod"`
	BaseMarginPercent string    `json:"baseMarginPercent"`
	ProcessingFee     string    `json:"processingFee" doc:"US dollars, fixed"`
	MinOrderAmount    string    `json:"minOrderAmount" doc:"US dollars"`
	MaxOrderAmount    *string   `json:"maxOrderAmount" doc:"US dollars; null is no limit"`
	IsEnabled         bool      `json:"isEnabled"`
	Countries         []string  `json:"countries" doc:"ISO 3166-1 alpha-2, where it is offered; none: everywhere"`
	Description       string    `json:"description"`
	IsPublic          bool      `json:"isPublic" doc:"shown on the public page of prices"`
	InBuyFlow         bool      `json:"inBuyFlow" doc:"offered to everyone who buys"`
	Version           int       `json:"version"`
	UpdatedAt         time.Time `json:"updatedAt"`
}

// MethodPricingChange is what an admin enters. What is left out stays as it is.
type MethodPricingChange struct {
	BaseMarginPercent string   `json:"baseMarginPercent" maxLength:"12"`
	ProcessingFee     string   `json:"processingFee" maxLength:"20"`
	MinOrderAmount    string   `json:"minOrderAmount" maxLength:"20"`
	MaxOrderAmount    *string  `json:"maxOrderAmount,omitempty" maxLength:"20" doc:"empty is no limit"`
	IsEnabled         bool     `json:"isEnabled"`
	Description       *string  `json:"description,omitempty" maxLength:"200"`
	Countries         []string `json:"countries,omitempty" maxItems:"300" doc:"ISO 3166-1 alpha-2; none: everywhere"`
	Version           int      `json:"version,omitempty" minimum:"0" doc:"the version the person looked at; another one in force is 409"`
	Reason            string   `json:"reason,omitempty" maxLength:"500"`
}

// PricePreview is what an order costs now, and would cost after a change.
type PricePreview struct {
	Amount string       `json:"amount" doc:"US dollars before fees"`
	For    string       `json:"for" doc:"whose price it is"`
	Before ExamplePrice `json:"before"`
	After  ExamplePrice `json:"after"`
}

// ExamplePrice is the price of an example.
type ExamplePrice struct {
	BasePrice        string  `json:"basePrice"`
	PaymentMethodFee string  `json:"paymentMethodFee"`
	VolumeDiscount   string  `json:"volumeDiscount"`
	Total            string  `json:"total"`
	MarginPercent    string  `json:"marginPercent"`
	Refused          *string `json:"refused" doc:"why such an order is not taken"`
}

// VolumeTierView is what a customer's 30-day volume earns.
type VolumeTierView struct {
	ID                    string `json:"id" format:"uuid"`
	TierName              string `json:"tierName"`
	MinVolume30Days       string `json:"minVolume30Days" doc:"US dollars"`
	MarginDiscountPercent string `json:"marginDiscountPercent"`
	BonusRewardPercent    string `json:"bonusRewardPercent"`
	IsActive              bool   `json:"isActive"`
}

// KYCPricingView is what a verification level costs and allows.
type KYCPricingView struct {
	ID                      string  `json:"id" format:"uuid"`
	KYCLevel                string  `json:"kycLevel"`
	MarginAdjustmentPercent string  `json:"marginAdjustmentPercent"`
	MaxSingleTransaction    *string `json:"maxSingleTransaction" doc:"US dollars; null is unlimited"`
	MaxDailyVolume          *string `json:"maxDailyVolume"`
	MaxMonthlyVolume        *string `json:"maxMonthlyVolume"`
}

// LocationPricing is the pricing of countries.
type LocationPricing struct {
	Locations []Location `json:"locations"`
	Countries []string   `json:"countries" doc:"the codes of all countries"`
}

// Location is a country with a price of its own.
type Location struct {
	ID                string    `json:"id" format:"uuid"`
	Country           string    `json:"country" doc:"ISO 3166-1 alpha-2"`
	AdjustmentPercent string    `json:"adjustmentPercent" doc:"on top of every method's margin"`
	IsBlocked         bool      `json:"isBlocked" doc:"nothing is sold there"`
	Version           int       `json:"version"`
	UpdatedAt         time.Time `json:"updatedAt"`
}

// NewLocation sets a country's pricing.
type NewLocation struct {
	Country           string `json:"country" maxLength:"2"`
	AdjustmentPercent string `json:"adjustmentPercent" maxLength:"12"`
	IsBlocked         bool   `json:"isBlocked"`
	Reason            string `json:"reason,omitempty" maxLength:"500"`
}

// LocationChange changes a country's pricing.
type LocationChange struct {
	AdjustmentPercent string `json:"adjustmentPercent" maxLength:"12"`
	IsBlocked         bool   `json:"isBlocked"`
	Version           int    `json:"version,omitempty" minimum:"0" doc:"the version the person looked at; another one in force is 409"`
	Reason            string `json:"reason,omitempty" maxLength:"500"`
}

// LocationRemoval removes a country's pricing.
type LocationRemoval struct {
	Version int    `json:"version,omitempty" minimum:"0" doc:"the version the person looked at; another one in force is 409"`
	Reason  string `json:"reason,omitempty" maxLength:"500"`
}

// PricingVersion is one change of the pricing.
type PricingVersion struct {
	ID        string         `json:"id" format:"uuid"`
	Kind      string         `json:"kind" enum:"payment_method,country"`
	Name      string         `json:"name" doc:"the method's code, or the country's"`
	Version   int            `json:"version"`
	By        string         `json:"by" doc:"who made it"`
	Before    map[string]any `json:"before" nullable:"true" doc:"null: it was added"`
	After     map[string]any `json:"after" nullable:"true" doc:"null: it was removed"`
	Reason    string         `json:"reason"`
	CreatedAt time.Time      `json:"createdAt"`
}
