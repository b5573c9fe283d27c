package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/custodians"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/sandbox"
	sandboxbitgo "github.com/tradepost/tradepost/internal/sandbox/bitgo"
	sandboxkraken "github.com/tradepost/tradepost/internal/sandbox/kraken"
	"github.com/tradepost/tradepost/internal/sandbox/mailbox"
	sandboxstripe "github.com/tradepost/tradepost/internal/sandbox/stripe"
	sandboxsumsub "github.com/tradepost/tradepost/internal/sandbox/sumsub"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/models/webhook"
	"github.com/tradepost/tradepost/workflows"
)

// testCluster is all four workers in this process, on a real Postgres, a real
// Temporal server and the providers' simulators, with their webhooks.
type testCluster struct {
	*testing.T
	db              *store.DB
	owner           string
	client          *temporalx.Client
	sandbox         string
	dbs             testbed.Database
	post            *postOffice
	quoter          *pricing.Quoter
	customer, staff string
	cashier         string // who confirms receipts
	reviews         *reviewer
	files           *blob.Bucket
	issuer          *issuer
	listener        *listener
	timing          activities.Timing
	offer           money.Offer
	hookURL         string
	custodian       ledger.Provider
	adapter         custodians.Adapter
	workers         map[string]*Process
	hooks           bool            // pass webhooks on
	unreadRefund    *atomic.Bool    // list a refund that cannot be read beside those of each payment
	onPark          func()          // called when an order driven to its end stops on the way
	ask             decimal.Decimal // what bitcoin cost before a test moved it
}

// quick scales every wait for tests.
var quick = activities.Timing{CallTimeout: 10 * time.Second, Heartbeat: 8 * time.Second, RetryFirst: 100 * time.Millisecond, RetryMost: 500 * time.Millisecond,
	PaymentPoll: 2 * time.Second, AuthorisedPoll: time.Hour, LapseWarning: 24 * time.Hour, CaptureBudget: 20 * time.Second, BuyBudget: 40 * time.Second, SendBudget: 40 * time.Second,
	RefundBudget: 30 * time.Second, ConfirmBudget: time.Minute, OrderLife: 10 * time.Second, LookupGrace: 50 * time.Millisecond, LookupGap: 50 * time.Millisecond,
	LookupTries: 3, SendLookup: time.Second, ChoiceWindow: 72 * time.Hour, KeepTryingFor: 24 * time.Hour, KeepTryingWait: 15 * time.Minute,
	KeepTryingMost: 4 * time.Hour, DisputePoll: time.Hour, FollowFirst: 100 * time.Millisecond, FollowMost: 500 * time.Millisecond}

const (
	krakenSecret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
	demoWallets  = "btc=5f1e00000000000000000000000000b1,eth=5f1e00000000000000000000000000e1,usdt=5f1e00000000000000000000000000d1," +
		"usdc=5f1e00000000000000000000000000c1,trx:usdt=5f1e00000000000000000000000000d2,trx:usdc=5f1e00000000000000000000000000c2"
	goodAddress = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
)

func open(t *testing.T) *testCluster { return openWith(t, quick) }

func openWith(t *testing.T, timing activities.Timing) *testCluster {
	t.Helper()
	return openSelling(t, timing, money.Offer{})
}

// openSelling has the wallets, prices and keys that an offer needs, and no other.
func openSelling(t *testing.T, timing activities.Timing, offer money.Offer) *testCluster {
	t.Helper()
	return openSending(t, ledger.ProviderBitGo, timing, offer)
}

// openSending sends coin with a custodian.
func openSending(t *testing.T, custodian ledger.Provider, timing activities.Timing, offer money.Offer) *testCluster {
	t.Helper()
	return openIn(t, testbed.Namespace, config.WorkerVersion{}, custodian, timing, offer)
}

