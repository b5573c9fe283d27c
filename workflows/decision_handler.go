package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// acceptedDecision is a decision of a person that the workflow accepted and has not answered.
type acceptedDecision struct{ kind, id string }

// decisionHandler accepts people's decisions, one at a time, as Updates whose id is the
// decision's row. The workflow that owns it waits until pending is set, executes the
// decision, and answers.
type decisionHandler struct {
	// awaits reports whether the workflow waits for this kind, by its own state.
	awaits   func(kind string) bool
	pending  *acceptedDecision
	outcomes map[string]Outcome // by decision id
}

// openDecisionHandler registers an Update for each kind of decision.
func openDecisionHandler(ctx workflow.Context, awaits func(kind string) bool, kinds ...string) (*decisionHandler, error) {
	d := &decisionHandler{awaits: awaits, outcomes: map[string]Outcome{}}
	for _, kind := range kinds {
		err := workflow.SetUpdateHandlerWithOptions(ctx, kind,
			func(ctx workflow.Context, decision Decision) (Outcome, error) { return d.accept(ctx, kind, decision) },
			workflow.UpdateHandlerOptions{Validator: func(decision Decision) error { return d.validate(kind, decision) }, Description: "A person's decision: " + kind})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// validate is the validator of every decision. It reads the workflow's own state only:
// the row may be newer, and the step that executes the decision checks it.
func (d *decisionHandler) validate(kind string, decision Decision) error {
	switch {
	case decision.ID == "":
		return temporal.NewNonRetryableApplicationError("a decision needs an id", NotAwaited, nil)
	case d.pending != nil || !d.awaits(kind):
		return temporal.NewNonRetryableApplicationError("this decision is not waited for now", NotAwaited, nil)
	}
	return nil
}

// accept hands a decision to the workflow and waits for its answer.
func (d *decisionHandler) accept(ctx workflow.Context, kind string, decision Decision) (Outcome, error) {
	d.pending = &acceptedDecision{kind, decision.ID}
	err := workflow.Await(ctx, func() bool { _, answered := d.outcomes[decision.ID]; return answered })
	return d.outcomes[decision.ID], err
}

// answer ends a decision: with Done, or with the reason why it was not executed. Status
// is the case's status afterwards.
func (d *decisionHandler) answer(decision *acceptedDecision, status, code string) {
	d.outcomes[decision.id] = Outcome{Status: status, Code: code}
	if d.pending != nil && d.pending.id == decision.id {
		d.pending = nil
	}
}

// tooLong reports whether the history has grown so long that the workflow should
// continue in a new run. A pending decision is answered first.
func (d *decisionHandler) tooLong(ctx workflow.Context) bool {
	return d.pending == nil && workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
}

// drain waits until every accepted Update has returned its answer.
func (d *decisionHandler) drain(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// onSignal calls fn for every signal of a name, for as long as the workflow runs.
func onSignal(ctx workflow.Context, name string, fn func(WebhookSignal)) {
	workflow.GoNamed(ctx, "receive "+name, func(ctx workflow.Context) {
		for channel := workflow.GetSignalChannel(ctx, name); ; {
			var signal WebhookSignal
			channel.Receive(ctx, &signal)
			fn(signal)
		}
	})
}
