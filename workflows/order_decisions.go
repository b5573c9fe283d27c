package workflows

import (
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
)

// listen makes the workflow hear decisions and webhook signals.
func (o *orderRun) listen(ctx workflow.Context) error {
	for _, kind := range Decisions {
		err := workflow.SetUpdateHandlerWithOptions(ctx, kind,
			func(ctx workflow.Context, d Decision) (Outcome, error) { return o.take(ctx, kind, d) },
			workflow.UpdateHandlerOptions{Validator: func(d Decision) error { return o.accepts(kind, d) }, Description: "A person's decision: " + kind})
		if err != nil {
			return err
		}
	}
	o.hear(ctx, PaymentChanged, func(h WebhookSignal) { o.paymentNews = o.paymentNews || o.tellsMore(h) })
	o.hear(ctx, TransferChanged, func(WebhookSignal) { o.transferNews = true })
	o.hear(ctx, OrderChanged, func(WebhookSignal) { o.rowNews = true })
	return nil
}

func (o *orderRun) hear(ctx workflow.Context, signal string, heard func(WebhookSignal)) {
	workflow.GoNamed(ctx, "hear "+signal, func(ctx workflow.Context) {
		channel := workflow.GetSignalChannel(ctx, signal)
		for {
			var hook WebhookSignal
			channel.Receive(ctx, &hook)
			heard(hook)
		}
	})
}

// tellsMore reports whether a webhook signal can be news: that the card was authorised is
// none once we know it.
func (o *orderRun) tellsMore(h WebhookSignal) bool {
	return !o.at.Authorised || h.Reason != "payment_intent.amount_capturable_updated" && h.Reason != "payment_intent.payment_failed"
}

// accepts is the validator of every decision. It looks at the workflow's own
// state only: one decision at a time, and of a kind that is waited for. While a
// step runs, the row may already be further than the workflow knows: a decision
// is then accepted, and looked at when the step is over.
func (o *orderRun) accepts(kind string, d Decision) error {
	switch {
	case d.ID == "":
		return temporal.NewNonRetryableApplicationError("a decision needs an id", NotAwaited, nil)
	case o.taken != nil || o.awaited != nil && !slices.Contains(o.awaited, kind):
		return temporal.NewNonRetryableApplicationError("the order does not wait for this decision now", NotAwaited, nil)
	}
	return nil
}

// take hands an accepted decision to the workflow and waits for its answer.
func (o *orderRun) take(ctx workflow.Context, kind string, d Decision) (Outcome, error) {
	o.taken = &taken{kind, d.ID}
	err := workflow.Await(ctx, func() bool { _, answered := o.outcomes[d.ID]; return answered })
	return o.outcomes[d.ID], err
}

// await stands still until a person decides one of kinds, news comes, or limit
// has passed; zero is no limit. It returns the decision, or nil.
func (o *orderRun) await(ctx workflow.Context, limit time.Duration, news func() bool, kinds ...string) (*taken, error) {
	o.awaited = kinds
	defer func() { o.awaited = nil }()
	woken := func() bool { return o.taken != nil || news() }
	if err := rest(ctx, limit, "Look again, should no news come", woken); err != nil || o.taken == nil {
		return nil, err
	}
	if !slices.Contains(kinds, o.taken.kind) {
		return nil, o.refuse(ctx, o.taken, NotAwaited) // it was accepted during a step, or before the row was read
	}
	return o.taken, nil
}

// answer tells the person what became of the decision.
func (o *orderRun) answer(t *taken, code string) {
	o.outcomes[t.id] = Outcome{Status: string(o.at.Status), Code: code}
	if o.taken != nil && o.taken.id == t.id {
		o.taken = nil
	}
}

// refuse settles a decision that could not be carried out.
func (o *orderRun) refuse(ctx workflow.Context, t *taken, code string) error {
	err := o.row(ctx, "Note that the decision could not be carried out", rows.RefuseDecision, activities.Stopped{OrderID: o.id, DecisionID: t.id, Code: code})
	o.answer(t, code)
	return err
}

// refuseTaken answers a decision that was accepted when there was nothing left
// to decide.
func (o *orderRun) refuseTaken(ctx workflow.Context) {
	if o.taken == nil {
		return
	}
	if err := o.refuse(ctx, o.taken, NotAwaited); err != nil {
		workflow.GetLogger(ctx).Warn("a late decision was not settled", "error", err)
	}
}

// settle carries out a decision that only touches the row, and answers it.
func (o *orderRun) settle(ctx workflow.Context, t *taken, summary string, step any) error {
	err := o.row(ctx, summary, step, activities.Decided{OrderID: o.id, DecisionID: t.id})
	return o.settled(ctx, t, err)
}

// settled answers a decision after its step: done, or waiting for a person for
// the reason on the row, or refused with the step's code.
func (o *orderRun) settled(ctx workflow.Context, t *taken, err error) error {
	if err != nil {
		if f := failureOf(err); f.final() {
			return o.refuse(ctx, t, f.code)
		}
		return err
	}
	code := Done
	if o.at.Waits {
		code = o.at.Attention
	}
	o.answer(t, code)
	return nil
}

// stopped is a step that did not succeed within its budget. Definitely not
// done: the order fails at that step. Perhaps done, or nobody could note it: a
// person is asked. Not allowed by the row: it is read again, and a person asked
// when that says nothing new.
func (o *orderRun) stopped(ctx workflow.Context, step, unsure string, err error) error {
	if temporal.IsCanceledError(err) || errors.Is(err, workflow.ErrCanceled) {
		return err
	}
	f := failureOf(err)
	switch f.class {
	case activities.Unknown, activities.NotYet, activities.Storage:
		return o.askPerson(ctx, unsure)
	case activities.Conflict:
		before := o.at.Status
		if err := o.read(ctx); err != nil || o.at.Status != before {
			return err
		}
		return o.askPerson(ctx, attentionInternal)
	}
	return o.row(ctx, "Note that the step failed", rows.FailStep, activities.Stopped{OrderID: o.id, Step: step, Code: f.code})
}

// askPerson marks the order as waiting for a person.
func (o *orderRun) askPerson(ctx workflow.Context, reason string) error {
	return o.row(ctx, "Ask a person: "+reason, rows.AskPerson, activities.Stopped{OrderID: o.id, Code: reason})
}
