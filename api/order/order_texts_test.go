package order

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
)

// A customer sees what an order waits for in the platform's texts; internal reasons are
// disclosed neither on the page nor in the timeline.
func TestCustomersSeeWhatTheirOrderWaitsForInOurWords(t *testing.T) {
	now := time.Now()
	waiting := func(reason string) *order.Order {
		return &order.Order{AttentionReason: &reason, AttentionSince: &now}
	}
	require.Equal(t, WaitingReason("price_moved"), customerAttention(waiting(casework.AttentionPrice), false).Reason)
	require.Equal(t, WaitingReason("delivery_delayed"), customerAttention(waiting(casework.AttentionFloat), false).Reason)
	for _, ours := range []string{casework.AttentionBlocked, casework.AttentionInternal, "anything new"} {
		require.Equal(t, beingReviewed, customerAttention(waiting(ours), false).Reason, ours)
	}
	require.Nil(t, customerAttention(&order.Order{}, false))

	data, err := json.Marshal(map[string]string{"reason": casework.AttentionBlocked})
	require.NoError(t, err)
	timeline := customerEvents([]casework.StoredEvent{{Kind: "attention", Data: data}, {Kind: "attempt_failed", Internal: true}})
	require.Len(t, timeline, 1)
	require.Equal(t, beingReviewed, timeline[0].Data["reason"])
}
