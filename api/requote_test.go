package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	correctionapi "github.com/tradepost/tradepost/api/correction"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// byRows executes decisions about money as the workflow's steps do, for requests whose
// response contains the outcome. Other decisions keep their outcome.
func (h *testServer) byRows() {
	otherwise := h.flows.outcome
	h.flows.outcome = func(orderID, kind, id string) (workflows.Outcome, bool, error) {
		ctx := h.Context()
		var err error
		switch kind {
		case workflows.ConfirmReceipt:
			err = order.ConfirmReceipt(ctx, h.db, orderID, id, surplusTerms)
		case workflows.Requote:
			err = order.Requote(ctx, h.db, orderID, id, surplusTerms)
		case workflows.KeepOrder:
			err = order.KeepOrder(ctx, h.db, orderID, id, surplusTerms)
		case workflows.Refund, workflows.RefundNow:
			_, err = order.StartRefund(ctx, h.db, orderID, id)
		default:
			return otherwise(orderID, kind, id)
		}
		if err != nil {
			require.NoError(h, order.RefuseDecision(ctx, h.db, id, store.ReasonOf(err)))
			return workflows.Outcome{Code: store.ReasonOf(err)}, true, nil
		}
		return workflows.Outcome{Code: workflows.Done}, true, nil
	}
}

func (v *visitor) confirm(orderID, amount, reference string) *answer {
	v.Helper()
	day := one[string](v.testServer, "SELECT to_char(clock_now(), 'YYYY-MM-DD')")
	payment := one[string](v.testServer, `SELECT id::text FROM payments WHERE order_id = $1`, orderID)
	return v.post("/api/admin/payments/"+payment+"/confirm", fmt.Sprintf(`{"amount":%q,"receivedOn":%q,"bankReference":%q}`, amount, day, reference))
}

func TestBar23CustomerTakesANewPriceForMoneyThatDoesNotFit(t *testing.T) {
	h := open(t)
	h.byRows()
	v, finance := h.customer(), h.customer("finance")
	id := v.order("domestic_wire")
	v.get("/api/orders/"+id+"/requote").refused(http.StatusConflict, "order_state")
	said := finance.confirm(id, "300.00", "W-1").is(http.StatusOK).text("message")
	require.Contains(t, said, "less than the order costs")
	for _, copied := range []string{"w-1", "W\u20111", "\u200bW-1\u00a0", "Ｗ－１"} {
		finance.confirm(id, "300.00", copied).refused(http.StatusConflict, "bank_reference_used")
	}

	var shown orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&shown)
	require.Equal(t, "300.00", shown.Received)
	require.Len(t, shown.Receipts, 1)
	require.Equal(t, []string{"requote", "refund_now"}, shown.Choice.Offers)
	require.EqualValues(t, "money_short", shown.Attention.Reason)
	require.NotContains(t, shown.Choices, "cancel")

	var first, second rest.Requote
	v.get("/api/orders/" + id + "/requote").is(http.StatusOK).read(&first)
	h.advance("61 seconds")
	h.price("51000")
	var late *answer
	require.Eventually(t, func() bool { // the replica forgets prices after a second
		late = v.post("/api/orders/"+id+"/requote", fmt.Sprintf(`{"quoteId":%q}`, first.QuoteID))
		return late.status != http.StatusServiceUnavailable
	}, settledWait, 5*settledPoll)
	var refused rest.Problem
	late.refused(http.StatusConflict, "quote_expired").read(&refused)
	require.NotEmpty(t, refused.Requote.QuoteID, "the new price comes with the refusal")
	v.get("/api/orders/" + id + "/requote").is(http.StatusOK).read(&second)
	require.Equal(t, "51000", second.UnitPrice)
	v.post("/api/orders/"+id+"/requote", fmt.Sprintf(`{"quoteId":%q}`, second.QuoteID)).is(http.StatusOK)
	v.post("/api/orders/"+id+"/requote", fmt.Sprintf(`{"quoteId":%q}`, second.QuoteID)).refused(http.StatusConflict, "order_state")
	shown = orderapi.OrderDetail{}
	v.get("/api/orders/" + id).is(http.StatusOK).read(&shown)
	require.Equal(t, "payment_approved", shown.Status)
	require.Equal(t, second.AmountAsset, shown.AmountAsset)
	require.Equal(t, second.Total, shown.Total)
	require.Nil(t, shown.Choice)
}

