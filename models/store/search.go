package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/lib/pq"
)

// SearchLeast is how many characters are searched for at least: the indexes are of trigrams.
const SearchLeast = 3

// fewestDigits is how many digits of an id count as the beginning of one.
const fewestDigits = 4

// IDRange gives the first and the last of the ids that begin with what was
// typed; nil when none can.
func IDRange(typed string) (first, last *string) {
	typed = strings.ToLower(typed)
	digits := strings.ReplaceAll(typed, "-", "")
	if len(digits) < fewestDigits || len(digits) > 32 || strings.ContainsFunc(digits, notHex) {
		return nil, nil
	}
	from, to := dashed(digits+strings.Repeat("0", 32-len(digits))), dashed(digits+strings.Repeat("f", 32-len(digits)))
	if typed != digits && !strings.HasPrefix(from, typed) { // dashes where an id has none
		return nil, nil
	}
	return &from, &to
}

func dashed(digits string) string {
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

func notHex(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }

// CountFound counts rows that a search has found, by one of their columns.
func CountFound[S ~string](ctx context.Context, db *DB, table, column, key string, ids pq.StringArray) (Counts[S], error) {
	var rows []struct {
		Facet string
		N     int
	}
	err := db.ORM(ctx).Raw(fmt.Sprintf("SELECT %s AS facet, count(*) AS n FROM %s WHERE %s = ANY(CAST(? AS uuid[])) GROUP BY 1", column, table, key), ids).Scan(&rows).Error
	if err != nil {
		return Counts[S]{}, fmt.Errorf("count what was found in %s: %w", table, err)
	}
	counts := Counts[S]{ByStatus: map[S]int{}}
	for _, row := range rows {
		counts.ByStatus[S(row.Facet)] = row.N
		counts.Total += row.N
	}
	return counts, nil
}
