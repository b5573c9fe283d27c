package bitgo

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
)

// coin is an asset that a wallet can hold. Amounts are its base units.
type coin struct {
	Ticker   string
	Parent   string // the chain's own coin; itself for a native one
	Decimals int32
	Opening  string // base units in a new wallet
	// GasUsed is what one send burns: gas on Ethereum, virtual bytes on Bitcoin.
	GasUsed int64
}

var coins = map[string]coin{
	"btc":      {"btc", "btc", 8, "2500000000", 250},
	"eth":      {"eth", "eth", 18, "400000000000000000000", 21_000},
	"usdt":     {"usdt", "eth", 6, "500000000000", 65_000},
	"usdc":     {"usdc", "eth", 6, "500000000000", 65_000},
	"trx:usdt": {"trx:usdt", "trx", 6, "100000000000", 0},
	"trx:usdc": {"trx:usdc", "trx", 6, "100000000000", 0},
}

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

// parseWallets reads BITGO_WALLETS: coin=id, separated by commas.
func parseWallets(list string) (map[string]wallet, error) {
	wallets := map[string]wallet{}
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
		}
		wallets[ticker] = wallet{ID: id, Coin: c}
	}
	return wallets, nil
}

// fee is what a send of the coin costs, in base units of its parent, at the usual rates or
// those of the request.
func (c coin) fee(f fields, recipients int) decimal.Decimal {
	size := decimal.NewFromInt(c.GasUsed * int64(max(1, recipients)))
	switch c.Parent {
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
