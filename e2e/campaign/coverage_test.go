package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/treasury"
	_ "github.com/tradepost/tradepost/models/voucher" // a kind of case
)

const coverageFile = "testdata/coverage.json"

// removedForGood is the reason why no campaign declares a transfer dead.
const removedForGood = "a campaign's custody takes up again what it removed: e2e/kill_scenarios_test.go, \"dead transfer\"; worker/transfer_test.go, worker/voucher_test.go"

// overrules is the reason why no campaign approves what the provider rejected finally.
const overrules = "a campaign's staff do not overrule the provider: models/kyc_proposal_test.go; web/e2e/flows/four-eyes.spec.ts"

// beforeLinks is the reason of what the recorded seeds, which are older, could not meet.
const beforeLinks = "the next campaign meets it: models/confirm_test.go, api/confirmations_test.go"

// beforeClaims begins the reasons of what the recorded seeds, which are older, could not meet.
const beforeClaims = "no recorded campaign voids a batch beside a redemption, or recalls a credit"

// beforeCardClaims is the reason of what the recorded seeds could not meet, which are older than claims and
// counter-offers.
const beforeCardClaims = "the kill matrix's scenarios of gift cards; models/card_claim_test.go, " +
	"models/card_offer_test.go, worker/gift_card_test.go"

// beforeQuota is the reason of what the recorded seeds, which are older, could not meet.
const beforeQuota = "every campaign holds it now, and fails when it does not happen (quota.go)"

// unreached are what no campaign brings about, by table, each with the reason and with
// what proves it instead.
var unreached = map[string]map[string]string{
	"cases": {
		"two_factor email_changed": "the stack's own identity provider has no page that changes an address: api/sign_in_race_test.go",

		"payout statement_read":         "the next campaign meets it: models/restore_test.go, api/payouts_test.go",
		"payout confirmation_requested": beforeLinks,
		"payout unconfirmed":            "customers confirm here: models/confirm_test.go, api/confirmations_test.go",
		"kyc noted":                     "only the migration 00023_kyc.sql writes it, of rows from before there were cases",
		"kyc proposed":                  overrules,
		"kyc proposal_decided":          overrules,
		"voucher transfer_revived":      removedForGood,
		"voucher voided":                beforeClaims + ": models/voucher_batch_test.go",
		"recall credit_recalled":        beforeClaims + ": models/recall_test.go",
		"recall recall_reinstated":      beforeClaims + ": models/recall_test.go",

		"gift_card offered":        beforeCardClaims,
		"gift_card declined":       beforeCardClaims,
		"gift_card claimed":        beforeCardClaims,
		"gift_card claim_reversed": beforeCardClaims,
	},
	"acts": {
		"money proposal transfer_dead approved":      removedForGood,
		"money proposal recall_money approved":       beforeClaims + ": models/recall_test.go, api/admin_money_test.go",
		"money proposal claim_card approved":         beforeCardClaims,
		"money proposal reverse_card_claim approved": beforeCardClaims,
	},
	"moves": because(beforeQuota, "errands offer_accepted", "errands offer_declined", "errands offer_rejected",
		"errands offer_expires", "errands card_claimed", "errands credit_recalled", "errands payout_frozen", "errands requoted_release", "strikes delisted"),
	"decisions": {"transfer_dead": removedForGood},
	"events": merge(because(removedForGood, "transfer_dead"), because(beforeLinks, "confirmation_requested"),
		because("a campaign leaves another address to staff (amend-address): the kill matrix's \"address by its customer\"", "address_held", "address_unconfirmed"),
		because("the recorded campaigns are older than less coin: models/coin_offer_test.go",
			"coin_offered", "coin_reduced", "coin_restored", "coin_offer_ended")),
	"situations": merge(
		because("a choice that ends while another refund is within its budget, which is seconds here: models/order_model_test.go, \"choice lapses\"",
			"payment_approved refund_blocked", "fulfilling refund_blocked", "failed refund_blocked"),
		because("a fault of our own, which no simulator causes: models/order_model_test.go, \"stuck\"; web/e2e/flows/situations.spec.ts",
			"payment_approved step_stuck", "fulfilling step_stuck", "filled step_stuck", "sent step_stuck", "failed step_stuck"),
		because("no order comes there: models/order_model_test.go, neverMet", "fulfilling risk_review")),
}

func merge(parts ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

func because(why string, kinds ...string) map[string]string {
	all := map[string]string{}
	for _, kind := range kinds {
		all[kind] = why
	}
	return all
}

// everything is every outcome of the product, by table of the coverage.
func everything() map[string][]string {
	all := map[string][]string{"decisions": order.DecisionKinds, "events": order.EventKinds}
	for _, s := range order.Situations() {
		all["situations"] = append(all["situations"], strings.TrimSpace(string(s.Status)+" "+s.Attention))
	}
	for _, m := range casework.Kinds() {
		for _, kind := range m.Events {
			all["cases"] = append(all["cases"], string(m.Matter)+" "+kind)
		}
	}
	for _, kind := range giftcard.CardEventKinds {
		all["cases"] = append(all["cases"], "gift_card "+kind)
	}
	for _, rail := range rails {
		all["rails"] = append(all["rails"], rail.word)
	}
	for _, kind := range correction.MoneyActKinds() {
		all["acts"] = append(all["acts"], "money proposal "+kind+" approved")
	}
	for _, kind := range []string{order.DecisionRefund, order.DecisionConfirmReceipt, order.DecisionAmendAddress} {
		for _, end := range []casework.ProposalStatus{casework.ProposalApproved, casework.ProposalRejected} {
			all["acts"] = append(all["acts"], "order proposal "+kind+" "+string(end))
		}
	}
	all["acts"] = append(all["acts"], "treasury move "+string(treasury.MoveArrived))
	for _, choice := range scenarioKinds {
		all["moves"] = append(all["moves"], "errands "+choice.word)
	}
	for _, choice := range asideActs {
		all["moves"] = append(all["moves"], "asides "+choice.word)
	}
	for _, part := range parts {
		all["moves"] = append(all["moves"], "strikes kill "+part)
	}
	for _, what := range restores {
		all["moves"] = append(all["moves"], "strikes restore "+what)
	}
	for _, s := range always {
		all["moves"] = append(all["moves"], "strikes "+s.Kind)
	}
	all["moves"] = append(all["moves"], "refunds completed after days", "refunds called back", "second approvals of /api/admin/payouts",
		"second approvals of /api/admin/treasury/moves", "friends' orders at rest", "credits of closed accounts paid back")
	return all
}

// A kind of decision, event or situation that is new is met by a seed, or says here
// what proves it instead; and what a seed has met by now is no exception any more.
func TestEverythingIsReachedBySomeSeed(t *testing.T) {
	c, err := readCoverage(coverageFile)
	require.NoError(t, err)
	require.NotEmpty(t, c.Seeds, "make campaign REPORT=1 writes what its seeds reached")
	counts := c.counts()
	for table, kinds := range everything() {
		for _, kind := range kinds {
			why, excused := unreached[table][kind]
			switch {
			case counts[table][kind] == 0 && !excused:
				t.Errorf("%s: no seed reached %q", table, kind)
			case counts[table][kind] > 0 && excused:
				t.Errorf("%s: %q was reached %d times, and is excused: %s", table, kind, counts[table][kind], why)
			}
		}
		for kind := range unreached[table] {
			require.Contains(t, kinds, kind, "%s: nothing is called so any more", table)
		}
	}
}
