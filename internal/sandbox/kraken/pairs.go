package kraken

import (
	"strings"

	"github.com/shopspring/decimal"
)

// asset is a currency of the exchange.
type asset struct {
	Code, Alt string
	Decimals  int32 // of balances
	Display   int32
	Opening   string // balance of a new account
}

// assets are the currencies that exist, by the order they are listed in.
var assets = []asset{
	{"ZUSD", "USD", 4, 2, "5000000"},
	{"ZEUR", "EUR", 4, 2, "0"},
	{"XXBT", "XBT", 10, 5, "100"},
	{"XETH", "ETH", 10, 5, "2000"},
	{"USDT", "USDT", 8, 4, "1000000"},
	{"USDC", "USDC", 8, 4, "1000000"},
}

// findAsset resolves a code or altname; BTC is accepted for XBT.
func findAsset(name string) (asset, bool) {
	name = strings.ToUpper(name)
	if name == "BTC" {
		name = "XBT"
	}
	for _, a := range assets {
		if a.Code == name || a.Alt == name {
			return a, true
		}
	}
	return asset{}, false
}

// pair is a market. Prices are multiples of Tick, costs have CostDecimals.
type pair struct {
	Key, Alt, WS  string
	Base, Quote   string
	PriceDecimals int32
	Tick          decimal.Decimal
	OrderMin      decimal.Decimal
	CostMin       decimal.Decimal
	Ask, Bid      string // opening prices
}

const (
	lotDecimals  = 8
	costDecimals = 5
)

// pairs are the markets that exist, with the figures of providers §2.3.
var pairs = []pair{
	newPair("XXBTZUSD", "XBTUSD", "XBT/USD", "XXBT", 1, "0.1", "0.00005", "97482.4", "97482.3"),
	newPair("XETHZUSD", "ETHUSD", "ETH/USD", "XETH", 2, "0.01", "0.002", "3412.57", "3412.56"),
	newPair("USDTZUSD", "USDTUSD", "USDT/USD", "USDT", 5, "0.00001", "5", "1.00012", "1.00008"),
	newPair("USDCUSD", "USDCUSD", "USDC/USD", "USDC", 4, "0.0001", "5", "1.0001", "0.9999"),
}

func newPair(key, alt, ws, base string, decimals int32, tick, orderMin, ask, bid string) pair {
	return pair{
		Key: key, Alt: alt, WS: ws, Base: base, Quote: "ZUSD", PriceDecimals: decimals,
		Tick: decimal.RequireFromString(tick), OrderMin: decimal.RequireFromString(orderMin),
		CostMin: decimal.RequireFromString("0.5"), Ask: ask, Bid: bid,
	}
}

// findPair resolves a key, an altname or a websocket name such as XBT/USD or
// BTC/USD.
func findPair(name string) (pair, bool) {
	name = strings.ToUpper(name)
	for _, p := range pairs {
		if name == p.Key || name == p.Alt || name == p.WS || name == strings.Replace(p.WS, "XBT", "BTC", 1) {
			return p, true
		}
	}
	return pair{}, false
}

// feeTier is a step of the fee schedule: 30-day volume in USD and the rates in
// per cent from there on.
type feeTier struct {
	Volume       int64
	Taker, Maker string
}

var feeTiers = []feeTier{
	{0, "0.4", "0.25"}, {10_000, "0.35", "0.2"}, {50_000, "0.24", "0.14"}, {100_000, "0.22", "0.12"},
	{250_000, "0.2", "0.08"}, {500_000, "0.18", "0.06"}, {1_000_000, "0.16", "0.04"},
	{2_500_000, "0.14", "0.02"}, {5_000_000, "0.12", "0"}, {10_000_000, "0.1", "0"},
}

// tierFor finds the step for a 30-day volume in USD, and the next one's volume
// (0 at the top).
func tierFor(volume decimal.Decimal) (tier feeTier, next int64) {
	tier = feeTiers[0]
	for _, step := range feeTiers[1:] {
		if volume.LessThan(decimal.NewFromInt(step.Volume)) {
			return tier, step.Volume
		}
		tier = step
	}
	return tier, 0
}

// rate is the fee as a fraction of the cost.
func (t feeTier) rate(maker bool) decimal.Decimal {
	percent := t.Taker
	if maker {
		percent = t.Maker
	}
	return decimal.RequireFromString(percent).Shift(-2)
}

// schedule lists one column of the fee steps as AssetPairs shows it: numbers.
func schedule(percent func(feeTier) string) [][2]rawNumber {
	steps := make([][2]rawNumber, 0, len(feeTiers))
	for _, t := range feeTiers {
		steps = append(steps, [2]rawNumber{rawNumber(decimal.NewFromInt(t.Volume).String()), rawNumber(percent(t))})
	}
	return steps
}

// rawNumber is a decimal text written as a JSON number.
type rawNumber string

// MarshalJSON writes the digits as they are.
func (n rawNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }
