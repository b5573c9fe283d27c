// Command core executes the workflows, the steps that only touch Postgres, the sweep, mails
// and the polls of identity reviews. It holds no key that moves money.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/internal/provider/issuer"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/worker"
	"github.com/tradepost/tradepost/workflows"
)

type settings struct {
	worker.Settings         `embed:""`
	config.Sumsub           `embed:""`
	config.IdentityProvider `embed:""`
	config.Slippage         `embed:""`
	config.Offering         `embed:""`
	config.Speaking         `embed:""`
	config.Company          `embed:""`
	worker.Timing           `embed:""`
	Cards                   worker.CardTiming   `embed:""`
	KYC                     worker.KYCTiming    `embed:""`
	Payouts                 worker.PayoutTiming `embed:""`
	config.Mail             `embed:""`
	config.Files            `embed:""`
	Seals                   config.Seals `embed:""`
	sweeping                `embed:""`
	crediting               `embed:""`
	alerting                `embed:""`
	Keeping                 keeping         `embed:""`
	Reconciling             reconciling     `embed:""`
	Treasury                config.Treasury `embed:""`
}

// reconciling is how often statements and books are compared.
type reconciling struct {
	Every time.Duration `name:"reconcile-every" env:"RECONCILE_EVERY" default:"15m" help:"Time between two comparisons of providers' statements with the ledger."`
	Grace time.Duration `name:"reconcile-grace" env:"RECONCILE_GRACE" default:"30m" help:"How long the two may differ before that is a break."`
}

// Check implements config.Group.
func (r *reconciling) Check(config.Mode) error {
	if r.Every < time.Second || r.Grace <= 0 {
		return errors.New("RECONCILE_EVERY must be at least 1s, and RECONCILE_GRACE above zero")
	}
	return nil
}

// crediting bounds what is credited on one person's statement.
type crediting struct {
	CreditTwoAbove int64 `name:"credit-two-above" env:"CREDIT_TWO_ABOVE" default:"1000" help:"Dollars of an order's surplus that are credited; a larger one goes back to its sender."`
}

// Check implements config.Group.
func (c *crediting) Check(config.Mode) error {
	if c.CreditTwoAbove < 0 {
		return errors.New("CREDIT_TWO_ABOVE must not be below zero")
	}
	return nil
}

// sweeping are the intervals of the sweep, and the ages from which it finds rows.
type sweeping struct {
	Interval time.Duration `name:"sweep-interval" env:"SWEEP_INTERVAL" default:"10s" help:"Time between two sweeps."`
	Grace    time.Duration `name:"sweep-grace" env:"SWEEP_GRACE" default:"10s" help:"How long things may take before the sweep sees to them."`
	Money    time.Duration `name:"money-poll" env:"MONEY_POLL" default:"10m" help:"How often refunds and disputes are looked for at the card processor, should webhooks be lost."`
	Revive   time.Duration `name:"sweep-revive" env:"SWEEP_REVIVE" default:"5m" help:"How often each open order's workflow is checked for being there."`
}

// keeping is how long rows are kept that nothing needs any more.
type keeping struct {
	Webhooks  time.Duration `name:"webhooks-kept" env:"WEBHOOKS_KEPT" default:"2160h" help:"How long webhooks are kept that were handled; 0 keeps them for good, here and below."`
	Mails     time.Duration `name:"mails-kept" env:"MAILS_KEPT" default:"17520h" help:"How long it is kept which mails were sent, and which calls of alerts were made."`
	Histories time.Duration `name:"histories-kept" env:"HISTORIES_KEPT" default:"61320h" help:"How long the histories of ended workflows are kept, for the proof of an order."`
}

// Check implements config.Group.
func (k *keeping) Check(config.Mode) error {
	for _, each := range []struct {
		name        string
		kept, least time.Duration
	}{{"WEBHOOKS_KEPT", k.Webhooks, 30 * 24 * time.Hour}, {"MAILS_KEPT", k.Mails, 30 * 24 * time.Hour}, {"HISTORIES_KEPT", k.Histories, 2 * 366 * 24 * time.Hour}} {
		if each.kept != 0 && each.kept < each.least {
			return fmt.Errorf("%s must be 0 or at least %s", each.name, each.least)
		}
	}
	return nil
}

