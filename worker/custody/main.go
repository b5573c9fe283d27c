// Command custody sends coin. It alone holds the BitGo token and passphrase, and
// keeps caps of its own.
package main

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/worker"
	"github.com/tradepost/tradepost/workflows"
)

type settings struct {
	worker.Settings `embed:""`
	config.BitGo    `embed:""`
	config.Caps     `embed:""`
	config.Offering `embed:""`
	worker.Timing   `embed:""`
}

func main() {
	var s settings
	config.Parse("custody", "Sends coin with BitGo.", &s)
	worker.Main(workflows.CustodyQueue, &s.Settings, []string{s.Token, s.Passphrase}, func(_ context.Context, p *worker.Process) error {
		wallets := bitgo.New(bitgo.Config{URL: s.BitGo.URL, Token: s.Token, Passphrase: s.Passphrase, Wallets: s.Wallets, Tickers: s.Tickers()})
		p.Activities(&activities.Custody{DB: p.DB, BitGo: wallets, Timing: s.Timing.Timing, Caps: execution.Caps{Order: s.Order, Day: s.Day}},
			&activities.Statements{DB: p.DB, Holder: ledger.ProviderBitGo, Provider: wallets},
			&activities.TreasuryCustody{DB: p.DB, BitGo: wallets})
		own := &activities.OwnAddresses{DB: p.DB, Wallets: wallets, Log: p.Log, Again: 10 * time.Second, Every: time.Hour}
		p.Beside(own.Run)
		return nil
	})
}
