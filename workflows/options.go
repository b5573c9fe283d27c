package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/execution"
)

// localBudget is how long a step that only touches Postgres may run as a local activity;
// then the same step continues as a regular one, without holding up the workflow's task.
const localBudget = 5 * time.Second

// runLocal runs a step that only touches Postgres and reads its result into
// out. It fails only when the step itself is refused.
func runLocal(ctx workflow.Context, summary string, out any, step any, args ...any) error {
	local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: localBudget,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumInterval: time.Second},
		Summary:                summary,
	})
	err := workflow.ExecuteLocalActivity(local, step, args...).Get(ctx, out)
	if err == nil || failureOf(err).final() || temporal.IsCanceledError(err) {
		return err
	}
	regular := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           CoreQueue,
		StartToCloseTimeout: 2 * localBudget,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: 10 * time.Second},
		Summary:             summary,
	})
	return workflow.ExecuteActivity(regular, step, args...).Get(ctx, out)
}

// stopOf returns the identity of the activity whose error stopped a step. Replays return the same identity. If a worker
// dies before it completes a workflow task, all local activities of the task run again, including those that a later
// one followed. The activity that records a stop uses the identity to record it once.
func stopOf(ctx workflow.Context, err error) execution.Stop {
	var failed *temporal.ActivityError
	if !errors.As(err, &failed) {
		return ""
	}
	return execution.Stop(workflow.GetInfo(ctx).WorkflowExecution.RunID + ":" + failed.ActivityID())
}

// rest waits for a signal, at most until a step is due. Without one no timer is set: a time
// of zero would fire at once, and a loop that waits here would spin.
func rest(ctx workflow.Context, due time.Duration, summary string, news func() bool) error {
	if due <= 0 {
		return workflow.Await(ctx, news)
	}
	_, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: due, TimerOptions: workflow.TimerOptions{Summary: summary}}, news)
	return err
}

// outside are the options of a step that leaves the platform, on the task queue of the
// process that holds the key. budget is how long it is tried in all. The attempts
// interceptor sends the heartbeats.
func outside(ctx workflow.Context, t activities.Timing, queue string, budget time.Duration, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              queue,
		ScheduleToCloseTimeout: budget,
		StartToCloseTimeout:    min(t.CallTimeout, budget),
		HeartbeatTimeout:       t.Heartbeat,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: t.RetryFirst, MaximumInterval: max(t.RetryMost, t.RetryFirst), BackoffCoefficient: 2},
		Summary:                summary,
	})
}

// patience is how long an attempt may wait for its turn under a provider's rate limit
// beside its own duration: after a crash many orders are looked up at once, and an attempt
// that ends before its turn begins all lookups anew.
const patience = 30 * time.Minute

// searching are the options of a step that looks things up for a while before it sends
// again: one attempt may run long. Heartbeats report whether its worker is alive.
func searching(ctx workflow.Context, t activities.Timing, queue string, budget time.Duration, summary string) workflow.Context {
	options := workflow.GetActivityOptions(outside(ctx, t, queue, budget, summary))
	longest := t.CallTimeout + t.OrderLife + t.LookupGrace + time.Duration(t.LookupTries)*t.LookupGap + t.SendLookup
	options.StartToCloseTimeout = min(longest+patience, budget)
	return workflow.WithActivityOptions(ctx, options)
}

// following are the options of a transfer's poll: one that reads once, after a webhook of
// the custodian, or one that is repeated until the state changes.
func following(ctx workflow.Context, t activities.Timing, first time.Duration, notified bool, summary string) workflow.Context {
	if notified {
		return outside(ctx, t, CustodyQueue, t.ConfirmBudget, summary)
	}
	return repeating(ctx, t, first, CustodyQueue, summary)
}

// repeating are the options of a read that is repeated until the state changes, for the
// second time after first.
func repeating(ctx workflow.Context, t activities.Timing, first time.Duration, queue, summary string) workflow.Context {
	options := workflow.GetActivityOptions(outside(ctx, t, queue, t.ConfirmBudget, summary))
	options.RetryPolicy = &temporal.RetryPolicy{InitialInterval: first, MaximumInterval: max(t.FollowMost, first), BackoffCoefficient: 1.5}
	return workflow.WithActivityOptions(ctx, options)
}

// unasked is how long the custodian may be silent about a transfer before it is polled.
func unasked(t activities.Timing) time.Duration { return max(t.FollowUnasked, t.FollowFirst) }

// failure is a step's error in the form that a workflow may record.
type failure struct {
	class activities.Class
	code  string
}

// failureOf reads a step's last failure, also out of the error that says that
// its budget is used up.
func failureOf(err error) failure {
	var said *temporal.ApplicationError
	var silent *temporal.TimeoutError
	switch {
	case errors.As(err, &said):
		return failure{activities.Class(said.Type()), said.Message()}
	case errors.As(err, &silent):
		return failure{activities.Unknown, "timeout"}
	}
	return failure{activities.Unknown, "unexpected"}
}

// final reports whether trying again would give the same answer.
func (f failure) final() bool { return f.class == activities.Refused || f.class == activities.Conflict }
