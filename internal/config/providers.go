package config

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/version"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/treasury"
)

// Temporal is where workflows run: a local server, a cluster, or Temporal
// Cloud (with client certificate or API key).
type Temporal struct {
	Address    string `name:"temporal-address" env:"TEMPORAL_ADDRESS" default:"127.0.0.1:7233" help:"host:port of the Temporal frontend."`
	Namespace  string `name:"temporal-namespace" env:"TEMPORAL_NAMESPACE" default:"tradepost" help:"Namespace our workflows live in."`
	UIURL      string `name:"temporal-ui-url" env:"TEMPORAL_UI_URL" help:"Address of the Temporal web UI, for links."`
	APIKey     string `name:"temporal-api-key" env:"TEMPORAL_API_KEY" help:"API key of Temporal Cloud."`
	TLS        bool   `name:"temporal-tls" env:"TEMPORAL_TLS" help:"Use TLS; implied by an API key or a client certificate."`
	TLSCert    string `name:"temporal-tls-cert" env:"TEMPORAL_TLS_CERT" help:"File of the client certificate (mTLS)."`
	TLSKey     string `name:"temporal-tls-key" env:"TEMPORAL_TLS_KEY" help:"File of the client certificate's key."`
	TLSCA      string `name:"temporal-tls-ca" env:"TEMPORAL_TLS_CA" help:"File of the authority that signed the server's certificate."`
	ServerName string `name:"temporal-tls-server-name" env:"TEMPORAL_TLS_SERVER_NAME" help:"Name expected in the server's certificate."`
}

// Check implements Group.
func (t *Temporal) Check(Mode) error {
	err := errors.Join(address("TEMPORAL_ADDRESS", t.Address), notEmpty("TEMPORAL_NAMESPACE", t.Namespace))
	if (t.TLSCert == "") != (t.TLSKey == "") {
		err = errors.Join(err, errors.New("TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY go together"))
	}
	return err
}

// Deployment is Temporal's worker deployment, whose versions the workers are. Without a name they
// have none.
type Deployment struct {
	Name string `name:"worker-deployment" env:"WORKER_DEPLOYMENT" help:"Name of the worker deployment in Temporal, the same for all workers; empty, they have no versions."`
}

// Check implements Group.
func (d *Deployment) Check(Mode) error {
	if strings.ContainsAny(d.Name, ".:") {
		return errors.New("WORKER_DEPLOYMENT must not contain . or :")
	}
	return nil
}

// WorkerVersion is which version of the deployment a worker is.
type WorkerVersion struct {
	Deployment `embed:""`
	Build      string `name:"worker-build-id" env:"WORKER_BUILD_ID" help:"Name of this version; the release unless it is set."`
}

// BuildID is the name of the version.
func (v *WorkerVersion) BuildID() string { return cmp.Or(v.Build, version.Release()) }

// Check implements Group.
func (v *WorkerVersion) Check(mode Mode) error {
	if v.Name != "" && v.BuildID() == version.Unreleased {
		return errors.New("WORKER_BUILD_ID must name the version: this program is of no release")
	}
	return v.Deployment.Check(mode)
}

// Stripe is the payments worker's access to card payments. Without a key it accepts none.
type Stripe struct {
	URL string `name:"stripe-url" env:"STRIPE_URL" default:"https://api.stripe.com" help:"Origin of the Stripe API."`
	Key string `name:"stripe-key" env:"STRIPE_KEY" ask:"must" when:"card" help:"Secret (or restricted) key; needed where RAILS has card, and until the last card order can be disputed no more."`
}

// Check implements Group.
func (s *Stripe) Check(mode Mode) error {
	if s.Key == "" {
		return endpoint("STRIPE_URL", s.URL, mode)
	}
	err := errors.Join(endpoint("STRIPE_URL", s.URL, mode), secret("STRIPE_KEY", s.Key, mode))
	return errors.Join(err, ofMode("STRIPE_KEY", s.Key, mode, map[Mode][]string{
		Production: {"sk_live_", "rk_live_"}, Staging: {"sk_test_", "rk_test_"}}))
}

// CheckOffer implements Depends.
func (s *Stripe) CheckOffer(_ Mode, offer money.Offer) error {
	return forCards("STRIPE_KEY", s.Key, offer)
}

// forCards demands a secret where cards are offered.
func forCards(name, value string, offer money.Offer) error {
	if value == "" && offer.Takes(pricing.MethodCard) {
		return fmt.Errorf("%s must not be empty while RAILS offers card", name)
	}
	return nil
}

