package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob"

	"github.com/tradepost/tradepost/api"
	accountapi "github.com/tradepost/tradepost/api/account"
	executionapi "github.com/tradepost/tradepost/api/execution"
	orderapi "github.com/tradepost/tradepost/api/order"
	referralapi "github.com/tradepost/tradepost/api/referral"
	treasuryapi "github.com/tradepost/tradepost/api/treasury"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/custodians"
	"github.com/tradepost/tradepost/internal/gctune"
	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

// The product's own values, which only the API reads.
type product struct {
	RecipientsFile  string          `name:"recipients-file" env:"RECIPIENTS_FILE" ask:"later" suggest:"./recipients.json" help:"JSON of the accounts customers pay to, by payment method; local mode has demonstration accounts."`
	PayoutTwoAbove  int64           `name:"payout-two-above" env:"PAYOUT_TWO_ABOVE" default:"1000" help:"Dollars of a customer's payouts of one day above which two people have to approve."`
	RefundTwoAbove  int64           `name:"refund-two-above" env:"REFUND_TWO_ABOVE" default:"1000" help:"Dollars of one order above which two people have to agree that money goes back, or that the coin was sent by other means."`
	CreditTwoAbove  int64           `name:"credit-two-above" env:"CREDIT_TWO_ABOVE" default:"1000" help:"Dollars that one person alone lets in for a customer in a day, by receipts and gift cards, or releases from review; above them a second person decides."`
	SignupBonus     string          `name:"claim-signup-bonus" env:"CLAIM_SIGNUP_BONUS" default:"0" help:"Dollars the landing page promises, and a new customer is credited once their identity is verified and their first order sent; 0 is none."`
	KYCReview       string          `name:"claim-kyc-review-minutes" env:"CLAIM_KYC_REVIEW_MINUTES" help:"Minutes that the review of an identity usually takes, as customers read, such as 5-15; empty says nothing of it."`
	Countries       string          `name:"claim-countries" env:"CLAIM_COUNTRIES" help:"Countries served, as the landing page says; empty says nothing of it, and so with the next three."`
	Tokens          string          `name:"claim-tokens" env:"CLAIM_TOKENS" help:"Tokens, as the landing page says."`
	Processed       string          `name:"claim-processed" env:"CLAIM_PROCESSED" help:"Dollars processed, as the landing page says."`
	Users           string          `name:"claim-users" env:"CLAIM_USERS" help:"Users, as the landing page says."`
	Standards       string          `name:"claim-standards" env:"CLAIM_STANDARDS" help:"Standards and laws that the footer of each page names, such as PCI DSS; empty names none."`
	Reward          string          `name:"referral-reward" env:"REFERRAL_REWARD" default:"10" help:"Dollars a customer is credited for each friend who does; 0 is none."`
	Revocable       time.Duration   `name:"reward-revocable" env:"REWARD_REVOCABLE" default:"2880h" help:"How long after it was credited a bonus or reward is taken back when the order's money goes back."`
	LapseWarning    time.Duration   `name:"authorisation-warning" env:"AUTHORISATION_WARNING" default:"24h" help:"How long before a card's hold ends staff are warned of it."`
	RemindAfter     time.Duration   `name:"payment-reminder" env:"PAYMENT_REMINDER" default:"10m" help:"How long an order stays unpaid before its customer is mailed how to pay it."`
	CardReview      time.Duration   `name:"gift-card-review" env:"GIFT_CARD_REVIEW" default:"336h" help:"How long a gift card waits for a decision before it expires."`
	VoucherMargin   decimal.Decimal `name:"voucher-margin-percent" env:"VOUCHER_MARGIN_PERCENT" default:"2.5" help:"Percent above the market price at which a voucher's dollars are converted."`
	VoucherIdentity int64           `name:"voucher-identity-above" env:"VOUCHER_IDENTITY_ABOVE" default:"300" help:"Dollars above which a voucher is redeemed by verified customers only."`
	VoucherDay      int64           `name:"voucher-identity-day" env:"VOUCHER_IDENTITY_DAY" default:"900" help:"Dollars that vouchers redeemed by one customer in a day may come to before that customer must be verified."`
	VoucherMost     int64           `name:"voucher-maximum" env:"VOUCHER_MAXIMUM" default:"2000" help:"Dollars one voucher may be worth."`
	StaffPerDay     int64           `name:"staff-alone-per-day" env:"STAFF_ALONE_PER_DAY" default:"5000" help:"Dollars that may rest on the statement of one member of staff within a day, over all customers: receipts, credits, vouchers, breaks, orders marked as sent, refunds outside the card. What is above needs a second person."`
	VoucherAlone    int64           `name:"voucher-alone" env:"VOUCHER_ALONE" default:"2500" help:"Dollars of vouchers one admin makes within a day, or voids, without another one's approval."`
	RateScale       int             `name:"rate-limit-scale" env:"RATE_LIMIT_SCALE" default:"1" help:"Multiplies every rate limit; for load tests."`
	Chores          time.Duration   `name:"alert-chores" env:"ALERT_CHORES" default:"10m" help:"How long core may not look for problems before people are called; 0 switches the alert off."`
	Connections     int32           `name:"database-connections" env:"DATABASE_CONNECTIONS" default:"12" help:"Most connections to Postgres."`
}

