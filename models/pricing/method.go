package pricing

import "github.com/tradepost/tradepost/models/money"

// Payment methods ("rails") with rules of their own; every other rail is money that arrives unprompted and is
// confirmed by staff.
const (
	MethodCard    = money.RailCard
	MethodBalance = money.RailBalance
)

// The rails that are no payment method: value that comes in for a balance, or
// for coin.
const (
	RailGiftCard = money.RailGiftCard
	RailVoucher  = money.RailVoucher
)

// Rails are all that an installation can offer.
var Rails = money.RailCodes