// alerting are the limits from which staff are alerted, and the webhook that receives the
// alerts beside mail.
type alerting struct {
	Prices     time.Duration `name:"alert-prices" env:"ALERT_PRICES" default:"5m" help:"How old a price may be before people are called; 0 switches the alert off, here and below."`
	Provider   time.Duration `name:"alert-provider" env:"ALERT_PROVIDER" default:"5m" help:"How long a provider may not answer."`
	Queue      time.Duration `name:"alert-queue" env:"ALERT_QUEUE" default:"4h" help:"How long a person may wait for staff."`
	Orders     time.Duration `name:"alert-orders" env:"ALERT_ORDERS" default:"30m" help:"How long an order that waits for no person may not move."`
	Breaks     time.Duration `name:"alert-breaks" env:"ALERT_BREAKS" default:"10m" help:"How long a statement and the ledger may be known not to agree."`
	NoTreasury bool          `name:"alert-no-treasury" env:"ALERT_NO_TREASURY" help:"No alert when a wallet is low, or does not cover what is paid for."`
	Chores     time.Duration `name:"alert-chores" env:"ALERT_CHORES" default:"10m" help:"How long a chore, such as the sweep, may not succeed. The API calls people for core as a whole after the same time."`
	Statements time.Duration `name:"alert-statements" env:"ALERT_STATEMENTS" default:"2h" help:"How long a provider's statement may not be read up to."`
	Books      time.Duration `name:"alert-books" env:"ALERT_BOOKS" default:"1m" help:"How long an account of the ledger that must not may stand on its wrong side."`
	Webhooks   time.Duration `name:"alert-webhooks" env:"ALERT_WEBHOOKS" default:"30m" help:"How long a webhook about an open order may not be acted on."`
	Mails      time.Duration `name:"alert-mails" env:"ALERT_MAILS" default:"24h" help:"How long alerts name mails that were given up."`
	Revived    time.Duration `name:"alert-revived" env:"ALERT_REVIVED" default:"24h" help:"How long alerts name transfers that were declared dead and confirmed nonetheless."`
	Dollars    *int64        `name:"alert-dollars" env:"ALERT_DOLLARS" help:"Dollars at the exchange below which people are called; unless it is set, TREASURY_LOW_PERCENT of those booked there as float."`
	Webhook    string        `name:"alert-webhook" env:"ALERT_WEBHOOK_URL" help:"Where alerts are posted, signed as Standard Webhooks asks for; empty for mails alone."`
	Signing    string        `name:"alert-webhook-secret" env:"ALERT_WEBHOOK_SECRET" help:"Its secret, of the form whsec_<base64>."`
}

// Check implements config.Group.
func (a *alerting) Check(mode config.Mode) error {
	for name, limit := range map[string]time.Duration{"ALERT_PRICES": a.Prices, "ALERT_PROVIDER": a.Provider, "ALERT_QUEUE": a.Queue, "ALERT_ORDERS": a.Orders, "ALERT_BREAKS": a.Breaks,
		"ALERT_CHORES": a.Chores, "ALERT_STATEMENTS": a.Statements, "ALERT_BOOKS": a.Books, "ALERT_WEBHOOKS": a.Webhooks, "ALERT_MAILS": a.Mails, "ALERT_REVIVED": a.Revived} {
		if limit < 0 {
			return fmt.Errorf("%s must not be below zero", name)
		}
	}
	if a.Dollars != nil && *a.Dollars < 0 {
		return errors.New("ALERT_DOLLARS must not be below zero")
	}
	if a.Webhook == "" {
		return nil
	}
	if at, err := url.Parse(a.Webhook); err != nil || at.Host == "" || at.Scheme != "https" && (mode.Strict() || at.Scheme != "http") {
		return errors.New("ALERT_WEBHOOK_URL is not an https address")
	}
	if key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(a.Signing, "whsec_")); err != nil || len(key) < leastKey {
		return fmt.Errorf("ALERT_WEBHOOK_SECRET must be whsec_ and the base64 of at least %d bytes", leastKey)
	}
	return nil
}

// leastKey is the shortest key that Standard Webhooks allows, in bytes.
const leastKey = 24

func (s *settings) limits() reporting.AlertLimits {
	a := &s.alerting
	limits := reporting.AlertLimits{Prices: a.Prices, Provider: a.Provider, Queue: a.Queue, Orders: a.Orders, Breaks: a.Breaks,
		Chores: a.Chores, Statements: a.Statements, Books: a.Books, Webhooks: a.Webhooks, Mails: a.Mails, Revived: a.Revived, Approvers: time.Minute, Offer: s.Offer(), DollarsPercent: s.Treasury.LowPercent}
	if a.Dollars != nil {
		cents := money.FromInt(100 * *a.Dollars)
		limits.Dollars = &cents
	}
	if !a.NoTreasury {
		limits.Treasury = s.Treasury.Thresholds(s.Offer())
	}
	return limits
}

// vitals are the figures of the business. Core alone reports them: it has the limits, and
// one source suffices.
func (s *settings) vitals(ctx context.Context, p *worker.Process) ([]telemetry.Figure, error) {
	read, err := reporting.Vitals(ctx, p.DB, s.limits())
	figures := make([]telemetry.Figure, len(read))
	for i := range read {
		figures[i] = telemetry.Figure(read[i])
	}
	return figures, err
}

