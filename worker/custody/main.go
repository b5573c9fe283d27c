// Command custody sends coin. It alone holds the custodian's credentials, and keeps
// caps of its own.
package main

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/custodians"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/worker"
	"github.com/tradepost/tradepost/workflows"
)

type settings struct {
	worker.Settings `embed:""`
	config.Custody  `embed:""`
	config.BitGo    `embed:""`
	config.Caps     `embed:""`
	config.Offering `embed:""`
	worker.Timing   `embed:""`
}

func main() {
	var s settings
	config.Parse("custody", "Sends coin.", &s)
	worker.Main(workflows.CustodyQueue, &s.Settings, []string{s.Token, s.Passphrase}, func(ctx context.Context, p *worker.Process) error {
		adapter, err := custodians.Named(s.Custodian)
		if err != nil {
			return err
		}
		custodian, err := adapter.Open(custodians.Settings{BitGo: s.BitGo})
		if err != nil {
			return err
		}
		if err := p.SendWith(ctx, s.Custodian, custodian, s.Timing.Timing, execution.Caps{Order: s.Order, Day: s.Day}); err != nil {
			return err
		}
		own := &activities.OwnAddresses{DB: p.DB, Wallets: custodian, Log: p.Log, Again: 10 * time.Second, Every: time.Hour}
		p.Beside(own.Run)
		return nil
	})
}
