package pricing

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// DailyPrice is the price of one asset on one UTC day: the last ask that was read on that day.
// Price, Source, Pair and ReadAt are nil for a day on which no price was read.
type DailyPrice struct {
	Asset  money.Currency
	Day    time.Time        // midnight UTC
	Price  *decimal.Decimal // US dollars for one coin
	Source *string          // the provider that stated the price
	Pair   *string          // the provider's name of the market
	ReadAt *time.Time       // the last reading of the day
}

// DailyPrices returns one entry per asset with a market and UTC day from first to last, both included, in order of
// asset and day. A day without a reading has an entry without a price, so that a gap is never mistaken for the price of
// the day before. The price of the current day is preliminary until the day ends.
func DailyPrices(ctx context.Context, db *store.DB, first, last time.Time) ([]DailyPrice, error) {
	var rows []DailyPrice
	err := db.ORM(ctx).Raw(`
		SELECT m.asset, d.day, p.ask AS price, p.source, p.pair, p.read_at
		  FROM markets m
		 CROSS JOIN (SELECT CAST(day AS date) AS day
		               FROM generate_series(CAST(@first AS timestamp), CAST(@last AS timestamp), interval '1 day') day) d
		  LEFT JOIN daily_prices p ON p.asset = m.asset AND p.day = d.day
		 ORDER BY m.asset, d.day`,
		map[string]any{"first": first.UTC().Format(time.DateOnly), "last": last.UTC().Format(time.DateOnly)},
	).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read daily prices: %w", err)
	}
	return rows, nil
}
