package models_test

// What the exchange and the wallet have of an order's coin.

var marketRules = map[string]rule{
	"price gone":    {kind: "market", aside: true, do: always(func(o orderModel) orderModel { o.Unknown = true; return o })},
	"price back":    {kind: "market", do: always(func(o orderModel) orderModel { o.Unknown = false; return o })},
	"wallet empty":  {kind: "market", aside: true, do: always(func(o orderModel) orderModel { o.Short = true; return o })},
	"wallet filled": {kind: "market", do: always(func(o orderModel) orderModel { o.Short = false; return o })},
	"fill part": {kind: "market", aside: true, do: always(func(o orderModel) orderModel {
		if o.Coin != "buying" || o.Part {
			return o
		}
		o.Coin, o.Part, o.Inventory, o.Unfilled = "reserved", true, 1, 0
		return o
	})},
	"fill nothing": {kind: "market", aside: true, do: always(func(o orderModel) orderModel {
		if o.Coin != "buying" {
			return o
		}
		o.Coin, o.Unfilled = "reserved", o.Unfilled+1
		return o
	})},
}
