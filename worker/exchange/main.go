// Command exchange buys coin and copies prices. It alone holds the Kraken key.
package main

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/worker"
	"github.com/tradepost/tradepost/workflows"
)

type settings struct {
	worker.Settings `embed:""`
	config.Kraken   `embed:""`
	config.Slippage `embed:""`
	config.Offering `embed:""`
	Withdraw        config.WithdrawKeys `embed:""`
	worker.Timing   `embed:""`

	PriceEvery time.Duration `name:"price-every" env:"PRICE_EVERY" default:"3s" help:"Time between two readings of the exchange's prices."`
	RulesEvery time.Duration `name:"rules-every" env:"RULES_EVERY" default:"10m" help:"Time between two readings of the exchange's minimums and fees."`
}

func main() {
	var s settings
	config.Parse("exchange", "Buys coin on Kraken and copies its prices.", &s)
	worker.Main(workflows.ExchangeQueue, &s.Settings, []string{s.Kraken.Key, s.Kraken.Secret}, func(ctx context.Context, p *worker.Process) error {
		assets, err := execution.Traded(ctx, p.DB, s.Offer())
		if err != nil {
			return err
		}
		exchange := kraken.New(kraken.Config{URL: s.Kraken.URL, Key: s.Kraken.Key, Secret: s.Kraken.Secret, Assets: assets,
			Lock: p.DB.KeyLock("kraken " + s.Kraken.Key), Now: p.DB.Now})
		p.Activities(&activities.Exchange{DB: p.DB, Exchange: exchange, Timing: s.Timing.Timing, SlippageBPS: s.BasisPoints},
			&activities.Statements{DB: p.DB, Holder: ledger.ProviderKraken, Provider: exchange},
			&activities.TreasuryExchange{DB: p.DB, Exchange: exchange, Timing: s.Timing.Timing, Keys: s.Withdraw.Keys, Addresses: s.Withdraw.Addresses})
		prices := &activities.PricePoller{DB: p.DB, Exchange: exchange, Log: p.Log, Every: s.PriceEvery, RulesEvery: s.RulesEvery}
		p.Apart(prices.Run) // orders are created at current prices, and accepted while Temporal is down
		return nil
	})
}
