package pricing

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Market is one asset at the exchange: its rules and its last price in US
// dollars for one coin.
type Market struct {
	Asset         money.Currency `gorm:"primaryKey"`
	Pair          string
	LotDecimals   int32
	PriceDecimals int32
	TickSize      decimal.Decimal
	MinAmount     decimal.Decimal // whole coins
	MinCost       decimal.Decimal // US dollars
	TakerFee      decimal.Decimal // percent
	Tradable      bool
	RulesAt       time.Time
	Ask, Bid      decimal.Decimal
	Last          decimal.Decimal
	PricedAt      *time.Time
	JumpedAt      *time.Time
	// NetworkFee is what sending the coin costs, in cents; zero where nothing was sent lately.
	NetworkFee money.Units `gorm:"-"`
}

// PriceMaxAge is the age beyond which a price is not quoted (rules §2).
const PriceMaxAge = 60 * time.Second

// maxJump is the largest step of one reading that is accepted at once; after a larger one the asset is not quoted for
// jumpPause, so that a wrong print at the exchange does not become a quote.
var maxJump = decimal.RequireFromString("0.10")

const jumpPause = 30 * time.Second

// Quotable says why a price cannot be promised at now, or nil.
func (m *Market) Quotable(now time.Time) error {
	switch {
	case !m.Tradable:
		return store.Unavailable("market_closed", fmt.Sprintf("%s is not available right now. Try again later.", m.Asset))
	case m.PricedAt == nil || now.Sub(*m.PricedAt) > PriceMaxAge || m.Ask.Sign() <= 0 || m.Ask.LessThan(m.Bid):
		return store.Unavailable("price_stale", "Live prices are not available at the moment. Try again in a minute.")
	case m.JumpedAt != nil && now.Sub(*m.JumpedAt) < jumpPause:
		return store.Unavailable("price_jump", fmt.Sprintf("The price of %s is moving too fast to quote. Try again in a minute.", m.Asset))
	}
	return nil
}

// NearestStep is the nearest amount above zero with at most so many decimals.
func NearestStep(amount decimal.Decimal, decimals int32) decimal.Decimal {
	if rounded := amount.Round(decimals); rounded.IsPositive() {
		return rounded
	}
	return decimal.New(1, -decimals)
}

// Smallest is the smallest order at the exchange at its last price, in whole coins.
func (m *Market) Smallest() decimal.Decimal {
	smallest := m.MinAmount
	if m.Ask.IsPositive() {
		if byCost := m.MinCost.DivRound(m.Ask, 18).RoundUp(m.LotDecimals); byCost.GreaterThan(smallest) {
			smallest = byCost
		}
	}
	return smallest
}

// CheckAmount refuses amounts the exchange cannot buy, naming the nearest one
// that works.
func (m *Market) CheckAmount(amount money.Units) error {
	coins := m.Asset.Decimal(amount)
	if rounded := NearestStep(coins, m.LotDecimals); !rounded.Equal(coins) {
		return store.Invalid("amountAsset", "too_fine", fmt.Sprintf("Enter %s with at most %d decimals. The nearest amount is %s.", m.Asset, m.LotDecimals, rounded))
	}
	if smallest := m.Smallest(); coins.LessThan(smallest) {
		return store.Invalid("amountAsset", "below_market_minimum", fmt.Sprintf("The minimum amount of %s is %s.", m.Asset, smallest))
	}
	return nil
}

// StoreMarketRules keeps what the exchange accepts.
func StoreMarketRules(ctx context.Context, db *store.DB, rules []Market) error {
	for _, m := range rules {
		err := db.ORM(ctx).Exec(`
			INSERT INTO markets (asset, pair, lot_decimals, price_decimals, tick_size, min_amount, min_cost, taker_fee, tradable, rules_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, clock_now())
			ON CONFLICT (asset) DO UPDATE SET pair = excluded.pair, lot_decimals = excluded.lot_decimals,
			  price_decimals = excluded.price_decimals, tick_size = excluded.tick_size, min_amount = excluded.min_amount,
			  min_cost = excluded.min_cost, taker_fee = excluded.taker_fee, tradable = excluded.tradable, rules_at = excluded.rules_at`,
			m.Asset, m.Pair, m.LotDecimals, m.PriceDecimals, m.TickSize, m.MinAmount, m.MinCost, m.TakerFee, m.Tradable).Error
		if err != nil {
			return fmt.Errorf("store rules of %s: %w", m.Asset, err)
		}
	}
	return nil
}

