package money

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The coins that can be sold; coins says what there is to know of each.
const (
	BTC  Currency = "BTC"
	ETH  Currency = "ETH"
	USDT Currency = "USDT"
	USDC Currency = "USDC"
)

// The networks coin is sent on; networks says what there is to know of each.
const (
	Bitcoin  = "bitcoin"
	Ethereum = "ethereum"
	Tron     = "tron"
)

// coin is one that can be sold. Its entry is all that the domain has of it.
type coin struct {
	code     Currency
	decimals int32
	wallets  []Wallet // one for each network it is sent on, the usual one first
}

// Wallet is where a coin is held to be sent on a network.
type Wallet struct {
	Network string
	Name    string // of settings and of the custodian
	// Contract is a token's own address. What is sent to it is lost.
	Contract string
	// Named: the pair is offered only where the configuration names it. What was sold on it before is still sent.
	Named bool
}

// coins are in the order in which screens show them.
var coins = []coin{
	{BTC, 8, []Wallet{{Network: Bitcoin, Name: "btc"}}},
	{ETH, 18, []Wallet{{Network: Ethereum, Name: "eth"}}},
	{USDT, 6, []Wallet{
		{Network: Ethereum, Name: "usdt", Contract: "0xdac17f958d2ee523a2206206994597c13d831ec7"},
		{Network: Tron, Name: "trx:usdt", Contract: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"},
	}},
	{USDC, 6, []Wallet{
		{Network: Ethereum, Name: "usdc", Contract: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"},
		// The issuer of USDC ended it on Tron.
		{Network: Tron, Name: "trx:usdc", Contract: "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8", Named: true},
	}},
}

// coinNames are what screens call the coins, in lower case.
var coinNames = map[string]Currency{"bitcoin": BTC, "ethereum": ETH, "tether": USDT, "usd coin": USDC}

// Network is a network coin is sent on. How its addresses are checked says
// internal/address.
type Network struct {
	Code, Name string
	// Pays is the coin its fees are paid in; empty where that is none of ours.
	Pays Currency
	// Gas: a transaction that fails has used its fee.
	Gas bool
	// Folds: addresses that differ in case alone are one.
	Folds bool
}

// networks are in the order in which screens show them.
var networks = []Network{
	{Code: Bitcoin, Name: "Bitcoin", Pays: BTC},
	{Code: Ethereum, Name: "Ethereum", Pays: ETH, Gas: true, Folds: true},
	{Code: Tron, Name: "Tron", Gas: true}, // fees come with the custodian's bill
}

// Ways by which money or value comes in that have rules of their own. Every other is money that arrives unprompted
// and is confirmed by staff.
const (
	RailCard     = "card"
	RailBalance  = "balance"
	RailGiftCard = "gift_card"
	RailVoucher  = "voucher"
)

// Rail is a way by which money or value comes in. Its name is English; internal/i18n has
// it in other languages, unless it is a brand.
type Rail struct{ Code, Name string }

// Rails are all that an installation can offer: the payment methods in the order of
// their rows, and the two that are none.
var Rails = []Rail{
	{RailCard, "Card"},
	{"domestic_wire", "Domestic wire"},
	{"international_wire", "International wire"},
	{"bank_transfer", "Bank transfer"},
	{"paypal", "PayPal"},
	{"zelle", "Zelle"},
	{"zelle_pay", "Zelle Pay"},
	{"chime", "Chime"},
	{"revolut", "Revolut"},
	{"ach", "ACH"},
	{"wire", "Wire"},
	{"cash", "Cash"},
	{RailBalance, "Account balance"},
	{RailGiftCard, "Gift card"},
	{RailVoucher, "Voucher"},
}

// Smallest is the offer of the smallest installation.
var Smallest = Offer{Assets: []Currency{BTC}, Rails: []string{"domestic_wire", "wire"}}

// Assets are the coins, Networks the networks, RailCodes the rails, Pairs the coins on their networks, each in its
// order.
var (
	Assets    = each(coins, func(c coin) Currency { return c.code })
	Networks  = each(networks, func(n Network) string { return n.Code })
	RailCodes = each(Rails, func(r Rail) string { return r.Code })
	Pairs     = pairs()
)

// pairs are all coins with their networks, as PairOf writes them.
func pairs() []string {
	var out []string
	for _, c := range coins {
		out = append(out, each(c.wallets, func(w Wallet) string { return PairOf(c.code, w.Network) })...)
	}
	return out
}

// PairOf is a coin on a network, as settings write it.
func PairOf(asset Currency, network string) string { return string(asset) + ":" + network }

// Wallets are where the coin is held, the usual one first; none when c is no coin.
func (c Currency) Wallets() []Wallet {
	if i := slices.IndexFunc(coins, func(one coin) bool { return one.code == c }); i >= 0 {
		return coins[i].wallets
	}
	return nil
}

// NetworkOf is the network of a code; its zero value when there is none.
func NetworkOf(code string) Network {
	if i := slices.IndexFunc(networks, func(n Network) bool { return n.Code == code }); i >= 0 {
		return networks[i]
	}
	return Network{}
}

// DecimalsSQL is the number of decimals of the currency that a column names.
func DecimalsSQL(column string) string {
	cases := "CASE " + column
	for _, c := range append([]Currency{USD}, Assets...) {
		cases += fmt.Sprintf(" WHEN '%s' THEN %d", c, c.Decimals())
	}
	return cases + " END"
}

func each[T, R any](list []T, of func(T) R) []R {
	var out []R
	for _, one := range list {
		out = append(out, of(one))
	}
	return out
}

// transactionID is the form of a transaction's id on every network coin is sent on.
var transactionID = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ShownTransaction is a transaction's id as explorers of its network write it: in lower case, and on Ethereum after 0x.
// What has not the form of an id is returned as it is.
func ShownTransaction(network string, id *string) *string {
	if id == nil {
		return nil
	}
	shown := TransactionKey(*id)
	if !transactionID.MatchString(shown) {
		return id
	}
	if network == Ethereum {
		shown = "0x" + shown
	}
	return &shown
}

// TransactionKey is a transaction's id as ids are compared: without 0x, in lower case. Providers and explorers write
// the id of one transaction in different ways.
func TransactionKey(id string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(id)), "0x")
}
