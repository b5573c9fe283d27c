package ledger

import (
	"github.com/tradepost/tradepost/models/money"
)

// Reconciliation holds what providers say happened on our accounts beside what
// the ledger says, effect by effect: a capture, a refund, a purchase, a transfer.
// Each effect has a key that both sides can name (reconciliation_books.go), and
// its two sums are kept in one row, so that what does not agree is found by an
// index. Nothing of it stands in the way of an order: lines and postings are
// taken up afterwards, each exactly once.

// Provider is a provider that holds money or coin of ours.
type Provider string

// The providers whose statements can be read. A bank's cannot.
const (
	ProviderStripe Provider = "stripe"
	ProviderKraken Provider = "kraken"
	ProviderBitGo  Provider = "bitgo"
)

// Name is the provider's name as people write it.
func (h Provider) Name() string {
	return map[Provider]string{ProviderStripe: "Stripe", ProviderKraken: "Kraken", ProviderBitGo: "BitGo"}[h]
}

// StatementPoll names the reading of the provider's statement among polls.
func (h Provider) StatementPoll() string { return "statement " + string(h) }

// Account is the ledger's account of what a provider has of us, on a network where
// it is a wallet.
func (h Provider) Account(network string) string {
	switch h {
	case ProviderStripe:
		return AccountStripe
	case ProviderKraken:
		return AccountExchange
	}
	return WalletAccount(network)
}

// MovedPostings are for what changed at a provider by an amount: into its account
// when more is there, out of it when less; the other account bears it.
func MovedPostings(holder, other string, currency money.Currency, amount money.Units) []Posting {
	if amount.Sign() < 0 {
		return []Posting{{From: holder, To: other, Currency: currency, Amount: amount.Neg()}}
	}
	return []Posting{{From: other, To: holder, Currency: currency, Amount: amount}}
}

// DollarAccounts hold dollars alone.
var DollarAccounts = []string{AccountChargebacks, AccountGoodwill, AccountBank, AccountUnallocated}
