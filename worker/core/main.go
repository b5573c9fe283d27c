// Command core carries out the workflows, the steps that only touch Postgres,
// the sweep, mails and the polls of identity reviews. No key that moves money is here.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // FILES_URL file://
	_ "gocloud.dev/blob/s3blob"   // FILES_URL s3://

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/internal/provider/issuer"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/worker"
	"github.com/tradepost/tradepost/workflows"
)

type settings struct {
	worker.Settings         `embed:""`
	config.Sumsub           `embed:""`
	config.IdentityProvider `embed:""`
	config.Slippage         `embed:""`
	worker.Timing           `embed:""`
	Cards                   worker.CardTiming   `embed:""`
	KYC                     worker.KYCTiming    `embed:""`
	Payouts                 worker.PayoutTiming `embed:""`
	config.Mail             `embed:""`
	config.Files            `embed:""`
	sweeping                `embed:""`
}

// sweeping is how often the sweep looks, and for what.
type sweeping struct {
	Interval time.Duration `name:"sweep-interval" env:"SWEEP_INTERVAL" default:"10s" help:"Time between two sweeps."`
	Grace    time.Duration `name:"sweep-grace" env:"SWEEP_GRACE" default:"10s" help:"How long things may take before the sweep sees to them."`
	Money    time.Duration `name:"money-poll" env:"MONEY_POLL" default:"10m" help:"How often refunds and disputes are looked for at the card processor, should webhooks be lost."`
	Revive   time.Duration `name:"sweep-revive" env:"SWEEP_REVIVE" default:"5m" help:"How often each open order's workflow is checked for being there."`
}

// mails is what sends mails.
func (s *settings) mails(p *worker.Process) (*activities.Mails, error) {
	sender, err := mail.New(s.SMTPURL, s.From)
	return &activities.Mails{DB: p.DB, Sender: sender, Brand: s.Brand, PublicURL: strings.TrimRight(s.PublicURL, "/"), Log: p.Log, Poll: time.Second}, err
}

// Check implements config.Group.
func (s *sweeping) Check(config.Mode) error {
	if s.Interval < time.Second || s.Grace <= 0 || s.Revive <= 0 || s.Money <= 0 {
		return errors.New("SWEEP_INTERVAL must be at least 1s, SWEEP_GRACE, SWEEP_REVIVE and MONEY_POLL above zero")
	}
	return nil
}

func main() {
	var s settings
	config.Parse("core", "Carries out the workflows.", &s)
	worker.Main(workflows.CoreQueue, &s.Settings, []string{s.AppToken, s.Secret, s.SMTPURL, s.ClientSecret}, func(ctx context.Context, p *worker.Process) error {
		reviews := sumsub.New(sumsub.Config{URL: s.Sumsub.URL, AppToken: s.AppToken, Secret: s.Secret, Level: s.Level, Now: p.DB.Now})
		mails, err := s.mails(p)
		if err != nil {
			return err
		}
		files, err := blob.OpenBucket(ctx, s.FilesURL)
		if err != nil {
			return fmt.Errorf("FILES_URL: %w", err)
		}
		p.Workflows()
		forgetting := issuer.New(issuer.Config{Issuer: s.Issuer, ClientID: s.ClientID, ClientSecret: s.ClientSecret})
		p.Activities(mails,
			&activities.Orders{DB: p.DB, Timing: s.Timing.Timing, SlippageBPS: s.BasisPoints},
			&activities.Rights{DB: p.DB, Files: files, Brand: s.Brand, Issuer: forgetting},
			&activities.GiftCards{DB: p.DB, Timing: s.Cards.CardTiming},
			&activities.Vouchers{DB: p.DB, Timing: s.Timing.Timing, SlippageBPS: s.BasisPoints},
			&activities.TwoFactor{DB: p.DB},
			&activities.Referrals{DB: p.DB},
			&activities.Tiers{DB: p.DB},
			&activities.KYC{DB: p.DB, Identity: reviews, Timing: s.KYC.KYCTiming, EnhancedLevel: s.EnhancedLevel},
			&activities.Payouts{DB: p.DB, Timing: s.Payouts.PayoutTiming},
			&activities.Sweep{DB: p.DB, Decide: worker.Deliveries{Client: p.Client}, DecideCard: worker.CardDeliveries{Client: p.Client}, DecideMatter: worker.MatterDeliveries{Client: p.Client}, Past: p.Client, Grace: s.Grace, Revive: s.Revive, MoneyPoll: s.Money, LapseWarning: s.Timing.LapseWarning})
		p.Beside(func(ctx context.Context) error { return p.KeepSchedule(ctx, s.Interval) })
		return nil
	})
}
