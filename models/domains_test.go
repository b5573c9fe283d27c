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
	{"people", "store"},
	{"chore", "store"},
	{"audit", "people store"},
	{"ledger", "audit store"},
	{"dualcontrol", "audit ledger people store"},
	{"casework", "audit dualcontrol people store"},
	{"webhook", "ledger store"},
	{"kyc", "audit casework dualcontrol people store"},
	{"pricing", "audit kyc store"},
	{"dualcontrol/guardtest", "pricing store"},
	{"risk", "audit casework dualcontrol people store"},
	{"execution", "casework ledger pricing store"},
	{"referral", "casework ledger people store"},
	{"order", "audit casework chore dualcontrol execution kyc ledger people pricing referral risk store webhook"},
	{"voucher", "audit casework dualcontrol execution kyc ledger people pricing risk store webhook"},
	{"giftcard", "audit casework dualcontrol kyc ledger people pricing store"},
	{"payout", "audit casework dualcontrol kyc ledger people store"},
	{"support", "audit casework chore giftcard order people store"},
	{"account", "audit casework kyc ledger people pricing referral store"},
	{"treasury", "audit casework ledger people store"},
	{"correction", "audit casework dualcontrol execution giftcard ledger order payout people pricing store treasury voucher webhook"},
	{"reconciliation", "audit casework correction dualcontrol ledger people pricing store"},
	{"team", "account audit casework correction giftcard kyc ledger order payout people reconciliation risk store support voucher"},
	{"customer", "account audit casework dualcontrol kyc ledger order people risk store support team voucher"},
	{"privacy", "account audit casework chore execution giftcard kyc ledger order payout people referral risk store support team voucher"},
	{"reporting", "account audit casework chore correction customer dualcontrol giftcard kyc ledger order people pricing referral store support team treasury voucher"},
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
