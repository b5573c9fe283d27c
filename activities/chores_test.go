package activities

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Decisions that workflows still execute delay no other: those after them are delivered
// meanwhile, and one that fails does not affect the rest.
func TestSlowDeliveriesHoldUpNoOther(t *testing.T) {
	late := make([]int, 20)
	for i := range late {
		late[i] = i
	}
	var mu sync.Mutex
	var taken []int
	last := make(chan struct{})
	delivered, err := deliverAll(t.Context(), late, func(ctx context.Context, d int) (bool, error) {
		if d < deliveries-1 { // waits, as for a refund that is pending, until the newest is through
			select {
			case <-last:
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
		if d == 19 {
			defer close(last)
		}
		mu.Lock()
		defer mu.Unlock()
		taken = append(taken, d)
		if d == 17 {
			return false, errors.New("gone")
		}
		return true, nil
	})
	require.ErrorContains(t, err, "gone")
	require.Equal(t, 19, delivered)
	require.Contains(t, taken[:6], 19)
}
