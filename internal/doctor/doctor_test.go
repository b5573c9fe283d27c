package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/types/known/durationpb"

	files "github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/workflows"
)

// seed is a fault, the check that finds it, and how it comes about.
type seed struct {
	check, id string
	level     Level
	how       func(i *installation)
}

// set gives a variable another value.
func set(name, value string) func(*installation) {
	return func(i *installation) { i.env[name] = value }
}

// nowhere is an address on which no process listens.
const nowhere = "http://127.0.0.1:1"

// answers makes the site, or the bucket, answer a status to some requests.
func answers(status int, when func(*http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	return func(rw http.ResponseWriter, r *http.Request) bool {
		if when(r) {
			rw.WriteHeader(status)
		}
		return when(r)
	}
}

func always(*http.Request) bool { return true }

func method(name string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == name }
}

// endpoint changes the configured endpoint at Stripe.
func (i *installation) endpoint(method, fields string) {
	i.Helper()
	request, err := http.NewRequestWithContext(i.Context(), method, i.sandbox+"/v1/webhook_endpoints/we_configured", strings.NewReader(fields))
	require.NoError(i, err)
	request.Header.Set("Authorization", "Bearer "+stripeKey)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(i, err)
	require.NoError(i, answer.Body.Close())
	require.Equal(i, http.StatusOK, answer.StatusCode)
}

// hooks changes the webhooks of the bitcoin wallet.
func (i *installation) hooks(method, body string) {
	i.Helper()
	request, err := http.NewRequestWithContext(i.Context(), method, i.sandbox+"/api/v2/btc/wallet/b7c0000000000000000000000000000a/webhooks", strings.NewReader(body))
	require.NoError(i, err)
	request.Header.Set("Authorization", "Bearer "+bitgoToken)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(i, err)
	require.NoError(i, answer.Body.Close())
	require.Equal(i, http.StatusOK, answer.StatusCode)
}

// hookBody is a webhook of the site.
func (i *installation) hookBody(kind string) string {
	return fmt.Sprintf(`{"type":%q,"url":%q}`, kind, i.env["PUBLIC_URL"]+webhookPath+"bitgo")
}

// name makes a TXT record, or removes it.
func (i *installation) name(name string, texts ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(texts) == 0 {
		delete(i.names, name)
		return
	}
	i.names[name] = texts
}

