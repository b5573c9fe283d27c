package config

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
)

// Settings of the offer are read as they are, or refused by the name of their
// variable; an empty one is everything.
func TestTheOfferIsReadOnceAndNamed(t *testing.T) {
	for name, c := range map[string]struct {
		env   map[string]string
		wrong string
		offer money.Offer
	}{
		"nothing set":            {},
		"empty":                  {env: map[string]string{"ASSETS": "", "NETWORKS": "", "RAILS": "", "LANGUAGES": ""}},
		"bitcoin for wires":      {env: map[string]string{"ASSETS": "BTC", "RAILS": "domestic_wire,wire"}, offer: money.Offer{Assets: []money.Currency{money.BTC}, Rails: []string{"domestic_wire", "wire"}}},
		"one network":            {env: map[string]string{"ASSETS": "USDT", "NETWORKS": "tron"}, offer: money.Offer{Assets: []money.Currency{money.USDT}, Networks: []string{"tron"}}},
		"coins on networks":      {env: map[string]string{"ASSETS": "USDT,USDC", "NETWORKS": "USDT:tron,USDC:ethereum"}, offer: money.Offer{Assets: []money.Currency{money.USDT, money.USDC}, Networks: []string{"USDT:tron", "USDC:ethereum"}}},
		"what has to be named":   {env: map[string]string{"NETWORKS": "bitcoin,ethereum,tron,USDC:tron"}, offer: money.Offer{Networks: []string{"bitcoin", "ethereum", "tron", "USDC:tron"}}},
		"and is not":             {env: map[string]string{"ASSETS": "USDC", "NETWORKS": "tron"}, wrong: "NETWORKS names none that USDC is sent on"},
		"a pair that is none":    {env: map[string]string{"NETWORKS": "BTC:tron"}, wrong: "NETWORKS"},
		"a pair of no asset":     {env: map[string]string{"ASSETS": "BTC", "NETWORKS": "bitcoin,USDT:tron"}, wrong: "NETWORKS: no coin of ASSETS is sent on USDT:tron"},
		"no such asset":          {env: map[string]string{"ASSETS": "BTC,DOGE"}, wrong: "ASSETS"},
		"in small letters":       {env: map[string]string{"ASSETS": "btc"}, wrong: "ASSETS"},
		"twice":                  {env: map[string]string{"RAILS": "card,card"}, wrong: "RAILS names card twice"},
		"no such rail":           {env: map[string]string{"RAILS": "barter"}, wrong: "RAILS"},
		"no such network":        {env: map[string]string{"NETWORKS": "solana"}, wrong: "NETWORKS"},
		"an asset without one":   {env: map[string]string{"NETWORKS": "tron"}, wrong: "NETWORKS names none that BTC is sent on"},
		"a network for no asset": {env: map[string]string{"ASSETS": "BTC", "NETWORKS": "bitcoin,tron"}, wrong: "NETWORKS: no coin of ASSETS is sent on tron"},
		"no such language":       {env: map[string]string{"LANGUAGES": "en,de"}, wrong: "LANGUAGES"},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range c.env {
				t.Setenv(variable, value)
			}
			var cli struct {
				Common   `embed:""`
				Offering `embed:""`
				Speaking `embed:""`
			}
			parser, err := kong.New(&cli, kong.Name("test"))
			require.NoError(t, err)
			_, err = parser.Parse(nil)
			require.NoError(t, err)
			err = CheckAll(&cli)
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			offer := cli.Offer()
			require.Equal(t, c.offer.Coins(), offer.Coins())
			for _, asset := range money.Assets {
				require.Equal(t, c.offer.NetworksOf(asset), offer.NetworksOf(asset))
			}
			require.Equal(t, c.offer.Takes("card"), offer.Takes("card"))
			require.NotEmpty(t, cli.Spoken())
		})
	}
}

// What is demanded of wallets and of Stripe follows from the offer.
func TestKeysAreDemandedForWhatIsOffered(t *testing.T) {
	bitcoin := money.Offer{Assets: []money.Currency{money.BTC}, Rails: []string{"wire"}}
	require.NoError(t, (&BitGo{Wallets: map[string]string{"btc": "w"}}).CheckOffer(Local, bitcoin))
	require.ErrorContains(t, (&BitGo{Wallets: map[string]string{"btc": "w"}}).CheckOffer(Local, money.Offer{}), "trx:usdt")
	named := money.Offer{Networks: []string{money.Bitcoin, money.Ethereum, "USDC:tron"}}
	require.ErrorContains(t, (&BitGo{Wallets: map[string]string{"btc": "w"}}).CheckOffer(Local, named), "trx:usdc")
	require.NotContains(t, (&BitGo{}).CheckOffer(Local, money.Offer{}).Error(), "trx:usdc")
	require.NoError(t, (&Stripe{}).CheckOffer(Local, bitcoin))
	require.ErrorContains(t, (&Stripe{}).CheckOffer(Local, money.Offer{}), "STRIPE_KEY")
	require.NoError(t, (&Webhooks{}).CheckOffer(Local, bitcoin))
	require.ErrorContains(t, (&Webhooks{}).CheckOffer(Local, money.Offer{Rails: []string{"card"}}), "STRIPE_WEBHOOK_SECRET")
}
