package rest

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/models/money"
)

// Coins, currencies and networks as the contract lists them. Those of a filter begin
// with all.
type (
	Coin           string
	CoinFilter     string
	Currency       string
	CurrencyFilter string
	Network        string
)

// all does not narrow a list.
const all = "all"

var currencies = append([]money.Currency{money.USD}, money.Assets...)

// Schema implements huma.SchemaProvider.
func (Coin) Schema(huma.Registry) *huma.Schema { return Listed(money.Assets) }

// Schema implements huma.SchemaProvider.
func (CoinFilter) Schema(huma.Registry) *huma.Schema { return OrAll(money.Assets) }

// Schema implements huma.SchemaProvider.
func (Currency) Schema(huma.Registry) *huma.Schema { return Listed(currencies) }

// Schema implements huma.SchemaProvider.
func (CurrencyFilter) Schema(huma.Registry) *huma.Schema { return OrAll(currencies) }

// Schema implements huma.SchemaProvider.
func (Network) Schema(huma.Registry) *huma.Schema { return Listed(money.Networks) }