var seeds = []seed{
	{"configuration", "configuration_incomplete", Fault, set("KRAKEN_SECRET", "")},
	{"configuration", "configuration_wrong", Fault, set("KRAKEN_SECRET", "no base64!")},
	{"configuration", "configuration_wrong", Fault, set("TREASURY_LOW", "btc=50,eth=80,usdt=1,usdc=1")},

	{"database.application", "database_unreachable", Fault, func(i *installation) {
		i.env["DATABASE_URL"] = strings.Replace(i.database.App, ":app@", ":another-canary@", 1)
	}},
	{"database.application", "database_schema_old", Fault, func(i *installation) { i.env["DATABASE_URL"] = testbed.EmptyDB(i.T).App }},
	{"database.application", "database_role_owns", Fault, func(i *installation) { i.env["DATABASE_URL"] = i.database.Owner }},
	{"database.application", "database_role_may_more", Fault, func(i *installation) { i.exec("GRANT UPDATE ON postings TO tradepost_api") }},
	{"database.application", "database_role_may_less", Fault, func(i *installation) { i.exec("REVOKE INSERT ON postings FROM tradepost_custody") }},
	{"database.owner", "database_owner_differs", Fault, func(i *installation) { i.env["MIGRATE_DATABASE_URL"] = i.database.App }},
	{"database.identity", "database_identity_reaches", Fault, func(i *installation) { i.exec("GRANT SELECT ON users TO tradepost_identity") }},

	{"temporal.namespace", "temporal_unreachable", Fault, set("TEMPORAL_ADDRESS", "127.0.0.1:1")},
	{"temporal.namespace", "temporal_namespace_missing", Fault, set("TEMPORAL_NAMESPACE", "another")},
	{"temporal.attributes", "temporal_attribute_missing", Fault, func(i *installation) { i.env["TEMPORAL_NAMESPACE"] = i.bareNamespace() }},
	{"temporal.workers", "temporal_no_worker", Warning, func(i *installation) { i.env["TEMPORAL_NAMESPACE"] = i.bareNamespace() }},
	{"temporal.versions", "temporal_no_deployment", Warning, set("WORKER_DEPLOYMENT", "another")},
	{"temporal.versions", "temporal_no_current", Fault, func(i *installation) { i.workerWithoutCurrent() }},

	{"clock", "clock_off", Fault, func(i *installation) {
		i.env["SUMSUB_URL"] = i.serve(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Date", time.Now().Add(-2*time.Minute).UTC().Format(http.TimeFormat))
		})
	}},

	{"site.names", "dns_missing", Fault, set("PUBLIC_URL", "https://unregistered.test")},
	{"site.certificates", "tls_expired", Fault, func(i *installation) { i.certificate = certified("localhost", time.Now().Add(-time.Hour)) }},
	{"site.certificates", "tls_wrong_name", Fault, func(i *installation) { i.certificate = certified("other.test", time.Now().Add(time.Hour)) }},
	{"site.certificates", "tls_ends_soon", Warning, func(i *installation) { i.certificate = certified("localhost", time.Now().Add(time.Hour)) }},
	{"site.certificates", "tls_untrusted", Fault, func(i *installation) {
		untrusted := httptest.NewTLSServer(http.NotFoundHandler())
		i.Cleanup(untrusted.Close)
		i.env["PUBLIC_URL"] = untrusted.URL
	}},
	{"site.certificates", "tls_unreachable", Fault, set("PUBLIC_URL", "https://127.0.0.1:1")},
	{"site.ready", "site_not_ready", Fault, func(i *installation) { i.refuse = answers(http.StatusServiceUnavailable, always) }},
	{"site.ready", "site_unreachable", Fault, set("PUBLIC_URL", nowhere)},
	{"site.notices", "webhook_secret_differs", Fault, set("STRIPE_WEBHOOK_SECRET", "whsec_"+"another-canary")},
	{"site.notices", "webhook_secret_differs", Fault, set("BITGO_WEBHOOK_SECRET", "another-canary")},
	{"site.notices", "webhook_secret_differs", Fault, set("SUMSUB_WEBHOOK_SECRET", "another-canary")},
	{"site.rotation", "webhook_secret_previous", Warning, func(i *installation) {
		i.env["BITGO_WEBHOOK_SECRET_PREVIOUS"] = "another-canary"
		i.exec("INSERT INTO webhook_inbox (provider, event_id, type, subject, previous_secret) VALUES ('bitgo', 'e', 't', 's', true)")
	}},
	{"legal", "legal_samples", Warning, set("MODE", string(config.Staging))},
	{"legal", "legal_samples", Fault, set("MODE", string(config.Production))},
	{"legal", "legal_unreadable", Fault, func(i *installation) { i.env["LEGAL_DIR"] = i.TempDir() }},
	{"legal", "legal_unreadable", Fault, func(i *installation) { // and no LEGAL_ENTITY
		i.env["LEGAL_DIR"] = i.TempDir()
		for _, name := range []string{"terms.en.md", "privacy.en.md"} {
			text := "---\ntitle: Text\nversion: '1'\nin_force: 2026-01-01\n---\n\nBy {{entity}}.\n"
			require.NoError(i, os.WriteFile(filepath.Join(i.env["LEGAL_DIR"], name), []byte(text), 0o600))
		}
	}},
	{"site.notices", "webhook_unreachable", Fault, func(i *installation) { i.refuse = answers(http.StatusNotFound, always) }},
	{"issuer", "issuer_unreachable", Fault, set("OIDC_ISSUER", nowhere)},
	{"issuer", "issuer_differs", Fault, func(i *installation) { i.issuer = "https://another.test" }},
	{"issuer", "issuer_client_refused", Fault, set("OIDC_CLIENT_SECRET", "another-canary")},

	{"mail.server", "mail_unreachable", Fault, set("SMTP_URL", "smtp://127.0.0.1:1")},
	{"mail.server", "mail_refused", Fault, func(i *installation) {
		i.env["SMTP_URL"] = strings.Replace(i.env["SMTP_URL"], mailPassword, "another-canary", 1)
	}},
	{"mail.spf", "mail_spf_missing", Fault, func(i *installation) { i.name(shop, "another record") }},
	{"mail.spf", "mail_spf_twice", Fault, func(i *installation) { i.name(shop, "v=spf1 -all", "v=spf1 ~all") }},
	{"mail.spf", "mail_spf_open", Warning, func(i *installation) { i.name(shop, "v=spf1 +all") }},
	{"mail.dkim", "mail_dkim_missing", Fault, func(i *installation) { i.name("s1._domainkey." + shop) }},
	{"mail.dkim", "mail_dkim_revoked", Fault, func(i *installation) { i.name("s1._domainkey."+shop, "v=DKIM1; p=") }},
	{"mail.dkim", "mail_dkim_unseen", Warning, func(i *installation) { i.options.Selectors = nil; i.name("s1._domainkey." + shop) }},
	{"mail.dmarc", "mail_dmarc_missing", Fault, func(i *installation) { i.name("_dmarc." + shop) }},
	{"mail.dmarc", "mail_dmarc_none", Warning, func(i *installation) { i.name("_dmarc."+shop, "v=DMARC1; p=none") }},
	{"mail.test", "mail_refused", Fault, func(i *installation) { i.options.MailTo = "nobody@" + shop }},

	{"bucket", "bucket_unopened", Fault, set("FILES_URL", "ftp://files")},
	{"bucket", "bucket_write", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, method(http.MethodPut)) }},
	{"bucket", "bucket_read", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, method(http.MethodGet)) }},
	{"bucket", "bucket_delete", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, method(http.MethodDelete)) }},
	{"bucket", "bucket_list", Fault, func(i *installation) {
		i.storage = answers(http.StatusForbidden, func(r *http.Request) bool { return r.URL.Query().Has("list-type") })
	}},
	{"bucket", "bucket_shared", Warning, func(i *installation) { i.bucket["/files/invoice.pdf"] = []byte("theirs") }},
	{"bucket", "bucket_unencrypted", Fault, func(i *installation) { i.encrypted = false }},
	{"bucket", "bucket_public", Fault, func(i *installation) {
		i.storage = func(rw http.ResponseWriter, r *http.Request) bool { i.object(rw, r); return true }
	}},

	{"stripe.key", "stripe_key_refused", Fault, set("STRIPE_KEY", "rk_"+"test_another")},
	{"stripe.key", "stripe_unreachable", Fault, set("STRIPE_URL", nowhere)},
	{"stripe.permissions", "stripe_permission_missing", Fault, func(i *installation) { i.control("stripe/permissions", map[string]any{"denied": "dispute_write"}) }},
	{"stripe.permissions", "stripe_permission_missing", Fault, func(i *installation) {
		i.control("stripe/permissions", map[string]any{"denied": "balance_transaction_source_read"})
	}},
	{"stripe.webhook", "stripe_webhook_missing", Fault, func(i *installation) { i.endpoint(http.MethodDelete, "") }},
	{"stripe.webhook", "stripe_webhook_disabled", Fault, func(i *installation) { i.endpoint(http.MethodPost, "disabled=true") }},
	{"stripe.webhook", "stripe_webhook_events", Fault, func(i *installation) { i.endpoint(http.MethodPost, "enabled_events[0]=charge.succeeded") }},
	{"stripe.webhook", "stripe_webhook_excess", Warning, func(i *installation) { i.endpoint(http.MethodPost, "enabled_events[0]=*") }},
	{"stripe.webhook", "stripe_webhook_version", Fault, func(i *installation) { i.anotherEndpoint("2020-08-27") }},
	{"stripe.webhook", "stripe_webhook_unseen", Warning, func(i *installation) { i.control("stripe/permissions", map[string]any{"denied": "webhook_read"}) }},

	{"kraken.key", "kraken_key_refused", Fault, set("KRAKEN_KEY", "another-key")},
	{"kraken.key", "kraken_permission_missing", Fault, func(i *installation) {
		i.krakenMay("query-funds query-open-trades query-closed-trades query-ledger modify-trades")
	}},
	{"kraken.key", "kraken_permission_missing", Fault, func(i *installation) {
		i.krakenMay("query-funds query-open-trades query-closed-trades withdraw-funds modify-trades")
	}},
	{"kraken.addresses", "kraken_address_unknown", Fault, set("KRAKEN_WITHDRAW_KEYS", "btc=another")},
	{"kraken.addresses", "kraken_address_differs", Fault, set("KRAKEN_WITHDRAW_ADDRESSES", "btc=another")},
	{"kraken.markets", "kraken_market_closed", Fault, func(i *installation) { i.control("kraken/status", map[string]any{"status": "maintenance"}) }},
	{"kraken.markets", "kraken_unreachable", Fault, set("KRAKEN_URL", nowhere)},

	{"bitgo.token", "bitgo_key_refused", Fault, set("BITGO_TOKEN", "v2x"+"another")},
	{"bitgo.token", "bitgo_scope_missing", Fault, func(i *installation) { i.control("bitgo/scope", map[string]any{"scope": "openid wallet_view_all"}) }},
	{"bitgo.wallets", "bitgo_wallet_unknown", Fault, func(i *installation) { i.env["BITGO_WALLETS"] = strings.Replace(bitgoWallets, "0a,", "99,", 1) }},
	{"bitgo.wallets", "bitgo_unreachable", Fault, set("BITGO_URL", nowhere)},
	{"bitgo.webhooks", "bitgo_webhook_missing", Fault, func(i *installation) { i.hooks(http.MethodDelete, i.hookBody("pendingapproval")) }},
	{"bitgo.webhooks", "bitgo_webhook_suspended", Fault, func(i *installation) { i.control("bitgo/webhooks", map[string]any{"state": "suspended"}) }},
	{"bitgo.webhooks", "bitgo_webhook_silent", Fault, func(i *installation) {
		i.hooks(http.MethodDelete, i.hookBody("transfer"))
		i.hooks(http.MethodPost, i.hookBody("transfer"))
	}},
	{"bitgo.secret", "bitgo_secret_differs", Fault, set("BITGO_WEBHOOK_SECRET", "another-canary")},
	{"bitgo.notice", "bitgo_notice_lost", Fault, func(i *installation) {
		i.options.RoundTrip, i.options.Patience = true, 3*time.Second
		i.fault("bitgo", "webhook", "lost_hook")
	}},

	{"sumsub.levels", "sumsub_key_refused", Fault, set("SUMSUB_SECRET", "another-canary")},
	{"sumsub.levels", "sumsub_level_unknown", Fault, set("SUMSUB_LEVEL", "Basic-kyc-level")},

	{"prices", "prices_old", Fault, func(i *installation) { i.exec("UPDATE markets SET priced_at = clock_now() - interval '2 minutes'") }},
	{"prices", "prices_never_read", Fault, func(i *installation) { i.exec("UPDATE markets SET priced_at = NULL WHERE asset = 'ETH'") }},
	{"treasury.wallets", "wallet_low", Warning, func(i *installation) {
		i.env["TREASURY_LOW"], i.env["TREASURY_TARGET"] = "btc=26", "btc=50"
	}},
	{"treasury.exchange", "exchange_without_dollars", Warning, func(i *installation) {
		i.control("kraken/balances", map[string]any{"asset": "USD", "amount": "-" + i.dollars()})
	}},
	{"treasury.books", "float_not_booked", Fault, func(i *installation) { i.env["DATABASE_URL"] = testbed.DB(i.T).App }},
}

