package api

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/rest"
)

// paid is an order that was paid out of its customer's balance, and who it is.
func (h *testServer) paid() (v *visitor, id string) {
	h.Helper()
	v = h.customer()
	h.credit(v.order("domestic_wire"), v.userID, "bonus_credited", 60_000)
	id = v.post("/api/orders", strings.Replace(newOrder, `"card"`, `"balance"`, 1)).is(http.StatusCreated).text("id")
	return v, id
}

func approvalOf(a *answer) string { return `{"proposalId":"` + a.text("decisionId") + `"}` }

func rejectionOf(a *answer, why string) string {
	return strings.Replace(approvalOf(a), "}", `,"reason":"`+why+`"}`, 1)
}

func TestBar05ARefundAboveTheLimitTakesTwoPeople(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 200 })
	v, id := h.paid()
	_, quiet := h.paid()
	first, second, support := h.customer("finance"), h.customer("admin"), h.customer("support")
	path := "/api/admin/orders/" + id
	first.post("/api/admin/orders/"+quiet+"/refund", `{"reason":"a gesture","amount":"200"}`).is(http.StatusOK)
	asked := first.post(path+"/refund", `{"reason":"charged twice"}`).is(http.StatusAccepted)
	require.Equal(t, "proposed", asked.text("state"))
	first.post(path+"/refund", `{"reason":"charged twice"}`).refused(http.StatusConflict, "proposal_open")

	var list []orderapi.AdminOrder
	second.get("/api/admin/orders?proposed=true").is(http.StatusOK).read(&list)
	require.Len(t, list, 1)
	require.Equal(t, []string{"hold", "approve_proposal", "reject_proposal"}, list[0].Actions)
	total := list[0].QuoteFiat
	require.Equal(t, total, list[0].Proposal.Amount)
	require.Equal(t, "charged twice", list[0].Proposal.Reason)
	var summary orderapi.AdminOrdersSummary
	second.get("/api/admin/orders/summary").is(http.StatusOK).read(&summary)
	require.Equal(t, 1, summary.Proposed)
	var mine orderapi.AdminOrderDetail
	first.get(path).is(http.StatusOK).read(&mine)
	require.Equal(t, []string{"hold", "withdraw_proposal"}, mine.Actions)
	require.Equal(t, "200.00", mine.TwoAbove)
	support.get(path).is(http.StatusOK).read(&mine)
	require.Empty(t, mine.Actions)
	require.NotContains(t, string(v.get("/api/orders/"+id).is(http.StatusOK).body), "propos")

	first.post(path+"/proposal/approve", approvalOf(asked)).refused(http.StatusForbidden, "own_proposal")
	support.post(path+"/proposal/approve", approvalOf(asked)).refused(http.StatusForbidden, "forbidden")
	second.post(path+"/proposal/approve", `{"proposalId":"`+quiet+`"}`).is(http.StatusNotFound)
	require.Empty(t, h.flows.seen(&h.flows.decided))
	second.post(path+"/proposal/approve", approvalOf(asked)).is(http.StatusOK)
	require.Equal(t, []string{"refund"}, h.flows.seen(&h.flows.decided), "the workflow is handed the approved decision, and no other")
	late := h.customer("admin").post(path+"/proposal/reject", rejectionOf(asked, "no")).refused(http.StatusConflict, "proposal_decided")
	require.Equal(t, second.userID[24:]+"@example.com has already approved this", late.text("message"))

	_, kept := h.paid()
	again := first.post("/api/admin/orders/"+kept+"/refund", `{"reason":"charged twice"}`).is(http.StatusAccepted)
	second.post("/api/admin/orders/"+kept+"/proposal/reject", rejectionOf(again, "charged once")).is(http.StatusOK)
	require.Equal(t, []string{"refund"}, h.flows.seen(&h.flows.decided), "what is rejected reaches no workflow")
	require.Equal(t, "payment_approved", one[string](h, `SELECT status FROM orders WHERE id = $1`, kept))
}

