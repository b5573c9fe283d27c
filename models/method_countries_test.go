package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// A method is offered in the countries of its list, and everywhere without one. A quote and an order are judged by the
// list and the country of their own moment.
func TestAMethodIsOfferedInTheCountriesOfItsList(t *testing.T) {
	s := openShop(t)
	list := func(countries ...string) {
		s.exec(`UPDATE payment_methods SET countries = $1 WHERE payment_method = 'card'`, append([]string{}, countries...))
	}
	for _, c := range []struct {
		countries       []string
		country, reason string
	}{
		{nil, "", ""}, {nil, "US", ""}, {[]string{"US"}, "US", ""}, {[]string{"CA", "US"}, "US", ""},
		{[]string{"CA", "CH"}, "US", "method_not_in_country"}, {[]string{"CA"}, "", "method_not_in_country"},
	} {
		require.Equal(t, c.reason == "", (&pricing.PaymentMethod{Countries: c.countries}).OfferedIn(c.country), c)
		list()
		quote, err := s.quoter.Quote(t.Context(), s.input("0.002"))
		require.NoError(t, err)
		stale, err := pricing.ReadPricing(t.Context(), s.db)
		require.NoError(t, err)
		s.exec(`UPDATE users SET country = $2 WHERE id = $1`, s.user, c.country)
		list(c.countries...)
		_, err = s.quoter.Quote(t.Context(), s.input("0.002"))
		require.Equal(t, c.reason, store.ReasonOf(err), c)
		_, err = order.CreateOrder(t.Context(), s.db, stale, order.NewOrder{Quote: quote, Network: money.Bitcoin,
			Address: address, AddressKey: address, Channel: "web"})
		require.Equal(t, c.reason, store.ReasonOf(err), c)
	}
	for _, wrong := range []string{"us", "USA", ""} {
		_, err := s.db.Pool().Exec(t.Context(), `UPDATE payment_methods SET countries = $1`, []string{"CH", wrong})
		require.ErrorContains(t, err, "payment_methods_countries_check", wrong)
	}
}
