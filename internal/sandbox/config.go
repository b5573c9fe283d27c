package sandbox

import (
	"fmt"
	"strings"
)

// Config holds the addresses and the demo credentials of every simulator. The
// names are those the product's own processes use, so that one set of values
// configures both ends.
type Config struct {
	Mode       string `env:"MODE" default:"local" enum:"local,staging,production" help:"The sandbox runs in local mode, and in staging as the exchange alone."`
	Listen     string `env:"SANDBOX_LISTEN" default:"127.0.0.1:8091" help:"Address the simulators listen on."`
	URL        string `env:"SANDBOX_URL" default:"http://127.0.0.1:8091" help:"Origin browsers reach the simulators at."`
	SMTPListen string `env:"SANDBOX_SMTP_LISTEN" default:"127.0.0.1:8025" help:"Address the mailbox listens on for SMTP."`
	Data       string `env:"SANDBOX_DATA" required:"" help:"Folder the simulators keep their state in."`
	HookURL    string `env:"HOOK_URL" default:"http://localhost:8080/api/webhooks" help:"Base of the webhook addresses; /stripe, /bitgo and /sumsub are appended."`

	StripeKey           string `env:"STRIPE_KEY" help:"Secret key the Stripe simulator accepts."`
	StripeWebhookSecret string `env:"STRIPE_WEBHOOK_SECRET" help:"Secret that signs Stripe webhooks."`
	StripeEvents        string `env:"STRIPE_EVENTS" default:"*" help:"Types of events that the Stripe webhook endpoint is registered for, separated by commas; * is all."`
	KrakenKey           string `env:"KRAKEN_KEY" help:"API key the Kraken simulator accepts; in staging, empty accepts any."`
	KrakenSecret        string `env:"KRAKEN_SECRET" help:"Base64 secret of that key."`
	BitGoToken          string `name:"bitgo-token" env:"BITGO_TOKEN" help:"Access token the BitGo simulator accepts."`
	BitGoWallets        string `name:"bitgo-wallets" env:"BITGO_WALLETS" help:"Wallet ids by coin, e.g. btc=<id>,eth=<id>."`
	BitGoPassphrase     string `name:"bitgo-passphrase" env:"BITGO_PASSPHRASE" default:"" help:"Wallet passphrase; empty accepts any."`
	BitGoWebhookSecret  string `name:"bitgo-webhook-secret" env:"BITGO_WEBHOOK_SECRET" help:"Secret that signs BitGo webhooks."`
	SumsubAppToken      string `env:"SUMSUB_APP_TOKEN" help:"App token the Sumsub simulator accepts."`
	SumsubSecret        string `env:"SUMSUB_SECRET" help:"Secret of that app token."`
	SumsubWebhookSecret string `env:"SUMSUB_WEBHOOK_SECRET" help:"Secret that signs Sumsub webhooks."`
	SumsubLevel         string `env:"SUMSUB_LEVEL" default:"basic-kyc-level" help:"The verification level customers begin with."`
	SumsubEnhancedLevel string `env:"SUMSUB_ENHANCED_LEVEL" default:"enhanced-kyc-level" help:"The verification level for those who ask for more; empty: there is none."`

	// A second account without rate limits, for benchmarks; empty switches it off.
	KrakenKeyUnlimited    string `env:"KRAKEN_KEY_UNLIMITED" default:"" help:"API key without rate limits."`
	KrakenSecretUnlimited string `env:"KRAKEN_SECRET_UNLIMITED" default:"" help:"Base64 secret of that key."`
	BitGoTokenUnlimited   string `name:"bitgo-token-unlimited" env:"BITGO_TOKEN_UNLIMITED" default:"" help:"Access token without rate limits."`
}

// Validate names what is missing: in staging, where the exchange alone is simulated, the
// credentials of the other providers are not needed.
func (c Config) Validate() error {
	if c.Mode == "staging" {
		return nil
	}
	var missing []string
	for _, flag := range []struct{ name, value string }{
		{"stripe-key", c.StripeKey}, {"stripe-webhook-secret", c.StripeWebhookSecret}, {"kraken-key", c.KrakenKey}, {"bitgo-token", c.BitGoToken},
		{"bitgo-wallets", c.BitGoWallets}, {"bitgo-webhook-secret", c.BitGoWebhookSecret}, {"sumsub-app-token", c.SumsubAppToken},
		{"sumsub-secret", c.SumsubSecret}, {"sumsub-webhook-secret", c.SumsubWebhookSecret},
	} {
		if flag.value == "" {
			missing = append(missing, "--"+flag.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
	}
	return nil
}
