package models

import (
	"github.com/tradepost/tradepost/models/money"
)

// Each function here is one row of docs/ledger.md: an event and the postings it
// makes. They are pure, so that property tests can run any sequence of them.

// CapturedPostings are for a captured card. We hold the customer's money at Stripe
// and owe them coin.
func CapturedPostings(o *Order) []Posting {
	return []Posting{{From: AccountPrepaid, To: AccountStripe, Currency: money.USD, Amount: o.Total}}
}

// ReceiptPostings are for money that arrived by another rail, confirmed by a person.
func ReceiptPostings(o *Order) []Posting {
	return []Posting{{From: AccountPrepaid, To: AccountBank, Currency: money.USD, Amount: o.Total}}
}

// UnallocatedPostings are for money that arrived by another rail and does not
// fit the order it came for: we hold it, and owe it until its customer chooses.
func UnallocatedPostings(amount money.Units) []Posting {
	return []Posting{{From: AccountUnallocated, To: AccountBank, Currency: money.USD, Amount: amount}}
}

// UnplacedPostings are for money on our bank account that nobody can place yet.
func UnplacedPostings(amount money.Units) []Posting {
	return []Posting{{From: AccountUnplaced, To: AccountBank, Currency: money.USD, Amount: amount}}
}

// AllocatedPostings take an order's price out of money that was kept apart.
func AllocatedPostings(o *Order) []Posting {
	return []Posting{{From: AccountPrepaid, To: AccountUnallocated, Currency: money.USD, Amount: o.Total}}
}

// ReceiptBackPostings credit money that was kept apart to its customer's
// balance: what is left over, or all of it as a refund.
func ReceiptBackPostings(o *Order, amount money.Units) []Posting {
	return []Posting{{From: CustomerBalance(o.UserID), To: AccountUnallocated, Currency: money.USD, Amount: amount}}
}

// ReservePostings promise coin of the wallet float to this delivery.
func ReservePostings(d Delivery) []Posting {
	return []Posting{{From: WalletAccount(d.Network), To: ReservedAccount(d.Network), Currency: d.Asset, Amount: d.Amount}}
}

// ReleasePostings take the promise back (refund, or the order starts again).
func ReleasePostings(d Delivery) []Posting {
	return []Posting{{From: ReservedAccount(d.Network), To: WalletAccount(d.Network), Currency: d.Asset, Amount: d.Amount}}
}

// Delivery is what an order and the redemption of a voucher have in common: coin that
// is reserved, bought and sent, in base units, and what was paid for it, in cents.
type Delivery struct {
	Asset            money.Currency
	Network          string
	Amount           money.Units
	BasePrice, Total money.Units
}

// Delivery is what the order's customer is sent.
func (o *Order) Delivery() Delivery {
	return Delivery{Asset: o.Asset, Network: o.Network, Amount: o.Amount, BasePrice: o.BasePrice, Total: o.Total}
}

// Fill is what one exchange order executed: coin in base units, cost and fee in
// cents, each as the exchange reports it.
type Fill struct {
	Filled, Cost, Fee money.Units
}

// FilledPostings are for coin the exchange sold us, which stays there until treasury
// moves it to the wallet it replenishes.
func FilledPostings(d Delivery, f Fill) []Posting {
	return []Posting{
		{From: AccountConversion, To: AccountExchange, Currency: d.Asset, Amount: f.Filled},
		{From: AccountExchange, To: AccountConversion, Currency: money.USD, Amount: f.Cost},
		{From: AccountExchange, To: AccountProviderFee, Currency: money.USD, Amount: f.Fee},
	}
}

// SentPostings are for coin that left the wallet: the debt to the customer is paid.
// The base price closes the conversion, what remains of the price is our fee,
// and what the exchange charged more or less than the base price is the
// trading difference. bought is the sum of all fills; coin that the exchange sold
// beyond what was missing is stock from now on. The network fee leaves the
// wallet that pays it: the same coin, or ether for tokens.
func SentPostings(d Delivery, bought Fill, fee money.Units, feeCurrency money.Currency) []Posting {
	lines := []Posting{
		{From: ReservedAccount(d.Network), To: AccountConversion, Currency: d.Asset, Amount: d.Amount},
		{From: AccountConversion, To: AccountPrepaid, Currency: money.USD, Amount: d.BasePrice},
		{From: AccountFees, To: AccountPrepaid, Currency: money.USD, Amount: d.Total.Sub(d.BasePrice)},
	}
	switch difference := d.BasePrice.Sub(bought.Cost); difference.Sign() {
	case 1: // bought for less than the customer paid
		lines = append(lines, Posting{From: AccountTrading, To: AccountConversion, Currency: money.USD, Amount: difference})
	case -1:
		lines = append(lines, Posting{From: AccountConversion, To: AccountTrading, Currency: money.USD, Amount: difference.Neg()})
	}
	if beyond := bought.Filled.Sub(d.Amount); beyond.Sign() > 0 {
		lines = append(lines, Posting{From: AccountTrading, To: AccountConversion, Currency: d.Asset, Amount: beyond})
	}
	if fee.Sign() > 0 {
		lines = append(lines, Posting{From: WalletAccount(d.Network), To: AccountNetworkFee, Currency: feeCurrency, Amount: fee})
	}
	return lines
}

