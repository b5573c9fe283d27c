package store

import (
	"context"
	"fmt"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/money"
)

// Tallies count lists without reading them, whatever their length (migration 00008 says how). A facet is what filters
// can select, as values between slashes.

// Tallied is how many rows of a list have a facet, and their sum in cents.
type Tallied struct {
	Facet  string
	N      int
	Amount money.Units
}

// Everybody is the owner under which a list is tallied as a whole.
const Everybody = "00000000-0000-0000-0000-000000000000"

// Tally reads a list's counts, of one owner or of all, in one snapshot: what is summed up already and what changed
// since.
func (db *DB) Tally(ctx context.Context, list, owner string) ([]Tallied, error) {
	changes := "list = $1 AND owner = $2"
	if owner == "" {
		changes, owner = "list = $1", Everybody
	}
	rows, err := RowsOf[Tallied](ctx, db, `SELECT facet, sum(n) AS n, sum(amount) AS amount FROM (
		SELECT facet, n, amount FROM tallies WHERE list = $1 AND owner = $2
		UNION ALL SELECT facet, n, amount FROM tally_changes WHERE `+changes+`) t GROUP BY facet`, list, owner)
	if err != nil {
		return nil, fmt.Errorf("count %s: %w", list, err)
	}
	return rows, nil
}

// TalliesOf reads the counts of several lists, of all owners, in one snapshot.
func (db *DB) TalliesOf(ctx context.Context, lists []string) (map[string][]Tallied, error) {
	var rows []struct {
		List, Facet string
		N           int
		Amount      money.Units
	}
	err := db.ORM(ctx).Raw(`SELECT list, facet, sum(n) AS n, sum(amount) AS amount FROM (
		SELECT list, facet, n, amount FROM tallies WHERE list = ANY(@lists) AND owner = @owner
		UNION ALL SELECT list, facet, n, amount FROM tally_changes WHERE list = ANY(@lists)) t GROUP BY list, facet`,
		map[string]any{"lists": pq.StringArray(lists), "owner": Everybody}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("count lists: %w", err)
	}
	counts := map[string][]Tallied{}
	for _, row := range rows {
		counts[row.List] = append(counts[row.List], Tallied{Facet: row.Facet, N: row.N, Amount: row.Amount})
	}
	return counts, nil
}

// Counts are how many rows of a list there are of each status, and the sums of
// their amounts in cents, for lists that have any.
type Counts[S ~string] struct {
	ByStatus map[S]int
	Sums     map[S]money.Units
	Total    int
}

// Matching is how many of them have a status; none is all.
func (c Counts[S]) Matching(status S) int {
	if status == "" {
		return c.Total
	}
	return c.ByStatus[status]
}

// CountByStatus counts a list that is tallied by status, of one owner or of all.
func CountByStatus[S ~string](ctx context.Context, db *DB, list, owner string) (Counts[S], error) {
	facets, err := db.Tally(ctx, list, owner)
	if err != nil {
		return Counts[S]{}, err
	}
	counts := Counts[S]{ByStatus: map[S]int{}, Sums: map[S]money.Units{}}
	for _, f := range facets {
		counts.ByStatus[S(f.Facet)], counts.Sums[S(f.Facet)] = f.N, f.Amount
		counts.Total += f.N
	}
	return counts, nil
}

// foldBatch is the most changes that are folded in one transaction: about 0.5 s on a busy machine.
const foldBatch = 10_000

// FoldTallies sums up changes since the last time, as many as are soon folded, so
// that counts stay quick to read. It changes no count. more says that there were
// more of them.
func (db *DB) FoldTallies(ctx context.Context) (folded int64, more bool, err error) {
	err = db.Tx(ctx, func(tx *DB) error {
		folded = 0
		alone, err := tx.TryKey(ctx, "fold tallies")
		if err != nil || !alone {
			return err
		}
		if err := tx.ORM(ctx).Raw("SELECT fold_tallies(?)", foldBatch).Row().Scan(&folded); err != nil {
			return fmt.Errorf("fold tallies: %w", err)
		}
		return nil
	})
	return folded, folded == foldBatch, err
}
