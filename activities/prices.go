package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// PricePoller copies the exchange's prices and rules into Postgres, where every process
// reads them with their age. It is no workflow: a price is stale a minute later, so there
// is nothing to resume.
type PricePoller struct {
	DB       *store.DB
	Exchange provider.Exchange
	Log      *slog.Logger
	// Every is the time between two readings of the ticker, RulesEvery between
	// two readings of minimums, decimals and fees.
	Every, RulesEvery time.Duration
}

// Run polls until ctx ends. Of several exchange workers one polls at a time; when it dies,
// its database session ends and another starts polling.
func (p *PricePoller) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := p.lead(ctx)
		if err != nil && ctx.Err() == nil {
			p.Log.Warn("prices are not being read", "error", err)
		}
		pause(ctx, p.Every)
	}
	return nil
}

// errFollower means that another process is polling.
var errFollower = errors.New("another process polls")

func (p *PricePoller) lead(ctx context.Context) error {
	conn, err := p.DB.Pool().Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Release()
	var leader bool
	const name = "SELECT pg_try_advisory_lock(hashtextextended('price poller', 0))"
	if err := conn.QueryRow(ctx, name).Scan(&leader); err != nil {
		return fmt.Errorf("ask to lead: %w", err)
	}
	if !leader {
		return nil
	}
	defer func() { _ = conn.Conn().Close(context.WithoutCancel(ctx)) }() // gives the lock back, whatever happened
	err = p.poll(ctx, func() error { return conn.Ping(ctx) })
	if errors.Is(err, errFollower) {
		return nil
	}
	return err
}

// poll reads as long as stillLeader answers.
func (p *PricePoller) poll(ctx context.Context, stillLeader func() error) error {
	var rulesAt time.Time
	rulesEvery := p.RulesEvery
	for ctx.Err() == nil {
		if err := stillLeader(); err != nil {
			return errFollower
		}
		if time.Since(rulesAt) >= rulesEvery {
			closed, err := p.readRules(ctx)
			if err != nil {
				return err
			}
			if rulesAt, rulesEvery = time.Now(), p.RulesEvery; closed {
				rulesEvery = min(rulesEvery, closedTurns*p.Every)
			}
		}
		if err := p.readPrices(ctx); err != nil {
			return err
		}
		pause(ctx, p.Every)
	}
	return nil
}

// closedTurns is after how many readings of the ticker the rules are read again while
// a market is closed: a maintenance of seconds is not to close it until the next reading.
const closedTurns = 10

// readRules stores the rules, and reports whether a market is closed.
func (p *PricePoller) readRules(ctx context.Context) (closed bool, err error) {
	pairs, err := p.Exchange.Pairs(ctx)
	if err != nil {
		return false, fmt.Errorf("read pairs: %w", err)
	}
	var rules []pricing.Market
	var gone []money.Currency
	for _, asset := range money.Assets {
		pair, ok := pairs[asset]
		if !ok {
			continue
		}
		closed = closed || !pair.Tradable
		if pair.Unlisted {
			gone = append(gone, asset)
			continue
		}
		rules = append(rules, pricing.Market{Asset: asset, Pair: pair.Name, LotDecimals: pair.LotDecimals, PriceDecimals: pair.PriceDecimals,
			TickSize: pair.TickSize, MinAmount: pair.MinAmount, MinCost: pair.MinCost, TakerFee: pair.TakerFee, Tradable: pair.Tradable})
	}
	if err := pricing.CloseMarkets(ctx, p.DB, gone); err != nil {
		return closed, err
	}
	return closed, pricing.StoreMarketRules(ctx, p.DB, rules)
}

func (p *PricePoller) readPrices(ctx context.Context) error {
	tickers, err := p.Exchange.Tickers(ctx)
	if err != nil {
		return fmt.Errorf("read tickers: %w", err)
	}
	for asset, t := range tickers {
		if err := pricing.StorePrice(ctx, p.DB, asset, t.Ask, t.Bid, t.Last); err != nil {
			return err
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
