package rest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A long wait is stated with its duration; a short one is "a moment".
func TestRateLimitedCallersLearnHowLongToWait(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		30 * time.Second:          "Too many requests. Wait a moment and try again.",
		time.Minute + time.Second: "Too many requests. Try again in 2 minutes.",
		time.Hour:                 "Too many requests. Try again in 60 minutes.",
	} {
		require.EqualError(t, Limited(wait, nil), want)
	}
	require.NoError(t, Limited(0, nil))
}

// A client that closed its request counts as no fault of the server; a query that took too
// long, or was cancelled by something else, does.
func TestAClientThatLeftIsNoServerError(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	cancelled := fmt.Errorf("list orders: %w", context.Canceled)
	require.Equal(t, 499, AsProblem(left, cancelled).GetStatus())
	require.Equal(t, http.StatusServiceUnavailable, AsProblem(t.Context(), cancelled).GetStatus())
	require.Equal(t, http.StatusServiceUnavailable, AsProblem(left, context.DeadlineExceeded).GetStatus())
}
