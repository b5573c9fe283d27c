package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models"
)

// How a review is watched. Webhooks tell of a change at once; polls are for
// those that got lost.
const (
	kycFirstPoll = 15 * time.Second
	kycLastPoll  = 15 * time.Minute
	// kycPatience is how long after the last sign of life we go on looking at a
	// review that is not in the provider's hands.
	kycPatience = time.Hour
	// kycLooks bounds one run's history; a longer watch continues in a new run.
	kycLooks = 200
)

// kycActivities names the activities; it is never called here.
var kycActivities *activities.KYC

// KYC watches a customer's identity review from the moment they open the
// widget until it is decided. A decision that is taken back later starts it
// again by its webhook.
func KYC(ctx workflow.Context, in KYCInput) error {
	w := &kyc{hints: workflow.GetSignalChannel(ctx, ApplicantChanged), userID: in.UserID}
	source, quiet, wait := "start", time.Duration(0), kycFirstPoll
	for looks := 0; looks < kycLooks; looks++ {
		state, err := w.review(ctx, source)
		if err != nil {
			return err
		}
		if state.Status != models.KYCPending && quiet >= kycPatience || state.settled() && !w.hinted() {
			return nil
		}
		if source = w.sleep(ctx, wait); source != "poll" {
			quiet, wait = 0, kycFirstPoll
			continue
		}
		quiet += wait
		wait = min(2*wait, kycLastPoll)
	}
	return workflow.NewContinueAsNewError(ctx, KYC, in)
}

type kyc struct {
	hints  workflow.ReceiveChannel
	userID string
}

// kycState gives the activity's answer words of its own here.
type kycState activities.KYCState

// settled: approved, or refused for good. Anything else may change by the
// customer's own doing at any moment.
func (s kycState) settled() bool {
	return s.Status == models.KYCApproved || s.Status == models.KYCRejected && !s.CanRetry
}

func (w *kyc) review(ctx workflow.Context, source string) (kycState, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: CoreQueue, StartToCloseTimeout: 30 * time.Second, Summary: "Read the identity review",
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	var state activities.KYCState
	err := workflow.ExecuteActivity(ctx, kycActivities.Review, w.userID, source).Get(ctx, &state)
	return kycState(state), err
}

// hinted reports whether a notice is waiting to be looked at.
func (w *kyc) hinted() bool { return w.hints.Len() > 0 }

// sleep waits for the next notice or poll, takes all notices there are, and
// says which it was: the notice's reason or "poll".
func (w *kyc) sleep(ctx workflow.Context, wait time.Duration) string {
	timer, stop := workflow.WithCancel(ctx)
	defer stop()
	source := "poll"
	workflow.NewSelector(ctx).
		AddFuture(workflow.NewTimer(timer, wait), func(workflow.Future) {}).
		AddReceive(w.hints, func(workflow.ReceiveChannel, bool) {}).
		Select(ctx)
	for {
		var hint Hint
		if !w.hints.ReceiveAsync(&hint) {
			return source
		}
		source = hint.Reason
	}
}
