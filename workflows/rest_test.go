package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/referral"
)

// The workflow of a row without a deadline waits for a signal. One that treated "no
// deadline" as "now" looped, and some hundred of them occupied a worker.
func TestACaseWithoutADeadlineWaitsForASignal(t *testing.T) {
	const reported = time.Hour
	for name, run := range map[string]func(env *testsuite.TestWorkflowEnvironment, polls *int){
		"gift card": func(env *testsuite.TestWorkflowEnvironment, polls *int) {
			env.RegisterActivity(&activities.GiftCards{})
			env.OnActivity(giftCards.LoadCard, mock.Anything, row).Return(giftcard.CardState{Status: giftcard.CardInReview}, nil)
			env.OnActivity(giftCards.LateCard, mock.Anything, row).Return(func(context.Context, string) (giftcard.CardState, error) {
				*polls++
				return giftcard.CardState{Status: giftcard.CardExpired, Closed: true}, nil
			})
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(CardChanged, WebhookSignal{Reason: "deadline"}) }, reported)
			env.ExecuteWorkflow(GiftCard, CardInput{CardID: row})
		},
		"payout": func(env *testsuite.TestWorkflowEnvironment, polls *int) {
			env.RegisterActivity(&activities.Payouts{})
			env.OnActivity(payouts.LoadPayout, mock.Anything, row).Return(payout.PayoutState{Status: payout.PayoutRequested}, nil)
			env.OnActivity(payouts.LatePayout, mock.Anything, row).Return(func(context.Context, string) (payout.PayoutState, error) {
				*polls++
				return payout.PayoutState{Status: payout.PayoutCancelled, Closed: true}, nil
			})
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(CaseChanged, WebhookSignal{Reason: "deadline"}) }, reported)
			env.ExecuteWorkflow(Payout, CaseInput{ID: row})
		},
	} {
		t.Run(name, func(t *testing.T) {
			env := environment()
			began, polls := env.Now(), 0
			run(env, &polls)
			require.True(t, env.IsWorkflowCompleted())
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, reported, env.Now().Sub(began).Round(time.Second), "it looked before there was news")
			require.Equal(t, 1, polls)
		})
	}
}

// A workflow whose history has grown long continues in a new run, at the row's current
// state, and not while a caller waits for an answer.
func TestALongHistoryGoesOnInANewRun(t *testing.T) {
	for kind, run := range map[string]func(env *testsuite.TestWorkflowEnvironment){
		GiftCardType: func(env *testsuite.TestWorkflowEnvironment) {
			env.RegisterActivity(&activities.GiftCards{})
			for _, poll := range []any{giftCards.LoadCard, giftCards.LateCard} {
				env.OnActivity(poll, mock.Anything, row).Return(giftcard.CardState{Status: giftcard.CardInReview}, nil)
			}
			env.ExecuteWorkflow(GiftCard, CardInput{CardID: row})
		},
		PayoutType: func(env *testsuite.TestWorkflowEnvironment) {
			env.RegisterActivity(&activities.Payouts{})
			for _, poll := range []any{payouts.LoadPayout, payouts.LatePayout} {
				env.OnActivity(poll, mock.Anything, row).Return(payout.PayoutState{Status: payout.PayoutRequested}, nil)
			}
			env.ExecuteWorkflow(Payout, CaseInput{ID: row})
		},
		ReferralType: func(env *testsuite.TestWorkflowEnvironment) {
			env.RegisterActivity(&activities.Referrals{})
			env.OnActivity(referrals.LoadReward, mock.Anything, row).Return(referral.RewardState{Status: referral.RewardHeld}, nil)
			env.ExecuteWorkflow(Referral, CaseInput{ID: row})
		},
		RecoveryType: func(env *testsuite.TestWorkflowEnvironment) {
			env.RegisterActivity(&activities.TwoFactor{})
			for _, poll := range []any{twoFactor.LoadRecovery, twoFactor.LateRecovery} {
				env.OnActivity(poll, mock.Anything, row).Return(account.RecoveryState{Status: account.RecoveryAsked, Wake: 48 * time.Hour}, nil)
			}
			env.ExecuteWorkflow(TwoFactorRecovery, CaseInput{ID: row})
		},
	} {
		t.Run(kind, func(t *testing.T) {
			env := environment()
			began := env.Now()
			env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, time.Hour)
			env.RegisterDelayedCallback(func() {
				env.SignalWorkflow(CaseChanged, WebhookSignal{})
				env.SignalWorkflow(CardChanged, WebhookSignal{})
			}, 2*time.Hour)
			env.RegisterDelayedCallback(env.CancelWorkflow, 24*time.Hour) // one that never continues would wait for ever
			run(env)
			var renewed *workflow.ContinueAsNewError
			require.ErrorAs(t, env.GetWorkflowError(), &renewed)
			require.Equal(t, kind, renewed.WorkflowType.Name)
			require.Equal(t, 2*time.Hour, env.Now().Sub(began).Round(time.Second))
		})
	}
}
