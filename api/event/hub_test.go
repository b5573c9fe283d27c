package event

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A hub forgets a stream that made room, and one that ends.
func TestAHubKeepsTheStreamsThatAreOpen(t *testing.T) {
	h, leave := NewHub(), []func(){}
	for range MostStreams + 3 {
		leave = append(leave, h.join(newListener("u1", false)))
	}
	require.Len(t, h.of["u1"], MostStreams)
	require.Len(t, h.listeners, MostStreams)
	for _, end := range leave {
		end()
	}
	require.Empty(t, h.of)
	require.Empty(t, h.listeners)
}
