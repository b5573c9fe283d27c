package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	orderapi "github.com/tradepost/tradepost/api/order"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// The queues open on what can be decided, the longest wait first, and count
// nothing else.
func TestQueuesOpenOnWhatCanBeDecided(t *testing.T) {
	h := open(t, unscaled)
	v, staff := h.customer(), h.customer("admin")
	unentered, card, wire, third, unsent := v.order("card"), v.order("card"), v.order("domestic_wire"), v.order("domestic_wire"), v.order("domestic_wire")
	h.authorise(card)
	h.exec(`UPDATE payments SET submitted_at = clock_now() WHERE order_id = $1`, wire)
	h.exec(`UPDATE payments SET received_amount = 100 WHERE order_id = $1`, third)
	for n, id := range []string{unsent, third, wire, card, unentered} { // the last is the oldest
		h.exec(`UPDATE payments SET created_at = clock_now() - $2 * interval '1 hour' WHERE order_id = $1`, id, n+1)
		h.exec(`UPDATE orders SET created_at = clock_now() - $2 * interval '1 hour', risk_score = 25, risk_reasons = '{shared_card}' WHERE id = $1`, id, n+1)
	}
	payments := func(a *answer) (ids []string) {
		var list orderapi.PendingPayments
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
	var summary orderapi.PaymentsSummary
	staff.get("/api/admin/payments/summary").is(http.StatusOK).read(&summary)
	require.Equal(t, []int{5, 3, 2}, []int{summary.Pending, summary.Actionable, summary.Waiting})

	waiting := staff.get("/api/admin/payments/pending?status=waiting").is(http.StatusOK)
	require.Equal(t, "2", waiting.header.Get("X-Total-Count"))
	require.Equal(t, map[string]int{unentered: 1, unsent: 1}, staff.walk("/api/admin/payments/pending?status=waiting&limit=1", payments))
	var rows orderapi.PendingPayments
	staff.get("/api/admin/payments/pending").read(&rows)
	waits := map[string]string{}
	for _, p := range rows.Payments {
		if p.WaitsFor != nil {
			waits[p.OrderID] = *p.WaitsFor
		}
	}
	require.Equal(t, map[string]string{unentered: "card", unsent: "money"}, waits, "and no row that can be decided")
	staff.get("/api/admin/payments/summary?status=waiting&method=card").is(http.StatusOK).read(&summary)
	require.Equal(t, []int{1, 1}, []int{summary.Waiting, summary.Matching})

	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, wire)
	h.exec(`UPDATE orders SET attention_reason = 'money_short', attention_since = clock_now() WHERE id = $1`, third)
	h.exec(`INSERT INTO order_proposals (id, order_id, kind, amount, ends, order_status, reason, proposed_by) VALUES (gen_random_uuid(), $1, 'refund', 100, true, 'pending', 'why', $2)`, unentered, staff.userID)
	require.Equal(t, map[string]int{unentered: 1, wire: 1, third: 1}, staff.walk("/api/admin/orders?actionable=true&limit=1", orderIDs))
	orders := staff.get("/api/admin/orders?actionable=true").is(http.StatusOK)
	require.Equal(t, "3", orders.header.Get("X-Total-Count"))
	require.Equal(t, []string{unentered, wire, third}, orderIDs(orders))
	require.Equal(t, []string{wire}, orderIDs(staff.get("/api/admin/orders?actionable=true&status=payment_approved")))
	var counts orderapi.AdminOrdersSummary
	staff.get("/api/admin/orders/summary").is(http.StatusOK).read(&counts)
	require.Equal(t, 3, counts.Actionable)

	h.exec(`UPDATE orders SET status = 'failed', failed_step = 'buy' WHERE id = $1`, card)
	require.Equal(t, map[string]int{unentered: 1, wire: 1, third: 1, card: 1}, staff.walk("/api/admin/orders?actionable=true&limit=1", orderIDs), "a failed order may be retried")
	require.Equal(t, 4, staff.waiting()["actionable_orders"])
	h.exec(`UPDATE orders SET resolution = 'refunded', closed_at = clock_now() WHERE id = $1`, card)
	require.Equal(t, 3, staff.waiting()["actionable_orders"], "one that ended is nobody's")

	var queues []reportingapi.PlatformQueue
	staff.get("/api/admin/queues").is(http.StatusOK).read(&queues)
	found := map[string]int{}
	for _, q := range queues {
		found[q.Name] = q.Count
	}
	require.Equal(t, 3, found["payments"], "not the card that nobody entered yet")
}

