package worker

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

// Recorder keeps failed attempts on the row of an order, or of a redeemed
// voucher.
type Recorder interface {
	RecordAttempt(ctx context.Context, orderID string, a execution.Attempt) error
	RecordVoucherAttempt(ctx context.Context, redemptionID string, a execution.Attempt) error
}

// NewRecorder keeps them in the database.
func NewRecorder(db *store.DB) Recorder { return rows{db} }

type rows struct{ db *store.DB }

// RecordAttempt implements Recorder.
func (r rows) RecordAttempt(ctx context.Context, orderID string, a execution.Attempt) error {
	return order.RecordAttempt(ctx, r.db, orderID, a)
}

// RecordVoucherAttempt implements Recorder.
func (r rows) RecordVoucherAttempt(ctx context.Context, redemptionID string, a execution.Attempt) error {
	return voucher.RecordVoucherAttempt(ctx, r.db, redemptionID, a)
}

// Attempts is the one interceptor behind retryCount and lastError, and the one door through
// which an activity's error leaves this process: as a class and a code. It records every
// failed attempt of an order's activity, also the one before that died with its worker. A
// poll that found no change is no failed attempt.
type Attempts struct {
	interceptor.WorkerInterceptorBase
	record Recorder
	log    *slog.Logger
}

// NewAttempts makes the interceptor.
func NewAttempts(record Recorder, log *slog.Logger) *Attempts {
	return &Attempts{record: record, log: log}
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (a *Attempts) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	in := &attempt{attempts: a}
	in.Next = next
	return in
}

// stepFailures counts failed attempts by the class of the error, mostly a provider's.
var stepFailures = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "step_failures_total",
	Help: "Failed attempts of steps, by the class of the error."}, []string{"step", "class"})

type attempt struct {
	interceptor.ActivityInboundInterceptorBase
	attempts *Attempts
}

// ended is the sign an attempt leaves, in the heartbeat that the next attempt
// is given, that it ended in an orderly way. An attempt without one died.
type ended struct {
	Attempt int32 `json:"attempt"`
}

// ExecuteActivity implements interceptor.ActivityInboundInterceptor.
func (in *attempt) ExecuteActivity(ctx context.Context, input *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	if info.Attempt > 1 && !info.IsLocalActivity && !previousEnded(ctx, info.Attempt-1) {
		in.attempts.note(ctx, info, info.Attempt-1, activities.Failure{Class: activities.Unknown, Code: "worker_lost"}, 0)
	}
	trace.SpanFromContext(ctx).SetAttributes(attribute.String("step", info.ActivityType.Name), attribute.Int("attempt", int(info.Attempt)))
	rest := beat(ctx, info)
	result, err := in.Next.ExecuteActivity(ctx, input)
	rest()
	if err == nil || temporal.IsCanceledError(err) {
		return result, err
	}
	failed := activities.Failed(err)
	trace.SpanFromContext(ctx).SetAttributes(attribute.String("class", string(failed.Class)), attribute.String("code", failed.Code))
	if !info.IsLocalActivity {
		if failed.Class != activities.NotYet {
			in.attempts.note(ctx, info, info.Attempt, failed, untilNext(info, failed, time.Now()))
		}
		activity.RecordHeartbeat(ctx, ended{info.Attempt})
	}
	if failed.Class != activities.NotYet {
		stepFailures.WithLabelValues(info.ActivityType.Name, string(failed.Class)).Inc()
		in.attempts.log.WarnContext(ctx, "attempt failed", "workflow", info.WorkflowExecution.ID, "step", info.ActivityType.Name, "attempt", info.Attempt,
			"class", failed.Class, "code", failed.Code, "detail", failed.Detail)
	}
	return nil, failed.Error()
}

// beat sends heartbeats until the attempt is over, so that one whose worker died is
// detected long before its timeout.
func beat(ctx context.Context, info activity.Info) (rest func()) {
	if info.HeartbeatTimeout <= 0 || info.IsLocalActivity {
		return func() {}
	}
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		ticker := time.NewTicker(info.HeartbeatTimeout / 3)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return func() { close(over); <-gone }
}

func previousEnded(ctx context.Context, number int32) bool {
	var sign ended
	return activity.HasHeartbeatDetails(ctx) && activity.GetHeartbeatDetails(ctx, &sign) == nil && sign.Attempt == number
}

// untilNext is how long Temporal waits before it has an activity tried once more that failed now: as long as the
// provider asked for, or else as its policy says. It is zero when the activity is not tried again: the error is final,
// or the attempts or the time of its policy are used up.
func untilNext(info activity.Info, failed activities.Failure, now time.Time) time.Duration {
	var said *temporal.ApplicationError
	policy := info.RetryPolicy
	if policy == nil || policy.InitialInterval <= 0 || errors.As(failed.Error(), &said) && said.NonRetryable() {
		return 0
	}
	if policy.MaximumAttempts > 0 && info.Attempt >= policy.MaximumAttempts {
		return 0
	}
	wait := float64(policy.InitialInterval) * math.Pow(max(policy.BackoffCoefficient, 1), float64(info.Attempt-1))
	if policy.MaximumInterval > 0 {
		wait = min(wait, float64(policy.MaximumInterval))
	}
	next := time.Duration(min(wait, float64(math.MaxInt64/2)))
	if failed.After > 0 {
		next = failed.After
	}
	if info.ScheduleToCloseTimeout > 0 && now.Add(next).After(info.ScheduledTime.Add(info.ScheduleToCloseTimeout)) {
		return 0
	}
	return next
}

// note records an attempt on its order. A database that is down loses the record of the
// attempt, not the attempt's effect.
func (a *Attempts) note(ctx context.Context, info activity.Info, number int32, failed activities.Failure,
	again time.Duration,
) {
	record, id := a.record.RecordAttempt, ""
	if orderID, ok := workflows.ParseOrderID(info.WorkflowExecution.ID); ok {
		id = orderID
	} else if id, ok = workflows.ParseCaseID(voucher.KindVoucher, info.WorkflowExecution.ID); ok {
		record = a.record.RecordVoucherAttempt
	} else {
		return
	}
	err := record(context.WithoutCancel(ctx), id, execution.Attempt{Run: info.WorkflowExecution.RunID, Activity: info.ActivityID,
		Step: info.ActivityType.Name, Number: number, Code: failed.Code, Detail: failed.Detail, Again: again})
	if err != nil {
		a.log.Error("a failed attempt could not be recorded", "about", id, "error", err)
	}
}
