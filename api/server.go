package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"gocloud.dev/blob"

	accountapi "github.com/tradepost/tradepost/api/account"
	caseworkapi "github.com/tradepost/tradepost/api/casework"
	correctionapi "github.com/tradepost/tradepost/api/correction"
	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	executionapi "github.com/tradepost/tradepost/api/execution"
	giftcardapi "github.com/tradepost/tradepost/api/giftcard"
	kycapi "github.com/tradepost/tradepost/api/kyc"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/policy"
	pricingapi "github.com/tradepost/tradepost/api/pricing"
	reconciliationapi "github.com/tradepost/tradepost/api/reconciliation"
	referralapi "github.com/tradepost/tradepost/api/referral"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/api/site"
	treasuryapi "github.com/tradepost/tradepost/api/treasury"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	webhookapi "github.com/tradepost/tradepost/api/webhook"
	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// Settings are an installation's configuration of the API.
type Settings struct {
	Mode           string // local, staging or production
	Brand          string
	PublicURL      string // origin browsers reach the site at
	SupportEmail   string
	Imprint        string // who the company is; empty shows none
	PasswordURL    string // the identity provider's page for changing it; empty: none is linked
	AddressURL     string // its page that sends the mail again that confirms an address; empty: none is linked
	TidioPublicKey string
	TemporalUIURL  string
	Namespace      string // Temporal's
	WidgetURL      string // Sumsub's WebSDK
	EnhancedLevel  string // Sumsub's name of the enhanced level; empty: it is not offered
	// IdentityDashboard is the address of an applicant's page at Sumsub, up to
	// their id.
	IdentityDashboard string
	WebDir            string // folder of the built web app; empty serves the API alone
	StartingFile      string // what the local launcher still builds; empty outside of it
	SecretKey         []byte // 32 bytes
	TrustedProxies    []string
	Claims            accountapi.Claims // as configured; the fees among them are the prices' own
	Programme         referralapi.Programme
	Recipients        orderapi.Recipients
	// Languages are those offered, the first being the default; none: all.
	Languages []string
	// Custodian is the custody provider.
	Custodian ledger.Provider
	// LapseWarning is how long before a card's hold ends staff are warned.
	LapseWarning time.Duration
	// RemindAfter is how long an order stays unpaid before its customer is mailed.
	RemindAfter time.Duration
	// StaffNeedTwoFactor lets staff do nothing before they have set up a second
	// factor.
	StaffNeedTwoFactor bool
	// RecoveryDelay is how long the lifting of a lost second factor can be stopped.
	RecoveryDelay time.Duration
	// CardReview is how long a gift card waits for a decision before it expires.
	CardReview time.Duration
	// PayoutTwoAbove is the dollars of a customer's payouts of one day above which
	// two people approve.
	PayoutTwoAbove int64
	// RefundTwoAbove is the dollars of a customer and day above which refunding money, or
	// marking an order as sent, needs a second person.
	RefundTwoAbove int64
	// CreditTwoAbove is the dollars that one person alone credits to a customer in a day,
	// or releases from review.
	CreditTwoAbove int64
	// StaffAlonePerDay is the dollars that may rest on one person's statement in a day, over all customers; what is above
	// becomes a proposal.
	StaffAlonePerDay int64
	// Places are the URLs of objects at the providers.
	Places executionapi.Places
	// Treasury is when a wallet is low.
	Treasury treasuryapi.TreasurySettings
	// Vouchers are the terms they are made and redeemed on.
	Vouchers voucherapi.VoucherSettings
	// RateScale multiplies every rate limit: 1 in production, more for load tests.
	RateScale int
	// ChoreLimit is how long core's checks for problems may be overdue before staff are
	// alerted.
	ChoreLimit time.Duration
}

// rehearsal reports whether nothing here is real money: it uses the providers' test
// environments.
func (s Settings) rehearsal() bool { return s.Mode == rest.ModeStaging }