// The vouchers to act on are those that wait for a second admin and those whose
// redemption stands still, by since when they wait, and are counted as shown.
func TestVouchersAndRewardsOpenOnWhatCanBeDecided(t *testing.T) {
	h := open(t, unscaled)
	v, maker, admin := h.customer(), h.customer("admin"), h.customer("admin")
	var made []string
	for range 5 {
		made = append(made, maker.generate("50", "USD").ID)
	}
	old, stuck, looked, recent, active := made[0], made[1], made[2], made[3], made[4]
	for n, id := range []string{recent, old} {
		h.exec(`UPDATE vouchers SET status = 'awaiting_approval', created_at = clock_now() - $2 * interval '2 hours' WHERE id = $1`, id, n+1)
	}
	for id, reason := range map[string]string{stuck: casework.AttentionInternal, looked: casework.AttentionTransfer} {
		code := one[string](h, `SELECT reference FROM vouchers WHERE id = $1`, id)
		h.exec(`INSERT INTO voucher_redemptions (id, reference, voucher_id, user_id, status, value, currency, asset, network, dest_address, amount, unit_price, price_limit, base_price,
				needs_identity, attention_reason, attention_since)
			SELECT gen_random_uuid(), 'VR-' || $2, $1, $3, 'accepted', 5000, 'USD', 'BTC', 'bitcoin', $4, 1, 1, 1, 1, false, $5, clock_now() - interval '3 hours'`, id, code, v.userID, btcAddress, reason)
		h.exec(`UPDATE vouchers v SET status = 'redeemed', redemption_id = r.id FROM voucher_redemptions r WHERE r.voucher_id = v.id AND v.id = $1`, id)
	}
	list := admin.get("/api/admin/vouchers?actionable=true").is(http.StatusOK)
	require.Equal(t, []string{old, stuck, recent}, orderIDs(list), "not the active one, nor the one that goes on by itself")
	require.Equal(t, "3", list.header.Get("X-Total-Count"))
	var rows []voucherapi.AdminVoucher
	list.read(&rows)
	for _, row := range rows {
		require.NotEmpty(t, row.Actions)
		require.NotNil(t, row.WaitsSince)
	}
	require.Equal(t, map[string]int{old: 1, stuck: 1, recent: 1}, admin.walk("/api/admin/vouchers?actionable=true&limit=1", orderIDs))
	require.Equal(t, []string{old, recent}, orderIDs(admin.get("/api/admin/vouchers?actionable=true&status=awaiting_approval")))
	require.Equal(t, []string{stuck}, orderIDs(admin.get("/api/admin/vouchers?actionable=true&status=waiting")))
	require.Empty(t, orderIDs(admin.get("/api/admin/vouchers?actionable=true&currency=BTC")))
	require.Contains(t, orderIDs(admin.get("/api/admin/vouchers")), active)
	var summary voucherapi.VouchersSummary
	admin.get("/api/admin/vouchers/summary?status=active").is(http.StatusOK).read(&summary)
	require.Equal(t, 3, summary.Actionable)
	require.Equal(t, 3, admin.waiting()["vouchers"])

	other := h.customer()
	other.order("card")
	first := h.heldReward(v.userID, other.userID)
	third := h.customer()
	third.order("card")
	second := h.heldReward(v.userID, third.userID)
	h.exec(`UPDATE rewards SET created_at = clock_now() - interval '1 day' WHERE id = $1`, first)
	require.Equal(t, []string{first, second}, orderIDs(admin.get("/api/admin/referrals?status=held")))
	require.Equal(t, map[string]int{first: 1, second: 1}, admin.walk("/api/admin/referrals?status=held&limit=1", orderIDs))
	require.Equal(t, []string{second, first}, orderIDs(admin.get("/api/admin/referrals")))
}

// waiting is how many wait in each queue of the sidebar.
func (v *visitor) waiting() map[string]int {
	v.Helper()
	var queues []reportingapi.PlatformQueue
	v.get("/api/admin/queues").is(http.StatusOK).read(&queues)
	found := map[string]int{}
	for _, q := range queues {
		found[q.Name] = q.Count
	}
	return found
}

