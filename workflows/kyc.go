package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/kyc"
)

// A review is read at once when a webhook reports a change; polls find the changes whose
// webhooks were lost.
const (
	kycFirstPoll = 15 * time.Second
	kycLastPoll  = 15 * time.Minute
	// kycPatience is how long after the customer's last activity a review that is not in
	// the provider's hands is polled.
	kycPatience = time.Hour
	// kycLooks bounds one run's history; a longer watch continues in a new run.
	kycPolls = 200
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

// KYC executes a customer's verification from the moment they open the widget: it watches
// the review until its decision, executes the decisions of staff, and while a level is in
// force waits for the day on which it ends. What the provider revokes later arrives by its
// webhook.
func KYC(ctx workflow.Context, in KYCInput) error {
	run, err := openCase(ctx, &kycFlow, in.customer())
	if err != nil {
		return err
	}
	k := &kycRun{caseRun: run, in: in, hints: workflow.GetSignalChannel(ctx, ApplicantChanged)}
	source, quiet, wait := "start", time.Duration(0), kycFirstPoll
	for polls := 0; polls < kycPolls; polls++ {
		if err := k.step(ctx, source); err != nil {
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
	if k.pending != nil {
		if err := k.decidePending(ctx); err != nil {
			return err
		}
	}
	if err := k.drain(ctx); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, KYC, KYCInput{ID: k.id})
}

type kycRun struct {
	*caseRun[kycState]
	in    KYCInput
	hints workflow.ReceiveChannel
}

var kycFlow = caseFlow[kycState]{
	kind: KYCType, signal: CaseChanged, kinds: kyc.KYCDecisionKinds,
	view:   func(at kycState) caseView { return caseView{status: at.Status} },
	awaits: func(at kycState, kind string) bool { return slices.Contains(at.Awaits, kind) },
	decided: func(id, decisionID, code string) any {
		return activities.KYCDecided{UserID: id, DecisionID: decisionID, Code: code}
	},
	refuse: kycActivities.RefuseKYCDecision,
}

// kycState adds the workflow's own names to the activities' result.
type kycState activities.KYCState

// settled: approved, or refused for good. Any other state may change at any moment through
// the customer.
func (s kycState) settled() bool {
	return (s.Status == kyc.KYCApproved || s.Status == kyc.KYCRejected && !s.CanRetry) && !s.Missing && !s.Reset
}

// step executes the next step: a decision of staff, what is due, a reset at the provider,
// or else a read of the review.
func (k *kycRun) step(ctx workflow.Context, source string) error {
	k.signalled = false
	if k.pending != nil {
		again := k.pending.kind == kyc.KYCRelease // what was held back may be granted now
		if err := k.decidePending(ctx); err != nil {
			return err
		}
		source = "decision"
		if !again && !k.at.Reset {
			return nil
		}
	}
	if err := k.read(ctx, source); err != nil || !k.at.Reset {
		return err
	}
	return k.outside(ctx, "Have the provider ask from the beginning", kycActivities.ResetKYC, k.id)
}

// read sees to what is due, or reads the review.
func (k *kycRun) read(ctx workflow.Context, source string) error {
	if source == "due" {
		return k.row(ctx, "See to what is due", kycActivities.DueKYC, k.id)
	}
	return k.outside(ctx, "Read the identity review", kycActivities.Review, k.id, source)
}

// decidePending executes the pending decision, whose kind the row checks.
func (k *kycRun) decidePending(ctx workflow.Context) error {
	return k.execute(ctx, caseStep{"Carry out a decision: " + k.pending.kind, kycActivities.DecideKYC})
}

// over reports whether nothing is left to wait for: the customer abandoned it, or was
// refused for good, and no step is due.
func (k *kycRun) over(quiet time.Duration) bool {
	if k.hints.Len() > 0 || k.busy() {
		return false
	}
	if k.at.Wake > 0 && k.in.staysWhileVerified() {
		return false
	}
	return k.at.settled() || k.at.abandoned(quiet)
}

// abandoned reports whether the customer has been inactive for so long that polls are
// useless.
func (s kycState) abandoned(quiet time.Duration) bool {
	return s.Status != kyc.KYCPending && !s.Missing && !s.Reset && quiet >= kycPatience
}

// patience is how long to wait for a sign: until the next poll, or what is due.
func (k *kycRun) patience(poll, quiet time.Duration) time.Duration {
	if k.at.Wake > 0 && k.in.staysWhileVerified() && (k.at.settled() || k.at.abandoned(quiet) || k.at.Wake < poll) {
		return k.at.Wake
	}
	return poll
}

// outside runs a step at the provider. One that it refuses changes nothing: the next read
// follows.
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
	k.enter(ctx, kycState(state))
	return nil
}

// sleep waits for a webhook, a decision, or the time of the next read; it consumes all
// pending signals, and returns which it was: the webhook's reason, "decision", "due" or
// "poll".
func (k *kycRun) sleep(ctx workflow.Context, wait time.Duration) string {
	source := "poll"
	if k.at.Wake > 0 && wait == k.at.Wake && k.in.staysWhileVerified() {
		source = "due"
	}
	timed, stop := workflow.WithCancel(ctx)
	defer stop()
	timer := workflow.NewTimer(timed, wait)
	_ = workflow.Await(ctx, func() bool { return timer.IsReady() || k.hints.Len() > 0 || k.busy() }) // it is never cancelled
	if k.busy() {
		source = "decision"
	}
	for {
		var hook WebhookSignal
		if !k.hints.ReceiveAsync(&hook) {
			return source
		}
		if source = hook.Reason; source == "due" && k.at.Wake == 0 {
			source = "poll"
		}
	}
}