// mails sends mails, and calls the webhook of alerts.
func (s *settings) mails(p *worker.Process) (*activities.Mails, error) {
	site := strings.TrimRight(s.PublicURL, "/")
	sender, err := mail.New(s.SMTPURL, s.From)
	if err != nil {
		return nil, err
	}
	if s.Mode == config.Staging {
		sender = sender.Marked(mail.RehearsalMark)
	}
	mails := &activities.Mails{DB: p.DB, Sender: sender, Brand: s.Brand, Company: s.Line(), PublicURL: site, Log: p.Log, Poll: time.Second, Languages: s.Spoken()}
	if s.Webhook != "" {
		mails.Caller, err = activities.NewCaller(p.DB, s.Webhook, s.Signing, site, p.Log)
	}
	return mails, err
}

// sealing seals the audit log with a key, and keeps a copy of each seal in a bucket.
func (s *settings) sealing(ctx context.Context) (audit.Sealing, error) {
	if s.Seals.Key == "" {
		return audit.Sealing{}, nil
	}
	bucket, err := blob.OpenBucket(ctx, s.Seals.Bucket())
	if err != nil {
		return audit.Sealing{}, fmt.Errorf("AUDIT_SEALS_URL: %w", err)
	}
	return audit.Sealing{Keys: s.Seals.Keys(), Keep: activities.KeepSeals(bucket)}, nil
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
	worker.Main(workflows.CoreQueue, &s.Settings, []string{s.AppToken, s.Secret, s.SMTPURL, s.ClientSecret, s.Signing, s.Seals.Key}, func(ctx context.Context, p *worker.Process) error {
		reviews := sumsub.New(sumsub.Config{URL: s.Sumsub.URL, AppToken: s.AppToken, Secret: s.Secret, Level: s.Level, Now: p.DB.Now})
		mails, err := s.mails(p)
		if err != nil {
			return err
		}
		files, err := blob.OpenBucket(ctx, s.FilesURL)
		if err != nil {
			return fmt.Errorf("FILES_URL: %w", err)
		}
		sealing, err := s.sealing(ctx)
		if err != nil {
			return err
		}
		p.Workflows()
		forgetting := issuer.New(issuer.Config{Issuer: s.Issuer, ClientID: s.ClientID, ClientSecret: s.ClientSecret})
		p.Activities(mails,
			&activities.Orders{DB: p.DB, Timing: s.Timing.Timing, SlippageBPS: s.BasisPoints,
				SurplusTwoAbove: money.FromInt(s.CreditTwoAbove * 100)},
			&activities.Rights{DB: p.DB, Files: files, Brand: s.Brand, Issuer: forgetting},
			&activities.GiftCards{DB: p.DB, Timing: s.Cards.CardTiming},
			&activities.Vouchers{DB: p.DB, Timing: s.Timing.Timing, SlippageBPS: s.BasisPoints},
			&activities.TwoFactor{DB: p.DB},
			&activities.Referrals{DB: p.DB},
			&activities.Tiers{DB: p.DB},
			&activities.Reconciliation{DB: p.DB, Grace: s.Reconciling.Grace},
			&activities.KYC{DB: p.DB, Identity: reviews, Timing: s.KYC.KYCTiming, EnhancedLevel: s.EnhancedLevel},
			&activities.Payouts{DB: p.DB, Timing: s.Payouts.PayoutTiming},
			&activities.Treasury{DB: p.DB, Limits: s.Treasury.Thresholds(s.Offer()), Again: s.Treasury.Again, LookAgain: s.Timing.RetryMost},
			&activities.Sweep{DB: p.DB, Decide: worker.Deliveries{Client: p.Client}, Receive: worker.ReceiptDeliveries{Client: p.Client}, DecideCard: worker.CardDeliveries{Client: p.Client}, DecideMatter: worker.CaseDeliveries{Client: p.Client}, Past: p.Client, Grace: s.Grace, Revive: s.Revive, MoneyPoll: s.Money, LapseWarning: s.Timing.LapseWarning})
		p.Figures(func(ctx context.Context) ([]telemetry.Figure, error) { return s.vitals(ctx, p) })
		p.Apart((&activities.Chores{DB: p.DB, Every: s.Interval, Alerts: s.limits(), Webhook: s.Webhook != "", Kept: activities.Kept(s.Keeping), Sealing: sealing, Mails: mails, Log: p.Log}).Run)
		p.Beside(func(ctx context.Context) error {
			return p.KeepSchedule(ctx, worker.Rhythm{Sweep: s.Interval, Reconcile: s.Reconciling.Every, Treasury: s.Treasury.Every})
		})
		return nil
	})
}