// openIn has the workers in a namespace, as a version of a deployment if that has a name.
func openIn(t *testing.T, namespace string, version config.WorkerVersion, custodian ledger.Provider, timing activities.Timing, offer money.Offer) *testCluster {
	t.Helper()
	adapter, err := custodians.Named(custodian)
	require.NoError(t, err)
	ctx := t.Context()
	dbs := testbed.DB(t)
	db, err := store.Open(ctx, dbs.App, store.Options{MaxConns: 20})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	client, err := temporalx.Lazy(&config.Temporal{Address: testbed.Temporal(t), Namespace: namespace}, log, nil)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	h := &testCluster{T: t, db: db, dbs: dbs, owner: dbs.Owner, client: client, quoter: pricing.NewQuoter(db, []byte("a key of at least thirty-two bytes")).Offering(offer), offer: offer,
		customer: store.NewID(), staff: store.NewID(), cashier: store.NewID(), hooks: true, reviews: &reviewer{}, issuer: &issuer{}, timing: timing, custodian: custodian, adapter: adapter,
		unreadRefund: &atomic.Bool{}}
	h.files = memblob.OpenBucket(nil)
	t.Cleanup(func() { _ = h.files.Close() })
	h.openSandbox(log)
	require.NoError(t, h.setCustodian(custodian))
	h.furnish()
	h.startPrices(log)
	h.workers = h.startWorkers(version, log)
	return h
}

func (h *testCluster) openSandbox(log *slog.Logger) {
	receiver := httptest.NewServer(http.HandlerFunc(h.receive))
	h.Cleanup(receiver.Close)
	h.hookURL = receiver.URL
	server := httptest.NewUnstartedServer(nil)
	h.sandbox = "http://" + server.Listener.Addr().String()
	world, err := sandbox.Open(sandbox.Config{Mode: "local", URL: h.sandbox, Data: h.TempDir(), HookURL: receiver.URL, StripeKey: "sk_test_1", StripeWebhookSecret: "whsec_1",
		KrakenKey: "key", KrakenSecret: krakenSecret, BitGoToken: "token", BitGoWallets: demoWallets, BitGoWebhookSecret: "hook",
		SumsubAppToken: "sbx:token", SumsubSecret: "secret", SumsubWebhookSecret: "sumsub-hook", SumsubLevel: "basic", SumsubEnhancedLevel: "enhanced"}, log)
	require.NoError(h, err)
	exchange, err := sandboxkraken.New(world)
	require.NoError(h, err)
	custody, err := sandboxbitgo.New(world)
	require.NoError(h, err)
	require.NoError(h, exchange.Register("BTC", "vault", custody.OwnAddress("btc")))
	h.post = &postOffice{Mailbox: mailbox.New()}
	simulators := []sandbox.Simulator{sandboxstripe.New(), exchange, custody, sandboxsumsub.New(), h.post}
	server.Config.Handler = world.Handler(simulators...)
	server.Start()
	h.post.open(h.T)
	ctx, stop := context.WithCancel(context.WithoutCancel(h.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); world.Run(ctx, simulators...) }()
	h.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		stop()
		<-ended
		_ = world.Close()
	})
	h.control("/control/kraken/tier", map[string]string{"tier": "unlimited"})
	h.control("/control/kraken/payouts", map[string]string{"seconds": "0"})
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s", "requests": "100000"}) // a test asks as often as months do
}