// krakenMay leaves the key with these permissions.
func (i *installation) krakenMay(permissions string) {
	i.control("kraken/permissions", map[string]any{"permissions": permissions})
}

// Every seeded fault is found by its check and named, with what to do about it; and
// every check has one.
func TestSeededFaultsAreNamed(t *testing.T) {
	seeded := map[string]bool{}
	for _, s := range seeds {
		seeded[s.check] = true
		t.Run(s.check+"/"+s.id, func(t *testing.T) {
			t.Parallel()
			i := install(t)
			s.how(i)
			report := i.examine(s.check)
			require.Len(t, report.Results, 1)
			at := slices.IndexFunc(report.Results[0].Findings, func(f Finding) bool { return f.ID == s.id })
			require.GreaterOrEqual(t, at, 0, "%+v", report.Results[0])
			found := report.Results[0].Findings[at]
			require.Equal(t, s.level, found.Level)
			require.NotEmpty(t, found.Says)
			require.NotEmpty(t, found.Do)
		})
	}
	for _, check := range Checks() {
		require.True(t, seeded[check.Name], "%s has no seeded fault", check.Name)
	}
	require.GreaterOrEqual(t, len(seeds), 25)
}

// Nothing is wrong with an installation in which nothing is wrong, and nothing is
// left behind in its bucket.
func TestAGoodInstallationHasNoFault(t *testing.T) {
	i := install(t)
	i.options.RoundTrip = true
	ours := map[string][]byte{"/files/" + files.NewName(): {1}, "/files/" + files.Seals + "1.json": {2}}
	maps.Copy(i.bucket, ours)
	report := i.examine()
	require.Len(t, report.Results, len(Checks()))
	for _, r := range report.Results {
		expected := []Level{OK}
		switch r.Check {
		case "temporal.workers": // those of other tests may poll the same server
			expected = append(expected, Warning)
		case "temporal.versions": // the workers have none
			expected = []Level{Skipped}
		case "site.names": // it is on this machine
			expected = []Level{Skipped}
		}
		require.Contains(t, expected, r.Level, "%+v", r)
	}
	require.Equal(t, ours, i.bucket)
}

