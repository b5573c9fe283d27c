package pricing

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

const (
	// PricePointEvery is the step between two kept prices of an asset.
	PricePointEvery = 10 * time.Minute
	// PricePointsKept is how long they are kept; older ones are deleted.
	PricePointsKept = 24 * time.Hour
)

// PricePoint is what an asset cost when a step began.
type PricePoint struct {
	Asset money.Currency
	At    time.Time
	Price decimal.Decimal
}

// keepPricePoint adds the step's point when there is none yet, and deletes the
// asset's that are older than PricePointsKept.
func keepPricePoint(ctx context.Context, db *store.DB, asset money.Currency, price decimal.Decimal) error {
	err := db.ORM(ctx).Exec(`
		WITH added AS (
		  INSERT INTO price_points (asset, at, price)
		  SELECT asset, date_bin(CAST(@every AS interval), clock_now(), 'epoch'), CAST(@price AS numeric) FROM markets WHERE asset = @asset AND CAST(@price AS numeric) > 0
		  ON CONFLICT DO NOTHING RETURNING asset, at)
		DELETE FROM price_points p USING added WHERE p.asset = added.asset AND p.at < added.at - CAST(@kept AS interval)`,
		map[string]any{"asset": asset, "price": price, "every": store.Seconds(PricePointEvery), "kept": store.Seconds(PricePointsKept)}).Error
	if err != nil {
		return fmt.Errorf("keep a price point of %s: %w", asset, err)
	}
	return nil
}

// PricePoints reads the last day of every asset, oldest first. A gap in which no price
// was read stays a gap.
func PricePoints(ctx context.Context, db *store.DB) ([]PricePoint, error) {
	var rows []PricePoint
	err := db.ORM(ctx).Raw(`SELECT asset, at, price FROM price_points WHERE at >= clock_now() - CAST(? AS interval) ORDER BY asset, at`, store.Seconds(PricePointsKept)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read price points: %w", err)
	}
	return rows, nil
}
