package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob/memblob"

	accountapi "github.com/tradepost/tradepost/api/account"
	executionapi "github.com/tradepost/tradepost/api/execution"
	orderapi "github.com/tradepost/tradepost/api/order"
	referralapi "github.com/tradepost/tradepost/api/referral"
	"github.com/tradepost/tradepost/api/rest"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/dualcontrol/guardtest"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

// surplusTerms are how surpluses are treated here.
var surplusTerms = order.SurplusTerms{HeldFor: 72 * time.Hour, TwoAbove: money.FromInt(1000_00)}

const (
	btcAddress  = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	hookSecret  = "whsec_of_the_tests"
	testBrand   = "Tradepost"
	widgetURL   = "http://127.0.0.1:8091"
	settledWait = time.Minute // on a machine that does much else
	settledPoll = 20 * time.Millisecond
)

// testServer is the API on a database of its own, with an issuer to sign in at.
type testServer struct {
	*testing.T
	db     *store.DB
	own    []*store.DB // the servers'
	dbs    testbed.Database
	issuer *issuer
	flows  *flows
	log    *bytes.Buffer
	web    *httptest.Server
	server *Server
}

// flows replaces Temporal where the workflow is not under test: it records its calls, and
// resolves decisions as configured.
type flows struct {
	mu      sync.Mutex
	started []string
	hints   []string
	reviews []string
	decided []string
	db      *store.DB // for decisions that are executed here
	stopped string    // the task queue without a worker
	refused string    // the card processor's refusal of every refund
	away    error     // what every call answers while Temporal is away
	outcome func(orderID, kind, decisionID string) (workflows.Outcome, bool, error)
}

func (f *flows) note(list *[]string, what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away == nil {
		*list = append(*list, what)
	}
	return f.away
}

func (f *flows) StartOrder(_ context.Context, o *order.Order) error { return f.note(&f.started, o.ID) }

func (f *flows) Signal(_ context.Context, orderID, signal, _ string) error {
	return f.note(&f.hints, orderID+" "+signal)
}

func (f *flows) SignalCase(_ context.Context, caseKind casework.Kind, id, _ string) error {
	return f.note(&f.hints, string(caseKind)+" "+id)
}

func (f *flows) ReviewKYC(_ context.Context, userID, _ string) error {
	return f.note(&f.reviews, userID)
}

func (f *flows) FollowPayment(_ context.Context, orderID, _ string) error {
	return f.note(&f.hints, orderID+" money")
}

func (f *flows) RunRefund(ctx context.Context, orderID string, sequence int, _ time.Duration) (bool, error) {
	if f.refused == "" {
		return false, f.note(&f.started, "refund of "+orderID)
	}
	return true, order.RefundRefused(ctx, f.db, orderID, sequence, f.refused)
}

// BookReceipt does what the workflow does, on the row.
func (f *flows) BookReceipt(ctx context.Context, orderID, decisionID string, _ time.Duration) (workflows.Outcome, bool, error) {
	if err := f.note(&f.decided, "receipt of "+orderID); err != nil {
		return workflows.Outcome{}, false, err
	}
	if err := order.ConfirmReceipt(ctx, f.db, orderID, decisionID, surplusTerms); err != nil {
		return workflows.Outcome{Code: store.ReasonOf(err)}, true, nil
	}
	return workflows.Outcome{Code: workflows.Done}, true, nil
}

func (f *flows) AnswerDispute(_ context.Context, orderID string, _ int) error {
	return f.note(&f.hints, orderID+" answer")
}

func (f *flows) SignalGiftCard(_ context.Context, cardID, _ string) error {
	return f.note(&f.hints, "gift card "+cardID)
}

func (f *flows) StartGiftCard(_ context.Context, g *giftcard.GiftCard) error {
	return f.note(&f.started, "gift card "+g.ID)
}

// DecideGiftCard does what the workflow does, on the row.
func (f *flows) DecideGiftCard(ctx context.Context, cardID, kind, decisionID string, _ time.Duration) (workflows.Outcome, bool, error) {
	if err := f.note(&f.decided, kind); err != nil {
		return workflows.Outcome{}, false, err
	}
	var err error
	switch kind {
	case giftcard.CardApprove:
		_, err = giftcard.ApproveGiftCard(ctx, f.db, cardID, decisionID, giftcard.CardPatience{Realise: time.Hour, Offer: giftcard.OfferTime})
	case giftcard.CardReject:
		_, err = giftcard.RejectGiftCard(ctx, f.db, cardID, decisionID)
	case giftcard.CardAccept:
		_, err = giftcard.AcceptGiftCard(ctx, f.db, cardID, decisionID, giftcard.CardPatience{Realise: time.Hour, Offer: giftcard.OfferTime})
	case giftcard.CardDecline:
		_, err = giftcard.DeclineGiftCard(ctx, f.db, cardID, decisionID)
	default:
		_, err = giftcard.RealiseGiftCard(ctx, f.db, cardID, decisionID)
	}
	if err != nil {
		if _, refused := giftcard.RefuseCardDecision(ctx, f.db, cardID, decisionID, store.ReasonOf(err)); refused != nil {
			return workflows.Outcome{}, false, refused
		}
		return workflows.Outcome{Code: store.ReasonOf(err)}, true, nil
	}
	return workflows.Outcome{Code: workflows.Done}, true, nil
}

func (f *flows) RunMove(_ context.Context, id, reason string) error {
	return f.note(&f.started, "move "+id+" "+reason)
}

func (f *flows) StartCase(_ context.Context, caseKind casework.Kind, id string) error {
	return f.note(&f.started, string(caseKind)+" "+id)
}

// DecideCase does what the case's workflow does, on the row.
func (f *flows) DecideCase(ctx context.Context, caseKind casework.Kind, id, kind, decisionID string, _ time.Duration) (workflows.Outcome, bool, error) {
	if err := f.note(&f.decided, kind); err != nil {
		return workflows.Outcome{}, false, err
	}
	step, known := caseSteps[string(caseKind)+"."+kind]
	if !known {
		return workflows.Outcome{Code: workflows.NotAwaited}, true, nil
	}
	if err := step(ctx, f.db, id, decisionID); err != nil {
		return workflows.Outcome{Code: store.ReasonOf(err)}, true, nil
	}
	return workflows.Outcome{Code: workflows.Done}, true, nil
}

// caseSteps execute each decision about a case: "payout.approve".
var caseSteps = map[string]func(ctx context.Context, db *store.DB, id, decisionID string) error{
	"voucher.resume": func(ctx context.Context, db *store.DB, id, decisionID string) error {
		return voucher.ResumeVoucher(ctx, db, id, decisionID)
	},
	"voucher.restore": func(ctx context.Context, db *store.DB, id, decisionID string) error {
		return voucher.RestoreVoucher(ctx, db, id, decisionID)
	},
	"voucher.transfer_dead": func(ctx context.Context, db *store.DB, id, decisionID string) error {
		return correction.DeclareVoucherDead(ctx, db, id, decisionID, execution.TransferReading{Status: execution.TransferRemoved})
	},
}

func (f *flows) ReconcileNow(context.Context) error { return f.note(&f.started, "reconciliation") }

func (f *flows) Healthy(context.Context) error { return f.away }

func (f *flows) Pollers(_ context.Context, queues []string) (map[string]bool, error) {
	polled := map[string]bool{}
	for _, queue := range queues {
		polled[queue] = queue != f.stopped
	}
	return polled, f.away
}

func (f *flows) Decide(_ context.Context, orderID, kind, decisionID string, _ time.Duration) (workflows.Outcome, bool, error) {
	if err := f.note(&f.decided, kind); err != nil {
		return workflows.Outcome{}, false, err
	}
	return f.outcome(orderID, kind, decisionID)
}

