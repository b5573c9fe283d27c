package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// recorder remembers attempts as the database would.
type recorder struct {
	mu   sync.Mutex
	seen []execution.Attempt
}

func (r *recorder) RecordVoucherAttempt(ctx context.Context, id string, a execution.Attempt) error {
	return r.RecordAttempt(ctx, id, a)
}

func (r *recorder) RecordAttempt(_ context.Context, _ string, a execution.Attempt) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.Run, a.Activity = "", ""
	r.seen = append(r.seen, a)
	return nil
}

// Four attempts: the first dies with its worker, the second finds no news, the
// third fails, the fourth succeeds. Only the first and the third are failures.
func TestEveryFailedAttemptIsRecordedAlsoTheOneThatDied(t *testing.T) {
	record, log := &recorder{}, slog.New(slog.NewTextHandler(io.Discard, nil))
	server, err := temporalx.Lazy(&config.Temporal{Address: testbed.Temporal(t), Namespace: testbed.Namespace}, log, nil)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	queue, over := "attempts-"+store.NewID(), make(chan struct{})
	poll := func(ctx context.Context) (string, error) {
		switch activity.GetInfo(ctx).Attempt {
		case 1:
			<-over // its worker is gone: its result is never reported
			return "", nil
		case 2:
			return "", activities.Failure{Class: activities.NotYet, Code: "pending"}.Error()
		case 3:
			return "", &provider.Error{Class: provider.Unknown, Provider: "bitgo", Operation: "sendcoins", Code: "timeout", Detail: "secret words of the provider"}
		}
		return "sent", nil
	}
	w := sdk.New(server.Client, queue, options(queue, &config.WorkerVersion{}, NewAttempts(record, log)))
	execute := sdk.New(server.Client, queue+"-workflow", sdk.Options{})
	w.RegisterActivityWithOptions(poll, activity.RegisterOptions{Name: "Look"})
	execute.RegisterWorkflowWithOptions(func(ctx workflow.Context) (result string, err error) {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: queue, StartToCloseTimeout: 3 * time.Second, Summary: "Look",
			RetryPolicy: &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond, BackoffCoefficient: 1}})
		err = workflow.ExecuteActivity(ctx, "Look").Get(ctx, &result)
		return result, err
	}, workflow.RegisterOptions{Name: "Carry"})
	for _, w := range []sdk.Worker{w, execute} {
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	t.Cleanup(func() { close(over) })

	run, err := server.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: workflows.OrderID(store.NewID()), TaskQueue: queue + "-workflow"}, "Carry")
	require.NoError(t, err)
	var result string
	require.NoError(t, run.Get(t.Context(), &result))
	require.Equal(t, "sent", result)
	record.mu.Lock()
	defer record.mu.Unlock()
	require.Equal(t, []execution.Attempt{{Step: "Look", Number: 1, Code: "worker_lost"},
		{Step: "Look", Number: 3, Code: "timeout", Detail: "secret words of the provider",
			Again: 10 * time.Millisecond}}, record.seen)
}

// The time of the next attempt is what the activity's retry policy says, and none is told that is not made.
func TestTheNextAttemptIsWhenThePolicySays(t *testing.T) {
	begun := time.Date(2026, 11, 29, 14, 30, 0, 0, time.UTC)
	again := activities.Failed(&provider.Error{Class: provider.Retry, Provider: "kraken", Code: "http_503"})
	final := activities.Failed(&provider.Error{Class: provider.Refused, Provider: "kraken", Code: "no"})
	policy := &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute}
	for attempt, want := range map[int32]time.Duration{1: time.Second, 2: 2 * time.Second, 6: 32 * time.Second,
		7: time.Minute, 400: time.Minute} {
		info := activity.Info{Attempt: attempt, RetryPolicy: policy, ScheduledTime: begun, ScheduleToCloseTimeout: time.Hour}
		require.Equal(t, want, untilNext(info, again, begun), attempt)
		require.Zero(t, untilNext(info, final, begun))
		require.Zero(t, untilNext(info, again, begun.Add(time.Hour-want/2)), "the budget ends before it")
	}
	asked := activities.Failed(&provider.Error{Class: provider.Retry, Provider: "kraken", Code: "http_429",
		RetryAfter: time.Hour})
	require.Equal(t, time.Hour, untilNext(activity.Info{Attempt: 1, RetryPolicy: policy}, asked, begun))
	require.Zero(t, untilNext(activity.Info{Attempt: 1}, again, begun))
	last := &temporal.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: 3}
	require.Zero(t, untilNext(activity.Info{Attempt: 3, RetryPolicy: last}, again, begun))
}

// What Temporal keeps of an error is its class and code, never its text.
func TestBar35ErrorsLeaveAnActivityWithoutTheProvidersText(t *testing.T) {
	for class, again := range map[provider.Class]bool{provider.Refused: false, provider.Retry: true, provider.Unknown: true} {
		failed := activities.Failed(&provider.Error{Class: class, Provider: "stripe", Operation: "capture", Code: "card_declined", Detail: "the words"}).Error()
		var seen *temporal.ApplicationError
		require.True(t, errors.As(failed, &seen))
		require.Equal(t, string(class), seen.Type())
		require.Equal(t, !again, seen.NonRetryable())
		require.NotContains(t, failed.Error(), "the words")
	}
	require.Equal(t, activities.Conflict, activities.Failed(store.Conflict("order_state", "a sentence")).Class)
	require.Equal(t, activities.Storage, activities.Failed(errors.New("connection reset")).Class)
	require.True(t, temporal.IsApplicationError(activities.Failed(errors.New("x")).Error()))
}