// receive does with a webhook what the API does: verify, store, signal.
func (h *testCluster) receive(rw http.ResponseWriter, r *http.Request) {
	if !h.hooks {
		return
	}
	body, _ := io.ReadAll(r.Body)
	from, of, signal := ledger.Provider(filepath.Base(r.URL.Path)), ledger.Payments, workflows.PaymentChanged
	if from == "sumsub" {
		h.receiveReview(rw, r, body)
		return
	}
	var verifier provider.WebhookVerifier = stripe.NewVerifier("whsec_1")
	if from == h.custodian {
		verifier, of, signal = h.adapter.Verifier(config.Webhooks{BitGo: "hook"}), ledger.Custody, workflows.TransferChanged
	}
	now, _ := h.db.Now(r.Context()) // the sandbox moves its clock with it
	event, err := verifier.Verify(r.Header, body, now)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	owner := webhook.Owner{OrderID: event.OrderID}
	if owner.OrderID == "" {
		owner, _ = webhook.OwnerOfSubject(r.Context(), h.db, of, event.Subject)
	}
	notice := webhook.WebhookNotice{Of: of, Provider: from, EventID: event.ID, Type: event.Type, Subject: event.Subject, Owner: owner, At: event.At}
	var held *order.PaymentReading
	if p := event.Held; p != nil {
		held = &order.PaymentReading{PaymentID: p.ID, Authorised: true, Capturable: p.Capturable,
			Brand: p.CardBrand, Last4: p.CardLast4, Fingerprint: p.CardFingerprint, CaptureBefore: p.CaptureBefore}
	}
	done, err := h.store(r.Context(), notice, held)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
	}
	if err != nil || done {
		return
	}
	if owner.OrderID != "" && workflows.SignalsMoney(event.Type) {
		_ = h.client.FollowPayment(r.Context(), owner.OrderID, event.Type)
	}
	if owner.OrderID != "" && (of == ledger.Custody || workflows.SignalsPayment(event.Type)) {
		_ = h.client.Signal(r.Context(), owner.OrderID, signal, event.Type)
	}
	if owner.RedemptionID != "" {
		_ = h.client.SignalCase(r.Context(), voucher.KindVoucher, owner.RedemptionID, event.Type)
	}
}

// setCustodian is what a migration does with the setting.
func (h *testCluster) setCustodian(name ledger.Provider) error {
	owner, err := pgx.Connect(h.Context(), h.owner)
	require.NoError(h, err)
	defer func() { _ = owner.Close(context.WithoutCancel(h.Context())) }()
	return ledger.SetProvider(h.Context(), owner, ledger.Custody, name)
}

func (h *testCluster) caps() execution.Caps { return execution.Caps{Order: 100000, Day: 500000} }

// furnish brings people, prices and the wallet float.
func (h *testCluster) furnish() {
	for id, name := range map[string]string{h.customer: "customer", h.staff: "staff", h.cashier: "teller"} {
		h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, id, name)
	}
	h.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, h.customer)
	h.exec(`UPDATE users SET volume_tier = 'gold' WHERE id = $1`, h.customer)
	h.exec(`UPDATE risk_rules SET enabled = false`) // one person buys all day here
	require.NoError(h, ledger.OpenCustomerAccounts(h.Context(), h.db, h.customer))
	coins, err := money.BTC.Parse("25")
	require.NoError(h, err)
	dollars, err := money.USD.Parse("5000000")
	require.NoError(h, err)
	require.NoError(h, ledger.SeedFloat(h.Context(), h.db, "opening", []ledger.Posting{
		{From: ledger.AccountEquity, To: ledger.WalletAccount("bitcoin"), Currency: money.BTC, Amount: coins},
		{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.USD, Amount: dollars}}))
}

// as is the database as a process connects to it.
func (h *testCluster) as(process string) *store.DB {
	db, err := store.Open(h.Context(), h.dbs.Process[process], store.Options{})
	require.NoError(h, err)
	h.Cleanup(db.Close)
	return db
}

// exchange is the adapter of the simulated exchange.
func (h *testCluster) exchange() *kraken.Client {
	assets, err := execution.Traded(h.Context(), h.db, h.offer)
	require.NoError(h, err)
	return kraken.New(kraken.Config{URL: h.sandbox, Key: "key", Secret: krakenSecret, Assets: assets, Lock: h.db.KeyLock("kraken")})
}

