package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reason is why one person is enough for an act after all.
type reason struct {
	why   string
	cells []string // in which columns; nil is all of them
}

// oneIsEnough are the acts that one person alone executes, each with its reason; an entry
// that is not so any more fails.
var oneIsEnough = map[string]reason{
	"processPayment":             {why: "captures what a card's bank holds: the processor's word"},
	"acceptDispute":              {why: "gives up what the bank has taken already"},
	"resumeOrder":                {why: "takes a hold back; the coin needs fulfillOrder"},
	"realiseGiftCard":            {why: "books on our own accounts what a card brought in"},
	"confirmPayout":              {why: "books a transfer that two people approved"},
	"openUnplaced":               {why: "writes down what the bank shows; every way out takes two"},
	"resumeVoucher":              {why: "goes on with what its customer redeemed"},
	"restoreVoucher":             {why: "gives its customer the voucher back"},
	"approveReward":              {why: "a reward is of a fixed, small sum"},
	"unfreezeCustomer":           {why: "lets go on what others decided; an order on one's own word stays"},
	"approveKyc":                 {why: "an identity that nobody rejected finally; who approved it alone releases no value to it"},
	"releaseKyc":                 {why: "an identity; nothing is granted by it"},
	"turnSwitch":                 {why: "lets go on what others decided"},
	"fulfillOrder, of a receipt": {why: "the second person alone presses; the receipt itself took two", cells: []string{demoted}},
	"retryOrder, of a receipt":   {why: "the second person alone presses; the receipt itself took two", cells: []string{demoted}},
	"proposeTreasuryMove":        {why: "between our own wallets, and a second person has looked (decision 27)", cells: []string{demoted}},
}

// bar46 are the acts that bar 46 and rules §9 name: money or coin by one person alone. No
// reason excuses one of them.
var bar46 = []string{"confirmPayment", "confirmPayment, a surplus", "approveGiftCard", "amendOrderAddress", "releaseRisk", "approveKyc, rejected finally"}

// whateverTheSum are those of bar46 that take two people whatever the sum.
var whateverTheSum = []string{"amendOrderAddress", "approveKyc, rejected finally"}

// ofOwnReceipt are what who confirmed a receipt does not do with its order.
var ofOwnReceipt = []string{"fulfillOrder, of a receipt", "retryOrder, of a receipt", "amendOrderAddress, of a receipt", "markOrderSent, of a receipt", "releaseRisk, of a receipt"}

// holds compares what was observed with bars 5 and 46, whatever table is committed.
func holds(t *testing.T, cells map[string]map[string]map[string]string) {
	t.Helper()
	never := []string{alone, twice, spellings, demoted, split, shared}
	for name, byRole := range cells {
		for role, row := range byRole {
			excused := oneIsEnough[name]
			for _, column := range never {
				may := excused.why != "" && (excused.cells == nil || slices.Contains(excused.cells, column))
				require.Equal(t, may, row[column] == "done", "%s as %s, %s: %s; oneIsEnough says %q", name, role, column, row[column], excused.why)
			}
			if row[alone] == "waits" { // bar 5: a second person is needed, and no person is their own
				for _, column := range []string{twice, spellings} {
					require.True(t, strings.HasPrefix(row[column], "refused "), "%s as %s, %s: %s", name, role, column, row[column])
				}
				require.Equal(t, "done", row[two], "%s as %s", name, role)
			}
		}
	}
	for name := range oneIsEnough {
		require.Contains(t, cells, name, "%s is no act any more", name)
		require.NotContains(t, bar46, name)
	}
	for _, name := range bar46 {
		require.NotEmpty(t, cells[name], name)
		for role, row := range cells[name] {
			require.Equal(t, "waits done", row[alone]+" "+row[two], "%s as %s", name, role)
			require.Equal(t, map[bool]string{true: "waits", false: "done"}[slices.Contains(whateverTheSum, name)], row[below], "%s as %s", name, role)
		}
	}
	for _, name := range ofOwnReceipt {
		require.NotEmpty(t, cells[name], name)
		for role, row := range cells[name] {
			for _, column := range []string{below, alone, twice, spellings, split, shared} {
				require.Equal(t, "refused own_receipt", row[column], "%s as %s, %s", name, role, column)
			}
		}
	}
}
