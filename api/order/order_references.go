package order

import (
	"net/url"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// references are the providers' ids of an order's parts, in the order in which they arise.
func (h *Handlers) references(o *order.Order, p *order.Payment, given AdminMoney, purchases []execution.ExchangeOrder, transfers []execution.Withdrawal) []ProviderReference {
	refs := []ProviderReference{}
	add := func(provider, kind, place string, id *string) {
		if rest.Word(id) == "" {
			return
		}
		ref := ProviderReference{Provider: provider, Kind: kind, ID: *id}
		if place != "" {
			link := place + url.PathEscape(*id)
			ref.URL = &link
		}
		refs = append(refs, ref)
	}
	add("stripe", "payment", h.Places.Stripe, p.StripePaymentIntentID)
	for i := range given.Refunds {
		add("stripe", "refund", h.Places.Stripe, given.Refunds[i].ProviderID)
	}
	for i := range given.Disputes {
		add("stripe", "dispute", h.Places.Stripe, given.Disputes[i].ProviderID)
	}
	for i := range purchases {
		add("kraken", "purchase", h.Places.Kraken, purchases[i].ExchangeID)
	}
	for i := range transfers {
		add(string(transfers[i].Provider), "transfer", h.Places.Custody, transfers[i].TransferID)
	}
	add("explorer", "transaction", h.Places.Explorers[o.Network], money.ShownTransaction(o.Network, o.TxID))
	return refs
}
