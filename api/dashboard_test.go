package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// statisticsReadAsMuch: the dashboard reads the same few rows however much was sold.
func (h *testServer) statisticsReadAsMuch(owner *store.DB, admin *visitor) {
	h.Helper()
	for _, path := range []string{"/api/admin/stats", "/api/admin/recent-activity", "/api/admin/platform"} {
		before := touched(h, owner)
		admin.get(path).is(http.StatusOK)
		require.LessOrEqual(h, touched(h, owner)-before, mostRead, "%s reads what it counts", path)
	}
}

func TestStatsCompareWithThePeriodBefore(t *testing.T) {
	h := open(t)
	v, support, stranger := h.customer(), h.customer("support"), h.customer()
	stranger.get("/api/admin/stats").refused(http.StatusForbidden, "forbidden")
	var stats reportingapi.AdminStats
	support.get("/api/admin/stats").is(http.StatusOK).read(&stats)
	require.Nil(t, stats.AvgMargin, "nothing was earned yet")
	require.Nil(t, stats.Changes.TotalVolume24h, "and nothing was sold before")
	first, second := v.order("domestic_wire"), v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'payment_approved', total = 20000, paid_at = clock_now() - interval '30 hours' WHERE id = $1`, first)
	h.exec(`UPDATE orders SET status = 'payment_approved', total = 25000, paid_at = clock_now() - interval '3 hours' WHERE id = $1`, second)
	h.exec(`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount) VALUES
		('a', 1, 'sent', 'conversion', 'prepaid_orders', 'USD', 19500), ('a', 2, 'sent', 'fees_earned', 'prepaid_orders', 'USD', 500)`)
	support.get("/api/admin/stats").is(http.StatusOK).read(&stats)
	require.Equal(t, "250.00", stats.TotalVolume24h)
	require.Equal(t, stats.TotalVolume24h, stats.DailyVolume)
	require.Equal(t, "25.0", *stats.Changes.TotalVolume24h)
	require.Equal(t, "5.00", stats.TotalRevenue30d)
	require.Equal(t, "2.50", *stats.AvgMargin)
	require.Equal(t, 2, stats.TotalOrders)
	require.Equal(t, 2, stats.ActiveTrades)
	require.Equal(t, 3, stats.VerifiedUsers)
	require.Len(t, stats.Series, 30)
	require.Equal(t, time.Now().UTC().Format(time.DateOnly), stats.Series[29].Day)

	var items []reportingapi.ActivityItem
	support.get("/api/admin/recent-activity").is(http.StatusOK).read(&items)
	require.Equal(t, "order", items[0].Type)
	ids := map[string]bool{}
	for _, item := range items {
		ids[item.ID] = true
		require.Equal(t, item.Type+":"+item.SubjectID, item.ID)
	}
	require.Len(t, ids, len(items))
	require.Equal(t, "payment_approved", items[0].Status, "a word the specification does not name is told as it is")
	require.Contains(t, items[0].Description, "BTC")
}

func TestPlatformHealthIsComputed(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now(), created_at = clock_now() - interval '2 days' WHERE id = $1`, id)
	service := func(name string) reportingapi.PlatformService {
		var p reportingapi.Platform
		admin.get("/api/admin/platform").is(http.StatusOK).read(&p)
		for _, s := range p.Services {
			if s.Name == name {
				return s
			}
		}
		t.Fatalf("no service %s", name)
		return reportingapi.PlatformService{}
	}
	h.exec(`UPDATE markets SET priced_at = clock_now()`)
	require.Equal(t, "operational", service("payment_processing").Status)
	require.Equal(t, "operational", service("kyc_verification").Status)
	require.Equal(t, "operational", service("crypto_orders").Status)
	require.Equal(t, "limited", service("p2p_integration").Status)

	failing := v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'fulfilling', moved_at = clock_now() - interval '1 minute', last_error = 'buy: unavailable', last_error_at = clock_now() - interval '55 seconds' WHERE id = $1`, failing)
	require.Equal(t, "operational", service("crypto_orders").Status, "one failed attempt is no news")
	h.exec(`UPDATE orders SET last_error_at = clock_now() WHERE id = $1`, failing)
	require.Contains(t, service("crypto_orders").Reason, "1 order is being retried since ")
	h.exec(`UPDATE orders SET moved_at = clock_now(), status = 'filled' WHERE id = $1`, failing)
	require.Equal(t, "operational", service("crypto_orders").Status, "it moved")

	h.exec(`UPDATE markets SET priced_at = clock_now() - interval '5 minutes'`)
	require.Equal(t, "The price of BTC is out of date, or the exchange doesn't sell it right now.", service("crypto_orders").Reason)
	h.flows.stopped = workflows.PaymentsQueue
	require.Equal(t, "The payments worker isn't running.", service("payment_processing").Reason)
	h.flows.stopped = ""
	require.NoError(t, reporting.NoteProvider(t.Context(), h.db, workflows.PaymentsQueue, true, time.Minute))
	require.NoError(t, reporting.NoteProvider(t.Context(), h.db, workflows.PaymentsQueue, false, time.Second))
	require.Equal(t, "Stripe did not answer when it was last asked.", service("payment_processing").Reason)
	require.NoError(t, reporting.NoteProvider(t.Context(), h.db, workflows.PaymentsQueue, true, 0))
	require.Equal(t, "operational", service("payment_processing").Status)
	h.flows.away = http.ErrServerClosed
	require.Equal(t, "Temporal doesn't respond.", service("payment_processing").Reason)
	h.flows.away = nil

	var p reportingapi.Platform
	admin.get("/api/admin/platform").is(http.StatusOK).read(&p)
	require.Equal(t, "actionable_orders", p.Queues[0].Name, "the longest wait comes first")
	require.Equal(t, 1, p.Queues[0].Count)
	require.Less(t, p.Queues[0].Oldest, time.Now().Add(-47*time.Hour))
	require.Empty(t, p.Alerts)
	require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, reporting.AlertLimits{Queue: time.Hour}, false))
	admin.get("/api/admin/platform").is(http.StatusOK).read(&p)
	require.Len(t, p.Alerts, 1)
	require.Equal(t, "/admin/orders?status=payment_approved", p.Alerts[0].Page)
	require.Contains(t, p.Alerts[0].Text, "Paid orders to fulfill: 1 waiting")
	h.exec(`UPDATE orders SET created_at = clock_now()`)
	require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, reporting.AlertLimits{Queue: time.Hour}, false))
	admin.get("/api/admin/platform").is(http.StatusOK).read(&p)
	require.Empty(t, p.Alerts, "it is gone, though not over yet")
}
