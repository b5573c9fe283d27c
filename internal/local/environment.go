package local

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
)

// workers are the four worker processes, by task queue.
var workers = []string{"core", "payments", "exchange", "custody"}

// common variables reach every process of the product.
var common = []string{"MODE", "BRAND", "PUBLIC_URL", "LOG_LEVEL", "ASSETS", "NETWORKS", "RAILS", "LANGUAGES"}

// traceVariables reach what sends spans: the API, the identity provider and the workers.
var traceVariables = []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER_ARG"}

var temporalVariables = []string{
	"TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_UI_URL", "TEMPORAL_API_KEY", "TEMPORAL_TLS",
	"TEMPORAL_TLS_CERT", "TEMPORAL_TLS_KEY", "TEMPORAL_TLS_CA", "TEMPORAL_TLS_SERVER_NAME",
}

// timing variables scale the waits and budgets of orders (activities.Timing).
var timingVariables = []string{
	"CALL_TIMEOUT", "HEARTBEAT_TIMEOUT", "RETRY_FIRST", "RETRY_MOST", "PAYMENT_POLL", "AUTHORISED_POLL", "CAPTURE_BUDGET",
	"BUY_BUDGET", "SEND_BUDGET", "REFUND_BUDGET", "CONFIRM_BUDGET", "EXCHANGE_ORDER_LIFE", "LOOKUP_GRACE", "LOOKUP_GAP",
	"LOOKUP_TRIES", "SEND_LOOKUP", "FOLLOW_FIRST", "FOLLOW_UNASKED", "FOLLOW_MOST",
	"CHOICE_WINDOW", "KEEP_TRYING_FOR", "KEEP_TRYING_WAIT", "KEEP_TRYING_MOST", "DISPUTE_POLL", "AUTHORISATION_WARNING",
}

// alertLimits are how long problems may last before staff are alerted.
var alertLimits = []string{"ALERT_PRICES", "ALERT_PROVIDER", "ALERT_QUEUE", "ALERT_ORDERS", "ALERT_BREAKS"}

