package order

import (
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// Each function here is one row of docs/ledger.md: an event and the postings it
// makes. They are pure, so that property tests can run any sequence of them.

// CapturedPostings are for a captured card. We hold the customer's money at Stripe
// and owe them coin.
func CapturedPostings(o *Order) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountPrepaid, To: ledger.AccountClearing, Currency: money.USD, Amount: o.Total}}
}

// ReceiptPostings are for money that arrived by another rail, confirmed by a person.
func ReceiptPostings(o *Order) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountPrepaid, To: ledger.AccountBank, Currency: money.USD, Amount: o.Total}}
}

// UnallocatedPostings are for money that arrived by another rail and differs from its order's terms: we hold it, and
// owe it until its customer chooses.
func UnallocatedPostings(amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountUnallocated, To: ledger.AccountBank, Currency: money.USD, Amount: amount}}
}

// UnplacedPostings are for money on our bank account that matches no order yet.
func UnplacedPostings(amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountUnplaced, To: ledger.AccountBank, Currency: money.USD, Amount: amount}}
}

// AllocatedPostings move an order's price out of money that was kept apart.
func AllocatedPostings(o *Order) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountPrepaid, To: ledger.AccountUnallocated, Currency: money.USD, Amount: o.Total}}
}

// ReceiptBackPostings credit money that was kept apart to its customer's
// balance: what is left over, or all of it as a refund.
func ReceiptBackPostings(o *Order, amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerBalance(o.UserID), To: ledger.AccountUnallocated, Currency: money.USD, Amount: amount}}
}

// surplusReturnedPostings are for a surplus that goes back to its sender: it is unplaced money until it is sent.
func surplusReturnedPostings(amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountUnplaced, To: ledger.AccountUnallocated, Currency: money.USD, Amount: amount}}
}

// Delivery is what the order's customer is sent.
func (o *Order) Delivery() execution.Delivery {
	return execution.Delivery{Asset: o.Asset, Network: o.Network, Amount: o.Amount, BasePrice: o.BasePrice, Total: o.Price()}
}

// ReducedPostings release what is reserved of the wallet beyond the coin that the order delivers.
func ReducedPostings(o *Order, reserved money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.ReservedAccount(o.Network), To: ledger.WalletAccount(o.Network), Currency: o.Asset,
		Amount: reserved.Sub(o.Amount)}}
}

// BonusPostings credit the tier's bonus to the customer's balance.
func BonusPostings(o *Order, bonus money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerBalance(o.UserID), To: ledger.AccountPromotions, Currency: money.USD, Amount: bonus}}
}

// Bonus is what the customer's tier credits for the order, rounded down to the cent: on the base price less what was
// returned of it, and less lost, which the bank of their card withdrew besides; nothing on orders paid from the
// balance.
func Bonus(o *Order, lost money.Units) money.Units {
	left := o.Total.Sub(o.Refunded).Sub(lost).Min(o.Price())
	if o.PaymentMethod == pricing.MethodBalance || left.Sign() <= 0 {
		return money.Units{}
	}
	base := money.USD.Decimal(o.BasePrice).Mul(money.USD.Decimal(left)).Mul(o.BonusPercent).Shift(-2)
	cents, _ := base.QuoRem(money.USD.Decimal(o.Price()), money.USD.Decimals())
	return money.USD.FromDecimal(cents, money.Down)
}

// RefundPostings are for refunded money: to the card, or to the customer's balance. bearer is who bears it: the debt
// to the customer before the coin is sent, our goodwill after that.
func RefundPostings(o *Order, destination, bearer string, amount money.Units) []ledger.Posting {
	from := ledger.AccountClearing
	if destination == RefundToBalance {
		from = ledger.CustomerBalance(o.UserID)
	}
	return []ledger.Posting{{From: from, To: bearer, Currency: money.USD, Amount: amount}}
}

// ForgonePostings are for an order that is sent although some of its money was returned before: what the debt to the
// customer does not cover any more is borne by our goodwill (refunds), or is a loss by chargeback.
func ForgonePostings(bearer string, amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountPrepaid, To: bearer, Currency: money.USD, Amount: amount}}
}

// DisputePostings are for what a dispute moved on our account at the processor: the amount withdrawn, its fee
// (negative when it is returned), the amount reinstated.
func DisputePostings(withdrawn, fee, reinstated money.Units) []ledger.Posting {
	lines := []ledger.Posting{
		{From: ledger.AccountClearing, To: ledger.AccountChargebacks, Currency: money.USD, Amount: withdrawn},
		{From: ledger.AccountChargebacks, To: ledger.AccountClearing, Currency: money.USD, Amount: reinstated},
	}
	if fee.Sign() < 0 {
		return append(lines, ledger.Posting{From: ledger.AccountProviderFee, To: ledger.AccountClearing, Currency: money.USD, Amount: fee.Neg()})
	}
	return append(lines, ledger.Posting{From: ledger.AccountClearing, To: ledger.AccountProviderFee, Currency: money.USD, Amount: fee})
}

// LostPostings are for a dispute lost before the coin was sent: the customer has
// their money back from their bank, and we owe them nothing for it. ForgonePostings are the reverse, when the bank
// reinstates it.
func LostPostings(amount money.Units) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountChargebacks, To: ledger.AccountPrepaid, Currency: money.USD, Amount: amount}}
}