// CloseMarkets closes the markets of assets that the exchange does not list any more. Their rules stay as they were.
func CloseMarkets(ctx context.Context, db *store.DB, assets []money.Currency) error {
	if len(assets) == 0 {
		return nil
	}
	err := db.ORM(ctx).Exec("UPDATE markets SET tradable = false, rules_at = clock_now() WHERE asset IN ?", assets).Error
	if err != nil {
		return fmt.Errorf("close markets: %w", err)
	}
	return nil
}

// StorePrice stores a reading of the exchange's ticker as the market's price and as the price of the UTC day, in one
// statement, so that each quoted price was the price of its day. It notes a jump, and begins the step's price point.
func StorePrice(ctx context.Context, db *store.DB, asset money.Currency, ask, bid, last decimal.Decimal) error {
	err := db.ORM(ctx).Exec(`
		WITH market AS (
		  UPDATE markets SET
		    jumped_at = CASE WHEN ask > 0 AND abs(CAST(@ask AS numeric) - ask) > ask * CAST(@jump AS numeric)
		      THEN clock_now() ELSE jumped_at END,
		    ask = CAST(@ask AS numeric), bid = CAST(@bid AS numeric), last = CAST(@last AS numeric), priced_at = clock_now()
		   WHERE asset = @asset RETURNING asset, ask, pair, priced_at)
		INSERT INTO daily_prices AS kept (asset, day, ask, source, pair, read_at)
		SELECT asset, CAST(priced_at AT TIME ZONE 'UTC' AS date), ask, provider_of('exchange'), pair, priced_at
		  FROM market WHERE ask > 0
		ON CONFLICT (asset, day) DO UPDATE
		  SET ask = excluded.ask, source = excluded.source, pair = excluded.pair, read_at = excluded.read_at
		 WHERE kept.read_at <= excluded.read_at`,
		map[string]any{"asset": asset, "ask": ask, "bid": bid, "last": last, "jump": maxJump}).Error
	if err != nil {
		return fmt.Errorf("store price of %s: %w", asset, err)
	}
	return keepPricePoint(ctx, db, asset, ask)
}

// Markets reads all markets.
func Markets(ctx context.Context, db *store.DB) (map[money.Currency]*Market, error) {
	var rows []*Market
	if err := db.ORM(ctx).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read markets: %w", err)
	}
	markets := make(map[money.Currency]*Market, len(rows))
	for _, m := range rows {
		markets[m.Asset] = m
	}
	return markets, nil
}

// MarketLifetime is how long a process may use prices it has read.
const MarketLifetime = time.Second

// MarketCache keeps the markets for MarketLifetime.
type MarketCache struct {
	db     *store.DB
	mu     sync.Mutex
	value  map[money.Currency]*Market
	at     time.Time // the database's
	loaded time.Time
	fees   []networkFee
	feesAt time.Time
}

// NewMarketCache makes an empty cache over db.
func NewMarketCache(db *store.DB) *MarketCache { return &MarketCache{db: db} }

// Get gives markets read no longer than MarketLifetime ago, and the database's
// time then.
func (c *MarketCache) Get(ctx context.Context) (map[money.Currency]*Market, time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.value != nil && time.Since(c.loaded) < MarketLifetime {
		return c.value, c.at, nil
	}
	at, err := c.db.Now(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	value, err := Markets(ctx, c.db)
	if err != nil {
		return nil, time.Time{}, err
	}
	if err := c.addFees(ctx, value); err != nil {
		return nil, time.Time{}, err
	}
	c.value, c.at, c.loaded = value, at, time.Now()
	return value, at, nil
}

// addFees gives markets their network fees, which were read no longer than feeLifetime ago.
func (c *MarketCache) addFees(ctx context.Context, markets map[money.Currency]*Market) error {
	if c.feesAt.IsZero() || time.Since(c.feesAt) >= feeLifetime {
		fees, err := readNetworkFees(ctx, c.db)
		if err != nil {
			return err
		}
		c.fees, c.feesAt = fees, time.Now()
	}
	setNetworkFees(markets, c.fees)
	return nil
}

// WithSlippage is a price plus what it may have risen; bps are hundredths of a
// percent.
func WithSlippage(price decimal.Decimal, bps int64) decimal.Decimal {
	return price.Add(price.Mul(decimal.New(bps, -4)))
}

// ReadMarket reads the market of an asset.
func ReadMarket(ctx context.Context, db *store.DB, asset money.Currency) (*Market, error) {
	var market Market
	if err := db.ORM(ctx).Where("asset = ?", asset).Take(&market).Error; err != nil {
		return nil, fmt.Errorf("read market: %w", err)
	}
	return &market, nil
}
