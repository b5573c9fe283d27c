package doctor

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/internal/sandbox"
	simbitgo "github.com/tradepost/tradepost/internal/sandbox/bitgo"
	simkraken "github.com/tradepost/tradepost/internal/sandbox/kraken"
	simstripe "github.com/tradepost/tradepost/internal/sandbox/stripe"
	simsumsub "github.com/tradepost/tradepost/internal/sandbox/sumsub"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// authority signs the certificates that the tests' processes trust: it is in the
// file of the system's own, which Go reads once.
var authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "doctor")
	if err != nil {
		panic(err)
	}
	authority.certificate, authority.key = signed(&x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tests"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-2000 * time.Hour), NotAfter: time.Now().Add(2000 * time.Hour)})
	path := filepath.Join(folder, "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.certificate.Raw}), 0o600); err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"SSL_CERT_FILE": path, "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": filesSecret} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// signed makes a certificate, by the authority once there is one.
func signed(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	parent, by := authority.certificate, authority.key
	if parent == nil {
		parent, by = template, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		panic(err)
	}
	made, err := x509.ParseCertificate(raw)
	if err != nil {
		panic(err)
	}
	return made, key
}

// certified is a server's certificate for a name, until a time.
func certified(name string, until time.Time) tls.Certificate {
	made, key := signed(&x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-1500 * time.Hour), NotAfter: until})
	return tls.Certificate{Certificate: [][]byte{made.Raw}, PrivateKey: key}
}

// The secrets of an installation, none of which a report may hold.
const (
	stripeKey     = "rk_" + "test_canary0123456789"
	stripeSecret  = "whsec_" + "canary0123456789"
	bitgoToken    = "v2x" + "canary0123456789"
	bitgoPass     = "passphrase-canary-0123456789"
	bitgoSecret   = "bitgo-canary-0123456789"
	sumsubToken   = "sbx:canary0123456789"
	sumsubSecret  = "sumsub-canary-0123456789"
	sumsubHook    = "sumsub-hook-canary-0123456789"
	mailPassword  = "mail-canary-0123456789"
	clientSecret  = "client-canary-0123456789"
	krakenKey     = "kraken-canary-0123456789"
	bitgoWallets  = "btc=b7c0000000000000000000000000000a,eth=b7c0000000000000000000000000000b,usdt=b7c0000000000000000000000000000c,usdc=b7c0000000000000000000000000000d,trx:usdt=b7c0000000000000000000000000000e,trx:usdc=b7c0000000000000000000000000000f"
	shop          = "shop.test"
	krakenAddress = "bc1qtest"
)

var krakenSecret = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 64)))

// installation is a whole setting in which nothing is wrong, of real parts: what a
// test changes is its seeded fault.
type installation struct {
	*testing.T
	env      map[string]string
	options  Options
	database testbed.Database
	db       *store.DB
	world    *sandbox.World
	sandbox  string

	mu          sync.Mutex
	names       map[string][]string // TXT by name
	certificate tls.Certificate
	refuse      func(rw http.ResponseWriter, r *http.Request) bool // the site's own answer
	issuer      string                                             // what the issuer calls itself
	bucket      map[string][]byte
	storage     func(rw http.ResponseWriter, r *http.Request) bool
	encrypted   bool
	// What is so of some buckets: locked, versioned, or open to every access key.
	locked, versioned, reached map[string]bool
}

