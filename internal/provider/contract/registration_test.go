package contract

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
)

// An endpoint at Stripe is made with a secret of its own, which signs what it is
// sent; it is changed, and listed as it is.
func TestStripeEndpointsAreMadeChangedAndListed(t *testing.T) {
	b := start(t)
	client := stripe.New(stripe.Config{URL: b.url, Key: stripeKey, Timeout: longEnough})
	before, err := client.Endpoints(t.Context())
	require.NoError(t, err)
	require.Len(t, before, 1, "the configured one")
	made, secret, err := client.AddEndpoint(t.Context(), before[0].URL, []string{"checkout.session.expired"})
	require.NoError(t, err)
	require.NotEmpty(t, secret)
	require.Equal(t, stripe.APIVersion, made.Version)
	changed, err := client.ChangeEndpoint(t.Context(), made.ID, events.Acted)
	require.NoError(t, err)
	require.ElementsMatch(t, events.Acted, changed.Events)
	all, err := client.Endpoints(t.Context())
	require.NoError(t, err)
	require.Equal(t, []stripe.Endpoint{changed, before[0]}, all)

	page, err := client.CreateCheckout(t.Context(), checkoutFor(b, "ord-hook"))
	require.NoError(t, err)
	require.NoError(t, client.ExpireCheckout(t.Context(), page.ID))
	b.until("both endpoints to receive the event", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		signedBy := func(key string) bool {
			return slices.ContainsFunc(b.notices, func(n notice) bool {
				_, err := stripe.NewVerifier(key).Verify(n.header, n.body, b.now())
				return err == nil
			})
		}
		return signedBy(secret) && signedBy(stripeHook)
	})
}

// What a restricted key lacks is named; a permission to write is asked for without
// writing anything.
func TestStripeNamesMissingPermissions(t *testing.T) {
	b := start(t)
	client := stripe.New(stripe.Config{URL: b.url, Key: stripeKey, Timeout: longEnough})
	missing, err := client.MissingPermissions(t.Context())
	require.NoError(t, err)
	require.Empty(t, missing)
	b.control("stripe/permissions", map[string]any{"denied": "checkout_session_write,payment_intent_write,charge_write,dispute_write,balance_read,balance_transaction_source_read,webhook_read"})
	missing, err = client.MissingPermissions(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"Checkout Sessions: write", "PaymentIntents: write", "Charges and Refunds: write", "Disputes: write", "Balance: read", "Balance transactions: read"}, missing)
	_, err = client.Endpoints(t.Context())
	require.True(t, provider.NotPermitted(err), "%v", err)
	_, err = stripe.New(stripe.Config{URL: b.url, Key: "sk_test_another", Timeout: longEnough}).MissingPermissions(t.Context())
	require.True(t, provider.Unauthorised(err), "%v", err)
}

// A wallet's webhooks are added, listed and removed; BitGo reports whether a secret is the
// one it signs with, and sends a simulated webhook on request.
func TestBitGoWebhooksAreAddedRemovedAndSimulated(t *testing.T) {
	b := start(t)
	client := custodyOf(t, b)
	ours, err := client.Hooks(t.Context(), bitcoinWallet)
	require.NoError(t, err)
	require.Len(t, ours, 2)
	added := bitgo.Hook{Type: "transfer", URL: "https://shop.example/api/webhooks/bitgo", Failures: true}
	require.NoError(t, client.AddHook(t.Context(), bitcoinWallet, added))
	all, err := client.Hooks(t.Context(), bitcoinWallet)
	require.NoError(t, err)
	at := slices.IndexFunc(all, func(h bitgo.Hook) bool { return h.URL == added.URL })
	require.True(t, at >= 0 && all[at].Failures && all[at].Type == "transfer" && all[at].State != bitgo.HookSuspended, "%+v", all)
	require.NoError(t, client.RemoveHook(t.Context(), bitcoinWallet, all[at]))
	all, err = client.Hooks(t.Context(), bitcoinWallet)
	require.NoError(t, err)
	require.Equal(t, ours, all)

	for secret, same := range map[string]bool{bitgoHook: true, "another": false} {
		signs, err := client.SignsAs(t.Context(), ours[0].ID, secret)
		require.NoError(t, err)
		require.Equal(t, same, signs, secret)
	}
	require.NoError(t, client.SimulateHook(t.Context(), bitcoinWallet, ours[0].ID))
	b.until("the simulated notice", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return slices.ContainsFunc(b.notices, func(n notice) bool {
			_, err := bitgo.NewVerifier(bitgoHook).Verify(n.header, n.body, b.now())
			return n.provider == "bitgo" && err == nil
		})
	})
	session, err := client.Session(t.Context())
	require.NoError(t, err)
	require.Contains(t, session.Scope, "wallet_spend_all")
	require.True(t, session.Expires.After(b.now()))
}

// What a key may do is read, and a method that it may not call says so.
func TestKrakenReportsWhatAKeyMayDo(t *testing.T) {
	b := start(t)
	client := exchangeOf(b)
	info, err := client.KeyInfo(t.Context())
	require.NoError(t, err)
	require.Contains(t, info.Permissions, "withdraw-funds")
	require.True(t, info.Until.IsZero())
	addresses, err := client.RegisteredAddresses(t.Context())
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(addresses, func(a kraken.RegisteredAddress) bool { return a.Key == "tradepost-btc" && a.Verified }), "%+v", addresses)
	for name, ask := range client.Lookups() {
		require.NoError(t, ask(t.Context()), name)
	}
	b.control("kraken/permissions", map[string]any{"permissions": "query-funds", "allowlist": "192.0.2.1"})
	info, err = client.KeyInfo(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"192.0.2.1"}, info.Addresses)
	for name, ask := range client.Lookups() {
		require.Equal(t, name != "Query Funds", kraken.Denied(ask(t.Context())), name)
	}
}

// The levels that are set up are named.
func TestSumsubNamesItsLevels(t *testing.T) {
	b := start(t)
	levels, err := identityOf(b).Levels(t.Context())
	require.NoError(t, err)
	require.Contains(t, levels, sumsubLevel)
	b.fault("sumsub", "levels", "decline:403:forbidden")
	_, err = identityOf(b).Levels(t.Context())
	require.True(t, provider.NotPermitted(err), "%v", err)
}
