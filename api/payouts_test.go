package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	correctionapi "github.com/tradepost/tradepost/api/correction"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

func init() {
	patience := payout.PayoutPatience{Remind: time.Hour, Returnable: time.Hour}
	caseSteps["payout.approve"] = func(ctx context.Context, db *store.DB, id, decision string) error {
		return payout.ApprovePayout(ctx, db, id, decision, patience)
	}
	caseSteps["payout.confirm"] = func(ctx context.Context, db *store.DB, id, decision string) error {
		return payout.ConfirmPayout(ctx, db, id, decision, patience)
	}
	caseSteps["payout.reject"] = func(ctx context.Context, db *store.DB, id, decision string) error {
		return payout.RejectPayout(ctx, db, id, decision)
	}
	caseSteps["payout.return"] = func(ctx context.Context, db *store.DB, id, decision string) error {
		return payout.ReturnPayout(ctx, db, id, decision)
	}
	caseSteps["payout.cancel"] = func(ctx context.Context, db *store.DB, id, decision string) error {
		return payout.CancelPayout(ctx, db, id, decision)
	}
}

const newPayout = `{"amount":"200","accountKind":"us","accountHolder":"CANARY Ada","routingNumber":"021000021","accountNumber":"CANARY"}`

// payoutOf is a body of newPayout with a good account and this amount.
func payoutOf(amount string) string {
	return strings.NewReplacer(`"200"`, `"`+amount+`"`, `"accountNumber":"CANARY"`, `"accountNumber":"990011226789"`).Replace(newPayout)
}

// rich is a customer with dollars on their balance.
func (h *testServer) rich(cents int64) *visitor {
	h.Helper()
	v := h.customer()
	h.exec(`UPDATE users SET last_name = 'Canary' WHERE id = $1`, v.userID) // the holder of newPayout
	h.credit(v.order("domestic_wire"), v.userID, "bonus_credited", cents)
	return v
}

// paysOut requests a payout, and confirms it by its mailed link where that is asked for.
func (v *visitor) paysOut(body string) (id string) {
	v.Helper()
	asked := v.post("/api/payouts", body).is(http.StatusCreated)
	if id = asked.text("id"); asked.text("status") == string(payout.PayoutUnconfirmed) {
		v.follow(id, v.mailedLink(id)).is(http.StatusOK)
	}
	return id
}

// mailedLink is the token of the mail about a request, as the mail that leaves has it.
func (v *visitor) mailedLink(id string) string {
	v.Helper()
	token, err := casework.LinkToken(v.Context(), v.db, id)
	require.NoError(v, err)
	require.GreaterOrEqual(v, len(token), 52, "260 bits, five to a letter")
	return token
}

// follow presses the button that a mailed link leads to.
func (v *visitor) follow(id, token string) *answer {
	v.Helper()
	return v.post("/api/confirmations/"+id, `{"token":"`+token+`"}`)
}