// variables are the settings, besides its secrets, that a process is given.
var variables = map[string][]string{
	"migrate": {"MIGRATE_DATABASE_URL"},
	"admin":   {"DATABASE_URL", "MIGRATE_DATABASE_URL", "OIDC_ISSUER"},
	"sandbox": {"SANDBOX_LISTEN", "SANDBOX_URL", "SANDBOX_SMTP_LISTEN", "SANDBOX_DATA", "HOOK_URL", "STRIPE_EVENTS", "BITGO_WALLETS", "SUMSUB_LEVEL", "SUMSUB_ENHANCED_LEVEL"},
	"identity": {"IDENTITY_LISTEN", "HEALTH_LISTEN", "IDENTITY_URL", "IDENTITY_DATABASE_URL", "IDENTITY_REDIRECTS", "OIDC_ISSUER", "OIDC_CLIENT_ID",
		"SMTP_URL", "MAIL_FROM", "LEGAL_DIR", "TRUSTED_PROXIES", "IDENTITY_SIGNUPS_PER_HOUR", "MAILBOX_URL"},
	"api": append([]string{"LISTEN", "HEALTH_LISTEN", "WEB_DIR", "STARTING_FILE", "DATABASE_URL", "OIDC_ISSUER", "OIDC_CLIENT_ID", "FILES_URL", "TRUSTED_PROXIES",
		"SUMSUB_URL", "SUMSUB_WEBSDK_URL", "SUMSUB_LEVEL", "SUMSUB_ENHANCED_LEVEL", "SUMSUB_DASHBOARD_URL", "SUPPORT_EMAIL", "LEGAL_DIR", "LEGAL_ENTITY", "LEGAL_ADDRESS", "LEGAL_JURISDICTION", "LEGAL_LICENCE", "LEGAL_CONTACT", "LEGAL_COMPLAINTS", "TIDIO_PUBLIC_KEY", "PASSWORD_URL", "ADDRESS_URL",
		"ADMIN_SECOND_FACTOR", "RECIPIENTS_FILE", "CLAIM_SIGNUP_BONUS", "CLAIM_KYC_REVIEW_MINUTES", "CLAIM_COUNTRIES", "CLAIM_TOKENS", "CLAIM_PROCESSED", "CLAIM_USERS", "CLAIM_STANDARDS", "REFERRAL_REWARD", "REWARD_REVOCABLE", "AUTHORISATION_WARNING", "PAYMENT_REMINDER", "GIFT_CARD_REVIEW", "RATE_LIMIT_SCALE",
		"DATABASE_CONNECTIONS", "PAYOUT_TWO_ABOVE", "REFUND_TWO_ABOVE", "CREDIT_TWO_ABOVE", "STAFF_ALONE_PER_DAY", "TREASURY_EVERY", "TREASURY_AGAIN", "TREASURY_LOW", "TREASURY_TARGET", "TREASURY_LOW_PERCENT", "TREASURY_TARGET_PERCENT", "STRIPE_DASHBOARD_URL", "KRAKEN_DASHBOARD_URL", "BITGO_DASHBOARD_URL", "EXPLORER_URLS", "VOUCHER_MARGIN_PERCENT", "VOUCHER_IDENTITY_ABOVE", "VOUCHER_IDENTITY_DAY", "VOUCHER_MAXIMUM", "VOUCHER_ALONE"}, temporalVariables...),
	"core": slices.Concat([]string{"DATABASE_URL", "HEALTH_LISTEN", "OIDC_ISSUER", "OIDC_CLIENT_ID", "SUMSUB_URL", "SUMSUB_LEVEL", "SUMSUB_ENHANCED_LEVEL", "SMTP_URL", "MAIL_FROM",
		"FILES_URL", "AUDIT_SEALS_URL", "SLIPPAGE_BPS", "SWEEP_INTERVAL", "SWEEP_GRACE", "SWEEP_REVIVE", "MONEY_POLL", "CREDIT_TWO_ABOVE",
		"ALERT_PRICES", "ALERT_PROVIDER", "ALERT_QUEUE", "ALERT_ORDERS", "ALERT_BREAKS", "RECONCILE_EVERY", "RECONCILE_GRACE", "ALERT_WEBHOOK_URL", "ALERT_WEBHOOK_SECRET",
		"TREASURY_EVERY", "TREASURY_AGAIN", "TREASURY_LOW", "TREASURY_TARGET", "TREASURY_LOW_PERCENT", "TREASURY_TARGET_PERCENT", "ALERT_NO_TREASURY",
		"GIFT_CARD_REVIEW", "GIFT_CARD_REMINDER", "GIFT_CARD_REALISE_REMINDER", "KYC_VALID", "KYC_RENEWAL_NOTICE"}, temporalVariables, timingVariables),
	"payments": append([]string{"DATABASE_URL", "HEALTH_LISTEN", "STRIPE_URL", "FILES_URL"}, temporalVariables...),
	"exchange": slices.Concat([]string{"DATABASE_URL", "HEALTH_LISTEN", "KRAKEN_URL", "SLIPPAGE_BPS", "PRICE_EVERY", "RULES_EVERY", "KRAKEN_WITHDRAW_KEYS", "KRAKEN_WITHDRAW_ADDRESSES"},
		temporalVariables, timingVariables),
	"custody": slices.Concat([]string{"DATABASE_URL", "HEALTH_LISTEN", "BITGO_URL", "BITGO_WALLETS",
		"CUSTODY_ORDER_CAP", "CUSTODY_DAILY_CAP"}, temporalVariables, timingVariables),
}

// demoWallets are the simulated custody wallets: the ids have the form of real
// ones and mean nothing.
const demoWallets = "btc=5f1e00000000000000000000000000b1,eth=5f1e00000000000000000000000000e1," +
	"usdt=5f1e00000000000000000000000000d1,usdc=5f1e00000000000000000000000000c1," +
	"trx:usdt=5f1e00000000000000000000000000d2,trx:usdc=5f1e00000000000000000000000000c2"

