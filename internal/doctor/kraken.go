package doctor

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/treasury"
)

func (e *examination) krakenChecks() []Check {
	return []Check{
		{"kraken.key", "KRAKEN_KEY is accepted, and what it may do", e.withKraken(e.krakenKey)},
		{"kraken.addresses", "the withdrawal addresses that KRAKEN_WITHDRAW_KEYS names", e.withKraken(e.krakenAddresses)},
		{"kraken.markets", "the pairs that are bought, and their prices", e.needs(e.Kraken != nil, "KRAKEN_KEY", e.krakenMarkets)},
	}
}

// withKraken makes a check that uses the key. Without the database the nonces of
// two programs would clash.
func (e *examination) withKraken(check func(context.Context, *kraken.Client) []Finding) func(context.Context) []Finding {
	switch {
	case e.Kraken == nil:
		return e.needs(false, "KRAKEN_KEY", nil)
	case e.Postgres == nil:
		return func(context.Context) []Finding {
			return skipped("DATABASE_URL is not set here, whose lock keeps two programs from using the key at once")
		}
	}
	return func(ctx context.Context) []Finding {
		db, err := e.database(ctx)
		if err != nil {
			return skipped("the database cannot be used (database.application says why), and its lock keeps two programs from using the key at once")
		}
		return check(ctx, e.kraken(db))
	}
}

const krakenPage = "Kraken (Settings, API)"

// The permissions that the key has beside reading, and what Kraken's page of keys calls them.
const (
	mayTrade, trading       = "modify-trades", "Create & Modify Orders"
	mayWithdraw, withdrawal = "withdraw-funds", "Withdraw Funds"
)

// soon is how long before its end a warning about a credential is given.
const soon = 21 * 24 * time.Hour

func (e *examination) krakenKey(ctx context.Context, c *kraken.Client) []Finding {
	info, err := c.KeyInfo(ctx)
	if err != nil {
		return []Finding{said(err, "kraken", "KRAKEN_KEY or KRAKEN_SECRET", krakenPage)}
	}
	var found []Finding
	lacking := func(name string) {
		found = append(found, wrong("kraken_permission_missing", "Give the key \""+name+"\" at "+krakenPage+".",
			"KRAKEN_KEY lacks %q", name).because("kraken_permission "+name))
	}
	if !slices.Contains(info.Permissions, mayTrade) {
		lacking(trading)
	}
	switch withdraws := slices.Contains(info.Permissions, mayWithdraw); {
	case e.Withdraw != nil && !withdraws:
		lacking(withdrawal)
	case e.Withdraw == nil && withdraws:
		found = append(found, doubtful("kraken_permission_unused",
			"Take the permission from the key at "+krakenPage+", or name your wallets in KRAKEN_WITHDRAW_KEYS.",
			"KRAKEN_KEY has %q, and without KRAKEN_WITHDRAW_KEYS nothing is withdrawn", withdrawal))
	}
	for name, ask := range c.Lookups() {
		if err := ask(ctx); kraken.Denied(err) {
			lacking(name)
		} else if err != nil {
			return append(found, said(err, "kraken", "KRAKEN_KEY or KRAKEN_SECRET", krakenPage))
		}
	}
	return append(found, e.krakenLimits(info)...)
}

func (e *examination) krakenLimits(info kraken.KeyInfo) (found []Finding) {
	if len(info.Addresses) == 0 && e.strict() {
		found = append(found, doubtful("kraken_key_from_anywhere", "Limit the key to the address of this machine at "+krakenPage+".", "KRAKEN_KEY may be used from any address"))
	}
	if !info.Until.IsZero() && time.Until(info.Until) < soon {
		found = append(found, doubtful("kraken_key_ends", "Make a new key at "+krakenPage+" before then.", "KRAKEN_KEY ends on %s", info.Until.Format(time.DateOnly)))
	}
	return found
}

func (e *examination) krakenAddresses(ctx context.Context, c *kraken.Client) []Finding {
	if e.Withdraw == nil {
		return skipped("KRAKEN_WITHDRAW_KEYS is not set here: wallets are filled by hand")
	}
	registered, err := c.RegisteredAddresses(ctx)
	if kraken.Denied(err) {
		return []Finding{wrong("kraken_permission_missing", "Give the key \""+withdrawal+"\" at "+krakenPage+".",
			"KRAKEN_KEY may not read withdrawal addresses").because("kraken_permission " + withdrawal)}
	}
	if err != nil {
		return []Finding{said(err, "kraken", "KRAKEN_KEY or KRAKEN_SECRET", krakenPage)}
	}
	var found []Finding
	for coin, key := range e.Withdraw.Keys {
		found = append(found, e.krakenAddress(coin, key, registered)...)
	}
	return found
}

// krakenAddress holds one configured name against what is registered.
func (e *examination) krakenAddress(coin, key string, registered []kraken.RegisteredAddress) []Finding {
	at := slices.IndexFunc(registered, func(r kraken.RegisteredAddress) bool {
		return r.Key == key && strings.EqualFold(string(r.Asset), assetOf(coin))
	})
	if at < 0 {
		return []Finding{wrong("kraken_address_unknown", "Register the wallet's address under that name at Kraken (Funding, Withdraw), or correct KRAKEN_WITHDRAW_KEYS.",
			"Kraken knows no withdrawal address %q of %s", key, coin)}
	}
	have := registered[at]
	if want := e.Withdraw.Addresses[coin]; want != "" && want != have.Address {
		return []Finding{wrong("kraken_address_differs", "Find out who changed it before anything is moved: correct it at Kraken, or KRAKEN_WITHDRAW_ADDRESSES.",
			"the withdrawal address %q of %s is %s at Kraken, and %s in KRAKEN_WITHDRAW_ADDRESSES", key, coin, have.Address, want)}
	}
	if !have.Verified {
		return []Finding{wrong("kraken_address_unverified", "Confirm the address by the mail that Kraken sent.", "the withdrawal address %q of %s is not confirmed at Kraken", key, coin)}
	}
	return nil
}

// assetOf is the asset of a coin as settings name it.
func assetOf(coin string) string {
	for _, w := range treasury.OurWallets() {
		if treasury.CoinOf(w) == coin {
			return string(w.Asset)
		}
	}
	return ""
}

func (e *examination) krakenMarkets(ctx context.Context) []Finding {
	c := kraken.New(kraken.Config{URL: e.Kraken.URL})
	pairs, err := c.Pairs(ctx)
	if err == nil {
		var prices map[money.Currency]provider.Ticker
		if prices, err = c.Tickers(ctx); err == nil {
			return marketsOf(e.offer().Coins(), pairs, prices)
		}
	}
	return []Finding{said(err, "kraken", "KRAKEN_URL", "Kraken")}
}

func marketsOf(offered []money.Currency, pairs map[money.Currency]provider.Pair, prices map[money.Currency]provider.Ticker) (found []Finding) {
	for _, asset := range offered {
		pair, traded := pairs[asset]
		price, priced := prices[asset]
		if !traded || !pair.Tradable || !priced || !price.Ask.IsPositive() {
			found = append(found, wrong("kraken_market_closed", "Pause the coin at /admin/switches until Kraken trades it again.", "Kraken does not trade %s for dollars now", asset))
		}
	}
	return found
}