// secure reports whether browsers reach us over TLS.
func (s Settings) secure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// Workflows is how the API reaches Temporal. None of it is needed to answer a request: what
// is not started or signalled is found by the sweep.
type Workflows interface {
	caseworkapi.Workflows
	correctionapi.CardWorkflows
	giftcardapi.Workflows
	kycapi.Workflows
	orderapi.Workflows
	pricingapi.Workflows
	reconciliationapi.Workflows
	reportingapi.Workflows
	site.Workflows
	treasuryapi.Workflows
	webhookapi.Workflows
}

// Dependencies are what the main wires together.
type Dependencies struct {
	Settings
	DB        *store.DB
	Quoter    *pricing.Quoter
	SignIn    *accountapi.SignIn
	Workflows Workflows
	Histories orderapi.Histories
	Replay    func(history []byte) error // on this build's workflows
	Identity  provider.Identity
	Webhooks  map[ledger.Provider]provider.WebhookVerifier
	Legal     *legal.Library
	Files     *blob.Bucket
	Vault     *secret.Keys // seals what is printed on gift cards
	Metrics   *telemetry.Metrics
	Log       *slog.Logger
}

// Server answers HTTP.
type Server struct {
	Dependencies
	handlers
	parts
	policy *policy.Policy
	clock  *rest.Clock
	build  *site.Build // nil serves the API alone
	// background is the work that continues after an answer; Run waits for it at the end.
	background sync.WaitGroup
}

// New puts a server together; Handler serves it.
func New(d Dependencies) (*Server, error) {
	rules, err := policy.Load()
	if err != nil {
		return nil, err
	}
	if d.Legal == nil {
		d.Legal = &legal.Library{}
	}
	if d.RateScale < 1 {
		d.RateScale = 1
	}
	public, err := url.Parse(d.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("PUBLIC_URL: %w", err)
	}
	s := &Server{Dependencies: d, policy: rules, clock: &rest.Clock{}}
	if d.WebDir != "" {
		if s.build, err = site.Load(d.WebDir); err != nil {
			return nil, err
		}
	}
	s.share(public.Scheme + "://" + public.Host)
	s.wire()
	return s, nil
}

// share makes what the handlers of several domains have in common.
func (s *Server) share(origin string) {
	d := s.Dependencies
	s.languages = rest.OfferedLanguages(d.Languages)
	s.cookies = &rest.Cookies{Secure: d.secure()}
	s.secondFactor = &rest.SecondFactor{DB: d.DB, Vault: d.Vault, StaffNeedTwoFactor: d.StaffNeedTwoFactor, Local: d.Mode == rest.ModeLocal, LinkScale: d.RateScale}
	s.guard = &rest.Guard{Cookies: s.cookies, SecondFactor: s.secondFactor, DB: d.DB, Policy: s.policy, SecretKey: d.SecretKey, Origin: origin, RateScale: d.RateScale}
	s.middleware = &rest.Middleware{DB: d.DB, Log: d.Log, Metrics: d.Metrics, Clock: s.clock, TrustedProxies: d.TrustedProxies, Secure: d.secure(), Languages: s.languages}
	s.exports = &rest.Exports{DB: d.DB, Log: d.Log}
	s.cases = &caseworkapi.Cases{Workflows: d.Workflows, Log: d.Log, Background: &s.background}
	s.console = &caseworkapi.Console{TemporalUIURL: d.TemporalUIURL, Namespace: d.Namespace}
	s.limits = &dualcontrolapi.Limits{DB: d.DB, RefundTwoAbove: d.RefundTwoAbove, CreditTwoAbove: d.CreditTwoAbove, StaffPerDay: d.StaffAlonePerDay}
	s.networks = &executionapi.Networks{Rehearsal: d.rehearsal(), Offer: d.Quoter.Offer()}
	s.decisions = &orderapi.Decisions{Limits: s.limits, DB: d.DB, Workflows: d.Workflows, Log: d.Log, Background: &s.background}
}

