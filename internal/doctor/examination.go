package doctor

import (
	"context"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/models/store"
)

// Options are what is checked, and by what means.
type Options struct {
	// Getenv reads the environment; nil is the process's own.
	Getenv func(string) string
	// Also are further groups of settings that are judged, by the variable that marks
	// them as set.
	Also map[string]config.Group
	// Only names checks, or subjects such as stripe; none is all.
	Only []string
	// MailTo is who is sent a test mail; empty sends none.
	MailTo string
	// Selectors are the DKIM selectors of the sender.
	Selectors []string
	// RoundTrip has BitGo send a webhook, and waits for it in the inbox.
	RoundTrip bool
	// Resolver resolves names; nil is the system's.
	Resolver *net.Resolver
	// Patience is how long one check may run; zero is half a minute.
	Patience time.Duration
}

// examination is one run: the settings, and what checks share.
type examination struct {
	*settings
	options  Options
	resolver *net.Resolver
	log      *slog.Logger

	opening sync.Mutex
	db      *store.DB
	opened  bool
	refused error
}

// Examine makes all requested checks. Unknown names in only are reported.
func Examine(ctx context.Context, o Options) (report Report, unknown []string) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Patience == 0 {
		o.Patience = patience
	}
	e := &examination{settings: load(o.Getenv, o.Also), options: o, resolver: o.Resolver, log: slog.New(slog.DiscardHandler)}
	if e.resolver == nil {
		e.resolver = net.DefaultResolver
	}
	defer e.close()
	checks, unknown := chosen(e.checks(), o.Only)
	return run(ctx, checks, o.Patience, e.secrets), unknown
}

// Checks are all checks, in order, of a process in which nothing is set.
func Checks() []Check { return (&examination{settings: &settings{}}).checks() }

// checks is the whole list.
func (e *examination) checks() []Check {
	return slices.Concat(
		[]Check{{"configuration",
			"the values of the environment, the form of every key and the accounts of RECIPIENTS_FILE among them", e.configuration}},
		e.keyChecks(),
		e.databaseChecks(), e.temporalChecks(), e.clockChecks(), e.siteChecks(), e.issuerChecks(), e.legalChecks(), e.mailChecks(),
		e.bucketChecks(), e.sealChecks(), e.backupChecks(),
		e.stripeChecks(), e.krakenChecks(), e.bitgoChecks(), e.sumsubChecks(), e.moneyChecks())
}

// chosen keeps the checks that are named, by themselves or by their subject.
func chosen(checks []Check, only []string) (kept []Check, unknown []string) {
	if len(only) == 0 {
		return checks, nil
	}
	used := map[string]bool{}
	for _, c := range checks {
		subject, _, _ := strings.Cut(c.Name, ".")
		for _, name := range only {
			if name == c.Name || name == subject {
				used[name] = true
				if !slices.ContainsFunc(kept, func(k Check) bool { return k.Name == c.Name }) {
					kept = append(kept, c)
				}
			}
		}
	}
	for _, name := range only {
		if !used[name] {
			unknown = append(unknown, name)
		}
	}
	return kept, unknown
}

// configuration judges the values themselves.
func (e *examination) configuration(context.Context) []Finding {
	found := slices.Clone(e.found)
	if e.strict() && e.SignIn != nil && e.SignIn.AdminSingleFactor {
		found = append(found, doubtful("staff_single_factor", "Set ADMIN_SINGLE_FACTOR=false once the first admin has a second factor.",
			"ADMIN_SINGLE_FACTOR lets staff work without a second factor"))
	}
	return found
}

// database opens the application's connection once.
func (e *examination) database(ctx context.Context) (*store.DB, error) {
	e.opening.Lock()
	defer e.opening.Unlock()
	if !e.opened {
		e.opened = true
		e.db, e.refused = store.Open(ctx, e.Postgres.DatabaseURL, store.Options{MaxConns: connections})
	}
	return e.db, e.refused
}

// connections is the most of them that the checks share.
const connections = 4

func (e *examination) close() {
	if e.db != nil {
		e.db.Close()
	}
}

func (e *examination) stripe() *stripe.Client {
	return stripe.New(stripe.Config{URL: e.Stripe.URL, Key: e.Stripe.Key})
}

func (e *examination) bitgo() *bitgo.Client { return bitgoOf(e.BitGo) }

func bitgoOf(b *config.BitGo) *bitgo.Client {
	return bitgo.New(bitgo.Config{URL: b.URL, Token: b.Token, Passphrase: b.Passphrase, Wallets: b.Wallets, Tickers: b.Tickers()})
}

func (e *examination) sumsub() *sumsub.Client {
	return sumsub.New(sumsub.Config{URL: e.Sumsub.URL, AppToken: e.Sumsub.AppToken, Secret: e.Sumsub.Secret, Level: e.Sumsub.Level})
}

// kraken uses the key under the lock and the clock of the exchange worker, so that
// the nonces of both rise.
func (e *examination) kraken(db *store.DB) *kraken.Client {
	return kraken.New(kraken.Config{URL: e.Kraken.URL, Key: e.Kraken.Key, Secret: e.Kraken.Secret,
		Lock: db.KeyLock("kraken " + e.Kraken.Key), Now: db.Now})
}