// ofMode checks that a credential is of the kind that a mode accepts, by its prefix; a mode
// without prefixes accepts any.
func ofMode(name, value string, mode Mode, begins map[Mode][]string) error {
	wanted := begins[mode]
	if len(wanted) == 0 || slices.ContainsFunc(wanted, func(begin string) bool { return strings.HasPrefix(value, begin) }) {
		return nil
	}
	kind, where := "live", "the provider's live environment"
	if mode == Staging {
		kind, where = "test", "the provider's test environment"
	}
	return fmt.Errorf("%s must be a %s credential in %s (it begins with %s): take it from %s", name, kind, mode, strings.Join(wanted, " or "), where)
}

// Kraken is how the exchange worker buys coin. Kraken has no test environment
// for spot trading: staging is given the address of a simulator.
type Kraken struct {
	URL    string `name:"kraken-url" env:"KRAKEN_URL" default:"https://api.kraken.com" help:"Origin of the Kraken API."`
	Key    string `name:"kraken-key" env:"KRAKEN_KEY" required:"" ask:"must" when:"production" with:"KRAKEN_SECRET" make:"password" help:"API key; only this process may use it."`
	Secret string `name:"kraken-secret" env:"KRAKEN_SECRET" required:"" ask:"must" when:"production" make:"key" help:"Base64 secret of that key."`
}

// Check implements Group.
func (k *Kraken) Check(mode Mode) error {
	err := errors.Join(k.checkURL(mode),
		secret("KRAKEN_KEY", k.Key, mode), secret("KRAKEN_SECRET", k.Secret, mode))
	if _, bad := base64.StdEncoding.DecodeString(k.Secret); bad != nil {
		err = errors.Join(err, errors.New("KRAKEN_SECRET must be base64"))
	}
	return err
}

func (k *Kraken) checkURL(mode Mode) error {
	if mode != Staging {
		return endpoint("KRAKEN_URL", k.URL, mode)
	}
	parsed, err := absolute("KRAKEN_URL", k.URL)
	if err != nil {
		return err
	}
	if within(parsed.Hostname(), "kraken.com") {
		return errors.New("KRAKEN_URL is Kraken itself, which has no test environment: in staging give the simulator's address (docker-compose.staging.yml)")
	}
	return nil
}

