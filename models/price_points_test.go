package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// A step keeps the first price it reads; the next step adds one, and deletes what is older than a day.
func TestPricePointsGoBackOneDay(t *testing.T) {
	s := openShop(t) // reads 50000
	kept := func() (found []string) {
		s.Helper()
		points, err := pricing.PricePoints(s.Context(), s.db)
		require.NoError(s, err)
		for _, p := range points {
			found = append(found, string(p.Asset)+" "+p.Price.String())
		}
		return found
	}
	s.price("50100")
	require.Equal(t, []string{"BTC 50000"}, kept(), "the same step")

	later := func(by string) {
		s.Helper()
		owner, err := store.Open(s.Context(), s.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
		require.NoError(s, err)
		defer owner.Close()
		_, err = owner.Pool().Exec(s.Context(), `UPDATE clock SET ahead = ahead + CAST($1 AS interval)`, by)
		require.NoError(s, err)
	}
	later("23 hours")
	s.price("51000")
	require.Equal(t, []string{"BTC 50000", "BTC 51000"}, kept())

	later("90 minutes")
	require.Equal(t, []string{"BTC 51000"}, kept(), "older than a day is not told")
	s.price("52000")
	var rows int
	require.NoError(t, s.db.Pool().QueryRow(s.Context(), `SELECT count(*) FROM price_points`).Scan(&rows))
	require.Equal(t, 2, rows, "nor kept")
}
