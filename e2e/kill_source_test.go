package e2e

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The source declares slightly more transactions than these. A smaller number means that the patterns no longer match
// the source, and that the kill matrix skips transactions.
const (
	fewestOnOrder = 60
	fewestOnCase  = 70
)

// The patterns by which the kill matrix lists the transactions of models match its source, in packages at every depth.
func TestKillMatrixListsTransactions(t *testing.T) {
	for name, kind := range map[string]struct {
		found  []string
		fewest int
		listed map[string]string
	}{
		"orders": {methods(t, opensOnOrder), fewestOnOrder, unkilled},
		"cases":  {methods(t, opensOnCase), fewestOnCase, unreached},
	} {
		t.Logf("%s: %d transactions", name, len(kind.found))
		require.GreaterOrEqual(t, len(kind.found), kind.fewest, name)
		require.Subset(t, kind.found, slices.Collect(maps.Keys(kind.listed)),
			"an exception of %s names a method that does not exist", name)
	}
}
