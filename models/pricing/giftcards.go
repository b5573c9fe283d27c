package pricing

import (
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// What a card pays (specification §9): 85 % of its value less five dollars.
const (
	CardRatePercent = 85
	CardFlatFee     = 500 // cents
)

// MaxCardValue bounds what one card may hold, in cents.
const MaxCardValue = 200_000

// CardPayout is what a card of this value pays, rounded down to the cent; a
// value that would pay nothing is refused.
func CardPayout(value money.Units) (money.Units, error) {
	switch {
	case value.Sign() <= 0:
		return money.Units{}, store.Invalid("value", "invalid_amount", "Enter the value of the card")
	case value.Cmp(money.FromInt(MaxCardValue)) > 0:
		return money.Units{}, store.Invalid("value", "above_maximum", "The maximum is "+money.Dollars(money.FromInt(MaxCardValue))+" per card")
	}
	payout := percentOf(value, cardRate, money.Down).Sub(money.FromInt(CardFlatFee))
	if payout.Sign() <= 0 {
		return money.Units{}, store.Invalid("value", "below_minimum", "The value is too low to cover our fee. Send a card with a higher value.")
	}
	return payout, nil
}

var cardRate = decimal.NewFromInt(CardRatePercent)
