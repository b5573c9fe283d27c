package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/kyc"
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

// KYCInput starts a customer's verification workflow. One that was started by
// an earlier release has UserID, and ends at the approval.
type KYCInput struct {
	ID     string `json:"id,omitempty"`
	UserID string `json:"userId,omitempty"`
}

// staysWhileVerified reports whether the workflow waits for the end of what an
// approval gave.
func (in KYCInput) staysWhileVerified() bool { return in.ID != "" }

func (in KYCInput) customer() string {
	if in.ID != "" {
		return in.ID
	}
	return in.UserID
}

// kycActivities names the activities; it is never called here.
var kycActivities *activities.KYC

// KYC carries a customer's identity from the moment they open the widget: it
// watches the review until that is decided, takes what staff decide, and while
// a level is in force waits for the day on which it ends. What the provider
// takes back later comes by its webhook.
func KYC(ctx workflow.Context, in KYCInput) error {
	k := &kycRun{in: in, userID: in.customer(), hints: workflow.GetSignalChannel(ctx, ApplicantChanged)}
	var err error
	if k.decisionHandler, err = openDecisionHandler(ctx, k.awaits, kyc.KYCDecisionKinds...); err != nil {
		return err
	}
	source, quiet, wait := "start", time.Duration(0), kycFirstPoll
	for looks := 0; looks < kycLooks; looks++ {
		if err := k.look(ctx, source); err != nil {
			return err
		}
		if k.over(quiet) {
			return k.end(ctx)
		}
		if source = k.sleep(ctx, k.patience(wait, quiet)); source != "poll" {
			quiet, wait = 0, kycFirstPoll
			continue
		}
		quiet += wait
		wait = min(2*wait, kycLastPoll)
	}
	if k.decisionHandler.taken != nil {
		if err := k.decide(ctx); err != nil {
			return err
		}
	}
	if err := k.decisionHandler.close(ctx); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, KYC, KYCInput{ID: k.userID})
}

type kycRun struct {
	in              KYCInput
	userID          string
	hints           workflow.ReceiveChannel
	decisionHandler *decisionHandler
	state           kycState
	loaded          bool
}

// kycState gives the activities' answer words of its own here.
type kycState activities.KYCState

// settled: approved, or refused for good. Anything else may change by the
// customer's own doing at any moment.
func (s kycState) settled() bool {
	return (s.Status == kyc.KYCApproved || s.Status == kyc.KYCRejected && !s.CanRetry) && !s.Missing && !s.Reset
}

// look does what there is to do: what a person decided, what is due, what the
// provider is to be told, or else a look at the review.
func (k *kycRun) look(ctx workflow.Context, source string) error {
	k.decisionHandler.woken = false
	if k.decisionHandler.taken != nil {
		again := k.decisionHandler.taken.kind == kyc.KYCRelease // what was held back may be granted now
		if err := k.decide(ctx); err != nil {
			return err
		}
		source = "decision"
		if !again && !k.state.Reset {
			return nil
		}
	}
	if err := k.read(ctx, source); err != nil || !k.state.Reset {
		return err
	}
	return k.outside(ctx, "Have the provider ask from the beginning", kycActivities.ResetKYC, k.userID)
}

// read sees to what is due, or reads the review.
func (k *kycRun) read(ctx workflow.Context, source string) error {
	if source == "due" {
		return k.row(ctx, "See to what is due", kycActivities.DueKYC, k.userID)
	}
	return k.outside(ctx, "Read the identity review", kycActivities.Review, k.userID, source)
}

// decide carries out what a person decided, and answers.
func (k *kycRun) decide(ctx workflow.Context) error {
	err := k.row(ctx, "Carry out a decision: "+k.decisionHandler.taken.kind, kycActivities.DecideKYC, activities.KYCDecided{UserID: k.userID, DecisionID: k.decisionHandler.taken.id})
	if err == nil {
		k.decisionHandler.answer(k.state.Status, Done)
		return nil
	}
	f := failureOf(err)
	if !f.final() {
		return err
	}
	return k.refuse(ctx, f.code)
}