// BonusPostings credit the tier's bonus to the customer's balance.
func BonusPostings(o *Order, bonus money.Units) []Posting {
	return []Posting{{From: CustomerBalance(o.UserID), To: AccountPromotions, Currency: money.USD, Amount: bonus}}
}

// FromBalancePostings are for an order that is paid from the balance: what we
// owed in dollars we owe in coin.
func FromBalancePostings(o *Order) []Posting {
	return []Posting{{From: AccountPrepaid, To: CustomerBalance(o.UserID), Currency: money.USD, Amount: o.Total}}
}

// NettedPostings pay what a customer owes us out of the account that a credit of
// theirs went to.
func NettedPostings(userID, from string, amount money.Units) []Posting {
	return []Posting{{From: CustomerReceivable(userID), To: from, Currency: money.USD, Amount: amount}}
}

// ClawedBackPostings take a credit back to the account that bore it: what is
// there from the balance, and what is not as a debt of the customer.
func ClawedBackPostings(userID, to string, there, owed money.Units) []Posting {
	return []Posting{
		{From: to, To: CustomerBalance(userID), Currency: money.USD, Amount: there},
		{From: to, To: CustomerReceivable(userID), Currency: money.USD, Amount: owed},
	}
}

// Bonus is what the customer's tier credits for the order, rounded down to the
// cent: on the base price as far as its money has not gone back; nothing on orders
// paid from the balance.
func Bonus(o *Order) money.Units {
	left := o.Total.Sub(o.Refunded)
	if o.PaymentMethod == MethodBalance || left.Sign() <= 0 {
		return money.Units{}
	}
	base := money.USD.Decimal(o.BasePrice).Mul(money.USD.Decimal(left)).Mul(o.BonusPercent).Shift(-2)
	cents, _ := base.QuoRem(money.USD.Decimal(o.Total), money.USD.Decimals())
	return money.USD.FromDecimal(cents, money.Down)
}

// RefundPostings are for money that went back: to the card, or to the customer's
// balance. bearer is who bears it: the debt to the customer before the coin is
// sent, our goodwill after that.
func RefundPostings(o *Order, destination, bearer string, amount money.Units) []Posting {
	from := AccountStripe
	if destination == RefundToBalance {
		from = CustomerBalance(o.UserID)
	}
	return []Posting{{From: from, To: bearer, Currency: money.USD, Amount: amount}}
}

// ForgonePostings are for an order that is sent although some of its money went
// back before: what the debt to the customer does not cover any more is borne
// by our goodwill (refunds), or is a loss by chargeback.
func ForgonePostings(bearer string, amount money.Units) []Posting {
	return []Posting{{From: AccountPrepaid, To: bearer, Currency: money.USD, Amount: amount}}
}

// DisputePostings are for what a dispute moved on our account at the processor:
// the amount taken, its fee (negative when it is given back), the amount that
// came back.
func DisputePostings(withdrawn, fee, reinstated money.Units) []Posting {
	lines := []Posting{
		{From: AccountStripe, To: AccountChargebacks, Currency: money.USD, Amount: withdrawn},
		{From: AccountChargebacks, To: AccountStripe, Currency: money.USD, Amount: reinstated},
	}
	if fee.Sign() < 0 {
		return append(lines, Posting{From: AccountProviderFee, To: AccountStripe, Currency: money.USD, Amount: fee.Neg()})
	}
	return append(lines, Posting{From: AccountStripe, To: AccountProviderFee, Currency: money.USD, Amount: fee})
}

// LostPostings are for a dispute lost before the coin was sent: the customer has
// their money back from their bank, and we owe them nothing for it.
func LostPostings(amount money.Units) []Posting {
	return []Posting{{From: AccountChargebacks, To: AccountPrepaid, Currency: money.USD, Amount: amount}}
}

// UnsoldPostings are for an order refunded after coin had been bought for it. The
// coin stays in our inventory; the conversion it opened is closed against the
// trading difference at what it cost.
func UnsoldPostings(d Delivery, f Fill) []Posting {
	return []Posting{
		{From: AccountConversion, To: AccountTrading, Currency: money.USD, Amount: f.Cost},
		{From: AccountTrading, To: AccountConversion, Currency: d.Asset, Amount: f.Filled},
	}
}
