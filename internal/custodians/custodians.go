// Package custodians lists the adapters that can send coin. CUSTODY_PROVIDER names the one
// that an installation uses; only this list and the settings refer to it.
package custodians

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/models/ledger"
)

// Custodian is what a custody provider does for us.
type Custodian interface {
	provider.Custody
	provider.Receiving
	provider.Statements
}

// Settings are the settings of every adapter; each reads its own.
type Settings struct{ BitGo config.BitGo }

// Adapter is one custody provider.
type Adapter struct {
	// Open makes the client. It sends nothing.
	Open func(Settings) (Custodian, error)
	// Verifier checks the provider's webhooks.
	Verifier func(config.Webhooks) provider.WebhookVerifier
	// Answer is the HTTP status that the provider counts a webhook as received by.
	Answer int
}

var adapters = map[ledger.Provider]Adapter{
	ledger.ProviderBitGo: {Open: openBitGo, Answer: http.StatusOK, // it repeats any other and suspends the webhook (providers §3.7)
		Verifier: func(s config.Webhooks) provider.WebhookVerifier { return bitgo.NewVerifier(s.BitGo) }},
}

func openBitGo(s Settings) (Custodian, error) {
	b := s.BitGo
	return bitgo.New(bitgo.Config{URL: b.URL, Token: b.Token, Passphrase: b.Passphrase, Wallets: b.Wallets, Tickers: b.Tickers()}), nil
}

// Register adds an adapter. It must be called before the first lookup.
func Register(name ledger.Provider, a Adapter) { adapters[name] = a }

// Named finds the adapter of a name.
func Named(name ledger.Provider) (Adapter, error) {
	a, known := adapters[name]
	if !known {
		names := slices.Sorted(maps.Keys(adapters))
		return Adapter{}, fmt.Errorf("CUSTODY_PROVIDER: %q is none of %s", name, strings.Trim(fmt.Sprint(names), "[]"))
	}
	return a, nil
}