// startWorkers starts the workers of the task queues, all four unless some are named, and returns them.
func (h *testCluster) startWorkers(version config.WorkerVersion, log *slog.Logger, queues ...string) map[string]*Process {
	exchange := h.exchange()
	wallets, err := bitgo.ParseWallets(demoWallets)
	require.NoError(h, err)
	narrowed := len(h.offer.Assets)+len(h.offer.Networks) > 0
	for _, w := range treasury.OurWallets() {
		if narrowed && !h.offer.Sends(w.Asset, w.Network) {
			delete(wallets, treasury.CoinOf(w))
		}
	}
	started := map[string]*Process{}
	for _, queue := range workflows.Queues() {
		started[queue] = newProcess(queue, &version, h.as(queue), h.client, telemetry.NewMetrics(queue), log, &lostAnswers{})
	}
	core, payments, buying, custody := started[workflows.CoreQueue], started[workflows.PaymentsQueue], started[workflows.ExchangeQueue], started[workflows.CustodyQueue]
	sender, err := mail.New("smtp://"+h.post.address, "Tradepost <no-reply@example.com>")
	require.NoError(h, err)
	core.Workflows()
	core.Activities(&activities.Mails{DB: core.DB, Sender: sender, Brand: "Tradepost", PublicURL: "http://localhost", Log: log, Poll: 50 * time.Millisecond, Caller: h.openListener(log)})
	core.Activities(&activities.KYC{DB: core.DB, Identity: h.reviews, Timing: quickKYC, EnhancedLevel: "enhanced"}, &activities.Orders{DB: core.DB, Timing: h.timing, SlippageBPS: 100, SurplusTwoAbove: money.FromInt(1000_00)},
		&activities.GiftCards{DB: core.DB, Timing: quickCards}, &activities.Rights{DB: core.DB, Files: h.files, Brand: "Tradepost", Issuer: h.issuer}, &activities.TwoFactor{DB: core.DB},
		&activities.Payouts{DB: core.DB, Timing: quickPayouts},
		&activities.Treasury{DB: core.DB, Limits: vaultLimits, Again: time.Hour, LookAgain: time.Second},
		&activities.Vouchers{DB: core.DB, Timing: h.timing, SlippageBPS: 100},
		&activities.Referrals{DB: core.DB},
		&activities.Tiers{DB: core.DB},
		&activities.Reconciliation{DB: core.DB, Grace: time.Hour},
		&activities.Sweep{DB: core.DB, Decide: Deliveries{h.client}, Receive: ReceiptDeliveries{h.client}, DecideCard: CardDeliveries{h.client}, DecideMatter: CaseDeliveries{h.client}, Past: h.client, Grace: time.Millisecond, Revive: time.Hour, MoneyPoll: time.Millisecond, LapseWarning: quick.LapseWarning})
	cards := stripe.New(stripe.Config{URL: h.sandbox, Key: h.stripeKey()})
	payments.Activities(
		&activities.Payments{DB: payments.DB, Cards: cards, PublicURL: "http://localhost", Brand: "Tradepost"},
		&activities.Money{DB: payments.DB, Refunds: foreignRefunds{cards, h.unreadRefund}, Disputes: cards},
		&activities.Statements{DB: payments.DB, Holder: ledger.ProviderStripe, Provider: cards}, &activities.TreasuryClearing{DB: payments.DB, Cards: cards})
	buying.Activities(&activities.Exchange{DB: buying.DB, Exchange: exchange, Timing: h.timing, SlippageBPS: 100}, &activities.Statements{DB: buying.DB, Holder: ledger.ProviderKraken, Provider: exchange},
		&activities.TreasuryExchange{DB: buying.DB, Exchange: exchange, Timing: h.timing, Keys: map[string]string{"btc": "vault"}})
	ours, err := h.adapter.Open(custodians.Settings{BitGo: config.BitGo{URL: h.sandbox, Token: "token", Wallets: wallets}})
	require.NoError(h, err)
	require.NoError(h, custody.SendWith(h.Context(), h.custodian, ours, h.timing, h.caps()))
	if len(queues) == 0 {
		queues = workflows.Queues()
	}
	for _, queue := range queues {
		require.NoError(h, started[queue].worker.Start())
		h.Cleanup(started[queue].worker.Stop)
	}
	return started
}

