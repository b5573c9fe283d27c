package execution

import (
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
)

// ReservePostings promise coin of the wallet float to this delivery.
func ReservePostings(d Delivery) []ledger.Posting {
	return []ledger.Posting{{From: ledger.WalletAccount(d.Network), To: ledger.ReservedAccount(d.Network), Currency: d.Asset, Amount: d.Amount}}
}

// ReleasePostings reverse the promise (refund, or the order starts again).
func ReleasePostings(d Delivery) []ledger.Posting {
	return []ledger.Posting{{From: ledger.ReservedAccount(d.Network), To: ledger.WalletAccount(d.Network), Currency: d.Asset, Amount: d.Amount}}
}

// Delivery is what an order and the redemption of a voucher have in common: coin that
// is reserved, bought and sent, in base units, and what was paid for it, in cents.
type Delivery struct {
	Asset            money.Currency
	Network          string
	Amount           money.Units
	BasePrice, Total money.Units
}

// Fill is what one exchange order executed: coin in base units, cost and fee in
// cents, each as the exchange reports it.
type Fill struct {
	Filled, Cost, Fee money.Units
}

// FilledPostings are for coin the exchange sold us, which stays there until treasury
// moves it to the wallet it replenishes.
func FilledPostings(d Delivery, f Fill) []ledger.Posting {
	return []ledger.Posting{
		{From: ledger.AccountConversion, To: ledger.AccountExchange, Currency: d.Asset, Amount: f.Filled},
		{From: ledger.AccountExchange, To: ledger.AccountConversion, Currency: money.USD, Amount: f.Cost},
		{From: ledger.AccountExchange, To: ledger.AccountProviderFee, Currency: money.USD, Amount: f.Fee},
	}
}

// SentPostings are for coin that left the wallet, which pays the debt to the customer: the base price closes the
// conversion, the rest of the price is our fee, and the exchange's difference to the base price is the trading
// difference. bought is the sum of all fills, whose surplus or shortfall changes our stock; the network fee leaves
// the wallet that pays it, in the same coin, or in ether for tokens.
func SentPostings(d Delivery, bought Fill, fee money.Units, feeCurrency money.Currency) []ledger.Posting {
	lines := []ledger.Posting{
		{From: ledger.ReservedAccount(d.Network), To: ledger.AccountConversion, Currency: d.Asset, Amount: d.Amount},
		{From: ledger.AccountConversion, To: ledger.AccountPrepaid, Currency: money.USD, Amount: d.BasePrice},
		{From: ledger.AccountFees, To: ledger.AccountPrepaid, Currency: money.USD, Amount: d.Total.Sub(d.BasePrice)},
	}
	switch difference := d.BasePrice.Sub(bought.Cost); difference.Sign() {
	case 1: // bought for less than the customer paid
		lines = append(lines, ledger.Posting{From: ledger.AccountTrading, To: ledger.AccountConversion, Currency: money.USD, Amount: difference})
	case -1:
		lines = append(lines, ledger.Posting{From: ledger.AccountConversion, To: ledger.AccountTrading, Currency: money.USD, Amount: difference.Neg()})
	}
	if beyond := bought.Filled.Sub(d.Amount); !beyond.IsZero() {
		lines = append(lines, ledger.MovedPostings(ledger.AccountConversion, ledger.AccountTrading, d.Asset, beyond)...)
	}
	if fee.Sign() > 0 {
		lines = append(lines, ledger.Posting{From: ledger.WalletAccount(d.Network), To: ledger.AccountNetworkFee, Currency: feeCurrency, Amount: fee})
	}
	return lines
}

// UnsoldPostings are for an order refunded after coin had been bought for it. The
// coin stays in our inventory; the conversion it opened is closed against the
// trading difference at what it cost.
func UnsoldPostings(d Delivery, f Fill) []ledger.Posting {
	return []ledger.Posting{
		{From: ledger.AccountConversion, To: ledger.AccountTrading, Currency: money.USD, Amount: f.Cost},
		{From: ledger.AccountTrading, To: ledger.AccountConversion, Currency: d.Asset, Amount: f.Filled},
	}
}