func TestBar18AProposalIsApprovedOrRejectedNeverBoth(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 10 })
	first, a, b := h.customer("finance"), h.customer("finance"), h.customer("admin")
	for range rounds {
		v, id := h.paid()
		path := "/api/admin/orders/" + id
		asked := first.post(path+"/refund", `{"reason":"a gesture","amount":"20.50"}`).is(http.StatusAccepted)
		won := contest(t, 20,
			func() *answer { return a.post(path+"/proposal/approve", approvalOf(asked)) },
			func() *answer {
				return b.post(path+"/proposal/reject", rejectionOf(asked, "no"))
			})
		var balance ledgerapi.Balance
		v.get("/api/balance").is(http.StatusOK).read(&balance)
		require.Equal(t, won[0], one[int](h, `SELECT count(*) FROM refunds WHERE order_id = $1`, id))
		require.Equal(t, won[0], strings.Count(balance.Entries[0].Amount, "20.50"))
		require.Equal(t, 2, h.audited(id), "proposed, and approved or rejected")
	}
}

func TestOrdersAreNotedAboutAndKnowWhatTheyAreCalledElsewhere(t *testing.T) {
	h := open(t)
	v, support, admin := h.customer(), h.customer("support"), h.customer("admin")
	id := v.order("card")
	h.authorise(id)
	path := "/api/admin/orders/" + id
	support.post(path+"/notes", `{"body":"  "}`).refused(http.StatusUnprocessableEntity, "required")
	support.post(path+"/notes", `{"body":"<b>called</b>, wants it back"}`).is(http.StatusOK)
	h.exec(`UPDATE orders SET txid = 'a b/c' WHERE id = $1`, id)
	var detail orderapi.AdminOrderDetail
	admin.get(path).is(http.StatusOK).read(&detail)
	require.Equal(t, "<b>called</b>, wants it back", detail.Notes[0].Body)
	require.Equal(t, "Ada", detail.Notes[0].Author)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'order.noted' AND object_id = $1 AND actor_id = $2`, id, support.userID))
	var links []string
	for _, ref := range detail.References {
		links = append(links, rest.Word(ref.URL))
	}
	require.Equal(t, []string{"https://stripe.example.com/" + rest.Word(detail.Payment.StripePaymentIntentID), "https://explorer.example.com/a%20b%2Fc"}, links)
	require.NotContains(t, string(v.get("/api/orders/"+id).is(http.StatusOK).body), "wants it back")

	pack := admin.get(path + "/proof").is(http.StatusOK)
	archive, err := zip.NewReader(bytes.NewReader(pack.body), int64(len(pack.body)))
	require.NoError(t, err)
	for _, f := range archive.File {
		content, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		require.NotContains(t, string(text), "wants it back", "%s: a pack may go to others", f.Name)
	}
}

// The balance is offered for a card's refund that its bank refused, not for money
// that went back at the processor itself: that would be the second time.
func TestOnlyARefundThatTheBankRefusedMayGoToTheBalance(t *testing.T) {
	h := open(t, unscaled)
	v, finance := h.customer(), h.customer("finance")
	for code, want := range map[string]struct{ reason, balance string }{"expired_or_canceled_card": {"refund_failed", ""}, "charge_already_refunded": {"refund_gone", "refund_to_card"}} {
		id := v.order("card")
		h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, id)
		h.flows.refused = code
		path := "/api/admin/orders/" + id
		finance.post(path+"/refund", `{"reason":"a gesture","amount":"5"}`).refused(http.StatusConflict, want.reason)
		var detail orderapi.AdminOrderDetail
		finance.get(path).is(http.StatusOK).read(&detail)
		require.Equal(t, want.balance != "", detail.Refunds[0].Gone)
		answer := finance.post(path+"/refund", `{"reason":"a gesture","amount":"5","to":"balance"}`)
		if want.balance != "" {
			answer.refused(http.StatusConflict, want.balance)
		} else {
			answer.is(http.StatusOK)
		}
	}
}
