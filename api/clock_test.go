package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every answer of the API, a refusal too, contains the time of the database, which differs
// from this machine's where it was moved forward.
func TestEveryAnswerHasTheTimeOfTheDatabase(t *testing.T) {
	h := open(t)
	v := h.customer()
	show := func(path string) time.Time {
		at, err := time.Parse(time.RFC3339, v.get(path).header.Get("X-Server-Time"))
		require.NoError(t, err, path)
		return at
	}
	for _, path := range []string{"/api/config", "/api/orders", "/api/public/prices", "/api/admin/stats", "/api/orders/none"} {
		before := one[time.Time](h, "SELECT clock_now()")
		shown := show(path)
		after := one[time.Time](h, "SELECT clock_now()")
		require.WithinRange(t, shown, before.Add(-2*time.Second), after.Add(2*time.Second), path)
	}
	h.advance("30 days")
	require.Eventually(t, func() bool {
		return show("/api/config").Sub(one[time.Time](h, "SELECT clock_now()")).Abs() < 2*time.Second
	}, settledWait, settledPoll, "a clock that was moved is told within a second")
	require.Empty(t, v.get("/healthz").header.Get("X-Server-Time"), "only what pages call tells it")
}