func (f *flows) seen(list *[]string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, *list...)
}

type widget struct{}

func (widget) Reset(context.Context, string) error { return nil }

func (widget) WidgetToken(context.Context, string, string, string) (string, error) {
	return "widget-token", nil
}

func (widget) Status(context.Context, string) (provider.Review, error) {
	return provider.Review{}, provider.ErrNotFound
}

// open starts a server; change may set it up differently.
func open(t *testing.T, change ...func(*Dependencies)) *testServer {
	t.Helper()
	t.Parallel()
	dbs := testbed.DB(t)
	db, err := store.Open(t.Context(), dbs.App, store.Options{MaxConns: 8})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	t.Cleanup(func() { guardtest.Compare(context.Background(), t, db) })
	h := &testServer{T: t, db: db, dbs: dbs, issuer: newIssuer(t), flows: &flows{db: db}, log: &bytes.Buffer{}}
	h.flows.outcome = func(_, _, id string) (workflows.Outcome, bool, error) {
		h.exec(`UPDATE decisions SET settled_at = clock_now(), outcome = 'done', outcome_code = 'done' WHERE id = $1`, id)
		return workflows.Outcome{Code: workflows.Done}, true, nil
	}
	h.serve(change...)
	h.market()
	return h
}

// serve starts one replica on the server's database.
func (h *testServer) serve(change ...func(*Dependencies)) *httptest.Server {
	h.Helper()
	web := httptest.NewUnstartedServer(nil)
	origin := "http://" + web.Listener.Addr().String()
	files := memblob.OpenBucket(nil)
	h.Cleanup(func() { _ = files.Close() })
	recipients, err := orderapi.LoadRecipients("", true)
	require.NoError(h, err)
	key := bytes.Repeat([]byte("k1"), 16)
	vault, err := secret.NewKeys(key)
	require.NoError(h, err)
	own, err := store.Open(h.Context(), h.dbs.Process["api"], store.Options{MaxConns: 8}) // as the API's process connects
	require.NoError(h, err)
	h.Cleanup(own.Close)
	h.own = append(h.own, own)
	d := Dependencies{DB: own, Quoter: pricing.NewQuoter(own, key), Workflows: h.flows, Histories: noHistories{}, Identity: widget{}, Files: files,
		Vault:    vault,
		SignIn:   accountapi.NewSignIn(h.issuer.URL, "tradepost", "client-secret", origin, h.db.WallClock),
		Webhooks: map[ledger.Provider]provider.WebhookVerifier{"stripe": stripe.NewVerifier(hookSecret), "bitgo": refuseAll{}, "sumsub": refuseAll{}},
		Log:      slog.New(slog.NewTextHandler(&lockedWriter{to: h.log}, nil)),
		Settings: Settings{Custodian: ledger.ProviderBitGo, Mode: "local", Brand: testBrand, PublicURL: origin, WidgetURL: widgetURL, SecretKey: key, Claims: accountapi.Claims{SignupBonusUSD: "25", KYCReviewMinutes: "5-15"},
			Programme: referralapi.Programme{Bonus: money.FromInt(2500), Reward: money.FromInt(1000), Revocable: 90 * 24 * time.Hour},
			Namespace: "tradepost", EnhancedLevel: "enhanced", IdentityDashboard: "https://identity.example.com/", TemporalUIURL: "http://127.0.0.1:8233", Recipients: recipients, RateScale: 20, LapseWarning: 24 * time.Hour, CardReview: 13*24*time.Hour + time.Hour, RefundTwoAbove: 1000, CreditTwoAbove: 1000, StaffAlonePerDay: 1_000_000,
			Places: executionapi.Places{Stripe: "https://stripe.example.com/", Kraken: "https://kraken.example.com/", Explorers: map[string]string{"bitcoin": "https://explorer.example.com/"}},
			Vouchers: voucherapi.VoucherSettings{Terms: voucher.VoucherTerms{MarginPercent: decimal.New(25, -1), IdentityAbove: money.FromInt(300_00)},
				Limits: voucher.VoucherLimits{Value: money.FromInt(2000_00), Alone: money.FromInt(2500_00)}}}}
	for _, f := range change {
		f(&d)
	}
	server, err := New(d)
	require.NoError(h, err)
	handler, err := server.Handler()
	require.NoError(h, err)
	web.Config.Handler = witnessed(h.T, handler)
	web.Start()
	h.Cleanup(web.Close)
	if h.web == nil {
		h.web, h.server = web, server
	}
	return web
}

