package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// wiredTooMuch has 7 dollars more than its price arrive for an order by wire, which are returned to their sender.
func wiredTooMuch() *Facts {
	f := allIsWell()
	f.Accounts["unplaced_receipts"] = AccountFact{"unplaced_receipts", "liability", true}
	f.Receipts[0].Amount = units(11_200)
	f.posts(wired, "surplus_received", [3]string{"unallocated_receipts", "bank_clearing", "700 USD"})
	f.posts(wired, "surplus_returning", [3]string{"unplaced_receipts", "unallocated_receipts", "700 USD"})
	f.Surpluses = []SurplusFact{{OrderID: wired, Outcome: pointer("returned"), Chosen: pointer("return"), Amount: units(700)}}
	return f
}

// A surplus that returns to its sender has left its order, and no other money has.
func TestReturnedSurplusIsNoViolation(t *testing.T) {
	require.Empty(t, Check(wiredTooMuch()))
	for name, spoil := range map[string]func(f *Facts){
		"not returned":       func(f *Facts) { f.Surpluses[0].Outcome = pointer("credited") },
		"of another amount":  func(f *Facts) { f.Surpluses[0].Amount = units(699) },
		"of another order":   func(f *Facts) { f.Surpluses[0].OrderID = carded },
		"nothing returned":   func(f *Facts) { f.posting(wired, "surplus_returning").Amount = units(0) },
		"a cent is returned": func(f *Facts) { f.posting(wired, "surplus_returning").Amount = units(1) },
	} {
		f := wiredTooMuch()
		spoil(f)
		require.NotEmpty(t, checkConservation(newIndex(f)), name)
	}
}

// The decision to refund with less coin is audited as the offer, by the same person.
func TestOfferOfLessCoinIsAuditedRefund(t *testing.T) {
	for action, well := range map[string]bool{"order.coin_offered": true, "order.coin_offer_withdrawn": false} {
		f := allIsWell()
		f.decides(carded, "staff", "refund")
		f.Audit[len(f.Audit)-1].Action = action
		require.Equal(t, well, len(Check(f)) == 0, action)
	}
}
