package treasury

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// TreasurySpan is how far back the history of readings is read. In each span an account has few points: the last
// reading of each step.
type TreasurySpan struct{ Steps, Seconds int }

// TreasurySpans are the spans that can be requested.
var TreasurySpans = map[string]TreasurySpan{"day": {48, 1800}, "week": {56, 10_800}, "month": {60, 43_200}, "quarter": {45, 172_800}}

// PastReading is what an account held at a moment, and what the books said then.
type PastReading struct {
	Account  string
	Currency money.Currency
	ReadAt   time.Time
	Held     money.Units
	Expected money.Units
}

// TreasuryHistory reads the history of each account: the last reading of every step, none of a step in which its
// provider did not answer. Each is one lookup in the primary key, however many readings there are. Steps begin at
// whole multiples of their length, so that past steps do not move.
func TreasuryHistory(ctx context.Context, db *store.DB, span TreasurySpan) ([]PastReading, error) {
	var rows []PastReading
	err := db.ORM(ctx).Raw(`WITH step AS (SELECT make_interval(secs => @seconds) AS long),
		  begun AS (SELECT date_bin(long, clock_now(), 'epoch') - long * (@steps - 1) AS at FROM step)
		SELECT p.* FROM treasury_readings r CROSS JOIN step CROSS JOIN begun CROSS JOIN generate_series(0, @steps - 1) n
		  CROSS JOIN LATERAL (SELECT h.* FROM treasury_history h WHERE h.account = r.account AND h.currency = r.currency
		     AND h.read_at >= begun.at + long * n AND h.read_at < begun.at + long * (n + 1) ORDER BY h.read_at DESC LIMIT 1) p
		 ORDER BY p.account, p.currency, p.read_at`, map[string]any{"seconds": span.Seconds, "steps": span.Steps}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read what providers held: %w", err)
	}
	return rows, nil
}

// pastReadings are pruned by TREASURY_KEPT.
var pastReadings = store.Pruned{Table: "treasury_history", Age: "read_at"}

// ForgetReadings removes readings that are older than kept.
func ForgetReadings(ctx context.Context, db *store.DB, kept time.Duration) error {
	for more := true; more; {
		var err error
		if _, more, err = db.Prune(ctx, pastReadings, kept); err != nil {
			return err
		}
	}
	return nil
}
