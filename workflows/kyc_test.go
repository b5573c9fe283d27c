package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/kyc"
)

// watchKYC runs the workflow against answers by time since its start, and returns the
// reasons of its reads.
func watchKYC(t *testing.T, answer func(since time.Duration) activities.KYCState, hooks map[time.Duration]string) []string {
	t.Helper()
	env := environment()
	env.RegisterActivity(&activities.KYC{})
	begin := env.Now()
	var sources []string
	env.OnActivity(kycActivities.Review, mock.Anything, "user", mock.Anything).Return(
		func(_ context.Context, _, source string) (activities.KYCState, error) {
			sources = append(sources, source)
			return answer(env.Now().Sub(begin)), nil
		})
	for at, reason := range hooks {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(ApplicantChanged, WebhookSignal{Reason: reason}) }, at)
	}
	env.ExecuteWorkflow(KYC, KYCInput{UserID: "user"})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	return sources
}

func TestKYCEndsWhenAWebhookReportsTheApproval(t *testing.T) {
	approvedAt := 10 * time.Second
	sources := watchKYC(t, func(since time.Duration) activities.KYCState {
		if since < approvedAt {
			return activities.KYCState{Status: kyc.KYCPending, CanRetry: true}
		}
		return activities.KYCState{Status: kyc.KYCApproved}
	}, map[time.Duration]string{approvedAt: "webhook"})
	require.Equal(t, []string{"start", "webhook"}, sources)
}

func TestBar29KYCPollFindsAnApprovalWhoseWebhookWasLost(t *testing.T) {
	sources := watchKYC(t, func(since time.Duration) activities.KYCState {
		if since < 2*time.Hour {
			return activities.KYCState{Status: kyc.KYCPending, CanRetry: true}
		}
		return activities.KYCState{Status: kyc.KYCApproved}
	}, nil)
	require.Greater(t, len(sources), 3)
	require.Equal(t, "poll", sources[len(sources)-1])
}

func TestKYCStopsPollingACustomerWhoLeft(t *testing.T) {
	sources := watchKYC(t, func(time.Duration) activities.KYCState {
		return activities.KYCState{Status: kyc.KYCNotStarted, CanRetry: true}
	}, nil)
	require.Less(t, len(sources), 20)
}

// identity is a customer's verification in the test environment: the provider's answers,
// what is due, and the executed steps.
type identity struct {
	env   *testsuite.TestWorkflowEnvironment
	state activities.KYCState
	steps []string
}

func startIdentity(t *testing.T) *identity {
	t.Helper()
	i := &identity{env: environment()}
	i.env.RegisterActivity(&activities.KYC{})
	i.env.SetTestTimeout(time.Minute)
	take := func(step string) (activities.KYCState, error) {
		i.steps = append(i.steps, step)
		return i.state, nil
	}
	i.env.OnActivity(kycActivities.Review, mock.Anything, "user", mock.Anything).Return(
		func(_ context.Context, _, source string) (activities.KYCState, error) {
			return take("review " + source)
		})
	i.env.OnActivity(kycActivities.DueKYC, mock.Anything, "user").Return(func(context.Context, string) (activities.KYCState, error) {
		i.state.Wake = 0 // nothing is due after it
		i.state.Status, i.state.CanRetry = kyc.KYCRejected, false
		return take("due")
	})
	i.env.OnActivity(kycActivities.ResetKYC, mock.Anything, "user").Return(func(context.Context, string) (activities.KYCState, error) {
		i.state.Reset, i.state.Status = false, kyc.KYCNotStarted
		return take("reset")
	})
	i.env.OnActivity(kycActivities.DecideKYC, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.KYCDecided) (activities.KYCState, error) {
		return take("decide " + in.DecisionID)
	})
	return i
}

// decide sends a decision a while from the beginning.
func (i *identity) decide(t *testing.T, after time.Duration, kind string, then func()) {
	i.env.RegisterDelayedCallback(func() {
		i.env.UpdateWorkflow(kind, "d1", &testsuite.TestUpdateCallback{
			OnAccept: then,
			OnReject: func(err error) { t.Errorf("%s was refused: %v", kind, err) },
			OnComplete: func(out any, err error) {
				if err != nil || out.(Outcome).Code != Done {
					t.Errorf("%s: %v, %v", kind, out, err)
				}
			},
		}, Decision{ID: "d1"})
	}, after)
}

func TestAnIdentityIsWaitedForUntilItEnds(t *testing.T) {
	i := startIdentity(t)
	i.state = activities.KYCState{Status: kyc.KYCApproved, CanRetry: true, Verified: true, Wake: 700 * 24 * time.Hour}
	begin := i.env.Now()
	i.env.ExecuteWorkflow(KYC, KYCInput{ID: "user"})
	require.NoError(t, i.env.GetWorkflowError())
	require.Equal(t, []string{"review start", "due"}, i.steps)
	require.WithinDuration(t, begin.Add(700*24*time.Hour), i.env.Now(), time.Hour)
}

func TestADecisionAboutAnIdentityIsExecutedAndSentToTheProvider(t *testing.T) {
	i := startIdentity(t)
	i.state = activities.KYCState{Status: kyc.KYCPending, CanRetry: true, Awaits: []string{kyc.KYCReject}}
	i.decide(t, time.Minute, kyc.KYCReject, func() { i.state.Status, i.state.Reset = kyc.KYCRejected, true })
	i.env.ExecuteWorkflow(KYC, KYCInput{ID: "user"})
	require.NoError(t, i.env.GetWorkflowError())
	require.Contains(t, i.steps, "decide d1")
	require.Contains(t, i.steps, "reset")
	require.Less(t, len(i.steps), 30, "a customer who does not go on is not watched for ever")
}

func TestADecisionThatIsNotAwaitedIsRefused(t *testing.T) {
	i := startIdentity(t)
	i.state = activities.KYCState{Status: kyc.KYCPending, CanRetry: true, Awaits: []string{kyc.KYCReject}}
	refused := false
	i.env.RegisterDelayedCallback(func() {
		i.env.UpdateWorkflow(kyc.KYCRevoke, "d2", &testsuite.TestUpdateCallback{OnAccept: func() {}, OnReject: func(error) { refused = true },
			OnComplete: func(any, error) {}}, Decision{ID: "d2"})
		i.state.Status, i.state.CanRetry = kyc.KYCRejected, false
	}, time.Minute)
	i.env.ExecuteWorkflow(KYC, KYCInput{ID: "user"})
	require.NoError(t, i.env.GetWorkflowError())
	require.True(t, refused)
}
