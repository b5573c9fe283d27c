package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
)

// A customer is told what an order waits for in our own words; what is about
// our house only, they are not told, on the page and in the story alike.
func TestCustomersAreToldWhatTheirOrderWaitsForInOurWords(t *testing.T) {
	now := time.Now()
	waiting := func(reason string) *models.Order {
		return &models.Order{AttentionReason: &reason, AttentionSince: &now}
	}
	require.Equal(t, WaitingReason("price_moved"), customerAttention(waiting(models.AttentionPrice), false).Reason)
	require.Equal(t, WaitingReason("delivery_delayed"), customerAttention(waiting(models.AttentionFloat), false).Reason)
	for _, ours := range []string{models.AttentionBlocked, models.AttentionInternal, "anything new"} {
		require.Equal(t, beingReviewed, customerAttention(waiting(ours), false).Reason, ours)
	}
	require.Nil(t, customerAttention(&models.Order{}, false))

	data, err := json.Marshal(map[string]string{"reason": models.AttentionBlocked})
	require.NoError(t, err)
	story := customerEvents([]models.OrderEvent{{Kind: "attention", Data: data}, {Kind: "attempt_failed", Internal: true}})
	require.Len(t, story, 1)
	require.Equal(t, beingReviewed, story[0].Data["reason"])
}
