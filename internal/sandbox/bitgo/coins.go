package bitgo

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/shopspring/decimal"
)

// coin is an asset that a wallet can hold. Amounts are its base units.
type coin struct {
	Ticker   string
	Parent   string // the chain's own coin; itself for a native one
	Chain    *chain
	Decimals int32
	Opening  string // base units in a new wallet
	// GasUsed is what one send burns: gas on Ethereum, virtual bytes on Bitcoin.
	GasUsed int64
}

// chain is a network that coins are sent on.
type chain struct {
	Network string           // as our world names it
	Kind    string           // btc, eth or trx: whose addresses and fees it has
	Bitcoin *chaincfg.Params // whose form its addresses have
	Test    bool             // of BitGo's test environment
}

var (
	onBitcoin  = &chain{Network: "bitcoin", Kind: "btc", Bitcoin: &chaincfg.MainNetParams}
	onEthereum = &chain{Network: "ethereum", Kind: "eth"}
	onTron     = &chain{Network: "tron", Kind: "trx"}

	onTestnet4 = &chain{Network: "testnet4", Kind: "btc", Bitcoin: &chaincfg.TestNet4Params, Test: true}
	onHoodi    = &chain{Network: "hoodi", Kind: "eth", Test: true}
	onShasta   = &chain{Network: "shasta", Kind: "trx", Test: true}
)

// coins are those of both environments, by the names that BitGo's @bitgo/statics 59.16.0 gives them.
var coins = map[string]coin{
	"btc":      {"btc", "btc", onBitcoin, 8, "2500000000", 250},
	"eth":      {"eth", "eth", onEthereum, 18, "400000000000000000000", 21_000},
	"usdt":     {"usdt", "eth", onEthereum, 6, "500000000000", 65_000},
	"usdc":     {"usdc", "eth", onEthereum, 6, "500000000000", 65_000},
	"trx:usdt": {"trx:usdt", "trx", onTron, 6, "100000000000", 0},
	"trx:usdc": {"trx:usdc", "trx", onTron, 6, "0", 0}, // not offered unless it is named

	"tbtc4":       {"tbtc4", "tbtc4", onTestnet4, 8, "2500000000", 250},
	"hteth":       {"hteth", "hteth", onHoodi, 18, "400000000000000000000", 21_000},
	"hteth:tusdt": {"hteth:tusdt", "hteth", onHoodi, 6, "500000000000", 65_000},
	"hteth:tusdc": {"hteth:tusdc", "hteth", onHoodi, 6, "500000000000", 65_000},
	"hterc6dp":    {"hterc6dp", "hteth", onHoodi, 6, "500000000000", 65_000},
	"ttrx:usdt":   {"ttrx:usdt", "ttrx", onShasta, 6, "100000000000", 0},
	"ttrx:usdc":   {"ttrx:usdc", "ttrx", onShasta, 6, "100000000000", 0},
}

// exact reports whether an amount is exact as a JSON number; of wei it is not.
func (c coin) exact() bool { return c.Decimals < 18 }

const (
	satPerKB      = 8_000         // the usual Bitcoin fee rate, per 1000 virtual bytes
	weiPerGas     = 2_000_000_000 // the usual gas price
	blocksAtStart = 880_000
)

// wallet is one of the configured wallets: it holds one coin.
type wallet struct {
	ID   string
	Coin coin
}

// key is where the wallet's funds are kept. The tokens of a chain may share a
// wallet id with its coin.
func (w wallet) key() string { return w.Coin.Ticker + "/" + w.ID }

var walletID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// parseWallets reads BITGO_WALLETS: coin=id, separated by commas, each by BitGo's own name and all of one environment.
func parseWallets(list string) (map[string]wallet, error) {
	wallets := map[string]wallet{}
	var first *chain
	for part := range strings.SplitSeq(list, ",") {
		ticker, id, _ := strings.Cut(strings.TrimSpace(part), "=")
		c, known := coins[ticker]
		switch {
		case !known:
			return nil, fmt.Errorf("BITGO_WALLETS: no coin %q", ticker)
		case !walletID.MatchString(id):
			return nil, fmt.Errorf("BITGO_WALLETS: the wallet id of %s is not 32 hex digits", ticker)
		case wallets[ticker].ID != "":
			return nil, fmt.Errorf("BITGO_WALLETS: %s is named twice", ticker)
		case first != nil && first.Test != c.Chain.Test:
			return nil, fmt.Errorf("BITGO_WALLETS: %s is of BitGo's other environment", ticker)
		}
		first = c.Chain
		wallets[ticker] = wallet{ID: id, Coin: c}
	}
	return wallets, nil
}

// fee is what a send of the coin costs, in base units of its parent, at the usual rates or
// those of the request.
func (c coin) fee(f fields, recipients int) decimal.Decimal {
	size := decimal.NewFromInt(c.GasUsed * int64(max(1, recipients)))
	switch c.Chain.Kind {
	case "btc":
		size = decimal.NewFromInt(c.GasUsed + 34*int64(recipients-1))
		return size.Mul(f.whole("feeRate", satPerKB)).Div(decimal.NewFromInt(1000)).Ceil()
	case "eth":
		price := f.whole("gasPrice", weiPerGas)
		if market, ok := f["eip1559"].(map[string]any); ok {
			price = fields(market).whole("maxFeePerGas", weiPerGas)
		}
		return size.Mul(price)
	}
	return decimal.Zero
}
