package kraken

import (
	"context"
	"net/url"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// pairNames holds every spelling of our pairs: those of the coins from the start, and
// whatever AssetPairs adds.
type pairNames struct {
	mu    sync.RWMutex
	known map[string]money.Currency
}

func newPairNames() *pairNames {
	known := map[string]money.Currency{}
	for code, asset := range assetCodes {
		for _, quote := range []string{"USD", "ZUSD", "/USD"} {
			if asset != money.USD {
				known[code+quote] = asset
			}
		}
	}
	return &pairNames{known: known}
}

func (n *pairNames) asset(name string) (money.Currency, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	asset, ok := n.known[name]
	return asset, ok
}

func (n *pairNames) learn(name string, asset money.Currency) {
	if name == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known[name] = asset
}

// allPairs is the pair parameter for everything we trade.
func (c *Client) allPairs() url.Values {
	assets := c.config.Assets
	if len(assets) == 0 {
		assets = money.Assets
	}
	var names []string
	for _, asset := range assets {
		names = append(names, market(asset))
	}
	return url.Values{"pair": {strings.Join(names, ",")}}
}

// ticker holds the fields of a Ticker answer that we read: price first.
type ticker struct {
	Ask  []number `json:"a"`
	Bid  []number `json:"b"`
	Last []number `json:"c"`
}

// Tickers reads the prices of all assets in one call. An asset Kraken left out
// is left out. At is the machine's clock; a caller that keeps prices stamps
// them with the database's.
func (c *Client) Tickers(ctx context.Context) (map[money.Currency]provider.Ticker, error) {
	const operation = "Ticker"
	var result map[string]ticker
	if err := c.public(ctx, operation, c.allPairs(), &result); err != nil {
		return nil, err
	}
	if err := c.learnNew(ctx, result); err != nil {
		return nil, err
	}
	out := make(map[money.Currency]provider.Ticker, len(result))
	for name, t := range result {
		asset, known := c.names.asset(name)
		if !known {
			continue
		}
		if len(t.Ask) == 0 || len(t.Bid) == 0 || len(t.Last) == 0 {
			return nil, c.unreadable(operation, "a ticker without prices")
		}
		out[asset] = provider.Ticker{Ask: t.Ask[0].Decimal, Bid: t.Bid[0].Decimal, Last: t.Last[0].Decimal, At: c.wall()}
	}
	return out, nil
}

// learnNew requests the pair list when Kraken used an unknown name.
func (c *Client) learnNew(ctx context.Context, result map[string]ticker) error {
	for name := range result {
		if _, known := c.names.asset(name); !known {
			_, err := c.Pairs(ctx)
			return err
		}
	}
	return nil
}

// assetPair holds the fields of an AssetPairs answer that we read.
type assetPair struct {
	Altname      string     `json:"altname"`
	WSName       string     `json:"wsname"`
	LotDecimals  int32      `json:"lot_decimals"`
	PairDecimals int32      `json:"pair_decimals"`
	TickSize     number     `json:"tick_size"`
	OrderMin     number     `json:"ordermin"`
	CostMin      number     `json:"costmin"`
	Fees         [][]number `json:"fees"`
	Status       string     `json:"status"`
}

// Pairs reads the rules of all our pairs. The caller keeps them and reads them
// again now and then: they change.
func (c *Client) Pairs(ctx context.Context) (map[money.Currency]provider.Pair, error) {
	const operation = "AssetPairs"
	var result map[string]assetPair
	if err := c.public(ctx, operation, c.allPairs(), &result); err != nil {
		return nil, err
	}
	out := make(map[money.Currency]provider.Pair, len(result))
	for key, p := range result {
		asset, known := c.assetOf(key, p)
		if !known {
			continue
		}
		for _, name := range []string{key, p.Altname, p.WSName} {
			c.names.learn(name, asset)
		}
		out[asset] = pairOf(asset, p)
	}
	return out, nil
}

func (c *Client) assetOf(key string, p assetPair) (money.Currency, bool) {
	for _, name := range []string{p.WSName, p.Altname, key} {
		if asset, known := c.names.asset(name); known {
			return asset, true
		}
	}
	return "", false
}

func pairOf(asset money.Currency, p assetPair) provider.Pair {
	out := provider.Pair{
		Name:          market(asset),
		LotDecimals:   p.LotDecimals,
		PriceDecimals: p.PairDecimals,
		TickSize:      p.TickSize.Decimal,
		MinAmount:     p.OrderMin.Decimal,
		MinCost:       p.CostMin.Decimal,
		Tradable:      p.Status == "online",
	}
	if out.TickSize.IsZero() {
		out.TickSize = decimal.New(1, -p.PairDecimals)
	}
	if len(p.Fees) > 0 && len(p.Fees[0]) > 1 {
		out.TakerFee = p.Fees[0][1].Decimal // at no volume: the dearest
	}
	return out
}