// What is not set in a process is skipped by name, and is no fault.
func TestWhatIsNotSetIsSkipped(t *testing.T) {
	report, _ := Examine(t.Context(), Options{Getenv: func(string) string { return "" }})
	require.Zero(t, report.Faults)
	for _, r := range report.Results {
		if r.Check != "configuration" {
			require.Equal(t, Skipped, r.Level, "%+v", r)
			require.NotEmpty(t, r.Findings[0].Says)
		}
	}
	_, unknown := Examine(t.Context(), Options{Only: []string{"stripe", "nothing"}, Getenv: func(string) string { return "" }})
	require.Equal(t, []string{"nothing"}, unknown)
}

// A check that panics or hangs is a fault of its own, its secrets are redacted, and the
// others are made.
func TestACheckThatFailsIsReportedAsAFault(t *testing.T) {
	const secret = "canary-0123456789"
	never := make(chan struct{})
	report := run(t.Context(), []Check{
		{"a", "panics", func(context.Context) []Finding { panic("oh " + secret) }},
		{"b", "hangs", func(context.Context) []Finding { <-never; return nil }},
		{"c", "is well", func(context.Context) []Finding { return nil }},
	}, 50*time.Millisecond, []string{secret})
	require.Equal(t, "check_panicked", report.Results[0].Findings[0].ID)
	require.NotContains(t, report.Results[0].Findings[0].Says, secret)
	require.Equal(t, "check_timed_out", report.Results[1].Findings[0].ID)
	require.Equal(t, OK, report.Results[2].Level)
	require.Equal(t, 2, report.Faults)
}