// Handler is everything we serve: API, uploads, the web app.
func (s *Server) Handler() (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	if err := engine.SetTrustedProxies(s.TrustedProxies); err != nil {
		return nil, fmt.Errorf("TRUSTED_PROXIES: %w", err)
	}
	// By default gin also reads X-Real-IP, which a proxy may pass on from its client.
	engine.RemoteIPHeaders = []string{"X-Forwarded-For"}
	engine.Use(s.middleware.Observed, s.middleware.Recovered, s.middleware.Secured, s.middleware.Timed, s.site.Released, rest.Spoken, rest.Legible)
	routes(s, rest.NewContract(engine))
	engine.NoRoute(s.site.ServePage)
	engine.NoMethod(func(c *gin.Context) {
		rest.WriteProblem(c.Writer, c.Request, rest.NewProblem(http.StatusMethodNotAllowed, "method_not_allowed", "Method Not Allowed"))
	})
	return engine, nil
}

// EndStreams ends all event streams, so that a stopping process does not wait
// for them. Browsers come back elsewhere. It is called once.
func (s *Server) EndStreams() { s.event.EndStreams() }

// Run runs the work beside requests until ctx ends: the event streams' listener, clean-up,
// resealing, and the watch of core.
func (s *Server) Run(ctx context.Context) {
	go s.event.Hub.Listen(ctx, s.DB, s.Log)
	defer s.background.Wait()
	s.background.Go(func() { s.regularly(ctx, time.Minute, "erase purged files", s.order.EraseFiles) })
	s.background.Go(func() { s.regularly(ctx, time.Minute, "erase pictures of gift cards", s.giftcard.EraseCardImages) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal second factors with the current key", s.account.ResealSeeds) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal files of customers", s.order.SealEvidence) })
	s.background.Go(func() {
		s.regularly(ctx, time.Hour, "seal gift cards with the current key", s.giftcard.ResealGiftCards)
	})
	s.background.Go(func() {
		s.regularly(ctx, time.Hour, "seal pictures of gift cards with the current key", s.giftcard.ResealPictures)
	})
	s.background.Go(func() {
		s.regularly(ctx, time.Hour, "seal documents of money with the current key", s.correction.SealDocuments)
	})
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal bank accounts with the current key", s.payout.ResealPayouts) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal vouchers with the current key", s.voucher.ResealVouchers) })
	s.background.Go(func() {
		s.regularly(ctx, time.Hour, "forget old readings of treasury", func(ctx context.Context) error { return treasury.ForgetReadings(ctx, s.DB, s.Treasury.Kept) })
	})
	s.background.Go(func() { s.regularly(ctx, time.Minute, "alert when core does not run", s.alertWithoutCore) })
	s.background.Go(func() { s.regularly(ctx, 24*time.Hour, "remove files without a row", s.removeFilesWithoutRow) })
	s.regularly(ctx, time.Hour, "purge what expired", func(ctx context.Context) error { return account.PurgeExpired(ctx, s.DB) })
}

// alertWithoutCore alerts staff when core, which checks for all other problems, does not run. The
// mails are sent when a core runs again; the alert shows at once on the dashboard.
func (s *Server) alertWithoutCore(ctx context.Context) error {
	if s.ChoreLimit <= 0 {
		return nil
	}
	overdue, err := reporting.AlertWithoutCore(ctx, s.DB, s.ChoreLimit)
	if overdue {
		s.Log.ErrorContext(ctx, "core does not check for problems")
	}
	return err
}

// fileTables are the tables whose rows have a file in the bucket.
var fileTables = []string{order.EvidenceFiles.Table, giftcard.CardImageFiles.Table, correction.MoneyDocumentFiles.Table, privacy.ExportTable}

// withoutRow is for how long a file may have no row: a backup that is put back lacks the latest rows until it is replaced by
// a newer one.
const withoutRow = 7 * 24 * time.Hour

func (s *Server) removeFilesWithoutRow(ctx context.Context) error {
	return rest.Sealed{Files: s.Files, Vault: s.Vault, Log: s.Log}.RemoveWithoutRow(ctx, s.DB, fileTables, time.Now().Add(-withoutRow))
}

// regularly does a chore now and every so often until ctx ends.
func (s *Server) regularly(ctx context.Context, every time.Duration, what string, chore func(context.Context) error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := chore(ctx); err != nil && !errors.Is(err, context.Canceled) {
			s.Log.WarnContext(ctx, "a chore did not work; it is tried again later", "chore", what, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
