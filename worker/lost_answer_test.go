package worker

import (
	"context"
	"reflect"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// lostAnswers runs every local step that executes a decision twice, and drops the first
// answer: so it is when a worker dies, or is too slow, between the step's commit and the
// end of its workflow task.
type lostAnswers struct {
	interceptor.WorkerInterceptorBase
}

func (*lostAnswers) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &repeated{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type repeated struct {
	interceptor.ActivityInboundInterceptorBase
}

func (r *repeated) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if activity.GetInfo(ctx).IsLocalActivity && executesDecision(in.Args) {
		if out, err := r.Next.ExecuteActivity(ctx, in); err != nil {
			return out, err
		}
	}
	return r.Next.ExecuteActivity(ctx, in)
}

func executesDecision(args []any) bool {
	for _, arg := range args {
		value := reflect.Indirect(reflect.ValueOf(arg))
		if value.Kind() != reflect.Struct {
			continue
		}
		if id := value.FieldByName("DecisionID"); id.IsValid() && !id.IsZero() {
			return true
		}
	}
	return false
}
