package rest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The database's time is read at intervals, not by every request; a database that does not
// answer delays no request, and the clock extrapolates.
func TestTheClockCountsOnWithoutTheDatabase(t *testing.T) {
	var c Clock
	asked, then := 0, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	answer := func(context.Context) (time.Time, error) { asked++; return then, nil }
	silent := func(context.Context) (time.Time, error) { asked++; return time.Time{}, errors.New("away") }

	require.Zero(t, c.Now(t.Context(), silent), "nothing is told that is not known")
	require.Zero(t, c.Now(t.Context(), answer), "and it is not asked again at once")
	require.Equal(t, 1, asked)
	c.asked = time.Time{}
	require.WithinDuration(t, then, c.Now(t.Context(), answer), time.Second)
	c.asked = time.Time{}
	c.read = c.read.Add(-time.Hour)
	require.WithinDuration(t, then.Add(time.Hour), c.Now(t.Context(), silent), time.Second)
	require.Equal(t, 3, asked)
}