func TestPayoutGoesFromRequestToBank(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PayoutTwoAbove = 150 })
	v, stranger, finance, admin, support := h.rich(50_000), h.customer(), h.customer("finance"), h.customer("admin"), h.customer("support")
	asked := v.post("/api/payouts", payoutOf("200")).is(http.StatusCreated)
	id := asked.text("id")
	require.Equal(t, "6789", asked.text("accountLast4"))
	v.follow(id, v.mailedLink(id)).is(http.StatusOK)
	var balance ledgerapi.Balance
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, "300.00", balance.Balance)
	require.Equal(t, "200.00", balance.Reserved)
	require.Equal(t, "payout", balance.Entries[0].Kind)
	require.Equal(t, id, *balance.Entries[0].PayoutID)
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.started), "payout "+id)

	path := "/api/admin/payouts/" + id
	support.post(path+"/reveal", "").refused(http.StatusForbidden, "forbidden")
	support.post(path+"/approve", "").refused(http.StatusForbidden, "forbidden")
	for _, page := range []string{path, "/api/admin/payouts?status=requested", "/api/admin/payouts/summary"} {
		seen := support.get(page).is(http.StatusOK)
		require.NotContains(t, string(seen.body), "CANARY")
		require.NotContains(t, string(seen.body), "99001122")
	}
	var account payoutapi.PayoutAccount
	finance.post(path+"/reveal", "").is(http.StatusOK).read(&account)
	require.Equal(t, payoutapi.PayoutAccount{AccountHolder: "CANARY Ada", RoutingNumber: "021000021", AccountNumber: "990011226789"}, account)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'payout.reveal' AND actor_id = $1`, finance.userID))
	finance.post(path+"/confirm", `{"reference":"W-1"}`).refused(http.StatusConflict, "payout_state")
	finance.post(path+"/approve", "").is(http.StatusOK)
	finance.post(path+"/approve", "").refused(http.StatusForbidden, "second_person")
	unseen := admin.post(path+"/approve", "").refused(http.StatusConflict, "proposal_changed")
	require.Contains(t, string(unseen.body), `"field":"amount","was":"","is":"200.00 USD"`, "who saw no first approval is shown it")
	admin.post(path+"/approve", h.naming(payout.KindApproval, id, "")).is(http.StatusOK)
	v.post("/api/payouts/"+id+"/cancel", "").refused(http.StatusConflict, "payout_state")
	finance.post(path+"/confirm", `{"reference":" "}`).refused(http.StatusUnprocessableEntity, "required")
	finance.post(path+"/confirm", `{"reference":"W-1"}`).is(http.StatusOK)
	require.Equal(t, "W-1", v.get("/api/payouts/"+id).is(http.StatusOK).text("bankReference"))
	stranger.get("/api/payouts/" + id).is(http.StatusNotFound)
	finance.post(path+"/return", `{"reason":""}`).refused(http.StatusUnprocessableEntity, "required")
	for _, wrong := range []string{"0", "-1", "200.01", "99.99", "x"} { // more than was sent, or a fee that no bank charges
		finance.post(path+"/return", `{"reason":"account closed","returned":"`+wrong+`"}`).is(http.StatusUnprocessableEntity)
	}
	finance.post(path+"/return", `{"reason":"account closed","returned":"185.00"}`).is(http.StatusOK)
	finance.post(path+"/reveal", "").refused(http.StatusConflict, "account_destroyed")
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, "500.00", balance.Balance)
	var record payoutapi.AdminPayoutDetail
	finance.get(path).is(http.StatusOK).read(&record)
	require.Len(t, record.Postings, 4)
	record = payoutapi.AdminPayoutDetail{}
	support.get(path).is(http.StatusOK).read(&record)
	require.Empty(t, record.Postings, "they are for who may read the ledger")
	require.Equal(t, 1500, one[int](h, `SELECT amount::int FROM postings WHERE event = 'payout_returned' AND to_account = 'provider_fees'`), "the bank's fee is ours")
	require.Len(t, record.Decisions, 4)
	require.Empty(t, record.Actions)
	require.Zero(t, one[int](h, `SELECT count(*) FROM audit_log WHERE to_jsonb(audit_log)::text LIKE '%CANARY%' OR to_jsonb(audit_log)::text LIKE '%99001122%'`))
}

// A return above what one person may credit waits on the page of proposals, and its
// payout's page says so.
func TestBar46AReturnAboveTheLimitWaitsForAnotherPerson(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PayoutTwoAbove, d.CreditTwoAbove = 1000, 150 })
	v, finance, admin := h.rich(50_000), h.customer("finance"), h.customer("admin")
	id := v.paysOut(payoutOf("200"))
	path := "/api/admin/payouts/" + id
	finance.post(path+"/approve", "").is(http.StatusOK)
	finance.post(path+"/confirm", `{"reference":"W-1"}`).is(http.StatusOK)
	var record payoutapi.AdminPayoutDetail
	finance.get(path).is(http.StatusOK).read(&record)
	require.Equal(t, "150.00", record.CreditAlone)
	asked := finance.post(path+"/return", `{"reason":"account closed","returned":"185.00"}`).is(http.StatusAccepted)
	require.Equal(t, "proposed", asked.text("state"))
	require.Equal(t, "paid", v.get("/api/payouts/"+id).text("status"))
	admin.get(path).is(http.StatusOK).read(&record)
	require.Equal(t, "return_payout", record.Proposal.Kind)
	require.Equal(t, []string{"reveal"}, record.Actions)
	admin.post(path+"/return", `{"reason":"account closed"}`).refused(http.StatusConflict, "proposal_open")
	var waiting []correctionapi.MoneyProposal
	admin.get("/api/admin/money/proposals").is(http.StatusOK).read(&waiting)
	require.Equal(t, correctionapi.MoneyAct{PayoutID: id, Amount: "185.00"}, waiting[0].Act)
	approve := "/api/admin/money/proposals/" + asked.text("decisionId") + "/approve"
	finance.post(approve, `{}`).refused(http.StatusForbidden, "own_proposal")
	admin.post(approve, `{}`).is(http.StatusOK)
	require.Equal(t, "returned", v.get("/api/payouts/"+id).text("status"))
	require.Equal(t, 1500, one[int](h, `SELECT amount::int FROM postings WHERE event = 'payout_returned' AND to_account = 'provider_fees'`))
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE action LIKE 'money.return_payout%'`))
}

