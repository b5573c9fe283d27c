package workflows

import (
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
)

// listen accepts decisions and webhook signals. While a step runs, the row may already be
// ahead of the workflow's state: a decision is then accepted, and checked when the step is
// over.
func (o *orderRun) listen(ctx workflow.Context) (err error) {
	o.decisionHandler, err = openDecisionHandler(ctx, func(kind string) bool { return o.awaited == nil || slices.Contains(o.awaited, kind) }, Decisions...)
	if err != nil {
		return err
	}
	onSignal(ctx, PaymentChanged, func(s WebhookSignal) { o.paymentNews = o.paymentNews || o.isNews(s) })
	onSignal(ctx, TransferChanged, func(WebhookSignal) { o.transferNews = true })
	onSignal(ctx, OrderChanged, func(WebhookSignal) { o.rowNews = true })
	return nil
}

// isNews reports whether a webhook signal can announce a change: that the card was
// authorised is none once it is recorded.
func (o *orderRun) isNews(h WebhookSignal) bool {
	return !o.at.Authorised || h.Reason != "payment_intent.amount_capturable_updated" && h.Reason != "payment_intent.payment_failed"
}

// await waits for a decision of one of kinds, a signal that announces a change, or limit;
// zero is no limit. It returns the decision, or nil.
func (o *orderRun) await(ctx workflow.Context, limit time.Duration, news func() bool, kinds ...string) (*acceptedDecision, error) {
	o.awaited = kinds
	defer func() { o.awaited = nil }()
	signalled := func() bool { return o.pending != nil || news() }
	if err := rest(ctx, limit, "Look again, should no news come", signalled); err != nil || o.pending == nil {
		return nil, err
	}
	if !slices.Contains(kinds, o.pending.kind) {
		return nil, o.refuse(ctx, o.pending, NotAwaited) // it was accepted during a step, or before the row was read
	}
	return o.pending, nil
}

// resolve answers a decision with the status that the order has now.
func (o *orderRun) resolve(decision *acceptedDecision, code string) {
	o.answer(decision, string(o.at.Status), code)
}

// refuse answers a decision that could not be executed.
func (o *orderRun) refuse(ctx workflow.Context, t *acceptedDecision, code string) error {
	err := o.row(ctx, "Note that the decision could not be carried out", rows.RefuseDecision, activities.Stopped{OrderID: o.id, DecisionID: t.id, Code: code})
	o.resolve(t, code)
	return err
}

// refusePending answers a decision that was accepted when there was nothing left
// to decide.
func (o *orderRun) refusePending(ctx workflow.Context) {
	if o.pending == nil {
		return
	}
	if err := o.refuse(ctx, o.pending, NotAwaited); err != nil {
		workflow.GetLogger(ctx).Warn("a late decision was not settled", "error", err)
	}
}

// settle executes a decision that only touches the row, and answers it.
func (o *orderRun) settle(ctx workflow.Context, t *acceptedDecision, summary string, step any) error {
	err := o.row(ctx, summary, step, activities.Decided{OrderID: o.id, DecisionID: t.id})
	return o.settled(ctx, t, err)
}

// settled answers a decision after its step: done, or waiting for staff for the reason on
// the row, or refused with the step's code.
func (o *orderRun) settled(ctx workflow.Context, t *acceptedDecision, err error) error {
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
	o.resolve(t, code)
	return nil
}

// stopped handles a step that did not succeed within its budget. Definitely not done: the
// order fails at that step; perhaps done, or not recorded: staff decide; not allowed by the
// row: it is read again, and staff decide when its state is the same.
func (o *orderRun) stopped(ctx workflow.Context, step, unsure string, err error) error {
	if temporal.IsCanceledError(err) || errors.Is(err, workflow.ErrCanceled) {
		return err
	}
	f := failureOf(err)
	switch f.class {
	case activities.Unknown, activities.NotYet, activities.Storage:
		return o.askPerson(ctx, unsure, err)
	case activities.Conflict:
		before := o.at.Status
		if failed := o.read(ctx); failed != nil || o.at.Status != before {
			return failed
		}
		return o.askPerson(ctx, attentionInternal, err)
	}
	return o.row(ctx, "Note that the step failed", rows.FailStep,
		activities.Stopped{OrderID: o.id, Step: step, Code: f.code, Stop: stopOf(ctx, err)})
}

// askPerson marks the order as waiting for staff, because of a step's error.
func (o *orderRun) askPerson(ctx workflow.Context, reason string, err error) error {
	return o.row(ctx, "Ask a person: "+reason, rows.AskPerson,
		activities.Stopped{OrderID: o.id, Code: reason, Stop: stopOf(ctx, err)})
}
