package api_test

import (
	"go/build"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/source"
)

// below says which packages of api each of them imports. It has no circle, since each
// stands in it below those that it imports.
var below = []struct{ domain, imports string }{
	{"policy", ""},
	{"rest", "policy"},
	{"casework", "rest"},
	{"ledger", "policy rest"},
	{"dualcontrol", "policy rest"},
	{"execution", "rest"},
	{"order", "casework dualcontrol execution ledger policy rest"},
	{"payout", "casework dualcontrol ledger policy rest"},
	{"giftcard", "casework dualcontrol ledger payout policy rest"},
	{"voucher", "casework execution ledger policy rest"},
	{"correction", "casework order payout policy rest voucher"},
	{"referral", "casework policy rest"},
	{"account", "casework policy referral rest"},
	{"pricing", "rest"},
	{"kyc", "casework policy pricing rest"},
	{"risk", "casework dualcontrol order policy rest voucher"},
	{"customer", "account casework ledger policy rest"},
	{"support", "policy rest"},
	{"treasury", "casework execution ledger policy rest"},
	{"reconciliation", "casework dualcontrol execution ledger policy rest"},
	{"audit", "rest"},
	{"reporting", "execution policy rest"},
	{"team", "account rest"},
	{"webhook", "rest"},
	{"confirmation", "rest"},
	{"event", "policy rest"},
	{"site", "account referral rest"},
}

// A package imports those of the table alone, and each of the table is there.
func TestEachDomainImportsThoseBelowItAlone(t *testing.T) {
	const own = "github.com/tradepost/tradepost/api/"
	var known []string
	for _, row := range below {
		found, err := build.ImportDir(row.domain, 0)
		require.NoError(t, err)
		var imports []string
		for _, path := range found.Imports {
			if name, is := strings.CutPrefix(path, own); is {
				imports = append(imports, name)
			}
		}
		require.ElementsMatch(t, strings.Fields(row.imports), imports, row.domain)
		require.Subset(t, known, imports, "%s imports what stands below it", row.domain)
		known = append(known, row.domain)
	}
	files, err := source.Files(".")
	require.NoError(t, err)
	packages := map[string]bool{}
	for _, file := range files {
		packages[filepath.ToSlash(filepath.Dir(file))] = true
	}
	for name := range packages {
		if !slices.Contains([]string{".", "server"}, name) {
			require.Contains(t, known, name, "a package that is no domain of the table")
		}
	}
}