func install(t *testing.T) *installation {
	t.Helper()
	temporal := testbed.Temporal(t) // whose first start lasts longer than a price lasts
	i := &installation{T: t, database: testbed.DB(t), bucket: map[string][]byte{}, encrypted: true,
		locked: map[string]bool{"seals": true}, versioned: map[string]bool{"backups": true}, reached: map[string]bool{},
		names:       map[string][]string{shop: {"v=spf1 include:mail.test -all"}, "s1._domainkey." + shop: {"v=DKIM1; k=rsa; p=MIGf"}, "_dmarc." + shop: {"v=DMARC1; p=reject"}},
		certificate: certified("localhost", time.Now().Add(1500*time.Hour))}
	site := i.serveSite()
	i.openDatabase()
	i.simulate(site)
	issuer, buckets := i.serve(i.serveIssuer), i.serve(i.store)
	i.issuer = issuer
	at := func(bucket string) string {
		return "s3://" + bucket + "?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(buckets)
	}
	i.env = map[string]string{
		"MODE": "local", "PUBLIC_URL": site, "DATABASE_URL": i.database.App, "MIGRATE_DATABASE_URL": i.database.Owner, "IDENTITY_DATABASE_URL": i.database.Identity,
		"TEMPORAL_ADDRESS": temporal, "TEMPORAL_NAMESPACE": testbed.Namespace,
		"FILES_URL": at("files"), "AWS_ACCESS_KEY_ID": filesAccess, "AWS_SECRET_ACCESS_KEY": filesSecret, "AUDIT_SEALS_URL": at("seals"),
		"BACKUP_URL": at("backups"), "BACKUP_ACCESS_KEY_ID": backupAccess, "BACKUP_SECRET_ACCESS_KEY": backupSecret,
		"SECRET_KEY": keyOf("site"), "EARLIER_SECRET_KEYS": keyOf("earlier"), "IDENTITY_SECRET_KEY": keyOf("identity"),
		"AUDIT_SEAL_KEY": keyOf("seals"), "BACKUP_KEY": keyOf("backups"),
		"OIDC_ISSUER": issuer, "OIDC_CLIENT_ID": "tradepost", "OIDC_CLIENT_SECRET": clientSecret,
		"SMTP_URL": "smtp://mailer:" + mailPassword + "@" + i.serveMail(), "MAIL_FROM": "Shop <no-reply@" + shop + ">",
		"STRIPE_URL": i.sandbox, "STRIPE_KEY": stripeKey, "KRAKEN_URL": i.sandbox, "KRAKEN_KEY": krakenKey, "KRAKEN_SECRET": krakenSecret,
		"KRAKEN_WITHDRAW_KEYS": "btc=vault-btc", "KRAKEN_WITHDRAW_ADDRESSES": "btc=" + krakenAddress,
		"BITGO_URL": i.sandbox, "BITGO_TOKEN": bitgoToken, "BITGO_PASSPHRASE": bitgoPass, "BITGO_WALLETS": bitgoWallets,
		"SUMSUB_URL": i.sandbox, "SUMSUB_APP_TOKEN": sumsubToken, "SUMSUB_SECRET": sumsubSecret, "SUMSUB_LEVEL": "basic-kyc-level",
		"STRIPE_WEBHOOK_SECRET": stripeSecret, "BITGO_WEBHOOK_SECRET": bitgoSecret, "SUMSUB_WEBHOOK_SECRET": sumsubHook,
	}
	i.archived(i.env["BACKUP_KEY"])
	i.options = Options{Resolver: i.resolver(), Selectors: []string{"s1"}, Patience: 30 * time.Second, MailTo: "ops@" + shop}
	return i
}

// examine makes the checks that are named.
func (i *installation) examine(only ...string) Report {
	i.Helper()
	o := i.options
	env := maps.Clone(i.env)
	o.Only, o.Getenv = only, func(name string) string { return env[name] }
	report, unknown := Examine(i.Context(), o)
	require.Empty(i, unknown)
	var text bytes.Buffer
	report.WriteText(&text)
	require.NoError(i, report.WriteJSON(&text))
	for _, secret := range secretsIn(o.Getenv) {
		if len(secret) > len("identity") { // the databases' passwords are ordinary words
			require.NotContains(i, text.String(), secret)
		}
	}
	require.NotContains(i, text.String(), "canary")
	return report
}

// serve starts a plain HTTP server.
func (i *installation) serve(handle http.HandlerFunc) string {
	server := httptest.NewServer(handle)
	i.Cleanup(server.Close)
	return server.URL
}

// quiet is the log of servers to which no connection is made.
var quiet = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)

// serveSite is what answers at PUBLIC_URL: it verifies webhooks by the product's own
// verifiers, and stores them as the API does.
func (i *installation) serveSite() string {
	verifiers := map[string]provider.WebhookVerifier{"stripe": stripe.NewVerifier(stripeSecret), "bitgo": bitgo.NewVerifier(bitgoSecret), "sumsub": sumsub.NewVerifier(sumsubHook)}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if i.refuse != nil && i.refuse(rw, r) {
			return
		}
		from, isNotice := strings.CutPrefix(r.URL.Path, webhookPath)
		if !isNotice {
			return
		}
		body, _ := io.ReadAll(r.Body)
		event, err := verifiers[from].Verify(r.Header, body, time.Now())
		switch {
		case errors.Is(err, provider.ErrBadSignature):
			rw.WriteHeader(http.StatusUnauthorized)
		case err != nil:
			rw.WriteHeader(http.StatusBadRequest)
		default:
			if _, err := webhook.StoreWebhook(r.Context(), i.db, webhook.WebhookNotice{Provider: ledger.Provider(from), EventID: event.ID, Type: event.Type, Subject: event.Subject}); err != nil {
				rw.WriteHeader(http.StatusServiceUnavailable)
			}
		}
	}))
	server.TLS = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &i.certificate, nil }}
	server.Config.ErrorLog = quiet
	server.StartTLS()
	i.Cleanup(server.Close)
	return "https://localhost:" + server.URL[strings.LastIndex(server.URL, ":")+1:]
}