// refuse settles a decision that could not be carried out, and says why.
func (k *kycRun) refuse(ctx workflow.Context, code string) error {
	err := k.row(ctx, "Note that the decision could not be carried out", kycActivities.RefuseKYCDecision,
		activities.KYCDecided{UserID: k.userID, DecisionID: k.decisionHandler.taken.id, Code: code})
	k.decisionHandler.answer(k.state.Status, code)
	return err
}

// awaits is the validator's question.
func (k *kycRun) awaits(kind string) bool {
	if !k.loaded {
		return true
	}
	for _, one := range k.state.Awaits {
		if one == kind {
			return true
		}
	}
	return false
}

// over reports whether nothing is left to wait for: the customer walked away, or
// was refused for good, and nothing is due.
func (k *kycRun) over(quiet time.Duration) bool {
	if k.hints.Len() > 0 || k.decisionHandler.busy() {
		return false
	}
	if k.state.Wake > 0 && k.in.staysWhileVerified() {
		return false
	}
	return k.state.settled() || k.state.abandoned(quiet)
}

// abandoned reports whether the customer has not gone on for so long that polls
// are of no use.
func (s kycState) abandoned(quiet time.Duration) bool {
	return s.Status != kyc.KYCPending && !s.Missing && !s.Reset && quiet >= kycPatience
}

// patience is how long to wait for a sign: until the next poll, or what is due.
func (k *kycRun) patience(poll, quiet time.Duration) time.Duration {
	if k.state.Wake > 0 && k.in.staysWhileVerified() && (k.state.settled() || k.state.abandoned(quiet) || k.state.Wake < poll) {
		return k.state.Wake
	}
	return poll
}

// end answers whoever still waits.
func (k *kycRun) end(ctx workflow.Context) error {
	if k.decisionHandler.taken != nil {
		if err := k.refuse(ctx, NotAwaited); err != nil {
			return err
		}
	}
	return k.decisionHandler.close(ctx)
}

// outside runs a step at the provider. One that it refuses changes nothing: the
// next look comes.
func (k *kycRun) outside(ctx workflow.Context, summary string, step any, args ...any) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: CoreQueue, StartToCloseTimeout: 30 * time.Second, Summary: summary,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	var state activities.KYCState
	err := workflow.ExecuteActivity(ctx, step, args...).Get(ctx, &state)
	if err != nil && failureOf(err).final() {
		return nil
	}
	if err != nil {
		return err
	}
	k.state, k.loaded = kycState(state), true
	return nil
}

// row runs a step that only touches the customer's row.
func (k *kycRun) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var state activities.KYCState
	if err := runLocal(ctx, summary, &state, step, args...); err != nil {
		return err
	}
	k.state, k.loaded = kycState(state), true
	return nil
}

// sleep waits for a notice, a decision, or the time to look again; it takes all
// notices there are, and says which it was: the notice's reason, "decision",
// "due" or "poll".
func (k *kycRun) sleep(ctx workflow.Context, wait time.Duration) string {
	source := "poll"
	if k.state.Wake > 0 && wait == k.state.Wake && k.in.staysWhileVerified() {
		source = "due"
	}
	timed, stop := workflow.WithCancel(ctx)
	defer stop()
	timer := workflow.NewTimer(timed, wait)
	_ = workflow.Await(ctx, func() bool { return timer.IsReady() || k.hints.Len() > 0 || k.decisionHandler.busy() }) // nobody cancels it
	if k.decisionHandler.busy() {
		source = "decision"
	}
	for {
		var hook WebhookSignal
		if !k.hints.ReceiveAsync(&hook) {
			return source
		}
		if source = hook.Reason; source == "due" && k.state.Wake == 0 {
			source = "poll"
		}
	}
}
