package deploy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// narrowed is a service that sells bitcoin for wires: without Stripe, and with one
// wallet.
func narrowed(t *testing.T, service string) map[string]string {
	t.Helper()
	env := environment(t, service)
	env["ASSETS"], env["RAILS"], env["LANGUAGES"] = "BTC", "domestic_wire,wire", "en"
	if _, custody := env["BITGO_WALLETS"]; custody {
		env["BITGO_WALLETS"] = "btc=b1"
	}
	env["STRIPE_KEY"], env["STRIPE_WEBHOOK_SECRET"] = "", ""
	return env
}

// Production starts without the keys, wallets and accounts of what it does not offer.
func TestProductionStartsWithAPartOfTheOffer(t *testing.T) {
	for service := range processes {
		said, _ := start(t, service, narrowed(t, service))
		require.Regexp(t, reached, said, service)
	}
}

// What is offered needs its key and its wallet; what is missing is named with the variable that requires it.
func TestWhatIsOfferedNeedsItsKeys(t *testing.T) {
	for _, wrong := range []struct{ service, name, value, says string }{
		{"payments", "RAILS", "card,domestic_wire", "STRIPE_KEY"},
		{"payments", "RAILS", "", "STRIPE_KEY"},
		{"api", "RAILS", "card", "STRIPE_WEBHOOK_SECRET"},
		{"custody", "ASSETS", "BTC,USDT", "BITGO_WALLETS names no wallet for usdt"},
		{"custody", "BITGO_WALLETS", "eth=e1", "BITGO_WALLETS names no wallet for btc"},
		{"custody", "BITGO_WALLETS", "btc=b1,doge=d1", "BITGO_WALLETS"},
		{"exchange", "ASSETS", "DOGE", "ASSETS"},
		{"core", "NETWORKS", "tron", "NETWORKS"},
		{"api", "RAILS", "barter", "RAILS"},
		{"api", "LANGUAGES", "de", "LANGUAGES"},
		{"core", "LANGUAGES", "en,en", "LANGUAGES"},
		{"identity", "LANGUAGES", "de", "LANGUAGES"},
	} {
		env := narrowed(t, wrong.service)
		env[wrong.name] = wrong.value
		said, ended := start(t, wrong.service, env)
		require.True(t, ended, "%s accepts %s=%s", wrong.service, wrong.name, wrong.value)
		require.Contains(t, said, wrong.says, wrong.service)
	}
}

// A method without an account to pay to is not offered by mistake.
func TestWhatIsOfferedNeedsAnAccount(t *testing.T) {
	env := narrowed(t, "api")
	env["RECIPIENTS_FILE"] = filepath.Join(t.TempDir(), "recipients.json")
	require.NoError(t, os.WriteFile(env["RECIPIENTS_FILE"], []byte(`{"wire": [{"label": "Account", "value": "1", "copy": true}]}`), 0o600))
	said, ended := start(t, "api", env)
	require.True(t, ended, said)
	require.Contains(t, said, "RECIPIENTS_FILE has no account for domestic_wire: add it")
}