// demoKeys are the withdrawal addresses that are registered at the simulated exchange:
// those of the simulated wallets.
const demoKeys = "btc=tradepost-btc,eth=tradepost-eth,usdt=tradepost-usdt,usdc=tradepost-usdc"

// settings are the values of all variables for this stack; the caller's
// environment wins over them.
func (s *Stack) settings() map[string]string {
	return map[string]string{
		"MODE":               "local",
		"PUBLIC_URL":         s.SiteURL(),
		"LISTEN":             s.address(s.Ports.Site),
		"STARTING_FILE":      s.startingFile(),
		"WEB_DIR":            filepath.Join(s.options.Root, "web", "dist"),
		"FILES_URL":          "file://" + filepath.Join(s.options.DataDir, "files") + "?create_dir=true&metadata=skip",
		"OIDC_ISSUER":        s.IdentityURL(),
		"OIDC_CLIENT_ID":     "tradepost",
		"PASSWORD_URL":       s.identityPage("/account/password"),
		"ADDRESS_URL":        s.identityPage("/account"),
		"TEMPORAL_ADDRESS":   s.address(s.Ports.Temporal),
		"TEMPORAL_NAMESPACE": "tradepost",
		"TEMPORAL_UI_URL":    s.TemporalUIURL(),
		"STRIPE_URL":         s.SandboxURL(),
		"KRAKEN_URL":         s.SandboxURL(),
		"BITGO_URL":          s.SandboxURL(),
		"BITGO_WALLETS":      demoWallets,

		"KRAKEN_WITHDRAW_KEYS": demoKeys,
		"TREASURY_EVERY":       "1m",

		"SUMSUB_URL":        s.SandboxURL(),
		"SUMSUB_WEBSDK_URL": s.SandboxURL(),
		"SUMSUB_LEVEL":      "basic-kyc-level",

		"SUMSUB_ENHANCED_LEVEL": "enhanced-kyc-level",
		"SUMSUB_DASHBOARD_URL":  s.SandboxURL() + "/#",
		"STRIPE_DASHBOARD_URL":  s.SandboxURL() + "/#",
		"KRAKEN_DASHBOARD_URL":  s.SandboxURL() + "/#",
		"BITGO_DASHBOARD_URL":   s.SandboxURL() + "/#",
		"EXPLORER_URLS":         fmt.Sprintf("bitcoin=%[1]s/#,ethereum=%[1]s/#,tron=%[1]s/#", s.SandboxURL()),
		"SMTP_URL":              "smtp://" + s.address(s.Ports.Mail),
		"MAIL_FROM":             "Tradepost <no-reply@example.com>",

		"SANDBOX_LISTEN":      s.address(s.Ports.Sandbox),
		"SANDBOX_URL":         s.SandboxURL(),
		"MAILBOX_URL":         s.SandboxURL() + "/mailbox/",
		"SANDBOX_SMTP_LISTEN": s.address(s.Ports.Mail),
		"SANDBOX_DATA":        filepath.Join(s.options.DataDir, "sandbox"),
		"HOOK_URL":            s.localSiteURL() + "/api/webhooks",
		"STRIPE_EVENTS":       strings.Join(events.Acted, ","),

		"CLAIM_SIGNUP_BONUS":       "25",
		"CLAIM_KYC_REVIEW_MINUTES": "5-15",
		"CLAIM_COUNTRIES":          "180+",
		"CLAIM_TOKENS":             "150+",
		"CLAIM_PROCESSED":          "100M+",
		"CLAIM_USERS":              "1M+",
		"CLAIM_STANDARDS":          "AML/KYC · SSL · PCI DSS · CCPA",

		"IDENTITY_LISTEN":    s.address(s.Ports.Identity),
		"IDENTITY_URL":       s.IdentityURL(),
		"IDENTITY_REDIRECTS": s.SiteURL() + "/api/login/callback," + s.SiteURL() + "/",

		"MIGRATE_DATABASE_URL":  s.databaseURL(postgres.OwnerRole, "OWNER_PASSWORD"),
		"IDENTITY_DATABASE_URL": s.databaseURL(postgres.IdentityRole, "IDENTITY_PASSWORD"),
	}
}

