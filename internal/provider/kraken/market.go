package kraken

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// pairNames holds every spelling of our pairs: those of the coins from the start, and
// whatever AssetPairs adds.
type pairNames struct {
	mu      sync.RWMutex
	known   map[string]money.Currency
	foreign map[string]currencies
}

// currencies are the two sides of a pair that we do not trade; one that we do not hold is "".
type currencies struct{ base, quote money.Currency }

func newPairNames() *pairNames {
	known := map[string]money.Currency{}
	for code, asset := range assetCodes {
		for _, quote := range []string{"USD", "ZUSD", "/USD"} {
			if asset != money.USD {
				known[code+quote] = asset
			}
		}
	}
	return &pairNames{known: known, foreign: map[string]currencies{}}
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

// foreign reads the two sides of a pair that we do not trade. Kraken may not know it any more: an error then, with the
// code unknown_pair.
func (c *Client) foreign(ctx context.Context, name string) (currencies, error) {
	c.names.mu.RLock()
	sides, known := c.names.foreign[name]
	c.names.mu.RUnlock()
	if known {
		return sides, nil
	}
	const operation = "AssetPairs"
	var result map[string]assetPair
	if err := c.public(ctx, operation, url.Values{"pair": {name}}, &result); err != nil {
		return currencies{}, err
	}
	for _, p := range result {
		sides = currencies{base: assetCodes[p.Base], quote: assetCodes[p.Quote]}
	}
	if len(result) != 1 {
		return currencies{}, c.unreadable(operation, "not exactly the pair that was asked for")
	}
	c.names.mu.Lock()
	defer c.names.mu.Unlock()
	c.names.foreign[name] = sides
	return sides, nil
}

// traded are the assets whose pairs are read.
func (c *Client) traded() []money.Currency {
	if len(c.config.Assets) == 0 {
		return money.Assets
	}
	return c.config.Assets
}

// relistedAfter is how long a pair that Kraken did not know is left out of the calls about all pairs.
const relistedAfter = 10 * time.Minute

// unlisted remembers the pairs that Kraken does not know, and since when.
type unlisted struct {
	mu    sync.Mutex
	since map[money.Currency]time.Time
}

// split divides assets by whether their pair was unknown less than relistedAfter ago.
func (u *unlisted) split(assets []money.Currency, now time.Time) (listed, left []money.Currency) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, asset := range assets {
		if since, out := u.since[asset]; out && now.Sub(since) < relistedAfter {
			left = append(left, asset)
		} else {
			listed = append(listed, asset)
		}
	}
	return listed, left
}

// set notes whether an asset's pair is known, and since when it is not.
func (u *unlisted) set(asset money.Currency, known bool, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if known {
		delete(u.since, asset)
		return
	}
	if u.since == nil {
		u.since = map[money.Currency]time.Time{}
	}
	u.since[asset] = now
}

// callPairs makes a public call about all our pairs. Kraken answers the whole call with an error if it does not know one
// of them; each pair is then asked for alone, and left is what it does not know.
func callPairs[T any](ctx context.Context, c *Client, operation string) (found map[string]T, left []money.Currency, err error) {
	now := c.wall()
	assets, left := c.out.split(c.traded(), now)
	if len(assets) == 0 {
		return nil, left, nil
	}
	err = c.public(ctx, operation, pairsOf(assets...), &found)
	if !isUnknownPair(err) {
		return found, left, err
	}
	found = map[string]T{}
	for _, asset := range assets {
		var one map[string]T
		err := c.public(ctx, operation, pairsOf(asset), &one)
		if err != nil && !isUnknownPair(err) {
			return nil, nil, err
		}
		c.out.set(asset, err == nil, now)
		if err != nil {
			left = append(left, asset)
		}
		maps.Copy(found, one)
	}
	return found, left, nil
}

// pairsOf is the pair parameter for assets.
func pairsOf(assets ...money.Currency) url.Values {
	var names []string
	for _, asset := range assets {
		names = append(names, market(asset))
	}
	return url.Values{"pair": {strings.Join(names, ",")}}
}

func isUnknownPair(err error) bool {
	var e *provider.Error
	return errors.As(err, &e) && e.Code == "unknown_pair"
}

// ticker holds the fields of a Ticker answer that we read: price first.
type ticker struct {
	Ask  []number `json:"a"`
	Bid  []number `json:"b"`
	Last []number `json:"c"`
}

// Tickers reads the prices of all assets in one call. An asset that Kraken left out, does not know or gives no price
// of is left out. At is the machine's clock; a caller that keeps prices stamps them with the database's.
func (c *Client) Tickers(ctx context.Context) (map[money.Currency]provider.Ticker, error) {
	result, _, err := callPairs[ticker](ctx, c, "Ticker")
	if err != nil {
		return nil, err
	}
	if err := c.learnNew(ctx, result); err != nil {
		return nil, err
	}
	out := make(map[money.Currency]provider.Ticker, len(result))
	for name, t := range result {
		asset, known := c.names.asset(name)
		if !known || len(t.Ask) == 0 || len(t.Bid) == 0 || len(t.Last) == 0 {
			continue
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
	Base         string     `json:"base"`
	Quote        string     `json:"quote"`
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
	result, left, err := callPairs[assetPair](ctx, c, "AssetPairs")
	if err != nil {
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
	for _, asset := range left {
		out[asset] = provider.Pair{Name: market(asset), Unlisted: true}
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