// Registering makes what doctor asks for, shows a new secret once, and changes
// nothing the second time.
func TestRegisteringRepairsAndChangesNothingTwice(t *testing.T) {
	i := install(t)
	i.endpoint(http.MethodDelete, "")
	i.control("bitgo/webhooks", map[string]any{"state": "suspended"})
	require.Equal(t, 1+2*6, i.examine("stripe.webhook", "bitgo.webhooks").Faults)

	register := func() map[string]Registered {
		steps, err := Registrations(func(name string) string { return i.env[name] })
		require.NoError(t, err)
		done := map[string]Registered{}
		for _, step := range steps {
			done[step.Provider], err = step.Run(t.Context())
			require.NoError(t, err)
		}
		return done
	}
	first := register()
	require.Regexp(t, `^whsec_\w{24}$`, first["stripe"].Secret)
	require.Contains(t, first["bitgo"].Says, "12 webhooks of 6 wallets are added, 12")
	require.Contains(t, first["sumsub"].Says, i.env["PUBLIC_URL"]+"/api/webhooks/sumsub")
	require.Zero(t, i.examine("stripe.webhook", "bitgo.webhooks").Faults)
	second := register()
	require.Empty(t, second["stripe"].Secret)
	require.Contains(t, second["stripe"].Says, "as it should be")
	require.Contains(t, second["bitgo"].Says, "as they should be")

	i.env["MODE"], i.env["PUBLIC_URL"] = string(config.Production), "https://"+shop
	_, err := Registrations(func(name string) string { return i.env[name] })
	require.ErrorContains(t, err, "STRIPE_URL")
}