// Check implements config.Group.
func (p *product) Check(mode config.Mode) error {
	err := p.checkDrafts(mode)
	if p.RateScale < 1 || mode.Strict() && p.RateScale != 1 {
		err = errors.Join(err, errors.New("RATE_LIMIT_SCALE must be 1 in staging and production, and at least 1 elsewhere"))
	}
	if p.Connections < 3 {
		err = errors.Join(err, errors.New("DATABASE_CONNECTIONS must be at least 3"))
	}
	if min(p.PayoutTwoAbove, p.RefundTwoAbove, p.CreditTwoAbove, p.StaffPerDay) < 0 {
		err = errors.Join(err, errors.New("PAYOUT_TWO_ABOVE, REFUND_TWO_ABOVE, CREDIT_TWO_ABOVE and STAFF_ALONE_PER_DAY must not be below zero"))
	}
	if p.VoucherMargin.IsNegative() || p.VoucherMargin.GreaterThan(decimal.NewFromInt(50)) {
		err = errors.Join(err, errors.New("VOUCHER_MARGIN_PERCENT must be between 0 and 50"))
	}
	if p.VoucherDay < p.VoucherIdentity {
		err = errors.Join(err, errors.New("VOUCHER_IDENTITY_DAY must not be below VOUCHER_IDENTITY_ABOVE"))
	}
	if p.VoucherIdentity < 0 || p.VoucherMost <= 0 || p.VoucherAlone < 0 {
		err = errors.Join(err, errors.New("VOUCHER_IDENTITY_ABOVE and VOUCHER_ALONE must not be negative, VOUCHER_MAXIMUM above zero"))
	}
	_, wrong := p.programme()
	err = errors.Join(err, wrong)
	_, bad := orderapi.LoadRecipients(p.RecipientsFile, mode == config.Local)
	return errors.Join(err, bad)
}

// CheckOffer demands an account for each method that customers would be offered without knowing where to pay.
func (p *product) CheckOffer(mode config.Mode, offer money.Offer) error {
	recipients, err := orderapi.LoadRecipients(p.RecipientsFile, mode == config.Local)
	if err != nil {
		return nil //nolint:nilerr // Check says so
	}
	if missing := recipients.Missing(offer); len(missing) > 0 {
		return fmt.Errorf("RECIPIENTS_FILE has no account for %s: add it, or name in RAILS what you take", strings.Join(missing, ", "))
	}
	return nil
}

// claims are marketing's claims, apart from the fees, which are in the prices. What is not
// configured is empty, and so is a bonus of zero.
func (p *product) claims() accountapi.Claims {
	bonus := p.SignupBonus
	if programme, err := p.programme(); err != nil || programme.Bonus.Sign() == 0 {
		bonus = ""
	}
	return accountapi.Claims{SignupBonusUSD: bonus, KYCReviewMinutes: p.KYCReview,
		Countries: p.Countries, Tokens: p.Tokens, ProcessedUSD: p.Processed, Users: p.Users, Standards: p.Standards}
}

// programme reads what signing up and bringing friends is worth.
func (p *product) programme() (referralapi.Programme, error) {
	bonus, bad := money.USD.Parse(p.SignupBonus)
	reward, worse := money.USD.Parse(p.Reward)
	if bad != nil || worse != nil || bonus.Sign() < 0 || reward.Sign() < 0 || p.Revocable < 0 {
		return referralapi.Programme{}, errors.New("CLAIM_SIGNUP_BONUS and REFERRAL_REWARD must be dollars, and REWARD_REVOCABLE a time; none below zero")
	}
	return referralapi.Programme{Bonus: bonus, Reward: reward, Revocable: p.Revocable}, nil
}