// within reports whether host is domain or one of its subdomains.
func within(host, domain string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// Custody names the provider that sends coin. The settings of other custodians are not
// demanded.
type Custody struct {
	Custodian ledger.Provider `name:"custody-provider" env:"CUSTODY_PROVIDER" default:"bitgo" help:"Custody provider that sends coin: bitgo."`
}

// Check implements Group; that there is an adapter of the name, the process finds.
func (c *Custody) Check(Mode) error { return notEmpty("CUSTODY_PROVIDER", string(c.Custodian)) }

// BitGo is how the custody worker sends coin. URL is BitGo Express, which holds the signing
// keys; Env is the BitGo environment that it uses.
type BitGo struct {
	URL        string            `name:"bitgo-url" env:"BITGO_URL" required:"" custodian:"bitgo" help:"Origin of BitGo Express."`
	Token      string            `name:"bitgo-token" env:"BITGO_TOKEN" required:"" custodian:"bitgo" ask:"must" help:"Access token."`
	Passphrase string            `name:"bitgo-passphrase" env:"BITGO_PASSPHRASE" required:"" custodian:"bitgo" ask:"must" help:"Passphrase of the wallets."`
	Wallets    map[string]string `name:"bitgo-wallets" env:"BITGO_WALLETS" required:"" custodian:"bitgo" mapsep:"," ask:"must" help:"Wallet id by coin, for each coin and network that is offered, e.g. btc=<id>,eth=<id>,trx:usdt=<id>."`
	Env        string            `name:"bitgo-env" env:"BITGO_ENV" default:"prod" enum:"prod,test" help:"BitGo's environment, as BitGo Express is configured: prod, or test (app.bitgo-test.com), which staging needs."`
	TestCoins  map[string]string `name:"bitgo-test-coins" env:"BITGO_TEST_COINS" mapsep:"," default:"btc=tbtc4,eth=hteth,usdt=hteth:tusdt,usdc=hteth:tusdc,trx:usdt=ttrx:usdt,trx:usdc=ttrx:usdc" help:"What BitGo's test environment calls the coins of BITGO_WALLETS; read with BITGO_ENV=test alone."`
}

// BitGoCoins are the coins there can be a wallet for.
var BitGoCoins = coinsOf(treasury.OurWallets())

func coinsOf(wallets []treasury.Wallet) []string {
	var coins []string
	for _, w := range wallets {
		coins = append(coins, treasury.CoinOf(w))
	}
	return coins
}

// custodian is the provider whose settings these are.
func (b *BitGo) custodian() ledger.Provider { return ledger.ProviderBitGo }

// Check implements Group.
func (b *BitGo) Check(mode Mode) error {
	err := errors.Join(endpoint("BITGO_URL", b.URL, mode), b.checkEnv(mode),
		secret("BITGO_TOKEN", b.Token, mode), secret("BITGO_PASSPHRASE", b.Passphrase, mode))
	for coin := range b.Wallets {
		if !slices.Contains(BitGoCoins, coin) {
			err = errors.Join(err, fmt.Errorf("BITGO_WALLETS: %q is none of %s", coin, strings.Join(BitGoCoins, ", ")))
		}
	}
	return err
}

// CheckOffer demands a wallet for whatever is offered. One more is allowed: orders of
// what was offered before are sent from it.
func (b *BitGo) CheckOffer(_ Mode, offer money.Offer) error {
	var err error
	for _, w := range treasury.OurWallets() {
		if coin := treasury.CoinOf(w); offer.Sends(w.Asset, w.Network) && b.Wallets[coin] == "" {
			err = errors.Join(err, fmt.Errorf("BITGO_WALLETS names no wallet for %s", coin))
		}
	}
	return err
}

// bitgoHosts are the hosts of BitGo's environments, should Express be left out.
var bitgoHosts = map[string]string{"prod": "bitgo.com", "test": "bitgo-test.com"}

// checkEnv refuses the environment that is not of this mode, whether BITGO_ENV
// or the address names it.
func (b *BitGo) checkEnv(mode Mode) error {
	if !mode.Strict() {
		return nil
	}
	wanted, other := "prod", "test"
	if mode == Staging {
		wanted, other = other, wanted
	}
	var err error
	if b.Env != wanted {
		err = fmt.Errorf("BITGO_ENV must be %s in %s, here and at BitGo Express, with a token and wallets of app.%s", wanted, mode, bitgoHosts[wanted])
	}
	if parsed, bad := absolute("BITGO_URL", b.URL); bad == nil && within(parsed.Hostname(), bitgoHosts[other]) {
		err = errors.Join(err, fmt.Errorf("BITGO_URL is BitGo's %s environment; %s needs BitGo Express with BITGO_ENV=%s", other, mode, wanted))
	}
	for _, coin := range BitGoCoins {
		if mode == Staging && b.Wallets[coin] != "" && (b.TestCoins[coin] == "" || slices.Contains(BitGoCoins, b.TestCoins[coin])) {
			err = errors.Join(err, fmt.Errorf("BITGO_TEST_COINS must name the test coin of %s, such as btc=tbtc4", coin))
		}
	}
	return err
}

// Tickers are BitGo's names of our coins where they are not ours: in its test
// environment.
func (b *BitGo) Tickers() map[string]string {
	if b.Env != "test" {
		return nil
	}
	return b.TestCoins
}

// Sumsub is how identities are verified; it moves no money, so both the API
// (widget tokens) and the core worker (polls) hold it.
type Sumsub struct {
	URL      string `name:"sumsub-url" env:"SUMSUB_URL" default:"https://api.sumsub.com" help:"Origin of the Sumsub API."`
	AppToken string `name:"sumsub-app-token" env:"SUMSUB_APP_TOKEN" required:"" ask:"must" with:"SUMSUB_SECRET" help:"App token."`
	Secret   string `name:"sumsub-secret" env:"SUMSUB_SECRET" required:"" ask:"must" help:"Secret of that app token."`
	Level    string `name:"sumsub-level" env:"SUMSUB_LEVEL" default:"basic-kyc-level" ask:"must" help:"Verification level customers go through."`

	EnhancedLevel string `name:"sumsub-enhanced-level" env:"SUMSUB_ENHANCED_LEVEL" help:"Verification level of customers who ask for higher limits; empty: there is none."`
}

// Check implements Group.
func (s *Sumsub) Check(mode Mode) error {
	err := errors.Join(endpoint("SUMSUB_URL", s.URL, mode), notEmpty("SUMSUB_LEVEL", s.Level),
		secret("SUMSUB_APP_TOKEN", s.AppToken, mode), secret("SUMSUB_SECRET", s.Secret, mode))
	return errors.Join(err, ofMode("SUMSUB_APP_TOKEN", s.AppToken, mode, map[Mode][]string{Production: {"prd:"}, Staging: {"sbx:"}}))
}

// Widget is where browsers load Sumsub's widget from.
type Widget struct {
	URL string `name:"sumsub-websdk-url" env:"SUMSUB_WEBSDK_URL" default:"https://in.sumsub.com" help:"Origin of Sumsub's WebSDK."`

	Dashboard string `name:"sumsub-dashboard-url" env:"SUMSUB_DASHBOARD_URL" default:"https://cockpit.sumsub.com/checkus/#/applicant/" help:"Address of an applicant's page in Sumsub's dashboard, up to their id; empty shows staff no link."`
}

// Check implements Group.
func (w *Widget) Check(mode Mode) error { return endpoint("SUMSUB_WEBSDK_URL", w.URL, mode) }

// Places are URLs of pages at the providers for staff, up to an id.
type Places struct {
	Stripe    string            `name:"stripe-dashboard-url" env:"STRIPE_DASHBOARD_URL" default:"https://dashboard.stripe.com/search?query=" help:"Address of a search in Stripe's dashboard, up to an id; empty shows staff no link."`
	Kraken    string            `name:"kraken-dashboard-url" env:"KRAKEN_DASHBOARD_URL" help:"Address of an order's page at Kraken, up to its id; without it staff see the id alone."`
	BitGo     string            `name:"bitgo-dashboard-url" env:"BITGO_DASHBOARD_URL" help:"Address of a transfer's page at BitGo, up to its id; without it staff see the id alone."`
	Explorers map[string]string `name:"explorer-urls" env:"EXPLORER_URLS" mapsep:"," default:"bitcoin=https://mempool.space/tx/,ethereum=https://etherscan.io/tx/,tron=https://tronscan.org/#/transaction/" help:"Address of a transaction's page for each network, up to its id."`
}

// Webhooks are the secrets that prove a webhook's origin.
type Webhooks struct {
	Stripe string `name:"stripe-webhook-secret" env:"STRIPE_WEBHOOK_SECRET" ask:"later" when:"card" help:"Signing secret of the Stripe endpoint; needed where RAILS has card."`
	BitGo  string `name:"bitgo-webhook-secret" env:"BITGO_WEBHOOK_SECRET" required:"" ask:"must" help:"Signing secret of BitGo webhooks."`
	Sumsub string `name:"sumsub-webhook-secret" env:"SUMSUB_WEBHOOK_SECRET" required:"" make:"password" tell:"Enter it at Sumsub as the secret key of the webhook." help:"Signing secret of Sumsub webhooks."`

	StripePrevious string `name:"stripe-webhook-secret-previous" env:"STRIPE_WEBHOOK_SECRET_PREVIOUS" help:"Secret that STRIPE_WEBHOOK_SECRET replaces; accepted too while it is set, as the next two are."`
	BitGoPrevious  string `name:"bitgo-webhook-secret-previous" env:"BITGO_WEBHOOK_SECRET_PREVIOUS" help:"Secret that BITGO_WEBHOOK_SECRET replaces."`
	SumsubPrevious string `name:"sumsub-webhook-secret-previous" env:"SUMSUB_WEBHOOK_SECRET_PREVIOUS" help:"Secret that SUMSUB_WEBHOOK_SECRET replaces."`
}

// Previous has the previous secrets in the place of the current ones.
func (w *Webhooks) Previous() Webhooks {
	return Webhooks{Stripe: w.StripePrevious, BitGo: w.BitGoPrevious, Sumsub: w.SumsubPrevious}
}

// Secrets are all values of the group.
func (w *Webhooks) Secrets() []string {
	return []string{w.Stripe, w.BitGo, w.Sumsub, w.StripePrevious, w.BitGoPrevious, w.SumsubPrevious}
}

// Check implements Group.
func (w *Webhooks) Check(mode Mode) error {
	err := errors.Join(secret("BITGO_WEBHOOK_SECRET", w.BitGo, mode), secret("SUMSUB_WEBHOOK_SECRET", w.Sumsub, mode))
	for variable, previous := range map[string]string{"STRIPE_WEBHOOK_SECRET_PREVIOUS": w.StripePrevious,
		"BITGO_WEBHOOK_SECRET_PREVIOUS": w.BitGoPrevious, "SUMSUB_WEBHOOK_SECRET_PREVIOUS": w.SumsubPrevious} {
		if previous != "" {
			err = errors.Join(err, secret(variable, previous, mode))
		}
	}
	if w.Stripe == "" {
		return err
	}
	return errors.Join(secret("STRIPE_WEBHOOK_SECRET", w.Stripe, mode), err)
}

// CheckOffer implements Depends.
func (w *Webhooks) CheckOffer(_ Mode, offer money.Offer) error {
	return forCards("STRIPE_WEBHOOK_SECRET", w.Stripe, offer)
}