// noHistories is a Temporal without any workflow.
type noHistories struct{}

func (noHistories) Runs(context.Context, string) ([]order.History, error) { return nil, nil }

func (noHistories) Fetch(context.Context, *order.History) error { return nil }

type refuseAll struct{}

func (refuseAll) Verify(http.Header, []byte, time.Time) (provider.WebhookEvent, error) {
	return provider.WebhookEvent{}, provider.ErrBadSignature
}

type lockedWriter struct {
	mu sync.Mutex
	to *bytes.Buffer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func (h *testServer) exec(sql string, args ...any) {
	h.Helper()
	_, err := h.db.Pool().Exec(context.Background(), sql, args...)
	require.NoError(h, err)
}

// one reads one value.
func one[T any](h *testServer, sql string, args ...any) T {
	h.Helper()
	var out T
	require.NoError(h, h.db.Pool().QueryRow(context.Background(), sql, args...).Scan(&out))
	return out
}

func (h *testServer) market() {
	h.Helper()
	require.NoError(h, pricing.StoreMarketRules(h.Context(), h.db, []pricing.Market{{Asset: money.BTC, Pair: "XXBTZUSD", LotDecimals: 8, PriceDecimals: 1,
		TickSize: decimal.New(1, -1), MinAmount: decimal.New(5, -5), MinCost: decimal.New(5, -1), TakerFee: decimal.New(4, -1), Tradable: true}}))
	h.price("50000")
}

func (h *testServer) price(ask string) {
	h.Helper()
	price := decimal.RequireFromString(ask)
	require.NoError(h, pricing.StorePrice(h.Context(), h.db, money.BTC, price, price, price))
}

// visitor is one browser.
type visitor struct {
	*testServer
	client *http.Client
	origin string
	userID string
	csrf   string
}

func (h *testServer) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	require.NoError(h, err)
	return &visitor{testServer: h, origin: h.web.URL, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// customer is signed in and verified; roles make it staff.
func (h *testServer) customer(roles ...string) *visitor {
	h.Helper()
	v := h.visitor()
	v.userID = store.NewID()
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified, first_name) VALUES ($1, $2, $3, $4, true, 'Ada')`,
		v.userID, h.issuer.URL, v.userID, v.userID[24:]+"@example.com")
	h.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, v.userID)
	require.NoError(h, ledger.OpenCustomerAccounts(h.Context(), h.db, v.userID))
	require.NoError(h, order.RememberAddress(h.Context(), h.db, v.userID, money.Bitcoin, btcAddress)) // what newOrder buys to
	for _, role := range roles {
		h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, $2, 'test')`, v.userID, role)
	}
	v.enter()
	return v
}

// enter gives the visitor a session without the way through the issuer.
func (v *visitor) enter() {
	v.Helper()
	token, now := rest.NewToken(), time.Now()
	require.NoError(v, account.CreateSession(v.Context(), v.db, account.NewSession{TokenHash: rest.HashToken(token), UserID: v.userID, AuthenticatedAt: &now}))
	site, err := url.Parse(v.origin)
	require.NoError(v, err)
	v.client.Jar.SetCookies(site, []*http.Cookie{{Name: rest.SessionCookie, Value: token, Path: "/"}}) //nolint:gosec // the test's own jar
	v.csrf = v.get("/api/csrf-token").text("csrfToken")
}

