package api

import (
	"net/url"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
)

// Places are addresses of pages at the providers, each up to the id of what is
// looked at. One that is empty gives staff no link.
type Places struct {
	Stripe, Kraken, BitGo string
	Explorers             map[string]string // by network
}

// references are what an order's parts are called at the providers, in the order
// in which they come about.
func (s *Server) references(o *order.Order, p *order.Payment, given AdminMoney, purchases []execution.ExchangeOrder, transfers []execution.Withdrawal) []ProviderReference {
	refs := []ProviderReference{}
	add := func(provider, kind, place string, id *string) {
		if word(id) == "" {
			return
		}
		ref := ProviderReference{Provider: provider, Kind: kind, ID: *id}
		if place != "" {
			link := place + url.PathEscape(*id)
			ref.URL = &link
		}
		refs = append(refs, ref)
	}
	add("stripe", "payment", s.Places.Stripe, p.StripePaymentIntentID)
	for i := range given.Refunds {
		add("stripe", "refund", s.Places.Stripe, given.Refunds[i].ProviderID)
	}
	for i := range given.Disputes {
		add("stripe", "dispute", s.Places.Stripe, given.Disputes[i].ProviderID)
	}
	for i := range purchases {
		add("kraken", "purchase", s.Places.Kraken, purchases[i].ExchangeID)
	}
	for i := range transfers {
		add("bitgo", "transfer", s.Places.BitGo, transfers[i].TransferID)
	}
	add("explorer", "transaction", s.Places.Explorers[o.Network], o.TxID)
	return refs
}
