package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models"
)

// watchKYC runs the workflow against answers by time since its start, and
// gives the sources of the looks it took.
func watchKYC(t *testing.T, answer func(since time.Duration) activities.KYCState, hints map[time.Duration]string) []string {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterActivity(&activities.KYC{})
	begin := env.Now()
	var sources []string
	env.OnActivity(kycActivities.Review, mock.Anything, "user", mock.Anything).Return(
		func(_ context.Context, _, source string) (activities.KYCState, error) {
			sources = append(sources, source)
			return answer(env.Now().Sub(begin)), nil
		})
	for at, reason := range hints {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(ApplicantChanged, Hint{Reason: reason}) }, at)
	}
	env.ExecuteWorkflow(KYC, KYCInput{UserID: "user"})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	return sources
}

func TestKYCEndsWhenAWebhookTellsOfTheApproval(t *testing.T) {
	approvedAt := 10 * time.Second
	sources := watchKYC(t, func(since time.Duration) activities.KYCState {
		if since < approvedAt {
			return activities.KYCState{Status: models.KYCPending, CanRetry: true}
		}
		return activities.KYCState{Status: models.KYCApproved}
	}, map[time.Duration]string{approvedAt: "webhook"})
	require.Equal(t, []string{"start", "webhook"}, sources)
}

func TestBar29KYCPollFindsAnApprovalWhoseWebhookWasLost(t *testing.T) {
	sources := watchKYC(t, func(since time.Duration) activities.KYCState {
		if since < 2*time.Hour {
			return activities.KYCState{Status: models.KYCPending, CanRetry: true}
		}
		return activities.KYCState{Status: models.KYCApproved}
	}, nil)
	require.Greater(t, len(sources), 3)
	require.Equal(t, "poll", sources[len(sources)-1])
}

func TestKYCStopsLookingAtACustomerWhoWalkedAway(t *testing.T) {
	sources := watchKYC(t, func(time.Duration) activities.KYCState {
		return activities.KYCState{Status: models.KYCNotStarted, CanRetry: true}
	}, nil)
	require.Less(t, len(sources), 20)
}
