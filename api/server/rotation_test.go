package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
	"github.com/tradepost/tradepost/models/ledger"
)

// While a webhook secret is replaced, both are accepted of each provider, and the
// previous one is recorded; without a previous one the old secret is refused.
func TestBothWebhookSecretsAreAcceptedWhileOneIsReplaced(t *testing.T) {
	now := time.Now()
	body := []byte(`{"id":"evt_1","object":"event","api_version":"` + stripe.APIVersion + `","type":"applicantReviewed","transfer":"t1","applicantId":"a1","externalUserId":"u1","data":{"object":{"id":"pi_1","object":"payment_intent"}}}`)
	signed := map[ledger.Provider]func(secret string) http.Header{
		ledger.ProviderStripe: func(secret string) http.Header { return stripe.SignedHeader(secret, body, now) },
		ledger.ProviderBitGo: func(secret string) http.Header {
			return http.Header{"X-Signature-Sha256": {bitgo.Signature(secret, body)}}
		},
		"sumsub": func(secret string) http.Header { return sumsub.SignedHeader(secret, body) },
	}
	verifiers := func(w config.Webhooks) map[ledger.Provider]provider.WebhookVerifier {
		used, err := (&serve{Custody: config.Custody{Custodian: ledger.ProviderBitGo}, Webhooks: w}).verifiers()
		require.NoError(t, err)
		return used
	}
	rotating := verifiers(config.Webhooks{Stripe: "new", BitGo: "new", Sumsub: "new", StripePrevious: "old", BitGoPrevious: "old", SumsubPrevious: "old"})
	settled := verifiers(config.Webhooks{Stripe: "new", BitGo: "new", Sumsub: "new"})
	for name, header := range signed {
		for secret, previous := range map[string]bool{"new": false, "old": true} {
			event, err := rotating[name].Verify(header(secret), body, now)
			require.NoError(t, err, "%s %s", name, secret)
			require.Equal(t, previous, event.Previous, "%s %s", name, secret)
		}
		_, err := rotating[name].Verify(header("other"), body, now)
		require.ErrorIs(t, err, provider.ErrBadSignature, name)
		_, err = settled[name].Verify(header("old"), body, now)
		require.ErrorIs(t, err, provider.ErrBadSignature, name)
	}
}
