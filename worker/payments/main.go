// Command payments executes the steps that concern cards. It alone holds the Stripe key.
package main

import (
	"context"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/worker"
	"github.com/tradepost/tradepost/workflows"
)

type settings struct {
	worker.Settings `embed:""`
	config.Stripe   `embed:""`
	config.Offering `embed:""`
}

func main() {
	var s settings
	config.Parse("payments", "Takes, captures, releases and refunds cards.", &s)
	worker.Main(workflows.PaymentsQueue, &s.Settings, []string{s.Key}, func(_ context.Context, p *worker.Process) error {
		if s.Key == "" {
			p.Note = "cards are not offered, and there is no STRIPE_KEY: nothing to do"
			p.Log.Info(p.Note)
		}
		cards := stripe.New(stripe.Config{URL: s.Stripe.URL, Key: s.Key})
		p.Activities(&activities.Payments{DB: p.DB, Cards: cards, PublicURL: s.PublicURL, Brand: s.Brand}, &activities.Money{DB: p.DB, Refunds: cards, Disputes: cards},
			&activities.Statements{DB: p.DB, Holder: ledger.ProviderStripe, Provider: cards},
			&activities.TreasuryClearing{DB: p.DB, Cards: cards})
		return nil
	})
}
