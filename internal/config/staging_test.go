package config

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// bitgoOf is a custody worker that speaks to one of BitGo's environments.
func bitgoOf(env, url string) *BitGo {
	wallets, tickers := map[string]string{}, map[string]string{}
	for _, coin := range BitGoCoins {
		wallets[coin], tickers[coin] = "id-of-"+coin, "t"+coin
	}
	return &BitGo{URL: url, Token: "v2x0123456789abcdef", Passphrase: "a long passphrase of ours", Wallets: wallets, Env: env, TestCoins: tickers}
}

// Every credential in every mode: live ones in production alone, test ones in
// staging alone, and on the local stack any. What is refused is named, said what
// to do about, and never shown.
func TestCredentialsAreOfTheirMode(t *testing.T) {
	const canary = "0123456789canary"
	everywhere, live, test := []Mode{Local, Staging, Production}, []Mode{Local, Production}, []Mode{Local, Staging}
	stripe := func(key string) Group { return &Stripe{URL: "https://api.stripe.com", Key: key + canary} }
	sumsub := func(token string) Group {
		return &Sumsub{URL: "https://api.sumsub.com", AppToken: token + canary, Secret: "0123456789abcdefgh", Level: "l"}
	}
	kraken := func(url string) Group {
		return &Kraken{URL: url, Key: canary, Secret: "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbA=="}
	}
	const express = "http://bitgo-express:3080"
	for name, c := range map[string]struct {
		group    Group
		taken    []Mode
		variable string
		advice   string
	}{
		"stripe live secret":     {stripe("sk_live_"), live, "STRIPE_KEY", "test environment"},
		"stripe live restricted": {stripe("rk_live_"), live, "STRIPE_KEY", "test environment"},
		"stripe test secret":     {stripe("sk_test_"), test, "STRIPE_KEY", "live environment"},
		"stripe test restricted": {stripe("rk_test_"), test, "STRIPE_KEY", "live environment"},
		"stripe public key":      {stripe("pk_live_"), []Mode{Local}, "STRIPE_KEY", "environment"},
		"sumsub production":      {sumsub("prd:"), live, "SUMSUB_APP_TOKEN", "test environment"},
		"sumsub sandbox":         {sumsub("sbx:"), test, "SUMSUB_APP_TOKEN", "live environment"},
		"sumsub neither":         {sumsub(""), []Mode{Local}, "SUMSUB_APP_TOKEN", "environment"},
		"bitgo production":       {bitgoOf("prod", express), live, "BITGO_ENV", "app.bitgo-test.com"},
		"bitgo test":             {bitgoOf("test", express), test, "BITGO_ENV", "app.bitgo.com"},
		"bitgo production host":  {bitgoOf("test", "https://app.bitgo.com"), []Mode{Local}, "BITGO", "BitGo Express"},
		"bitgo test host":        {bitgoOf("prod", "https://app.bitgo-test.com"), []Mode{Local}, "BITGO", "BitGo Express"},
		"kraken":                 {kraken("https://api.kraken.com"), live, "KRAKEN_URL", "simulator"},
		"kraken, simulated":      {kraken("http://kraken:8091"), everywhere, "", ""},
		"kraken, on the machine": {kraken("http://127.0.0.1:8091"), test, "KRAKEN_URL", "real provider"},
	} {
		for _, mode := range everywhere {
			err := c.group.Check(mode)
			if slices.Contains(c.taken, mode) {
				require.NoError(t, err, "%s in %s", name, mode)
				continue
			}
			require.ErrorContains(t, err, c.variable, "%s in %s", name, mode)
			require.ErrorContains(t, err, c.advice, "%s in %s", name, mode)
			require.NotContains(t, err.Error(), canary, name)
		}
	}
}

// Staging is strict wherever production is.
func TestStagingHasProductionsRules(t *testing.T) {
	for _, mode := range []Mode{Staging, Production} {
		require.True(t, mode.Strict())
		require.ErrorContains(t, (&Common{Brand: "T", PublicURL: "http://localhost:8080"}).Check(mode), "PUBLIC_URL")
		require.ErrorContains(t, (&Stripe{URL: "http://127.0.0.1:8091", Key: "sk_test_demo"}).Check(mode), "STRIPE_URL")
		require.ErrorContains(t, (&Mail{SMTPURL: "smtp://127.0.0.1:8025", From: "a@example.com"}).Check(mode), "SMTP_URL")
		require.ErrorContains(t, (&Webhooks{Stripe: "short", BitGo: "short", Sumsub: "short"}).Check(mode), "BITGO_WEBHOOK_SECRET")
		require.True(t, (&SignIn{}).StaffNeedSecond(mode))
	}
	require.False(t, Local.Strict())
}

// In its test environment BitGo calls the coins by other names.
func TestTickersAreOfBitGosEnvironment(t *testing.T) {
	require.Nil(t, bitgoOf("prod", "").Tickers())
	require.Equal(t, "tbtc", bitgoOf("test", "").Tickers()["btc"])
	named := bitgoOf("test", "http://bitgo-express:3080")
	named.TestCoins["btc"] = "btc"
	require.ErrorContains(t, named.Check(Staging), "BITGO_TEST_COINS")
}
