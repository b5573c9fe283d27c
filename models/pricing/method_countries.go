package pricing

import (
	"context"
	"slices"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/store"
)

// errMethodElsewhere refuses a method that is offered in other countries alone.
var errMethodElsewhere = store.Invalid("paymentMethod", "method_not_in_country",
	"This payment method is not available in your country. Choose another one.")

// OfferedIn reports whether the method is offered in a country. A method without a list is offered everywhere; if the
// country is unknown, only such a method is.
func (m *PaymentMethod) OfferedIn(country string) bool {
	return len(m.Countries) == 0 || slices.Contains(m.Countries, country)
}

// listed are the codes of a list, each once, in their order.
func listed(codes []string) pq.StringArray {
	all := append(pq.StringArray{}, codes...)
	slices.Sort(all)
	return slices.Compact(all)
}

// byCountry reports whether any offered method has a list of countries.
func (p *Pricing) byCountry() bool {
	return slices.ContainsFunc(p.Ordered, func(m *PaymentMethod) bool { return len(m.Countries) > 0 })
}

// RailsFor lists the rails that are offered to a customer: of their payment methods those that are enabled and offered
// in their country. A visitor, who has no id and no country, is shown the methods of all countries.
func RailsFor(ctx context.Context, db *store.DB, prices *Pricing, userID string) ([]string, error) {
	shown := func(m *PaymentMethod) bool { return m.IsEnabled }
	if userID != "" && prices.byCountry() {
		terms, _, err := kyc.ReadTerms(ctx, db, userID)
		if err != nil {
			return nil, err
		}
		shown = func(m *PaymentMethod) bool {
			_, err := prices.Method(m.PaymentMethod, terms.Country)
			return err == nil
		}
	}
	rails := []string{}
	for _, rail := range Rails {
		method, priced := prices.Methods[rail]
		if prices.Offer.Takes(rail) && (!priced || shown(method)) {
			rails = append(rails, rail)
		}
	}
	return rails, nil
}
