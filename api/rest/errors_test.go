package rest

import (
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