// identityPage is a page of the embedded identity provider; those of an outside provider
// are unknown here.
func (s *Stack) identityPage(path string) string {
	if s.outside("OIDC_ISSUER") {
		return ""
	}
	return s.IdentityURL() + path
}

// environment is what one process is given: what any program needs of the
// system, its variables, and its secrets.
func (s *Stack) environment(process, like string) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	settings := s.settings()
	if port, ok := s.Ports.Health[process]; ok {
		settings["HEALTH_LISTEN"] = s.address(port)
	}
	settings["DATABASE_URL"] = s.databaseURL(postgres.RoleOf(roleOf(like)), passwordOf(roleOf(like)))
	if s.options.Unwatched {
		for _, name := range alertLimits {
			settings[name] = "0s"
		}
		settings["ALERT_NO_TREASURY"] = "true"
	}
	names := append(append([]string{}, common...), variables[like]...)
	if like == "api" || like == "identity" || slices.Contains(workers, like) {
		names = append(names, traceVariables...)
	}
	for _, name := range names {
		if value := cmp.Or(s.override(process, name), settings[name]); value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range holders[like] {
		env = append(env, name+"="+cmp.Or(s.override(process, name), s.secrets[name]))
	}
	return env
}

// roleOf is the process whose database role one has: the commands have the operator's.
func roleOf(like string) string {
	if like == "admin" {
		return "operator"
	}
	return like
}

// override is the caller's own value of a variable. The sandbox never sees one:
// its secrets are its own, and a real provider's key must not reach it.
func (s *Stack) override(process, name string) string {
	if process == "sandbox" && name != "SUMSUB_LEVEL" && name != "SUMSUB_ENHANCED_LEVEL" && name != "MODE" {
		return ""
	}
	if name == "DATABASE_URL" && s.provisions() {
		return "" // the administrator's address, from which the roles' own are made
	}
	return s.options.Getenv(name)
}

// outside reports whether the caller's environment replaces a part.
func (s *Stack) outside(variable string) bool { return s.options.Getenv(variable) != "" }

// required names the variables that an outside part requires.
var required = map[string][]string{
	"OIDC_ISSUER": {"OIDC_CLIENT_SECRET"},
	"STRIPE_URL":  {"STRIPE_KEY", "STRIPE_WEBHOOK_SECRET"},
	"KRAKEN_URL":  {"KRAKEN_KEY", "KRAKEN_SECRET"},
	"BITGO_URL":   {"BITGO_TOKEN", "BITGO_PASSPHRASE", "BITGO_WALLETS", "BITGO_WEBHOOK_SECRET"},
	"SUMSUB_URL":  {"SUMSUB_WEBSDK_URL", "SUMSUB_APP_TOKEN", "SUMSUB_SECRET", "SUMSUB_WEBHOOK_SECRET"},
}

// checkOutside refuses an outside part without what is needed to use it.
func (s *Stack) checkOutside() error {
	for part, names := range required {
		if !s.outside(part) {
			continue
		}
		var missing []string
		for _, name := range names {
			if !s.outside(name) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			return fmt.Errorf("%s is set, so these must be too: %s", part, strings.Join(missing, ", "))
		}
	}
	if s.outside("MIGRATE_DATABASE_URL") && !s.outside("DATABASE_URL") {
		return fmt.Errorf("MIGRATE_DATABASE_URL is set, so DATABASE_URL must be too")
	}
	if s.outside("MIGRATE_DATABASE_URL") && !s.outside("IDENTITY_DATABASE_URL") && !s.outside("OIDC_ISSUER") {
		return fmt.Errorf("MIGRATE_DATABASE_URL is set, so IDENTITY_DATABASE_URL must be too (or OIDC_ISSUER)")
	}
	return nil
}

// sandboxNeeded reports whether any provider is simulated.
func (s *Stack) sandboxNeeded() bool {
	for _, part := range []string{"STRIPE_URL", "KRAKEN_URL", "BITGO_URL", "SUMSUB_URL", "SMTP_URL"} {
		if !s.outside(part) {
			return true
		}
	}
	return false
}
