package telemetry

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Many requests at once cost one check, also when the one that began it has left; the next check runs once the result
// is too old.
func TestReadinessRunsOneCheckForManyRequests(t *testing.T) {
	var r Readiness[int32]
	var checks atomic.Int32
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	check := func(ctx context.Context) int32 {
		begun <- struct{}{}
		<-goOn
		require.NoError(t, ctx.Err(), "the check outlives its request")
		return checks.Add(1)
	}
	left, leave := context.WithCancel(t.Context())
	defer leave()
	var waiting sync.WaitGroup
	for i := range 600 {
		ctx := t.Context()
		if i == 0 {
			ctx = left
		}
		waiting.Go(func() { require.EqualValues(t, 1, r.Of(ctx, check)) })
		if i == 0 {
			<-begun
			leave()
		}
	}
	close(goOn)
	waiting.Wait()
	require.EqualValues(t, 1, checks.Load())
	r.until = r.until.Add(-ReadinessAge)
	require.EqualValues(t, 2, r.Of(t.Context(), check))
}