// foreignRefunds lists a refund that cannot be read with those of each payment, while it is on.
type foreignRefunds struct {
	provider.Givebacks
	on *atomic.Bool
}

func (f foreignRefunds) PaymentRefunds(ctx context.Context, paymentID string) ([]provider.CardRefund, error) {
	all, err := f.Givebacks.PaymentRefunds(ctx, paymentID)
	if f.on.Load() {
		foreign := provider.CardRefund{PaymentID: paymentID, Unread: `refund in "eur"`}
		foreign.ID = "re_foreign"
		all = append([]provider.CardRefund{foreign}, all...)
	}
	return all, err
}

// startPrices keeps the prices of now.
func (h *testCluster) startPrices(log *slog.Logger) {
	prices := &activities.PricePoller{DB: h.as("exchange"), Exchange: h.exchange(), Log: log, Every: 500 * time.Millisecond, RulesEvery: time.Hour}
	ctx, stop := context.WithCancel(context.WithoutCancel(h.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); _ = prices.Run(ctx) }()
	h.Cleanup(func() { stop(); <-ended })
}

// stripeKey is none where cards are not offered.
func (h *testCluster) stripeKey() string {
	if !h.offer.Takes(pricing.MethodCard) {
		return ""
	}
	return "sk_test_1"
}

func (h *testCluster) exec(sql string, args ...any) {
	h.Helper()
	_, err := h.db.Pool().Exec(h.Context(), sql, args...)
	require.NoError(h, err)
}

// control speaks to the sandbox's control page.
func (h *testCluster) control(path string, body any) {
	h.Helper()
	raw, err := json.Marshal(body)
	require.NoError(h, err)
	request, err := http.NewRequestWithContext(h.Context(), http.MethodPost, h.sandbox+path, bytes.NewReader(raw))
	require.NoError(h, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	said, _ := io.ReadAll(response.Body)
	require.Less(h, response.StatusCode, 300, "%s: %s", path, said)
}

// arm has the next such call go wrong.
func (h *testCluster) arm(provider, operation, code string) {
	h.Helper()
	h.control("/control/faults", map[string]any{"provider": provider, "operation": operation, "code": code, "count": 1})
}

// effectList is what really happened at the providers.
func (h *testCluster) effectList() (list []sandbox.Effect) {
	h.Helper()
	response, err := http.Get(h.sandbox + "/control/effects")
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	require.NoError(h, json.NewDecoder(response.Body).Decode(&list))
	return list
}

// effects counts it.
func (h *testCluster) effects() map[string]int {
	h.Helper()
	counts := map[string]int{}
	for _, e := range h.effectList() {
		counts[e.Provider+"/"+e.Operation] += e.Count
	}
	return counts
}

// pay pays on the hosted page with a card.
func (h *testCluster) pay(page, card string) {
	h.Helper()
	response, err := http.PostForm(page, url.Values{"number": {card}, "expiry": {"12 / 40"}, "cvc": {"123"}, "name": {"Erin Example"}})
	if err == nil { // else the way back led to the site, which does not run here
		_ = response.Body.Close()
	}
}

// stripeCharge reads which charge a payment made, as the account's owner does.
func (h *testCluster) stripeCharge(payment string) string {
	h.Helper()
	request, err := http.NewRequestWithContext(h.Context(), http.MethodGet, h.sandbox+"/v1/payment_intents/"+payment, nil)
	require.NoError(h, err)
	request.SetBasicAuth("sk_test_1", "")
	response, err := http.DefaultClient.Do(request)
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	var intent struct {
		Charge string `json:"latest_charge"`
	}
	require.NoError(h, json.NewDecoder(response.Body).Decode(&intent))
	return intent.Charge
}

// store stores a webhook as the API does.
func (h *testCluster) store(ctx context.Context, notice webhook.WebhookNotice, held *order.PaymentReading) (done bool, err error) {
	if held != nil {
		return order.StoreAuthorisation(ctx, h.db, notice, held)
	}
	return webhook.StoreWebhook(ctx, h.db, notice)
}
