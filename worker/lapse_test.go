package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/workflows"
)

func TestStaffAreWarnedOnceBeforeAHoldLapses(t *testing.T) {
	h := open(t)
	order := h.buy("card")
	h.authorise(order.ID)
	require.NotContains(t, h.kinds(order.ID), "authorisation_expiring")
	h.advance(6*24*time.Hour + time.Hour)
	n, err := h.db.CountExpiring(t.Context(), quick.LapseWarning)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for range 2 {
		h.sweep()
		h.until("the warning", func() bool { return h.told(order.ID, "authorisation_expiring") > 0 })
	}
	h.advance(time.Hour)
	h.sweep()
	require.Equal(t, 1, h.told(order.ID, "authorisation_expiring"))

	h.must(order.ID, workflows.Process, nil)
	h.status(order.ID, models.StatusPaymentApproved)
	n, err = h.db.CountExpiring(t.Context(), quick.LapseWarning)
	require.NoError(t, err)
	require.Zero(t, n)
	h.priced()
	h.must(order.ID, workflows.Fulfill, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.record(workflows.OrderID(order.ID), "card-warned")
}

func TestLapsedHoldEndsTheOrderAsExpired(t *testing.T) {
	h := open(t)
	h.hooks = false
	order := h.buy("card")
	h.authorise(order.ID)
	h.advance(8 * 24 * time.Hour)
	h.sweep()
	require.Equal(t, models.ResolutionExpired, *h.closed(order.ID).Resolution)
	require.Equal(t, "expired", h.kinds(order.ID)[len(h.kinds(order.ID))-1])
	require.Zero(t, h.effects()["stripe/capture"])
	h.books()
	h.record(workflows.OrderID(order.ID), "card-lapsed")
}

// Process is pressed as the hold lapses, and nobody has noticed yet: nothing is
// taken, the admin is told so, and the story is true.
func TestProcessAtTheMomentOfTheLapse(t *testing.T) {
	h := open(t)
	h.hooks = false
	order := h.buy("card")
	h.authorise(order.ID)
	h.advance(7*24*time.Hour + time.Second)
	require.Equal(t, "authorisation_expired", h.decide(order.ID, workflows.Process, nil).Code)
	o := h.closed(order.ID)
	require.Equal(t, models.ResolutionExpired, *o.Resolution)
	require.Equal(t, []string{"created", "checkout_ready", "authorised", "capture_requested", "expired"}, h.kinds(order.ID))
	require.Zero(t, h.effects()["stripe/capture"])
	h.books()
	h.record(workflows.OrderID(order.ID), "card-lapsed-at-process")
}

// told counts the events of a kind in an order's story.
func (h *house) told(id, kind string) int {
	h.Helper()
	n := 0
	for _, k := range h.kinds(id) {
		if k == kind {
			n++
		}
	}
	return n
}