// openDatabase fills what a working installation has: prices and a float.
func (i *installation) openDatabase() {
	ctx := i.Context()
	db, err := store.Open(ctx, i.database.App, store.Options{})
	require.NoError(i, err)
	i.db = db
	i.Cleanup(db.Close)
	for _, asset := range money.Assets {
		require.NoError(i, pricing.StoreMarketRules(ctx, db, []pricing.Market{{Asset: asset, Pair: string(asset), Tradable: true}}))
		require.NoError(i, pricing.StorePrice(ctx, db, asset, decimal.NewFromInt(2), decimal.NewFromInt(1), decimal.NewFromInt(1)))
	}
	require.NoError(i, ledger.SeedFloat(ctx, db, "opening", []ledger.Posting{{From: ledger.AccountEquity, To: "wallet:bitcoin", Currency: money.BTC, Amount: money.FromInt(100)}}))
	i.sealed(1, keyOf("seals"))
}

// sealed is a seal of the audit log, made with a key.
func (i *installation) sealed(through int64, with string) {
	i.Helper()
	key, err := base64.StdEncoding.DecodeString(with)
	require.NoError(i, err)
	hash := sha256.Sum256([]byte("the lines before"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "audit seal %d %x", through, hash)
	i.exec("INSERT INTO audit_seals (through_id, sealed_at, hash, mac) VALUES ($1, now(), $2, $3)", through, hash[:], mac.Sum(nil))
}

// exec changes the database as its superuser.
func (i *installation) exec(statement string, args ...any) {
	i.Helper()
	conn, err := pgx.Connect(i.Context(), i.database.Admin)
	require.NoError(i, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(i.Context(), statement, args...)
	require.NoError(i, err)
}

// simulate runs the providers' simulators.
func (i *installation) simulate(site string) {
	config := sandbox.Config{Mode: "local", Data: i.TempDir(), HookURL: site + strings.TrimSuffix(webhookPath, "/"), StripeKey: stripeKey, StripeWebhookSecret: stripeSecret,
		StripeEvents: strings.Join(events.Acted, ","), KrakenKey: krakenKey, KrakenSecret: krakenSecret, BitGoToken: bitgoToken, BitGoWallets: bitgoWallets,
		BitGoWebhookSecret: bitgoSecret, SumsubAppToken: sumsubToken, SumsubSecret: sumsubSecret, SumsubWebhookSecret: sumsubHook,
		SumsubLevel: "basic-kyc-level", SumsubEnhancedLevel: "enhanced-kyc-level"}
	world, err := sandbox.Open(config, slog.New(slog.DiscardHandler))
	require.NoError(i, err)
	custody, err := simbitgo.New(world)
	require.NoError(i, err)
	exchange, err := simkraken.New(world)
	require.NoError(i, err)
	require.NoError(i, exchange.Register("BTC", "vault-btc", krakenAddress))
	simulators := []sandbox.Simulator{simstripe.New(), exchange, custody, simsumsub.New()}
	server := httptest.NewServer(world.Handler(simulators...))
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() { world.Run(ctx, simulators...); close(ran) }()
	i.Cleanup(func() { server.Close(); stop(); <-ran; _ = world.Close() })
	i.world, i.sandbox = world, server.URL
}

// control changes a simulator, as its control page does.
func (i *installation) control(path string, fields map[string]any) {
	i.Helper()
	body, err := json.Marshal(fields)
	require.NoError(i, err)
	answer, err := http.Post(i.sandbox+"/control/"+path, "application/json", bytes.NewReader(body))
	require.NoError(i, err)
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	require.Less(i, answer.StatusCode, 300, string(text))
}

// read gets JSON of the simulators' control page.
func (i *installation) read(path string, into any) {
	i.Helper()
	answer, err := http.Get(i.sandbox + path)
	require.NoError(i, err)
	defer func() { _ = answer.Body.Close() }()
	require.NoError(i, json.NewDecoder(answer.Body).Decode(into))
}

// fault arms a fault of a provider's call until the test ends.
func (i *installation) fault(provider, operation, code string) {
	i.Helper()
	_, err := i.world.Faults.Arm(sandbox.Fault{Provider: provider, Operation: operation, Code: code, Count: -1})
	require.NoError(i, err)
}

// serveIssuer is an OpenID provider with one client.
func (i *installation) serveIssuer(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	if r.URL.Path == openIDPath {
		_ = json.NewEncoder(rw).Encode(map[string]string{"issuer": i.issuer, "token_endpoint": "http://" + r.Host + "/token"})
		return
	}
	refused := "invalid_grant"
	if name, secret, _ := r.BasicAuth(); name != "tradepost" || secret != clientSecret {
		refused = "invalid_client"
	}
	rw.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(rw).Encode(map[string]string{"error": refused})
}

// serveMail is an SMTP server with one account.
func (i *installation) serveMail() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(i, err)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{}, nil }))
	server.Domain, server.AllowInsecureAuth = "localhost", true
	go func() { _ = server.Serve(listener) }()
	i.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

type session struct{}

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }
func (*session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, name, password string) error {
		if name != "mailer" || password != mailPassword {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}
func (*session) Mail(string, *smtp.MailOptions) error { return nil }
func (*session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	return nil
}
func (*session) Data(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
func (*session) Reset()                 {}
func (*session) Logout() error          { return nil }
