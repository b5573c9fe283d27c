package rest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/store"
)

func TestRateLimitLetsABurstThroughAndThenOneAtATime(t *testing.T) {
	var p rateLimiter
	limit, now := store.RateLimit{Burst: 3, Every: time.Second}, time.Now()
	for range 3 {
		require.Zero(t, p.allow("a", limit, now))
	}
	require.Equal(t, time.Second, p.allow("a", limit, now))
	require.Zero(t, p.allow("b", limit, now), "another caller")
	require.Zero(t, p.allow("a", limit, now.Add(time.Second)))
	require.Equal(t, time.Second, p.allow("a", limit, now.Add(time.Second)))
	for i := range 2 * limiterKept {
		p.allow(fmt.Sprint(i), limit, now.Add(time.Hour))
	}
	require.LessOrEqual(t, len(p.next), 2*limiterKept)
}
