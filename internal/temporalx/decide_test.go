package temporalx

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/tradepost/tradepost/workflows"
)

// answering gives the errors of the server's updates one after the other, then an outcome.
// The server's races that cause them cannot be brought about at will.
type answering struct {
	client.Client
	errors []error
	asked  []string      // the updates, by id
	away   time.Duration // how long no worker answers the first one
}

func (a *answering) UpdateWorkflow(ctx context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle,
	error,
) {
	a.asked = append(a.asked, o.UpdateID)
	away := time.After(a.away)
	a.away = 0
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-away:
	}
	if len(a.errors) == 0 {
		return done{}, nil
	}
	err := a.errors[0]
	a.errors = a.errors[1:]
	return nil, err
}

type done struct{ client.WorkflowUpdateHandle }

func (done) Get(_ context.Context, into any) error {
	into.(*workflows.Outcome).Code = "done"
	return nil
}

// The same update is sent again while the workflow is not ready for it, and only then.
func TestAnUpdateIsSentAgainWhileItsWorkflowIsNotReady(t *testing.T) {
	notYet := serviceerror.NewWorkflowNotReady("unexpected workflow task failure")
	a := &answering{errors: []error{notYet, notYet}}
	outcome, decided, err := (&Client{Client: a}).Decide(t.Context(), "o", workflows.Process, "d", time.Minute)
	require.NoError(t, err)
	require.True(t, decided)
	require.Equal(t, "done", outcome.Code)
	require.Equal(t, []string{"d", "d", "d"}, a.asked, "one update, whose id makes it one effect")

	a = &answering{errors: []error{serviceerror.NewInvalidArgument("no"), notYet}}
	_, decided, err = (&Client{Client: a}).Decide(t.Context(), "o", workflows.Process, "d", time.Minute)
	require.Error(t, err)
	require.False(t, decided)
	require.Len(t, a.asked, 1)
}

// A step commits its row before its workflow has the answer: a decision that came in between
// is sent again, and refused only when the workflow still does not await it.
func TestADecisionAheadOfItsWorkflowIsSentAgain(t *testing.T) {
	notAwaited := temporal.NewNonRetryableApplicationError("text", workflows.NotAwaited, nil)
	synctest.Test(t, func(t *testing.T) {
		outcome, decided, err := (&Client{Client: &answering{errors: []error{notAwaited, notAwaited}}}).Decide(t.Context(), "o", workflows.Process, "d", time.Minute)
		require.NoError(t, err)
		require.True(t, decided)
		require.Equal(t, "done", outcome.Code)

		for _, wait := range []time.Duration{time.Minute, time.Second} {
			began := time.Now()
			outcome, decided, err = (&Client{Client: &answering{errors: slices.Repeat([]error{notAwaited}, 1000)}}).Decide(t.Context(), "o", workflows.Process, "d", wait)
			require.NoError(t, err)
			require.True(t, decided)
			require.Equal(t, workflows.NotAwaited, outcome.Code)
			require.InDelta(t, min(rowAhead, wait*4/5), time.Since(began), float64(2*notReadyPause))
		}
	})
}

// A worker that was away refuses a decision while it still executes the one before: that refusal counts from when it
// came, not from when the decision was sent. One that came too late to be repeated for long enough decides nothing.
func TestADecisionIsSentAgainAfterAWorkerWasAway(t *testing.T) {
	notAwaited := temporal.NewNonRetryableApplicationError("text", workflows.NotAwaited, nil)
	synctest.Test(t, func(t *testing.T) {
		a := &answering{errors: []error{notAwaited, notAwaited}, away: rowAhead + time.Second}
		outcome, decided, err := (&Client{Client: a}).Decide(t.Context(), "o", workflows.Process, "d", time.Minute)
		require.NoError(t, err)
		require.True(t, decided)
		require.Equal(t, "done", outcome.Code)

		a = &answering{errors: slices.Repeat([]error{notAwaited}, 1000), away: rowAhead}
		_, decided, err = (&Client{Client: a}).Decide(t.Context(), "o", workflows.Process, "d", rowAhead+time.Second)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.False(t, decided)
	})
}

// A workflow that ended first says nothing about the decision; a refusal does.
func TestAnUpdateOfAWorkflowThatEndedIsNotRefused(t *testing.T) {
	for kind, refused := range map[string]bool{closedMeanwhile: false, "order_state": true} {
		a := &answering{errors: []error{temporal.NewNonRetryableApplicationError("text", kind, nil)}}
		outcome, decided, err := (&Client{Client: a}).Decide(t.Context(), "o", workflows.Process, "d", time.Minute)
		require.NoError(t, err, kind)
		require.Equal(t, refused, decided, kind)
		require.Equal(t, refused, outcome.Code == kind, kind)
	}
}