// answer is a whole response.
type answer struct {
	*testing.T
	status int
	header http.Header
	body   []byte
}

func (v *visitor) get(path string, headers ...string) *answer {
	v.Helper()
	return v.send(http.MethodGet, path, "", headers...)
}

// post sends JSON from the site's own page, with the visitor's CSRF token where it is
// asked for; headers are pairs and win.
func (v *visitor) post(path, body string, headers ...string) *answer {
	v.Helper()
	return v.unsafe(http.MethodPost, path, body, headers...)
}

// unsafe is post with another method.
func (v *visitor) unsafe(method, path, body string, headers ...string) *answer {
	v.Helper()
	own := []string{"Origin", v.origin, "Content-Type", "application/json"}
	if strings.HasPrefix(path, "/api/2fa/") {
		own = append(own, rest.CSRFHeader, v.csrf)
	}
	return v.send(method, path, body, append(own, headers...)...)
}

func (v *visitor) send(method, path, body string, headers ...string) *answer {
	v.Helper()
	target := path
	if strings.HasPrefix(path, "/") {
		target = v.origin + path
	}
	req, err := http.NewRequestWithContext(v.Context(), method, target, strings.NewReader(body))
	require.NoError(v, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1]) //nolint:gosec // pairs
	}
	res, err := v.client.Do(req)
	require.NoError(v, err)
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	require.NoError(v, err)
	return &answer{T: v.T, status: res.StatusCode, header: res.Header, body: content}
}

// is requires a status and gives the answer back.
func (a *answer) is(status int, claim ...string) *answer {
	a.Helper()
	require.Equal(a, status, a.status, "%s %s", strings.Join(claim, " "), a.body)
	return a
}

// refused requires a problem with a code.
func (a *answer) refused(status int, code string, claim ...string) *answer {
	a.Helper()
	a.is(status, claim...)
	require.Equal(a, code, a.text("code"), "%s %s", strings.Join(claim, " "), a.body)
	return a
}

func (a *answer) read(into any) {
	a.Helper()
	require.NoError(a, json.Unmarshal(a.body, into), string(a.body))
}

// text is one field of a JSON object.
func (a *answer) text(field string) string {
	a.Helper()
	var object map[string]any
	a.read(&object)
	text, _ := object[field].(string)
	return text
}

const newOrder = `{"asset":"BTC","amountAsset":"0.01","paymentMethod":"card","destAddress":"` + btcAddress + `"}`

// order makes an order by a method.
func (v *visitor) order(method string) string {
	v.Helper()
	return v.post("/api/orders", strings.Replace(newOrder, `"card"`, `"`+method+`"`, 1)).is(http.StatusCreated).text("id")
}

// authorise is what the payments worker does when a card is held.
func (h *testServer) authorise(orderID string) (paymentID string) {
	h.Helper()
	h.exec(`UPDATE payments SET authorised_at = clock_now(), submitted_at = clock_now(), stripe_payment_intent_id = 'pi_' || id, card_brand = 'visa', card_last4 = '4242' WHERE order_id = $1`, orderID)
	return one[string](h, `SELECT id::text FROM payments WHERE order_id = $1`, orderID)
}

// advance moves the database's clock forward.
func (h *testServer) advance(by string) {
	h.Helper()
	owner, err := store.Open(h.Context(), h.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(h, err)
	defer owner.Close()
	_, err = owner.Pool().Exec(h.Context(), `UPDATE clock SET ahead = ahead + $1::interval`, by)
	require.NoError(h, err)
}

// jarFor copies the visitor's cookies for another replica.
func jarFor(v *visitor, origin string) http.CookieJar {
	v.Helper()
	from, err := url.Parse(v.web.URL)
	require.NoError(v, err)
	to, err := url.Parse(origin)
	require.NoError(v, err)
	jar, err := cookiejar.New(nil)
	require.NoError(v, err)
	jar.SetCookies(to, v.client.Jar.Cookies(from))
	return jar
}