// A large surplus is unplaced money that staff can only send back.
func TestStaffCanOnlySendALargeSurplusBack(t *testing.T) {
	h := open(t)
	h.byRows()
	v, finance := h.customer(), h.customer("finance")
	id := v.order("domestic_wire")
	finance.confirm(id, "900.00", "W-9").is(http.StatusOK)

	var shown orderapi.AdminOrderDetail
	finance.get("/api/admin/orders/" + id).is(http.StatusOK).read(&shown)
	require.Len(t, shown.Surpluses, 1)
	require.Equal(t, "returning", shown.Surpluses[0].Status)
	require.Equal(t, order.SurplusLarge, *shown.Surpluses[0].Reason)
	path := "/api/admin/money/unplaced/" + *shown.Surpluses[0].UnplacedID
	var money correctionapi.UnplacedMoney
	finance.get(path).is(http.StatusOK).read(&money)
	require.Equal(t, []string{"send_back"}, money.Actions)
	finance.post(path+"/credit", fmt.Sprintf(`{"customer":%q,"reason":"theirs"}`, v.userID)).
		refused(http.StatusConflict, "only_returned")
	v.post("/api/orders/"+id+"/surplus", `{"choice":"credit"}`).refused(http.StatusConflict, "surplus_returns")
}

func TestMoneyForAnOrderThatIsOverReopensIt(t *testing.T) {
	h := open(t)
	h.byRows()
	v, finance := h.customer(), h.customer("finance")
	id := v.order("domestic_wire")
	h.advance("4 days")
	require.NoError(t, order.EndUnpaid(t.Context(), h.db, id, order.Unpaid{How: order.ResolutionExpired}))
	v.enter()
	finance.enter()
	require.Contains(t, string(finance.get("/api/admin/payments/pending?status=declined").is(http.StatusOK).body), `"actions":["confirm"]`)
	require.Contains(t, finance.confirm(id, "600.00", "W-2").is(http.StatusOK).text("message"), "after the price expired")
	require.Equal(t, []string{"receipt of " + id}, h.flows.seen(&h.flows.decided), "by a workflow of its own")

	var shown orderapi.OrderDetail
	v.get("/api/orders/" + id).is(http.StatusOK).read(&shown)
	require.Equal(t, "failed", shown.Status)
	require.Nil(t, shown.Metadata.Resolution)
	require.Nil(t, shown.Metadata.FulfillmentError, "nothing failed but the time")
	require.EqualValues(t, "money_late", shown.Attention.Reason)
	require.Equal(t, []string{"requote", "refund_now"}, shown.Choice.Offers)
}

func TestHoldsThatEndSoonAreSeenComing(t *testing.T) {
	h := open(t)
	v, finance := h.customer(), h.customer("finance")
	soon, later := v.order("card"), v.order("card")
	for id, left := range map[string]string{soon: "23 hours", later: "25 hours"} {
		h.authorise(id)
		h.exec(`UPDATE payments SET capture_before = clock_now() + $2::interval WHERE order_id = $1`, id, left)
	}
	var counts orderapi.PaymentsSummary
	finance.get("/api/admin/payments/summary").is(http.StatusOK).read(&counts)
	require.Equal(t, 1, counts.Expiring)
	for id, expiring := range map[string]bool{soon: true, later: false} {
		var order orderapi.AdminOrderDetail
		finance.get("/api/admin/orders/" + id).is(http.StatusOK).read(&order)
		require.Equal(t, expiring, order.Expiring)
		require.Equal(t, expiring, order.Payment.Expiring)
		require.NotNil(t, order.CaptureBefore)
	}
}
