package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/voucher"
)

// followVoucher runs the workflow of a voucher whose transfer is confirmed at a
// moment, with webhook signals of BitGo at others, and says when it ended.
func followVoucher(t *testing.T, release int, confirmed time.Duration, hooks ...time.Duration) time.Duration {
	t.Helper()
	env := environment()
	env.RegisterActivity(&activities.Vouchers{})
	env.RegisterActivity(&activities.Custody{})
	began := env.Now()
	at := voucher.VoucherState{Status: voucher.RedemptionSent, TransferOn: true}
	env.OnActivity(vouchers.LoadVoucher, mock.Anything, row).Return(activities.VoucherLoaded{State: at, Timing: timing, Release: release}, nil)
	env.OnActivity(custody.FollowForVoucher, mock.Anything, row, mock.Anything).Return(func(_ context.Context, _ string, notified bool) (voucher.VoucherState, error) {
		at.Closed = env.Now().Sub(began) >= confirmed
		if !at.Closed && !notified {
			return at, silent.Error()
		}
		return at, nil
	})
	for _, when := range hooks {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(CaseChanged, WebhookSignal{Reason: "transfer"}) }, when)
	}
	env.ExecuteWorkflow(Voucher, CaseInput{ID: row})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
	return env.Now().Sub(began)
}

// Polls of a transfer become rare. BitGo's webhook causes a read at once; one that arrives
// too early, twice, late or never is harmless.
func TestBar29VoucherReceivesItsTransfersWebhook(t *testing.T) {
	const confirmed = 100 * time.Second
	for release := range activities.Release + 1 {
		reported := confirmed + 2*time.Second
		alone := followVoucher(t, release, confirmed)
		require.Greater(t, alone, reported+time.Second, "without a word the next look finds it")
		require.LessOrEqual(t, alone, confirmed+timing.FollowMost)
		for name, hooks := range map[string][]time.Duration{
			"once": {reported}, "twice": {reported, reported}, "after the one for its sending": {time.Second, reported}, "after one too early": {time.Minute, reported},
		} {
			require.Less(t, followVoucher(t, release, confirmed, hooks...), reported+time.Second, name)
		}
		require.LessOrEqual(t, followVoucher(t, release, confirmed, confirmed+time.Hour), alone, "late")
	}
}
