package doctor

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/local/testbed"
)

// query selects requests with a parameter.
func query(name string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Query().Has(name) }
}

// untrusted is the address of a server whose certificate no authority of the tests signed. It speaks HTTP/2, as gRPC asks.
func (i *installation) untrusted() string {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet
	server.StartTLS()
	i.Cleanup(server.Close)
	return server.URL
}

// clockOff is the address of a provider whose clock is ahead of ours by so much.
func (i *installation) clockOff(ahead time.Duration) string {
	return i.serve(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
	})
}

var seeds = []seed{
	{"configuration", "configuration_incomplete", Fault, set("KRAKEN_SECRET", "")},
	{"configuration", "configuration_wrong", Fault, set("KRAKEN_SECRET", "no base64!")},
	{"configuration", "configuration_wrong", Fault, set("TREASURY_LOW", "btc=50,eth=80,usdt=1,usdc=1")},

	{"configuration", "configuration_wrong", Fault, set("SECRET_KEY", "c2hvcnQ=")},
	{"configuration", "configuration_wrong", Fault, set("EARLIER_SECRET_KEYS", "no base64!")},
	{"configuration", "configuration_wrong", Fault, set("IDENTITY_SECRET_KEY", keyOf("identity")+",")},
	{"configuration", "configuration_wrong", Fault, set("IDENTITY_SECRET_KEY", keyOf(""))},
	{"configuration", "configuration_wrong", Fault, set("AUDIT_SEAL_KEY", "c2hvcnQ=")},
	{"configuration", "configuration_wrong", Fault, set("BACKUP_KEY", "c2hvcnQ=")},
	{"configuration", "configuration_wrong", Fault, set("BACKUP_URL", "backups")},
	{"configuration", "configuration_wrong", Fault, set("BACKUP_SECRET_ACCESS_KEY", "")},
	{"configuration", "configuration_incomplete", Fault, set("BACKUP_URL", "")},
	{"configuration", "configuration_incomplete", Fault, set("AWS_SECRET_ACCESS_KEY", "")},
	{"configuration", "staff_single_factor", Warning, func(i *installation) {
		i.env["MODE"], i.env["ADMIN_SINGLE_FACTOR"] = string(config.Staging), "true"
	}},
	{"keys", "keys_shared", Warning, set("BACKUP_KEY", keyOf("site"))},
	{"keys", "keys_shared", Warning, set("IDENTITY_SECRET_KEY", keyOf("identity")+","+keyOf("earlier"))},

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
	{"temporal.namespace", "temporal_untrusted", Fault, func(i *installation) {
		i.env["TEMPORAL_ADDRESS"], i.env["TEMPORAL_TLS"] = strings.TrimPrefix(i.untrusted(), "https://"), "true"
	}},
	{"temporal.attributes", "temporal_attribute_missing", Fault, func(i *installation) { i.env["TEMPORAL_NAMESPACE"] = i.bareNamespace() }},
	{"temporal.workers", "temporal_no_worker", Warning, func(i *installation) { i.env["TEMPORAL_NAMESPACE"] = i.bareNamespace() }},
	{"temporal.versions", "temporal_no_deployment", Warning, set("WORKER_DEPLOYMENT", "another")},
	{"temporal.versions", "temporal_no_current", Fault, func(i *installation) { i.workerWithoutCurrent() }},

	{"clock", "clock_off", Fault, func(i *installation) { i.env["SUMSUB_URL"] = i.clockOff(-2 * time.Minute) }},
	{"clock", "clock_off", Fault, func(i *installation) { i.env["SUMSUB_URL"] = i.clockOff(2 * time.Minute) }},

	{"site.names", "dns_missing", Fault, set("PUBLIC_URL", "https://unregistered.test")},
	{"site.certificates", "tls_expired", Fault, func(i *installation) { i.certificate = certified("localhost", time.Now().Add(-time.Hour)) }},
	{"site.certificates", "tls_wrong_name", Fault, func(i *installation) { i.certificate = certified("other.test", time.Now().Add(time.Hour)) }},
	{"site.certificates", "tls_ends_soon", Warning, func(i *installation) { i.certificate = certified("localhost", time.Now().Add(time.Hour)) }},
	{"site.certificates", "tls_untrusted", Fault, func(i *installation) {
		i.env["PUBLIC_URL"] = i.untrusted()
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
	{"issuer", "issuer_untrusted", Fault, func(i *installation) { i.env["OIDC_ISSUER"] = i.untrusted() }},
	{"issuer", "issuer_client_refused", Fault, set("OIDC_CLIENT_SECRET", "another-canary")},
	{"issuer", "issuer_client_refused", Fault, set("OIDC_CLIENT_ID", "another")},

	{"mail.server", "mail_unreachable", Fault, set("SMTP_URL", "smtp://127.0.0.1:1")},
	{"mail.server", "mail_refused", Fault, func(i *installation) {
		i.env["SMTP_URL"] = strings.Replace(i.env["SMTP_URL"], mailPassword, "another-canary", 1)
	}},
	{"mail.server", "mail_without_tls", Fault, func(i *installation) { // an address that is not taken for this machine's
		i.env["SMTP_URL"] = strings.Replace(i.env["SMTP_URL"], "@127.0.0.1:", "@0.0.0.0:", 1)
	}},
	{"mail.server", "mail_untrusted", Fault, func(i *installation) {
		i.env["SMTP_URL"] = "smtps://" + strings.TrimPrefix(i.untrusted(), "https://")
	}},
	{"mail.spf", "mail_spf_missing", Fault, func(i *installation) { i.name(shop, "another record") }},
	{"mail.spf", "mail_spf_twice", Fault, func(i *installation) { i.name(shop, "v=spf1 -all", "v=spf1 ~all") }},
	{"mail.spf", "mail_spf_open", Warning, func(i *installation) { i.name(shop, "v=spf1 +all") }},
	{"mail.spf", "dns_unanswered", Fault, func(i *installation) {
		silent := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
		i.options.Resolver = &net.Resolver{PreferGo: true, Dial: silent}
	}},
	{"mail.dkim", "mail_dkim_missing", Fault, func(i *installation) { i.name("s1._domainkey." + shop) }},
	{"mail.dkim", "mail_dkim_revoked", Fault, func(i *installation) { i.name("s1._domainkey."+shop, "v=DKIM1; p=") }},
	{"mail.dkim", "mail_dkim_unseen", Warning, func(i *installation) { i.options.Selectors = nil; i.name("s1._domainkey." + shop) }},
	{"mail.dmarc", "mail_dmarc_missing", Fault, func(i *installation) { i.name("_dmarc." + shop) }},
	{"mail.dmarc", "mail_dmarc_none", Warning, func(i *installation) { i.name("_dmarc."+shop, "v=DMARC1; p=none") }},
	{"mail.test", "mail_refused", Fault, func(i *installation) { i.options.MailTo = "nobody@" + shop }},

	{"bucket", "bucket_unopened", Fault, set("FILES_URL", "ftp://files")},
	{"bucket", "bucket_write", Fault, set("AWS_ACCESS_KEY_ID", "another-access")},
	{"bucket", "bucket_untrusted", Fault, func(i *installation) {
		i.env["FILES_URL"] = "s3://files?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(i.untrusted())
	}},
	{"bucket", "bucket_write", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, method(http.MethodPut)) }},
	{"bucket", "bucket_read", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, method(http.MethodGet)) }},
	{"bucket", "bucket_delete", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, method(http.MethodDelete)) }},
	{"bucket", "bucket_list", Fault, func(i *installation) {
		i.storage = answers(http.StatusForbidden, func(r *http.Request) bool { return r.URL.Query().Has("list-type") })
	}},
	{"bucket", "bucket_shared", Warning, func(i *installation) { i.bucket["/files/invoice.pdf"] = []byte("theirs") }},
	{"bucket", "bucket_unencrypted", Fault, func(i *installation) { i.encrypted = false }},
	{"bucket", "bucket_public_unseen", Warning, func(i *installation) {
		i.storage = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Authorization") == "" {
				panic(http.ErrAbortHandler)
			}
			return false
		}
	}},
	{"bucket", "bucket_public", Fault, func(i *installation) {
		i.storage = func(rw http.ResponseWriter, r *http.Request) bool { i.object(rw, r); return true }
	}},

	{"seals", "seals_unopened", Fault, set("AUDIT_SEALS_URL", "ftp://seals")},
	{"seals", "seals_write", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, in("seals", method(http.MethodPut))) }},
	{"seals", "seals_read", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, in("seals", method(http.MethodGet))) }},
	{"seals", "seals_list", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, in("seals", query("list-type"))) }},
	{"seals", "seals_unlocked", Warning, func(i *installation) { i.locked["seals"] = false }},
	{"seals", "seals_unlocked", Warning, set("AUDIT_SEALS_URL", "")},
	{"seals", "seals_lock_unseen", Warning, func(i *installation) { i.storage = answers(http.StatusForbidden, query("object-lock")) }},
	{"seals", "seals_key_differs", Fault, set("AUDIT_SEAL_KEY", keyOf("another"))},
	{"seals", "seals_key_differs", Fault, func(i *installation) { i.sealed(2, keyOf("another")) }},

	{"backup", "backup_unopened", Fault, set("BACKUP_URL", "ftp://backups")},
	{"backup", "backup_write", Fault, set("BACKUP_ACCESS_KEY_ID", "another-access")},
	{"backup", "backup_write", Fault, func(i *installation) {
		i.env["BACKUP_URL"] = strings.Replace(i.env["BACKUP_URL"], "s3://backups", "s3://another", 1)
	}},
	{"backup", "backup_read", Fault, func(i *installation) {
		i.storage = answers(http.StatusForbidden, in("backups", method(http.MethodGet)))
	}},
	{"backup", "backup_delete", Fault, func(i *installation) {
		i.storage = answers(http.StatusForbidden, in("backups", method(http.MethodDelete)))
	}},
	{"backup", "backup_list", Fault, func(i *installation) { i.storage = answers(http.StatusForbidden, in("backups", query("list-type"))) }},
	{"backup", "backup_unencrypted", Fault, func(i *installation) { i.encrypted = false }},
	{"backup", "backup_public", Fault, func(i *installation) {
		i.storage = func(rw http.ResponseWriter, r *http.Request) bool { i.object(rw, r); return true }
	}},
	{"backup", "backup_unlocked", Warning, func(i *installation) { i.versioned["backups"] = false }},
	{"backup", "backup_lock_unseen", Warning, func(i *installation) { i.storage = answers(http.StatusForbidden, query("versioning")) }},
	{"backup", "backup_key_differs", Fault, set("BACKUP_KEY", keyOf("another"))},
	{"backup", "backup_access_shared", Warning, func(i *installation) { i.reached["backups"] = true }},
	{"backup", "backup_access_shared", Warning, func(i *installation) {
		i.reached["backups"] = true
		i.env["BACKUP_ACCESS_KEY_ID"], i.env["BACKUP_SECRET_ACCESS_KEY"] = "", ""
		i.env["AWS_ACCESS_KEY_ID"] = "nobody" // as the environment's is
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
	{"kraken.key", "kraken_permission_unused", Warning, set("KRAKEN_WITHDRAW_KEYS", "")},
	{"kraken.addresses", "kraken_address_unknown", Fault, set("KRAKEN_WITHDRAW_KEYS", "btc=another")},
	{"kraken.addresses", "kraken_address_differs", Fault, set("KRAKEN_WITHDRAW_ADDRESSES", "btc=another")},
	{"kraken.markets", "kraken_market_closed", Fault, func(i *installation) { i.control("kraken/status", map[string]any{"status": "maintenance"}) }},
	{"kraken.markets", "kraken_unreachable", Fault, set("KRAKEN_URL", nowhere)},

	{"bitgo.token", "bitgo_key_refused", Fault, set("BITGO_TOKEN", "v2x"+"another")},
	{"bitgo.token", "bitgo_scope_missing", Fault, func(i *installation) { i.control("bitgo/scope", map[string]any{"scope": "openid wallet_view_all"}) }},
	{"bitgo.wallets", "bitgo_wallet_unknown", Fault, func(i *installation) { i.env["BITGO_WALLETS"] = strings.Replace(bitgoWallets, "0a,", "99,", 1) }},
	{"bitgo.token", "bitgo_untrusted", Fault, func(i *installation) { i.env["BITGO_URL"] = i.untrusted() }},
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