// anotherEndpoint replaces the endpoint by one of another version.
func (i *installation) anotherEndpoint(version string) {
	i.Helper()
	i.endpoint(http.MethodDelete, "")
	fields := "url=" + i.env["PUBLIC_URL"] + webhookPath + "stripe&enabled_events[0]=*&api_version=" + version
	request, err := http.NewRequestWithContext(i.Context(), http.MethodPost, i.sandbox+"/v1/webhook_endpoints", strings.NewReader(fields))
	require.NoError(i, err)
	request.Header.Set("Authorization", "Bearer "+stripeKey)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(i, err)
	require.NoError(i, answer.Body.Close())
	require.Equal(i, http.StatusOK, answer.StatusCode)
}

// dollars are what the exchange holds.
func (i *installation) dollars() string {
	i.Helper()
	var balances map[string]map[string]string
	i.read("/control/kraken/balances", &balances)
	return balances["main"]["ZUSD"]
}

// bareNamespace makes a namespace at Temporal that has no search attributes.
func (i *installation) bareNamespace() string {
	i.Helper()
	c, err := client.NewNamespaceClient(client.Options{HostPort: i.env["TEMPORAL_ADDRESS"]})
	require.NoError(i, err)
	defer c.Close()
	name := "bare-" + strings.ToLower(strings.ReplaceAll(i.Name(), "/", "-"))[:8] + "-" + fmt.Sprint(time.Now().UnixNano())
	require.NoError(i, c.Register(i.Context(), &workflowservice.RegisterNamespaceRequest{Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(leastKept)}))
	require.Eventually(i, func() bool { _, err := c.Describe(i.Context(), name); return err == nil }, time.Minute, 50*time.Millisecond)
	return name
}

// workerWithoutCurrent starts a worker of a deployment that has no current version.
func (i *installation) workerWithoutCurrent() {
	i.Helper()
	i.env["WORKER_DEPLOYMENT"], i.env["TEMPORAL_NAMESPACE"] = "shop", i.bareNamespace()
	c, err := client.DialContext(i.Context(), client.Options{HostPort: i.env["TEMPORAL_ADDRESS"], Namespace: i.env["TEMPORAL_NAMESPACE"]})
	require.NoError(i, err)
	i.Cleanup(c.Close)
	w := worker.New(c, workflows.CoreQueue, worker.Options{DisableWorkflowWorker: true,
		DeploymentOptions: worker.DeploymentOptions{UseVersioning: true, Version: worker.WorkerDeploymentVersion{DeploymentName: "shop", BuildID: "v1"}}})
	w.RegisterActivity(func() error { return nil })
	require.NoError(i, w.Start())
	i.Cleanup(w.Stop)
	require.Eventually(i, func() bool {
		_, err := c.WorkerDeploymentClient().GetHandle("shop").Describe(i.Context(), client.WorkerDeploymentDescribeOptions{})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
}