type serve struct {
	config.Common           `embed:""`
	config.Health           `embed:""`
	config.Traces           `embed:""`
	config.Postgres         `embed:""`
	config.Temporal         `embed:""`
	config.Site             `embed:""`
	config.IdentityProvider `embed:""`
	config.SignIn           `embed:""`
	config.Sumsub           `embed:""`
	config.Widget           `embed:""`
	config.Custody          `embed:""`
	config.Webhooks         `embed:""`
	config.Legal            `embed:""`
	config.Places           `embed:""`
	config.Offering         `embed:""`
	config.Speaking         `embed:""`
	Product                 product         `embed:""`
	Treasury                config.Treasury `embed:""`
}

// memoryGoal is what the process gives memory back to stay within, as far as
// what it holds allows.
const memoryGoal = 40 << 20

// Run serves until it receives a stop signal, and then finishes open requests.
func (s *serve) Run(ctx context.Context) error {
	if err := config.CheckAll(s); err != nil {
		return err
	}
	telemetry.KeepSmall(ctx, memoryGoal)
	log := s.log()
	traced, err := telemetry.StartTraces(ctx, "api", &s.Traces.Traces, log)
	if err != nil {
		return err
	}
	defer traced()
	db, err := store.Open(ctx, s.Postgres.DatabaseURL, store.Options{MaxConns: s.Product.Connections})
	if err != nil {
		return err
	}
	defer db.Close()
	files, err := blob.OpenBucket(ctx, s.FilesURL)
	if err != nil {
		return fmt.Errorf("FILES_URL: %w", err)
	}
	defer func() { _ = files.Close() }()
	metrics := measurements(db)
	temporal, err := temporalx.Lazy(&s.Temporal, log, metrics.TemporalMetrics())
	if err != nil {
		return err
	}
	defer temporal.Close()
	vault, verifiers, texts, err := s.proofs(log)
	if err != nil {
		return err
	}
	server, err := api.New(api.Dependencies{Settings: s.settings(), DB: db, Quoter: pricing.NewQuoter(db, s.Key()).Offering(s.Offer()),
		SignIn:    accountapi.NewSignIn(s.Issuer, s.ClientID, s.ClientSecret, strings.TrimRight(s.PublicURL, "/"), db.WallClock),
		Workflows: temporal, Histories: temporal, Replay: func(history []byte) error { return temporalx.Replay(history, workflows.Register) },
		Identity: sumsub.New(sumsub.Config{URL: s.Sumsub.URL, AppToken: s.AppToken, Secret: s.Sumsub.Secret, Level: s.Level, Now: db.Now}),
		Webhooks: verifiers, Legal: texts, Files: files, Vault: vault, Metrics: metrics, Log: log})
	if err != nil {
		return err
	}
	go s.serveHealth(ctx, metrics, db, log)
	return listen(ctx, s.Site.Listen, server)
}

// proofs are the keys that seal what is stored, what checks webhooks, and what customers
// agree to.
func (s *serve) proofs(log *slog.Logger) (*secret.Keys, map[ledger.Provider]provider.WebhookVerifier, *legal.Library, error) {
	vault, err := s.Vault()
	verifiers, unknown := s.verifiers()
	texts, unreadable := s.Library(s.Brand, s.SupportEmail, s.Sold())
	if unreadable == nil && s.Mode == config.Staging {
		if samples := config.Samples(texts); samples != nil {
			log.Warn(samples.Error())
		}
	}
	return vault, verifiers, texts, errors.Join(err, unknown, unreadable)
}

func measurements(db *store.DB) *telemetry.Metrics {
	metrics := telemetry.NewMetrics("api")
	metrics.Registry().MustRegister(provider.Requests, telemetry.Ages(func(ctx context.Context) (map[string]float64, error) { return chore.ChoreAges(ctx, db) }))
	return metrics
}

// log returns the process's logger, which is the default from then on.
func (s *serve) log() *slog.Logger {
	log := telemetry.NewLogger(os.Stderr, telemetry.LogOptions{Service: "api", Level: s.LogLevel, JSON: s.Mode.Strict(),
		Secrets: append(slices.Concat(s.EarlierKeys, s.Traces.Secrets(), s.Webhooks.Secrets()), s.SecretKey, s.ClientSecret, s.Sumsub.Secret, s.AppToken, s.Postgres.DatabaseURL)})
	slog.SetDefault(log)
	return log
}

// serveHealth serves health checks and metrics, on an address for operators alone.
func (s *serve) serveHealth(ctx context.Context, metrics *telemetry.Metrics, db *store.DB, log *slog.Logger) {
	go telemetry.NewCertificates(metrics, log).Watch(ctx, s.PublicURL, s.Issuer)
	if err := telemetry.Serve(ctx, s.Health.Listen, metrics, db.Ping, func(ctx context.Context) (map[string]float64, error) { return chore.ChoreAges(ctx, db) }); err != nil {
		log.Error("HEALTH_LISTEN: cannot serve", "error", err)
	}
}

