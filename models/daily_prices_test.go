package models_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// at sets the database's clock.
func (s *shop) at(moment time.Time) {
	s.Helper()
	s.owner(`UPDATE clock SET ahead = CAST($1 AS timestamptz) - now()`, moment)
}

// dailyPrices returns the prices of BTC from one day to another, one line per day.
func (s *shop) dailyPrices(first, last time.Time) (lines []string) {
	s.Helper()
	prices, err := pricing.DailyPrices(s.Context(), s.db, first, last)
	require.NoError(s, err)
	for _, p := range prices {
		require.Equal(s, money.BTC, p.Asset)
		line := "no price"
		if p.Price != nil {
			line = fmt.Sprintf("%s %s %s %s", p.Price, *p.Source, *p.Pair, p.ReadAt.UTC().Format("15:04"))
		}
		lines = append(lines, fmt.Sprintf("+%d %s", int(p.Day.Sub(first)/day), line))
	}
	return lines
}

// The last ask of each UTC day is kept with its source. A day without a reading is a gap, not the price of another day.
func TestDailyPriceIsTheLastAskOfTheDay(t *testing.T) {
	s := openShop(t)
	first := time.Now().UTC().Truncate(day).Add(day)
	s.at(first.Add(time.Hour))
	s.price("50100")
	s.at(first.Add(23*time.Hour + 59*time.Minute))
	s.price("50200")
	s.price("0") // no ask, so the last one stands
	s.at(first.Add(2*day + time.Minute))
	s.price("51000")
	require.Equal(t, []string{"+0 50200 kraken XXBTZUSD 23:59", "+1 no price", "+2 51000 kraken XXBTZUSD 00:01",
		"+3 no price"}, s.dailyPrices(first, first.Add(3*day)))
}

// A daily price stays, however old it is and whoever asks: pruning, the process that stores prices, and the owner of
// the table can neither delete it nor change it once its day has ended.
func TestDailyPricesAreNeverPruned(t *testing.T) {
	s := openShop(t)
	first := time.Now().UTC().Truncate(day).Add(day)
	s.at(first.Add(time.Hour))
	s.price("50100")
	exchange, err := store.Open(t.Context(), s.dbs.Process["exchange"], store.Options{})
	require.NoError(t, err)
	t.Cleanup(exchange.Close)
	s.at(first.Add(20 * 365 * day))
	api := s.db
	s.db = exchange
	s.price("60000") // deletes old price points
	s.db = api
	require.Equal(t, 1, count(s, `SELECT count(*) FROM price_points`))
	kept := s.dailyPrices(first, first)
	require.Equal(t, []string{"+0 50100 kraken XXBTZUSD 01:00"}, kept)

	_, _, err = s.db.Prune(t.Context(), store.Pruned{Table: "daily_prices", Age: "read_at"}, day)
	require.ErrorContains(t, err, "daily_prices")
	owner := s.asOwner(t)
	for _, statement := range []string{"DELETE FROM daily_prices", "TRUNCATE daily_prices",
		"UPDATE daily_prices SET ask = 1", "UPDATE daily_prices SET day = day + 1, read_at = read_at + interval '1 day'", "DELETE FROM markets"} {
		var refusal *pgconn.PgError
		_, err = owner.Exec(t.Context(), statement)
		require.ErrorAs(t, err, &refusal, statement)
	}
	require.Equal(t, kept, s.dailyPrices(first, first))
}
