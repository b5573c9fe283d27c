package kraken

import (
	"cmp"

	"github.com/tradepost/tradepost/models/money"
)

// otherNames are Kraken's names of coins that it does not call by their code.
var otherNames = map[money.Currency]string{money.BTC: "XBT"}

// altname is what requests call a currency: it has not changed in years, unlike the
// keys of answers.
func altname(c money.Currency) string { return cmp.Or(otherNames[c], string(c)) }

// market is the pair of a coin, as requests name it.
func market(asset money.Currency) string { return altname(asset) + "USD" }

// assetCodes are the spellings of what we hold there, old and new. Others, such as
// staked coin, cannot be traded and are not counted.
var assetCodes = func() map[string]money.Currency {
	codes := map[string]money.Currency{"USD": money.USD, "ZUSD": money.USD}
	for _, asset := range money.Assets {
		for _, name := range []string{string(asset), altname(asset), "X" + altname(asset)} {
			codes[name] = asset
		}
	}
	return codes
}()
