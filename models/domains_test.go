package models_test

import (
	"go/build"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/source"
)

// below lists the domains that each of them imports. It has no cycle, since each is listed below those that it
// imports.
var below = []struct{ domain, imports string }{
	{"store", ""},
	{"chore", "store"},
	{"audit", "store"},
	{"ledger", "audit store"},
	{"casework", "audit store"},
	{"webhook", "store ledger"},
	{"kyc", "casework store"},
	{"pricing", "audit kyc store"},
	{"dualcontrol", "ledger pricing store"},
	{"risk", "audit casework store"},
	{"execution", "casework ledger pricing store"},
	{"referral", "audit casework ledger store"},
	{"order", "audit casework chore dualcontrol execution kyc ledger pricing referral risk store webhook"},
	{"voucher", "audit casework dualcontrol execution kyc ledger pricing risk store webhook"},
	{"giftcard", "audit casework dualcontrol kyc ledger pricing store"},
	{"payout", "audit casework dualcontrol kyc ledger store"},
	{"support", "audit casework chore giftcard order store"},
	{"account", "audit casework kyc ledger pricing referral store"},
	{"customer", "account audit casework kyc ledger order risk store voucher"},
	{"treasury", "audit ledger store"},
	{"correction", "account audit casework execution ledger order payout pricing store treasury voucher webhook"},
	{"reconciliation", "audit correction ledger pricing store"},
	{"team", "account audit casework correction giftcard ledger order payout reconciliation risk store support voucher"},
	{"privacy", "account audit casework chore execution giftcard kyc ledger order payout referral risk store support team voucher"},
	{"reporting", "account casework chore correction customer giftcard kyc ledger order pricing referral store support team treasury voucher"},
	{"mailqueue", "casework order reporting store"},
}

// A domain imports those of the table alone, and each of the table is imported.
func TestEachDomainImportsThoseBelowItAlone(t *testing.T) {
	const own = "github.com/tradepost/tradepost/models/"
	var known []string
	for _, row := range below {
		found, err := build.ImportDir(row.domain, 0)
		require.NoError(t, err)
		var imports []string
		for _, path := range found.Imports {
			if name, is := strings.CutPrefix(path, own); is && name != "migrations" && name != "money" {
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
		if !slices.Contains([]string{".", "money", "migrations"}, name) {
			require.Contains(t, known, name, "a package that is no domain of the table")
		}
	}
}
