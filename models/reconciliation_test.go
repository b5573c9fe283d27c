package models_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// What lines leave out is booked when it is whole, in either direction, and counts
// once however often a statement is read; the comparison finds both sides equal.
func TestPartsOfACentAreBookedOnce(t *testing.T) {
	v := openVault(t)
	begin, err := v.db.Now(t.Context())
	require.NoError(t, err)
	line := func(n int, rest string) models.StatementLine {
		id := fmt.Sprintf("L%d", n)
		return models.StatementLine{ID: id, Kind: "fill", Key: "fill:" + id, At: begin, State: "closed", Settled: true,
			Moved: map[money.Currency]money.Units{money.USD: money.FromInt(0)}, Rest: map[money.Currency]decimal.Decimal{money.USD: decimal.RequireFromString(rest)}}
	}
	take := func(lines ...models.StatementLine) {
		t.Helper()
		_, err := v.db.TakeStatement(t.Context(), models.HolderKraken, models.Window{From: begin, To: begin.Add(time.Minute)}, lines)
		require.NoError(t, err)
	}
	rounded := func(cents int64, groups int) {
		t.Helper()
		have, err := v.db.AccountBalance(t.Context(), models.AccountRounding, money.USD)
		require.NoError(t, err)
		require.Equal(t, money.FromInt(-cents).String(), have.String())
		var n, apart int
		require.NoError(t, v.db.Pool().QueryRow(t.Context(), "SELECT count(DISTINCT group_key) FROM postings WHERE event = 'rounded'").Scan(&n))
		require.Equal(t, groups, n)
		for more := true; more; {
			did, err := v.db.Reconcile(t.Context(), 0)
			require.NoError(t, err)
			more = did.More
		}
		require.NoError(t, v.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM reconciled_effects WHERE key = 'rounding:USD' AND booked <> told").Scan(&apart))
		require.Zero(t, apart)
		v.balanced()
	}
	take(line(1, "0.45"), line(2, "0.54"))
	rounded(0, 0)
	take(line(1, "0.45"), line(2, "0.54"), line(3, "1.02"))
	rounded(2, 1)
	take(line(1, "0.45"), line(3, "1.02"))
	rounded(2, 1)
	take(line(1, "1.45"))
	rounded(3, 2)
	take(line(4, "-2.5"))
	rounded(1, 3)
	take(line(5, "2.5"))
	rounded(3, 4)
}
