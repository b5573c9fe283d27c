package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A short campaign: few orders, each process killed once, prices, clocks and forged webhooks, nothing slow. While it
// runs, every snapshot of the ledger balances; at its end all is reconciled.
func TestBar20ShortCampaignLosesAndDoublesNothing(t *testing.T) {
	var reported strings.Builder
	result, err := wage(t.Context(), NewPlan(2, 8, true), flags{}, &reported)
	require.NoError(t, err, reported.String())
	result.print(&reported)
	t.Log(reported.String())
	require.Empty(t, result.Violations)
	require.NotZero(t, result.Counts["snapshots"], "the ledger was looked at while it went on")
	for _, part := range parts {
		require.NotZero(t, result.Counts["strikes kill "+part], part)
	}
}
