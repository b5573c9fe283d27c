package reconciliation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// bookRests adds up what the rounded amounts of lines leave out, and books what
// has become whole base units. It runs in the transaction that stores the lines,
// under the provider's lock: a rest is counted once, because it is what a line
// changed by, and a booking is made once, because its group bears its number.
func bookRests(ctx context.Context, db *store.DB, h ledger.Provider, lines []changedLine) error {
	more := map[money.Currency]decimal.Decimal{}
	for _, l := range lines {
		more[l.Currency] = more[l.Currency].Add(l.More)
	}
	for _, currency := range slices.Sorted(maps.Keys(more)) {
		if more[currency].IsZero() {
			continue
		}
		if err := bookRest(ctx, db, h, currency, more[currency]); err != nil {
			return err
		}
	}
	return nil
}

func bookRest(ctx context.Context, db *store.DB, h ledger.Provider, currency money.Currency, more decimal.Decimal) error {
	var due struct {
		Whole    money.Units
		Bookings int
	}
	err := db.ORM(ctx).Raw(`INSERT INTO statement_rests AS r (holder, currency, rest) VALUES (?, ?, CAST(? AS numeric))
		ON CONFLICT (holder, currency) DO UPDATE SET rest = r.rest + excluded.rest RETURNING trunc(r.rest - r.booked) AS whole, bookings`, h, currency, more.String()).Scan(&due).Error
	if err != nil {
		return fmt.Errorf("add up parts of a unit: %w", err)
	}
	if due.Whole.IsZero() {
		return nil
	}
	about := ledger.StoredPosting{Event: "rounded", GroupKey: fmt.Sprintf("rounding:%s:%s:%d", h, currency, due.Bookings+1)}
	if err := ledger.PostAbout(ctx, db, about, ledger.MovedPostings(h.Account(""), ledger.AccountRounding, currency, due.Whole)); err != nil {
		return err
	}
	err = db.ORM(ctx).Exec(`WITH done AS (UPDATE statement_rests SET booked = booked + CAST(@whole AS numeric), bookings = bookings + 1
		  WHERE holder = @holder AND currency = @currency RETURNING booked)
		INSERT INTO reconciled_effects AS e (holder, key, currency, told, last_at) SELECT @holder, 'rounding:' || @currency, @currency, booked, clock_now() FROM done
		ON CONFLICT (holder, key, currency) DO UPDATE SET told = excluded.told, last_at = excluded.last_at`,
		map[string]any{"holder": h, "currency": currency, "whole": due.Whole}).Error
	if err != nil {
		return fmt.Errorf("note that parts of a unit were booked: %w", err)
	}
	return nil
}
