package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/workflows"
)

// The queues open on what can be decided, the longest wait first, and count
// nothing else.
func TestQueuesOpenOnWhatCanBeDecided(t *testing.T) {
	h := open(t, unscaled)
	v, staff := h.customer(), h.customer("admin")
	unentered, card, wire, third := v.order("card"), v.order("card"), v.order("domestic_wire"), v.order("domestic_wire")
	h.authorise(card)
	for n, id := range []string{third, wire, card, unentered} { // the last is the oldest
		h.exec(`UPDATE payments SET created_at = clock_now() - $2 * interval '1 hour' WHERE order_id = $1`, id, n+1)
		h.exec(`UPDATE orders SET created_at = clock_now() - $2 * interval '1 hour', risk_score = 25, risk_reasons = '{shared_card}' WHERE id = $1`, id, n+1)
	}
	payments := func(a *answer) (ids []string) {
		var list PendingPayments
		a.read(&list)
		for _, p := range list.Payments {
			ids = append(ids, p.OrderID)
			require.Equal(t, v.userID, p.CustomerID)
			require.Equal(t, 25, p.Risk.Score)
		}
		return ids
	}
	list := staff.get("/api/admin/payments/pending?actionable=true").is(http.StatusOK)
	require.Equal(t, "3", list.header.Get("X-Total-Count"))
	require.Equal(t, []string{card, wire, third}, payments(list))
	require.Equal(t, map[string]int{card: 1, wire: 1, third: 1}, staff.walk("/api/admin/payments/pending?actionable=true&limit=1", payments))
	require.Equal(t, []string{wire, third}, payments(staff.get("/api/admin/payments/pending?actionable=true&method=domestic_wire")))
	var summary PaymentsSummary
	staff.get("/api/admin/payments/summary").is(http.StatusOK).read(&summary)
	require.Equal(t, []int{4, 3}, []int{summary.Pending, summary.Actionable})

	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, wire)
	h.exec(`UPDATE orders SET attention_reason = 'money_short', attention_since = clock_now() WHERE id = $1`, third)
	h.exec(`INSERT INTO order_proposals (id, order_id, kind, amount, ends, order_status, reason, proposed_by) VALUES (gen_random_uuid(), $1, 'refund', 100, true, 'pending', 'why', $2)`, unentered, staff.userID)
	require.Equal(t, map[string]int{unentered: 1, wire: 1, third: 1}, staff.walk("/api/admin/orders?actionable=true&limit=1", orderIDs))
	orders := staff.get("/api/admin/orders?actionable=true").is(http.StatusOK)
	require.Equal(t, "3", orders.header.Get("X-Total-Count"))
	require.Equal(t, []string{unentered, wire, third}, orderIDs(orders))
	require.Equal(t, []string{wire}, orderIDs(staff.get("/api/admin/orders?actionable=true&status=payment_approved")))
	var counts AdminOrdersSummary
	staff.get("/api/admin/orders/summary").is(http.StatusOK).read(&counts)
	require.Equal(t, 3, counts.Actionable)

	var queues []PlatformQueue
	staff.get("/api/admin/queues").is(http.StatusOK).read(&queues)
	found := map[string]int{}
	for _, q := range queues {
		found[q.Name] = q.Count
	}
	require.Equal(t, 3, found["payments"], "not the card that nobody entered yet")
}

// Every outcome of a decision reads as a sentence, and none as its code.
func TestRefusalsAreSentences(t *testing.T) {
	for _, code := range []string{models.AttentionRefundFailed, models.AttentionRefundPending, models.AttentionCheckout, models.AttentionCaptureUnknown,
		models.AttentionFloat, models.AttentionBuyUnknown, models.AttentionSendUnknown, models.AttentionApproval, models.AttentionAddress, models.AttentionCaps,
		models.AttentionTransfer, models.AttentionUnconfirmed, models.AttentionDisputed, models.AttentionInternal, "a_code_of_tomorrow"} {
		text := outcomeText(workflows.Outcome{Code: code})
		require.NotContains(t, text, "_", code)
		require.Regexp(t, `^[A-Z].*\.$`, text, code)
	}
}

// The dashboard's series is as long as the span that is asked for.
func TestStatsServeTheSpanTheyAreAskedFor(t *testing.T) {
	h := open(t, unscaled)
	v, staff := h.customer(), h.customer("support")
	h.exec(`UPDATE orders SET status = 'payment_approved', total = 25000, paid_at = clock_now() WHERE id = $1`, v.order("domestic_wire"))
	for span, steps := range map[string]int{"day": 24, "week": 7, "month": 30, "quarter": 90} {
		var stats AdminStats
		staff.get("/api/admin/stats?span=" + span).is(http.StatusOK).read(&stats)
		require.Len(t, stats.Series, steps)
		require.Equal(t, "250.00", stats.Series[steps-1].Volume, span)
		require.Equal(t, "250.00", stats.TotalVolume24h, span)
	}
	staff.get("/api/admin/stats?span=year").is(http.StatusUnprocessableEntity)
}