// The account of a payout is shown while its customer may be paid, also after its approval.
func TestPayoutOfFrozenCustomerIsNotRevealed(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PayoutTwoAbove = 1000 })
	v, finance := h.rich(50_000), h.customer("finance")
	path := "/api/admin/payouts/" + v.paysOut(payoutOf("200"))
	finance.post(path+"/approve", "").is(http.StatusOK)
	h.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, v.userID)
	refused := finance.post(path+"/reveal", "")
	refused.refused(http.StatusConflict, "account_frozen")
	require.NotContains(t, string(refused.body), "99001122")
	require.Zero(t, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'payout.reveal'`))
	finance.post(path+"/confirm", `{"reference":"W-1"}`).is(http.StatusOK)
}

// A closed payout offers no return, and refuses one with what to do instead.
func TestClosedPayoutOffersNoReturn(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.PayoutTwoAbove = 1000 })
	v, finance := h.rich(50_000), h.customer("finance")
	path := "/api/admin/payouts/" + v.paysOut(payoutOf("200"))
	finance.post(path+"/approve", "").is(http.StatusOK)
	finance.post(path+"/confirm", `{"reference":"W-1"}`).is(http.StatusOK)
	var record payoutapi.AdminPayoutDetail
	finance.get(path).is(http.StatusOK).read(&record)
	require.Contains(t, record.Actions, payout.PayoutReturn)
	h.exec(`UPDATE payouts SET closed_at = clock_now(), sealed_account = NULL, account_destroyed_at = clock_now()
		WHERE user_id = $1`, v.userID)
	finance.get(path).is(http.StatusOK).read(&record)
	require.NotContains(t, record.Actions, payout.PayoutReturn)
	finance.post(path+"/return", `{"reason":"account closed"}`).refused(http.StatusConflict, "payout_closed")
}

// After a restore a payout may be paid already: its account is shown, and its amount returned, to who states what the
// bank's statement shows. Its customer is not offered to cancel it meanwhile.
func TestBar34RestoredPayoutWaitsForTheStatement(t *testing.T) {
	h := open(t)
	v, finance := h.rich(50_000), h.customer("finance")
	first, second := v.paysOut(payoutOf("200")), v.paysOut(payoutOf("100"))
	_, err := correction.NoteRestored(t.Context(), h.db, "command:somebody")
	require.NoError(t, err)
	path := "/api/admin/payouts/" + first
	restored := func() (is bool) {
		var record payoutapi.AdminPayoutDetail
		finance.get(path).is(http.StatusOK).read(&record)
		return record.Restored
	}
	canCancel := func() (may bool) {
		var own payoutapi.PayoutDetail
		v.get("/api/payouts/" + first).is(http.StatusOK).read(&own)
		return own.CanCancel
	}
	require.True(t, restored())
	require.False(t, canCancel())
	v.post("/api/payouts/"+first+"/cancel", "").refused(http.StatusConflict, "statement_unread")
	for _, nothing := range []string{"", "{}", `{"statement":" "}`} {
		finance.post(path+"/reveal", nothing).refused(http.StatusConflict, "statement_unread")
	}
	finance.post(path+"/reveal", `{"statement":"November 29: no transfer"}`).is(http.StatusOK)
	require.False(t, restored())
	require.True(t, canCancel())
	finance.post(path+"/reveal", "").is(http.StatusOK)

	path = "/api/admin/payouts/" + second
	finance.post(path+"/reject", `{"reason":"not yours"}`).refused(http.StatusConflict, "statement_unread")
	finance.post(path+"/reject", `{"reason":"not yours","statement":"November 29: no transfer"}`).is(http.StatusOK)
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log
		WHERE action = 'payout.statement_read' AND reason = 'November 29: no transfer'`))

	// One that the bank made is approved by what its statement shows, although its customer is frozen.
	path = "/api/admin/payouts/" + v.paysOut(payoutOf("50"))
	_, err = correction.NoteRestored(t.Context(), h.db, "command:somebody")
	require.NoError(t, err)
	h.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, v.userID)
	finance.post(path+"/approve", `{"statement":" "}`).refused(http.StatusConflict, "account_frozen")
	finance.post(path+"/approve", `{"statement":"November 29: paid under R-1"}`).is(http.StatusOK)
	finance.post(path+"/reveal", `{"statement":"November 29: no transfer"}`).refused(http.StatusConflict, "account_frozen")
}

