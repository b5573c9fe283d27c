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

// A row that says of no deadline has its workflow wait for news. One that took "no
// deadline" for "now" went round and round, and with some hundred of them a worker
// did nothing else.
func TestAMatterWithoutADeadlineRests(t *testing.T) {
	const told = time.Hour
	for name, run := range map[string]func(env *testsuite.TestWorkflowEnvironment, looks *int){
		"gift card": func(env *testsuite.TestWorkflowEnvironment, looks *int) {
			env.RegisterActivity(&activities.GiftCards{})
			env.OnActivity(giftCards.LoadCard, mock.Anything, row).Return(models.CardState{Status: models.CardInReview}, nil)
			env.OnActivity(giftCards.LateCard, mock.Anything, row).Return(func(context.Context, string) (models.CardState, error) {
				*looks++
				return models.CardState{Status: models.CardExpired, Closed: true}, nil
			})
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(CardChanged, Hint{Reason: "deadline"}) }, told)
			env.ExecuteWorkflow(GiftCard, CardInput{CardID: row})
		},
		"payout": func(env *testsuite.TestWorkflowEnvironment, looks *int) {
			env.RegisterActivity(&activities.Payouts{})
			env.OnActivity(payouts.LoadPayout, mock.Anything, row).Return(models.PayoutState{Status: models.PayoutRequested}, nil)
			env.OnActivity(payouts.LatePayout, mock.Anything, row).Return(func(context.Context, string) (models.PayoutState, error) {
				*looks++
				return models.PayoutState{Status: models.PayoutCancelled, Closed: true}, nil
			})
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(MatterChanged, Hint{Reason: "deadline"}) }, told)
			env.ExecuteWorkflow(Payout, MatterInput{ID: row})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			began, looks := env.Now(), 0
			run(env, &looks)
			require.True(t, env.IsWorkflowCompleted())
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, told, env.Now().Sub(began).Round(time.Second), "it looked before there was news")
			require.Equal(t, 1, looks)
		})
	}
}
