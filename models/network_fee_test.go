package models_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// The balance pays for no less than the exchange's smallest order and the network fee need, which is the median of the
// last transfers of the coin. Where that is below the method's own minimum of $1.00, that minimum holds.
func TestTheBalancesMinimumCoversTheNetworkFee(t *testing.T) {
	s := openShop(t)
	quoted := func(amount, method string) error {
		in := s.input(amount)
		in.Method = method
		_, err := pricing.NewQuoter(s.db, []byte("a key of at least thirty-two bytes")).Quote(t.Context(), in)
		return err
	}
	require.NoError(t, quoted("0.0001", "balance"), "$5.00")
	quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
	require.NoError(t, err)
	o, err := s.order(t.Context(), quote)
	require.NoError(t, err)
	for generation, satoshi := range []int{2_000, 90_000, 6_000, 0} {
		s.exec(`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, provider, address, amount,
			sequence_id, status, fee)
			VALUES ($1, $2, $3, $4, 'BTC', 'bitcoin', 'bitgo', $5, 100, $6, 'confirmed', $7)`,
			store.NewID(), o.ID, s.user, generation, address, "sequence "+strconv.Itoa(generation), satoshi)
	}
	markets, err := pricing.NewQuoter(s.db, []byte("a key of at least thirty-two bytes")).Markets(t.Context())
	require.NoError(t, err)
	require.Equal(t, "3.00", money.USD.Format(markets[money.BTC].NetworkFee), "the median of what was paid")
	require.Equal(t, "5.50", money.USD.Format(markets[money.BTC].LeastFromBalance()))
	err = quoted("0.0001", "balance")
	require.Equal(t, "below_minimum", store.ReasonOf(err))
	require.ErrorContains(t, err, "$5.50")
	require.NoError(t, quoted("0.00011", "balance"))

	s.exec(`UPDATE payment_methods SET min_order_amount = 2000, version = version + 1 WHERE payment_method = 'balance'`)
	require.ErrorContains(t, quoted("0.00011", "balance"), "$20.00")
	require.ErrorContains(t, quoted("0.0001", "card"), "$50.00", "another method has its own")
}