func (s *serve) settings() api.Settings {
	recipients, _ := orderapi.LoadRecipients(s.Product.RecipientsFile, s.Mode == config.Local) // checked before
	programme, _ := s.Product.programme()                                                      // likewise
	return api.Settings{Mode: string(s.Mode), Brand: s.Brand, PublicURL: strings.TrimRight(s.PublicURL, "/"), SupportEmail: s.SupportEmail, Imprint: s.Imprint(), PasswordURL: s.PasswordURL, AddressURL: s.AddressURL,
		TidioPublicKey: s.TidioPublicKey, TemporalUIURL: s.UIURL, Namespace: s.Namespace, WidgetURL: strings.TrimRight(s.Widget.URL, "/"),
		EnhancedLevel: s.EnhancedLevel, IdentityDashboard: s.Widget.Dashboard,
		WebDir: s.WebDir, StartingFile: s.StartingFile, SecretKey: s.Key(), TrustedProxies: s.TrustedProxies, Claims: s.Product.claims(), Programme: programme, CardReview: s.Product.CardReview, PayoutTwoAbove: s.Product.PayoutTwoAbove, RefundTwoAbove: s.Product.RefundTwoAbove, CreditTwoAbove: s.Product.CreditTwoAbove, StaffAlonePerDay: s.Product.StaffPerDay,
		Places:     executionapi.Places{Stripe: s.Places.Stripe, Kraken: s.Places.Kraken, Custody: s.Places.BitGo, Explorers: s.Places.Explorers},
		Recipients: recipients, RateScale: s.Product.RateScale, ChoreLimit: s.Product.Chores, LapseWarning: s.Product.LapseWarning, RemindAfter: s.Product.RemindAfter,
		StaffNeedTwoFactor: s.StaffNeedSecond(s.Mode), RecoveryDelay: s.RecoveryDelay, Vouchers: s.Product.vouchers(s.Offer()), Languages: s.Spoken(), Custodian: s.Custodian,
		Treasury: treasuryapi.TreasurySettings{Limits: s.Treasury.Thresholds(s.Offer()), Every: s.Treasury.Every, Kept: s.Treasury.Kept}}
}

func (p *product) vouchers(offer money.Offer) voucherapi.VoucherSettings {
	cents := func(dollars int64) money.Units { return money.FromInt(100 * dollars) }
	staffAlone := cents(p.StaffPerDay)
	return voucherapi.VoucherSettings{Terms: voucher.VoucherTerms{MarginPercent: p.VoucherMargin, IdentityAbove: cents(p.VoucherIdentity), DayAbove: cents(p.VoucherDay), Offer: offer},
		Limits: voucher.VoucherLimits{Value: cents(p.VoucherMost), Alone: cents(p.VoucherAlone), StaffAlone: &staffAlone, Offer: offer}}
}

func (s *serve) verifiers() (map[ledger.Provider]provider.WebhookVerifier, error) {
	custodian, err := custodians.Named(s.Custodian)
	if err != nil {
		return nil, err
	}
	used := map[ledger.Provider]provider.WebhookVerifier{s.Custodian: custodian.Verifier(s.Webhooks), "sumsub": sumsub.NewVerifier(s.Webhooks.Sumsub)}
	if s.Webhooks.Stripe != "" {
		used["stripe"] = stripe.NewVerifier(s.Webhooks.Stripe)
	}
	previous := s.Webhooks.Previous()
	for name, accept := range map[ledger.Provider]struct {
		secret   string
		verifier func() provider.WebhookVerifier
	}{
		ledger.ProviderStripe: {previous.Stripe, func() provider.WebhookVerifier { return stripe.NewVerifier(previous.Stripe) }},
		s.Custodian:           {previous.BitGo, func() provider.WebhookVerifier { return custodian.Verifier(previous) }},
		"sumsub":              {previous.Sumsub, func() provider.WebhookVerifier { return sumsub.NewVerifier(previous.Sumsub) }},
	} {
		if used[name] != nil && accept.secret != "" {
			used[name] = provider.Rotating{Current: used[name], Earlier: accept.verifier()}
		}
	}
	return used, nil
}

// shutdownTime is how long open requests have to end.
const shutdownTime = 8 * time.Second

func listen(ctx context.Context, address string, server *api.Server) error {
	handler, err := server.Handler()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("LISTEN: %w", err)
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 60 * time.Second, WriteTimeout: 60 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		server.Run(ctx)
	}()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		server.EndStreams()
		stopped <- web.Shutdown(limit)
	}()
	go gctune.Heap(ctx)
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	err = <-stopped
	<-finished
	return err
}
