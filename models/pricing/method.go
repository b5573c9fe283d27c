package pricing

// Payment methods ("rails") with rules of their own; every other rail is money
// that arrives by itself and is confirmed by a person.
const (
	MethodCard    = "card"
	MethodBalance = "balance"
)

// The rails that are no payment method: value that comes in for a balance, or
// for coin.
const (
	RailGiftCard = "gift_card"
	RailVoucher  = "voucher"
)

// Rails are all that an installation can offer: the payment methods in the order
// screens show them, and the two that are none.
var Rails = []string{MethodCard, "domestic_wire", "international_wire", "bank_transfer", "paypal", "zelle", "zelle_pay", "chime", "revolut",
	"ach", "wire", "cash", MethodBalance, RailGiftCard, RailVoucher}