func TestBar05NoOneApprovesTheirOwnPayout(t *testing.T) {
	h := open(t)
	boss := h.customer("admin")
	h.credit(boss.order("domestic_wire"), boss.userID, "bonus_credited", 50_000)
	id := boss.paysOut(payoutOf("20"))
	for _, what := range []string{"approve", "reveal"} {
		boss.post("/api/admin/payouts/"+id+"/"+what, "").refused(http.StatusForbidden, "own_payout")
	}
	require.Contains(t, string(boss.get("/api/admin/payouts/"+id).body), `"actions":[]`)
}

// Each refusal names its field, repeats nothing of the account, and nothing is
// kept or set aside.
func TestBar23HostilePayoutsAreRefusedByField(t *testing.T) {
	h := open(t)
	v := h.rich(50_000)
	for body, field := range map[string]string{
		payoutOf("0"): "amount", payoutOf("-5"): "amount", payoutOf("1e2"): "amount", payoutOf("12.345"): "amount", payoutOf("500.01"): "amount",
		payoutOf("9.99"): "amount", payoutOf("1" + strings.Repeat("0", 19)): "amount", payoutOf("$20"): "amount", payoutOf(""): "amount",
		newPayout: "accountNumber",
		strings.Replace(payoutOf("20"), "021000021", "021000022", 1):     "routingNumber",
		strings.Replace(payoutOf("20"), `"us"`, `"iban"`, 1):             "iban",
		strings.Replace(payoutOf("20"), `"us"`, `"crypto"`, 1):           "accountKind",
		strings.Replace(payoutOf("20"), "CANARY Ada", " ", 1):            "accountHolder",
		strings.Replace(payoutOf("20"), "CANARY Ada", `\u0000CANARY`, 1): "accountHolder",
	} {
		refused := v.post("/api/payouts", body).is(http.StatusUnprocessableEntity)
		require.Equal(t, field, refused.text("field"), "%s: %s", body, refused.body)
		require.NotContains(t, string(refused.body), "CANARY")
		require.NotContains(t, string(refused.body), "9900112")
	}
	v.post("/api/payouts", strings.Replace(payoutOf("20"), "{", `{"status":"paid",`, 1)).is(http.StatusUnprocessableEntity)
	h.visitor().post("/api/payouts", payoutOf("20")).is(http.StatusUnauthorized)
	require.Zero(t, one[int](h, `SELECT count(*) FROM payouts`))
	h.exec(`UPDATE kyc_records SET level = 'none' WHERE user_id = $1`, v.userID)
	v.post("/api/payouts", payoutOf("20")).refused(http.StatusForbidden, "kyc_required")
}

