package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
)

// Every plan but a brisk one holds each kind of the quota at least once, whatever its seed and length.
func TestPlanHoldsEachKindOfQuota(t *testing.T) {
	for _, orders := range []int{8, 20, 36, 100, 300, 650} {
		for seed := range uint64(40) {
			p := NewPlan(seed, orders, false)
			for _, k := range quota {
				require.Positive(t, k.planned(p), "%s: seed %d of %d orders", k.name, seed, orders)
			}
		}
	}
}

// A kind names one part of a plan that exists, by which it is planned.
func TestQuotaNamesPartsOfPlans(t *testing.T) {
	known := map[string]bool{"restore": true}
	for _, r := range recipes {
		known[r.name] = true
	}
	for _, e := range scenarioKinds {
		known[e.word] = true
	}
	for _, s := range always {
		known[s.Kind] = true
	}
	names := map[string]bool{}
	for _, k := range quota {
		require.True(t, known[k.recipe+k.errand+k.strikes], k.name)
		require.False(t, names[k.name], k.name)
		names[k.name] = true
	}
}

// A planned kind that did not happen is a violation with its reason; one that happened, or was not planned, is not.
func TestMissedKindFailsWithItsReason(t *testing.T) {
	all := NewPlan(1, 100, false)
	nothing := Result{Plan: all, Facts: &Facts{}, Reasons: map[string]string{"card_claimed": "its action 5 got 409 claim_open"}}
	missed := nothing.missed()
	require.Len(t, missed, len(quota))
	require.Contains(t, missed[1].What, "its action 5 got 409 claim_open")
	require.Empty(t, Result{Plan: Plan{}, Facts: &Facts{}}.missed())

	order := "o"
	happened := Result{Plan: all, Facts: &Facts{
		CaseEvents: []CaseEventFact{{"recall", "credit_recalled"}, {"gift_card", "claimed"}, {"gift_card", "claim_reversed"},
			{"gift_card", "declined by time"}},
		Surpluses: []SurplusFact{{Outcome: pointer("credited")}, {Outcome: pointer("credited"), Chosen: pointer("credit")},
			{Outcome: pointer("returned"), Chosen: pointer("return"), SentBack: true},
			{Outcome: pointer("returned"), Chosen: pointer("return")},
			{Outcome: pointer("returned"), StaffOnly: pointer("large"), SentBack: true},
			{Outcome: pointer("returned"), StaffOnly: pointer("restored"), SentBack: true}},
		CoinOffers: []CoinOfferFact{{"o", "agreed"}, {"o", "declined"}, {"o", "expired"}, {"o", "withdrawn"},
			{"o", "undone"}},
		Postings: []PostingFact{{Event: "dispute_claimed", GroupKey: "g", OrderID: &order}, {Event: "dispute_claimed", GroupKey: "g", OrderID: &order}},
		Events: []EventFact{{OrderID: "o", Kind: "keep_trying"}, {OrderID: "o", Kind: "failed", Data: `{"code":"transfer_rejected"}`},
			{OrderID: "p", Kind: "dispute_lost"}, {OrderID: "p", Kind: "refund_bounced"}, {OrderID: "q", Kind: "refund_bounced"}},
		Disputes: []DisputeFact{{Status: "lost", Reinstated: money.FromInt(5)}, {Status: "won", Reinstated: money.FromInt(5)}},
	}, Counts: map[string]int{"refusals account_frozen": 1, "strikes delisted": 1, "payouts of a backup booked as paid": 1,
		"errands offer_accepted": 1, "errands offer_declined": 1, "errands offer_rejected": 1, "errands requoted_release": 1}}
	require.Empty(t, happened.missed())
	for _, k := range quota {
		require.Equal(t, 1, k.fired(happened), k.name)
	}
	var table strings.Builder
	happened.printQuota(&table)
	for _, k := range quota {
		require.Contains(t, table.String(), k.name)
	}
}
