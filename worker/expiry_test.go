package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

func TestStaffAreWarnedOnceBeforeAHoldExpires(t *testing.T) {
	h := open(t)
	o := h.buy("card")
	h.authorise(o.ID)
	require.NotContains(t, h.kinds(o.ID), "authorisation_expiring")
	h.advance(6*24*time.Hour + time.Hour)
	n, err := order.CountExpiring(t.Context(), h.db, quick.LapseWarning)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for range 2 {
		h.sweep()
		h.until("the warning", func() bool { return h.countEvents(o.ID, "authorisation_expiring") > 0 })
	}
	h.advance(time.Hour)
	h.sweep()
	require.Equal(t, 1, h.countEvents(o.ID, "authorisation_expiring"))

	h.must(o.ID, workflows.Process, nil)
	h.status(o.ID, order.StatusPaymentApproved)
	n, err = order.CountExpiring(t.Context(), h.db, quick.LapseWarning)
	require.NoError(t, err)
	require.Zero(t, n)
	h.priced()
	h.must(o.ID, workflows.Fulfill, nil)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	h.record(workflows.OrderID(o.ID), "card-warned")
}

func TestExpiredHoldEndsTheOrderAsExpired(t *testing.T) {
	h := open(t)
	h.hooks = false
	o := h.buy("card")
	h.authorise(o.ID)
	h.advance(8 * 24 * time.Hour)
	h.sweep()
	require.Equal(t, order.ResolutionExpired, *h.closed(o.ID).Resolution)
	require.Equal(t, "expired", h.kinds(o.ID)[len(h.kinds(o.ID))-1])
	require.Zero(t, h.effects()["stripe/capture"])
	h.books()
	h.record(workflows.OrderID(o.ID), "card-lapsed")
}

// An admin presses Process as the hold expires, before that is recorded: nothing is
// captured, the admin is informed, and the timeline is correct.
func TestProcessAtTheMomentOfExpiry(t *testing.T) {
	h := open(t)
	h.hooks = false
	placed := h.buy("card")
	h.authorise(placed.ID)
	h.advance(7*24*time.Hour + time.Second)
	require.Equal(t, "authorisation_expired", h.decide(placed.ID, workflows.Process, nil).Code)
	o := h.closed(placed.ID)
	require.Equal(t, order.ResolutionExpired, *o.Resolution)
	require.Equal(t, []string{"created", "checkout_ready", "authorised", "capture_requested", "expired"}, h.kinds(placed.ID))
	require.Zero(t, h.effects()["stripe/capture"])
	h.books()
	h.record(workflows.OrderID(placed.ID), "card-lapsed-at-process")
}

// countEvents counts the events of a kind in an order's timeline.
func (h *testCluster) countEvents(id, kind string) int {
	h.Helper()
	n := 0
	for _, k := range h.kinds(id) {
		if k == kind {
			n++
		}
	}
	return n
}
