package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"github.com/tradepost/tradepost/activities"
)

// No sweep begins while another one waits for a step. Each step has heartbeats, so that a worker that died is noticed
// long before the step's timeout.
func TestAStepOfTheSweepShowsThatItsWorkerDied(t *testing.T) {
	env := environment()
	env.RegisterActivity(&activities.Sweep{})
	found := activities.Found{Ended: 1, CardDecisions: 1, MatterDecisions: 1, Decisions: 1}
	env.OnActivity(sweeper.Find, mock.Anything).Return(found, nil)
	for _, step := range []any{sweeper.Keep, sweeper.DeliverCards, sweeper.DeliverMatters, sweeper.Deliver} {
		env.OnActivity(step, mock.Anything).Return(1, nil)
	}
	heartbeats := map[string]time.Duration{}
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		heartbeats[info.ActivityType.Name] = info.HeartbeatTimeout
	})
	env.ExecuteWorkflow(Sweep)
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, heartbeats, 4)
	for step, heartbeat := range heartbeats {
		require.Positive(t, heartbeat, step)
		require.LessOrEqual(t, heartbeat, 10*time.Second, step)
	}
}
