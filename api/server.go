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

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/workflows"
)

// Settings are what an installation tells the API.
type Settings struct {
	Mode           string // local, staging or production
	Brand          string
	PublicURL      string // origin browsers reach the site at
	SupportEmail   string
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
	Claims            Claims // as configured; the fees among them are the prices' own
	Programme         Programme
	Recipients        Recipients
	// Languages are those offered, the first for whoever asks for none of them; none:
	// all.
	Languages []string
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
	// RefundTwoAbove is the dollars of a customer and day above which giving money
	// back, or marking an order as sent, needs a second person.
	RefundTwoAbove int64
	// CreditTwoAbove is the dollars that one person alone lets in for a customer in a
	// day, or releases from review.
	CreditTwoAbove int64
	// Places are where things are seen at the providers.
	Places Places
	// Treasury is when a wallet is low.
	Treasury TreasurySettings
	// Vouchers are the terms they are made and redeemed on.
	Vouchers VoucherSettings
	// RateScale multiplies every rate limit: 1 in life, more for load tests.
	RateScale int
	// ChoreLimit is how long core may not look for troubles before people are called.
	ChoreLimit time.Duration
}

// rehearsal reports whether nothing here is real money: the providers' test
// environments stand behind it.
func (s Settings) rehearsal() bool { return s.Mode == modeStaging }

// secure reports whether browsers reach us over TLS.
func (s Settings) secure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// Workflows is how the API reaches Temporal. None of it is needed to answer a
// request: what is not started or told is found by the sweeper.
type Workflows interface {
	StartOrder(ctx context.Context, order *order.Order) error
	// Decide sends a decision and waits; decided is false when it is still
	// being carried out then.
	Decide(ctx context.Context, orderID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
	Signal(ctx context.Context, orderID, signal, reason string) error
	ReviewKYC(ctx context.Context, userID, reason string) error
	Healthy(ctx context.Context) error
	// Pollers tells which of the task queues a worker polls.
	Pollers(ctx context.Context, queues []string) (map[string]bool, error)
	// ReconcileNow starts a comparison of statements and books unless one runs.
	ReconcileNow(ctx context.Context) error
	Money
	Reviews
	Cases
	// CarryMove has a move of coin carried on from its row.
	CarryMove(ctx context.Context, id, reason string) error
}

// Cases is how the API reaches the workflows of cases.
type Cases interface {
	StartCase(ctx context.Context, caseKind casework.Kind, id string) error
	SignalCase(ctx context.Context, caseKind casework.Kind, id, reason string) error
	// DecideCase sends a decision and waits, as Decide does.
	DecideCase(ctx context.Context, caseKind casework.Kind, id, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
}

// Reviews is how the API reaches the workflows of gift cards.
type Reviews interface {
	StartGiftCard(ctx context.Context, card *giftcard.GiftCard) error
	// DecideGiftCard sends a decision and waits, as Decide does.
	DecideGiftCard(ctx context.Context, cardID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
}

// Money is how the API reaches what is about money after it was taken.
type Money interface {
	// LookAtPayment has an order's refunds and disputes read at Stripe.
	LookAtPayment(ctx context.Context, orderID, reason string) error
	// CarryRefund starts a refund's workflow and waits; done is false when it is
	// still under way then.
	CarryRefund(ctx context.Context, orderID string, sequence int, wait time.Duration) (done bool, err error)
	// AnswerDispute has an answer passed on to the bank.
	AnswerDispute(ctx context.Context, orderID string, sequence int) error
}

// Dependencies are what the main wires together.
type Dependencies struct {
	Settings
	DB        *store.DB
	Quoter    *pricing.Quoter
	SignIn    *SignIn
	Workflows Workflows
	Histories Histories
	Replay    func(history []byte) error // on this build's workflows
	Identity  provider.Identity
	Webhooks  map[string]provider.WebhookVerifier // by provider
	Files     *blob.Bucket
	Vault     *secret.Keys // seals what is printed on gift cards
	Metrics   *telemetry.Metrics
	Log       *slog.Logger
}

// Server answers HTTP.
type Server struct {
	Dependencies
	policy  *Policy
	origin  string // of the site, as browsers name it
	hub     *hub
	limiter rateLimiter
	// answers are those of public calls.
	answers answers
	clock   serverClock
	site    *site // nil serves the API alone
	// background is what goes on after an answer; Run waits for it at the end.
	background sync.WaitGroup
}

// New puts a server together; Handler serves it.
func New(d Dependencies) (*Server, error) {
	policy, err := LoadPolicy()
	if err != nil {
		return nil, err
	}
	if d.RateScale < 1 {
		d.RateScale = 1
	}
	public, err := url.Parse(d.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("PUBLIC_URL: %w", err)
	}
	s := &Server{Dependencies: d, policy: policy, origin: public.Scheme + "://" + public.Host, hub: newHub()}
	if d.WebDir != "" {
		if s.site, err = loadSite(d.WebDir); err != nil {
			return nil, err
		}
	}
	return s, nil
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
	engine.Use(s.observed, s.recovered, s.secured, s.timed, s.released, spoken, legible)
	routes(s, contract(engine))
	engine.NoRoute(s.servePage)
	engine.NoMethod(func(c *gin.Context) {
		writeProblem(c.Writer, c.Request, problem(http.StatusMethodNotAllowed, "method_not_allowed", "Method Not Allowed"))
	})
	return engine, nil
}

// Run keeps what runs beside requests going until ctx ends: the event stream's
// ear at the database, and the broom.
func (s *Server) Run(ctx context.Context) {
	go s.hub.listen(ctx, s.DB, s.Log)
	defer s.background.Wait()
	s.background.Go(func() { s.regularly(ctx, time.Minute, "erase purged files", s.eraseFiles) })
	s.background.Go(func() { s.regularly(ctx, time.Minute, "erase pictures of gift cards", s.eraseCardImages) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal second factors with the current key", s.resealSeeds) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal files of customers", s.sealEvidence) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal gift cards with the current key", s.resealGiftCards) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal bank accounts with the current key", s.resealPayouts) })
	s.background.Go(func() { s.regularly(ctx, time.Hour, "seal vouchers with the current key", s.resealVouchers) })
	s.background.Go(func() {
		s.regularly(ctx, time.Hour, "forget old readings of treasury", func(ctx context.Context) error { return treasury.ForgetReadings(ctx, s.DB, s.Treasury.Kept) })
	})
	s.background.Go(func() { s.regularly(ctx, time.Minute, "watch who looks for troubles", s.watchCore) })
	s.regularly(ctx, time.Hour, "purge what expired", func(ctx context.Context) error { return account.PurgeExpired(ctx, s.DB) })
}

// watchCore calls people when core, which looks for all other troubles, does not. Their
// mails leave when a core runs again; the alert shows at once on the dashboard.
func (s *Server) watchCore(ctx context.Context) error {
	if s.ChoreLimit <= 0 {
		return nil
	}
	overdue, err := reporting.WatchWatchman(ctx, s.DB, s.ChoreLimit)
	if overdue {
		s.Log.ErrorContext(ctx, "no core process looks for troubles")
	}
	return err
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
