package worker

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// impatient gives up on a provider soon.
func impatient() activities.Timing {
	t := quick
	t.CaptureBudget, t.BuyBudget, t.SendBudget = 3*time.Second, 3*time.Second, 3*time.Second
	t.RefundBudget = 10 * time.Second // one that goes through needs its time on a busy machine
	return t
}

// outage has a provider refuse to work for one order until the returned
// function is called.
func (h *testCluster) outage(provider, operation, subject string) (over func()) {
	h.Helper()
	raw, err := json.Marshal(map[string]any{"provider": provider, "operation": operation, "match": subject, "code": "http:503_before", "count": -1})
	require.NoError(h, err)
	request, err := http.NewRequestWithContext(h.Context(), http.MethodPost, h.sandbox+"/control/faults", strings.NewReader(string(raw)))
	require.NoError(h, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	var fault struct{ ID string }
	require.NoError(h, json.NewDecoder(response.Body).Decode(&fault))
	require.NotEmpty(h, fault.ID)
	return func() { h.control("/control/faults/clear", map[string]string{"id": fault.ID}) }
}

// A provider is down for longer than a step's budget: the order waits for staff with the
// reason; once the provider is back, the decision is executed, once.
func TestBar28ProviderAwayForLongerThanItIsTried(t *testing.T) {
	h := openWith(t, impatient())
	h.exec(`UPDATE kyc_records SET level = 'enhanced' WHERE user_id = $1`, h.customer)
	for _, call := range moneyCalls {
		t.Run(call.provider+" "+call.operation, func(t *testing.T) {
			t.Parallel()
			cell := *h
			cell.T = t
			cell.outlasts(call)
		})
	}
}

func (h *testCluster) outlasts(call moneyCall) {
	h.Helper()
	order := h.unique()
	over := h.outage(call.provider, call.operation, h.subject(call, order))
	h.onPark = over
	require.NoError(h, h.client.StartOrder(h.Context(), order))
	if call.operation == "create_checkout" { // tried for as long as the order may be paid
		h.until("some attempts", func() bool { return h.countEvents(order.ID, "attempt_failed") > 2 })
		over()
	}
	parked := h.drive(order.ID, call.operation)
	require.Equal(h, call.operation == "create_checkout", len(parked) == 0, "whoever has to wait is told: %v", parked)
	require.Equal(h, call.effects(), h.effectsOf(order.ID))
	h.books()
	h.record(workflows.OrderID(order.ID), "away-"+call.provider+"-"+call.operation)
}

// A reading of refunds and disputes that Stripe does not answer for longer than it is tried
// ends its workflow well: the next webhook or poll begins another.
func TestBar28MoneyThatCannotBeReadIsReadLater(t *testing.T) {
	h := openWith(t, impatient())
	order := h.paid()
	over := h.outage("stripe", "list_refunds", "")
	payment := h.client.GetWorkflow(t.Context(), workflows.PaymentID(order.ID), "")
	require.NoError(t, h.client.FollowPayment(t.Context(), order.ID, "test"))
	require.NoError(t, payment.Get(t.Context(), nil))
	over()
	h.control("/control/stripe/refund", map[string]string{"charge": h.stripeCharge(h.payment(order.ID)), "amount": "913"})
	require.NoError(t, h.client.FollowPayment(t.Context(), order.ID, "test"))
	h.until("the refund to be noted", func() bool { return count(h.kinds(order.ID), "refunded_at_provider") == 1 })
	h.books()
}

// The same for a refund that does not end its order: staff are notified, and the sweep
// resumes it.
func TestBar28PartRefundOutlastsAnOutage(t *testing.T) {
	h := openWith(t, impatient())
	placed := h.sent()
	over := h.outage("stripe", "refund", placed.ID)
	amount := money.FromInt(1234)
	row, err := order.OpenRefund(t.Context(), h.db, order.NewRefund{OrderID: placed.ID, Amount: &amount, ActorID: h.staff, ActorRole: "admin", Reason: "a gesture"})
	require.NoError(t, err)
	_, err = h.client.RunRefund(t.Context(), placed.ID, row.Sequence, time.Millisecond)
	require.NoError(t, err)
	h.attention(placed.ID, order.AttentionRefundPending)
	h.record(workflows.RefundID(activities.PartRef{OrderID: placed.ID, Sequence: row.Sequence}), "refund-stuck")
	over()
	h.advance(2 * time.Hour)
	h.until("the refund to be there", func() bool {
		h.sweep()
		return h.refund(placed.ID, row.Sequence).Status == order.RefundSucceeded
	})
	require.Equal(t, 1, h.effects()["stripe/refund"])
	h.until("nobody to be needed", func() bool {
		o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
		return err == nil && o.AttentionReason == nil
	})
	h.books()
}

// A refund of the whole lasts longer than its order's workflow waits: no decision that
// leads to coin is possible, and the sweep resumes the refund; the order ends by it, and
// its workflow with it.
func TestARefundThatItsOrdersWorkflowLeftIsResumed(t *testing.T) {
	h := openWith(t, impatient())
	placed := h.paid()
	over := h.outage("stripe", "refund", placed.ID)
	require.Equal(t, order.AttentionRefundPending, h.decide(placed.ID, workflows.Refund, nil).Code)
	h.attention(placed.ID, order.AttentionRefundPending)
	for _, kind := range []string{workflows.Retry, workflows.Fulfill} {
		_, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: placed.ID, Kind: kind, ActorID: h.staff, ActorRole: "admin", Reason: "because"})
		require.Equal(t, store.CodeConflict, store.CodeOf(err), kind)
	}
	over()
	h.advance(2 * time.Hour)
	h.until("the order to end", func() bool {
		h.sweep()
		o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
		return err == nil && o.ClosedAt != nil
	})
	require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}, h.effectsOf(placed.ID))
	h.books()
	h.record(workflows.OrderID(placed.ID), "refund-left")
	h.record(workflows.RefundID(activities.PartRef{OrderID: placed.ID, Sequence: 1}), "refund-carried-on")
}

// Stripe requires an action of the customer before it refunds, and the refund is cancelled
// there: that is recorded although no workflow waits for it any more, and the order can be
// refunded anew.
func TestARefundThatFailsAfterItWasLeftIsNoticed(t *testing.T) {
	h := openWith(t, impatient())
	o := h.paid()
	h.arm("stripe", "refund", "refund_waits")
	require.Equal(t, order.AttentionRefundPending, h.decide(o.ID, workflows.Refund, nil).Code)
	h.byHand("/v1/refunds/"+*h.refund(o.ID, 1).ProviderID+"/cancel", nil)
	h.attention(o.ID, order.AttentionRefundFailed)
	require.Equal(t, order.RefundFailed, h.refund(o.ID, 1).Status)
	h.must(o.ID, workflows.Refund, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(o.ID).Resolution)
	h.books()
}
