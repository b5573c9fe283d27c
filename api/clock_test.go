package api

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every answer of the API, a refusal too, tells the time of the database, which
// is not this machine's where it was moved forward.
func TestEveryAnswerTellsTheTimeOfTheDatabase(t *testing.T) {
	h := open(t)
	v := h.customer()
	told := func(path string) time.Time {
		at, err := time.Parse(time.RFC3339, v.get(path).header.Get("X-Server-Time"))
		require.NoError(t, err, path)
		return at
	}
	for _, path := range []string{"/api/config", "/api/orders", "/api/public/prices", "/api/admin/stats", "/api/orders/none"} {
		require.WithinDuration(t, one[time.Time](h, "SELECT clock_now()"), told(path), 2*time.Second, path)
	}
	h.advance("30 days")
	require.Eventually(t, func() bool {
		return told("/api/config").Sub(one[time.Time](h, "SELECT clock_now()")).Abs() < 2*time.Second
	}, settledWait, settledLook, "a clock that was moved is told within a second")
	require.Empty(t, v.get("/healthz").header.Get("X-Server-Time"), "only what pages call tells it")
}

// The database is asked once in a while, not by every request; one that does not
// answer holds nobody up, and the clock counts on.
func TestTheClockCountsOnWithoutTheDatabase(t *testing.T) {
	var c serverClock
	asked, then := 0, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	answer := func(context.Context) (time.Time, error) { asked++; return then, nil }
	silent := func(context.Context) (time.Time, error) { asked++; return time.Time{}, errors.New("away") }

	require.Zero(t, c.now(t.Context(), silent), "nothing is told that is not known")
	require.Zero(t, c.now(t.Context(), answer), "and it is not asked again at once")
	require.Equal(t, 1, asked)
	c.asked = time.Time{}
	require.WithinDuration(t, then, c.now(t.Context(), answer), time.Second)
	c.asked = time.Time{}
	c.read = c.read.Add(-time.Hour)
	require.WithinDuration(t, then.Add(time.Hour), c.now(t.Context(), silent), time.Second)
	require.Equal(t, 3, asked)
}
