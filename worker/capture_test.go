package worker

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// The capture's outcome was unknown, and an admin declined the order. It was captured: the
// order is paid, and is refunded or continued by the next decision.
func TestBar28ADeclineThatFindsTheMoneyCapturedLeavesAPaidOrder(t *testing.T) {
	h := openWith(t, impatient())
	placed := h.buy("card")
	h.authorise(placed.ID)
	over := h.outage("stripe", "read_payment", placed.ID)
	h.arm("stripe", "capture", "drop_after")
	require.Equal(t, "unknown", h.decide(placed.ID, workflows.Process, nil).Code)
	h.attention(placed.ID, order.AttentionCaptureUnknown)
	over()
	require.Equal(t, "already_captured", h.decide(placed.ID, workflows.Decline, nil).Code)
	o := h.status(placed.ID, order.StatusPaymentApproved)
	require.NotNil(t, o.PaidAt)
	require.Nil(t, o.AttentionReason)
	h.must(placed.ID, workflows.Refund, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}, h.effects())
	h.books()
}

// byHand does something at Stripe itself, as the account's owner can.
func (h *testCluster) byHand(path string, form url.Values) {
	h.Helper()
	request, err := http.NewRequestWithContext(h.Context(), http.MethodPost, h.sandbox+path, strings.NewReader(form.Encode()))
	require.NoError(h, err)
	request.SetBasicAuth("sk_test_1", "")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(h, http.StatusOK, response.StatusCode, path)
}

// An order is paid by its whole price: a part that was captured at Stripe itself buys
// nothing.
func TestAnOrderIsNotPaidByLessThanItsPrice(t *testing.T) {
	h := open(t)
	part := h.unique()
	require.NoError(t, h.client.StartOrder(t.Context(), part))
	h.authorise(part.ID)
	h.byHand("/v1/payment_intents/"+h.payment(part.ID)+"/capture", url.Values{"amount_to_capture": {"700"}})
	require.Equal(t, "captured_in_part", h.decide(part.ID, workflows.Process, nil).Code)
	require.Nil(t, h.status(part.ID, order.StatusPending).PaidAt)
	require.Equal(t, "captured_in_part", h.decide(part.ID, workflows.Decline, nil).Code, "it is not over while money of its customer is there")
	h.byHand("/v1/refunds", url.Values{"payment_intent": {h.payment(part.ID)}})
	h.must(part.ID, workflows.Decline, nil)
	require.Equal(t, order.ResolutionDeclined, *h.closed(part.ID).Resolution)
	h.balanced()
}

// A price that was captured and given back before we know of either, at Stripe itself or
// in the time that a restored backup lost, is booked as both, and the order ends as
// refunded: a decision finds it paid.
func TestMoneyThatCameAndWentUnseenIsBookedAsBoth(t *testing.T) {
	h := open(t)
	poll := func(id string) string {
		require.NoError(t, h.client.Signal(t.Context(), id, workflows.PaymentChanged, "look"))
		return "looked"
	}
	for name, of := range map[string]struct {
		decide func(id string) string
		code   string
	}{
		"process": {func(id string) string { return h.decide(id, workflows.Process, nil).Code }, casework.DecisionDone},
		"decline": {func(id string) string { return h.decide(id, workflows.Decline, nil).Code }, "already_captured"},
		"nothing": {poll, "looked"},
	} {
		h.hooks = false
		gone := h.unique()
		require.NoError(t, h.client.StartOrder(t.Context(), gone))
		h.authorise(gone.ID)
		h.byHand("/v1/payment_intents/"+h.payment(gone.ID)+"/capture", nil)
		h.byHand("/v1/refunds", url.Values{"payment_intent": {h.payment(gone.ID)}})
		require.Equal(t, of.code, of.decide(gone.ID), name)
		h.hooks = true
		looked := false
		h.until(name+": its refund is looked for, and nothing is left to look for", func() bool {
			due, err := order.UnhandledMoneyWebhooks(t.Context(), h.db, 0, 50)
			require.NoError(t, err)
			for _, d := range due {
				looked = true
				require.NoError(t, h.client.FollowPayment(t.Context(), d.Subject, d.Reason))
			}
			o, err := order.ReadOrder(t.Context(), h.db, gone.ID)
			require.NoError(t, err)
			return o.ClosedAt != nil && len(due) == 0
		})
		require.True(t, looked, name)
		require.Equal(t, order.ResolutionRefunded, *h.closed(gone.ID).Resolution, name)
	}
	h.agrees()
	h.balanced()
}

// payment is the order's payment at Stripe.
func (h *testCluster) payment(id string) string {
	h.Helper()
	p, err := order.PaymentOf(h.Context(), h.db, id)
	require.NoError(h, err)
	return *p.StripePaymentIntentID
}