func TestBar19PayoutIntentsAreAnsweredOnce(t *testing.T) {
	h := open(t)
	v := h.rich(50_000)
	var all sync.WaitGroup
	answers := make([]string, 6)
	for i := range answers {
		all.Go(func() {
			answers[i] = v.post("/api/payouts", payoutOf("200"), "Idempotency-Key", "intent-0001").text("id")
		})
	}
	all.Wait()
	for _, id := range answers {
		require.Equal(t, answers[0], id)
	}
	v.post("/api/payouts", payoutOf("201"), "Idempotency-Key", "intent-0001").refused(http.StatusUnprocessableEntity, "key_reused")
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM payouts`))
	require.Zero(t, one[int](h, `SELECT count(*) FROM idempotency_keys WHERE body LIKE '%CANARY%' OR body LIKE '%99001122%'`))
}

// Who waited longest stands first in the queue, over pages; what is over is
// listed newest first.
func TestBar43PayoutsQueueIsOldestFirst(t *testing.T) {
	h := open(t)
	v, finance := h.rich(50_000), h.customer("finance")
	asked := make([]string, 3)
	for i := range asked {
		asked[i] = v.paysOut(payoutOf("20"))
	}
	walk := func(path string) (ids []string) {
		for path != "" {
			var rows []payoutapi.AdminPayout
			page := finance.get(path).is(http.StatusOK)
			page.read(&rows)
			for _, row := range rows {
				ids = append(ids, row.ID)
			}
			path = ""
			if next := nextPage.FindStringSubmatch(page.header.Get("Link")); next != nil {
				path = next[1]
			}
		}
		return ids
	}
	require.Equal(t, asked, walk("/api/admin/payouts?status=requested&limit=2"))
	slices.Reverse(asked)
	require.Equal(t, asked, walk("/api/admin/payouts?limit=2"))
}

// Two payouts and a purchase at once need a balance that suffices for one of them: one gets
// it, the others are refused, and the books agree.
func TestBar18PayoutsAndAPurchaseRaceForOneBalance(t *testing.T) {
	h := open(t)
	purchase := strings.Replace(newOrder, `"card"`, `"balance"`, 1)
	for range 4 {
		v := h.rich(60_000)
		answers := make([]*answer, 3)
		var all sync.WaitGroup
		for i, call := range [][2]string{{"/api/payouts", payoutOf("350")}, {"/api/orders", purchase}, {"/api/payouts", payoutOf("350")}} {
			all.Go(func() { answers[i] = v.post(call[0], call[1]) })
		}
		all.Wait()
		var won []*answer
		for _, a := range answers {
			if a.status == http.StatusCreated {
				won = append(won, a)
			} else {
				a.refused(http.StatusUnprocessableEntity, "insufficient_balance")
			}
		}
		require.Len(t, won, 1)
		var after ledgerapi.Balance
		v.get("/api/balance").is(http.StatusOK).read(&after)
		taken, reserved := won[0].text("amount"), "350.00"
		if won[0] == answers[1] {
			taken, reserved = won[0].text("quoteFiat"), "0.00"
		}
		require.Equal(t, "-"+taken, after.Entries[0].Amount)
		require.Len(t, after.Entries, 2)
		require.Equal(t, after.Balance, after.Entries[0].BalanceAfter)
		require.Equal(t, reserved, after.Reserved)
	}
}