// The server counts all that the sidebar shows, an order once, and lost second
// factors only for those who can reset them.
func TestTheSidebarsCountsAreTheServers(t *testing.T) {
	h := open(t, unscaled)
	v, admin, finance := h.customer(), h.customer("admin"), h.customer("finance")
	both, proposed := v.order("domestic_wire"), v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now(), attention_reason = 'internal', attention_since = clock_now() WHERE id = $1`, both)
	for _, id := range []string{both, proposed} {
		h.exec(`INSERT INTO order_proposals (id, order_id, kind, amount, ends, order_status, reason, proposed_by) VALUES (gen_random_uuid(), $1, 'refund', 100, true, 'pending', 'why', $2)`, id, admin.userID)
	}
	late := v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'failed', attention_reason = 'money_late', attention_since = clock_now() WHERE id = $1`, late)
	require.Equal(t, 3, finance.waiting()["actionable_orders"])
	require.NotContains(t, finance.waiting(), "attention")
	var dashboard reportingapi.Platform
	finance.get("/api/admin/platform").is(http.StatusOK).read(&dashboard)
	require.Len(t, dashboard.Queues, 1)
	require.Equal(t, "actionable_orders", dashboard.Queues[0].Name)
	require.Equal(t, 3, dashboard.Queues[0].Count, "the dashboard counts as the sidebar does")
	ask := func(status, ready string) {
		h.exec(`INSERT INTO two_factor_recoveries (id, reference, user_id, status, vouched_by, vouched_at, ready_at, expires_at)
			SELECT gen_random_uuid(), '2F-' || $1 || $2, $3, $1, CASE WHEN $1 = 'vouched' THEN $4::uuid END, CASE WHEN $1 = 'vouched' THEN clock_now() END, clock_now() + $2::interval, clock_now() + interval '20 days'`,
			status, ready, h.customer().userID, admin.userID)
	}
	ask("asked", "1 day")
	ask("vouched", "1 day")
	ask("vouched", "-1 day")
	require.Equal(t, 2, admin.waiting()["recoveries"], "what was vouched for waits for its delay first")
	require.NotContains(t, finance.waiting(), "recoveries")
	var platform reportingapi.Platform
	finance.get("/api/admin/platform").is(http.StatusOK).read(&platform)
	for _, q := range platform.Queues {
		require.NotEqual(t, "recoveries", q.Name)
	}
}

// Every outcome of a decision reads as a sentence, and none as its code.
func TestRefusalsAreSentences(t *testing.T) {
	for _, code := range []string{order.AttentionRefundFailed, order.AttentionRefundPending, order.AttentionCheckout, order.AttentionCaptureUnknown,
		casework.AttentionFloat, casework.AttentionBuyUnknown, casework.AttentionSendUnknown, casework.AttentionApproval, casework.AttentionAddress, casework.AttentionCaps,
		casework.AttentionTransfer, casework.AttentionUnconfirmed, order.AttentionDisputed, casework.AttentionInternal,
		"statement_unread", "a_code_of_tomorrow"} {
		text := caseworkapi.OutcomeText(workflows.Outcome{Code: code})
		require.NotContains(t, text, "_", code)
		require.Regexp(t, `^[A-Z].*\.$`, text, code)
	}
	unread := caseworkapi.OutcomeText(workflows.Outcome{Code: "statement_unread"})
	require.Contains(t, unread, "backup", "what to do, not only that it failed")
}

// The dashboard's series is as long as the span that is asked for.
func TestStatsServeTheSpanTheyAreAskedFor(t *testing.T) {
	h := open(t, unscaled)
	v, staff := h.customer(), h.customer("support")
	h.exec(`UPDATE orders SET status = 'payment_approved', total = 25000, paid_at = clock_now() WHERE id = $1`, v.order("domestic_wire"))
	for span, steps := range map[string]int{"day": 24, "week": 7, "month": 30, "quarter": 90} {
		var stats reportingapi.AdminStats
		staff.get("/api/admin/stats?span=" + span).is(http.StatusOK).read(&stats)
		require.Len(t, stats.Series, steps)
		require.Equal(t, "250.00", stats.Series[steps-1].Volume, span)
		require.Equal(t, "250.00", stats.TotalVolume24h, span)
	}
	staff.get("/api/admin/stats?span=year").is(http.StatusUnprocessableEntity)
}
