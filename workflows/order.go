package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
)

// Order executes one order from its row, whatever its status, to its end: sent and
// confirmed, or failed with a resolution. The code reads from top to bottom as a successful
// order proceeds.
func Order(ctx workflow.Context, in OrderInput) error {
	o := &orderRun{id: in.OrderID, in: in}
	if err := o.listen(ctx); err != nil {
		return err
	}
	if err := o.load(ctx); err != nil {
		return err
	}
	for !o.at.Closed {
		if err := o.step(ctx); err != nil {
			return err
		}
		if !o.at.Closed && o.tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, OrderType, in)
		}
	}
	o.refusePending(ctx)
	return o.drain(ctx)
}

// step executes the step of the order's status.
func (o *orderRun) step(ctx workflow.Context) error {
	if o.at.GoesOn {
		return o.row(ctx, "Go on: what was paused is resumed", rows.GoOn, o.id)
	}
	switch o.at.Status {
	case order.StatusPending:
		if o.at.Rail == pricing.MethodCard {
			return o.takeCard(ctx)
		}
		return o.takeTransfer(ctx)
	case order.StatusPaymentApproved:
		return o.prepare(ctx)
	case order.StatusFulfilling:
		return o.buy(ctx)
	case order.StatusFilled:
		return o.send(ctx)
	case order.StatusSent:
		return o.confirm(ctx)
	}
	return o.awaitRecoveryDecision(ctx)
}

// The activities, by the process that executes them. Only their names are used.
var (
	rows     *activities.Orders
	payments *activities.Payments
	exchange *activities.Exchange
	custody  *activities.Custody
)

// orderRun is one run: its state of the row, and the Updates and signals that it accepts.
type orderRun struct {
	id      string
	in      OrderInput
	at      order.OrderState
	readAt  time.Time // workflow time of at
	since   time.Time // workflow time since when it is at its status
	timing  activities.Timing
	release int    // of the worker that began this run (versions.go)
	shown   string // status in the search attribute
	// waits is the reason in the search attribute, and named is that the reference is there.
	waits string
	named bool

	*decisionHandler
	awaited []string // kinds of decisions it waits for; nil while a step runs

	warned       bool // staff were notified that the card's hold ends soon
	paymentNews  bool // the card processor sent a webhook
	transferNews bool // the custodian did
	rowNews      bool // the row was changed beside this workflow
}

func (o *orderRun) load(ctx workflow.Context) error {
	known := workflow.GetTypedSearchAttributes(ctx)
	o.shown, _ = known.GetKeyword(StatusAttribute)
	o.waits, _ = known.GetKeyword(AttentionAttribute)
	_, o.named = known.GetKeyword(ReferenceAttribute)
	var loaded activities.Loaded
	if err := runLocal(ctx, "Read the order", &loaded, rows.Load, o.id); err != nil {
		return err
	}
	o.timing, o.release = loaded.Timing, loaded.Release
	return o.enter(ctx, loaded.State)
}

// read reads the order's current state.
func (o *orderRun) read(ctx workflow.Context) error {
	var loaded activities.Loaded
	if err := runLocal(ctx, "Read the order again", &loaded, rows.Load, o.id); err != nil {
		return err
	}
	return o.enter(ctx, loaded.State)
}

// enter stores the order's state and shows it to operators.
func (o *orderRun) enter(ctx workflow.Context, at order.OrderState) error {
	o.measure(ctx, at)
	o.at, o.readAt = at, workflow.Now(ctx)
	workflow.SetCurrentDetails(ctx, describe(at))
	changed := append(o.statusChanged(), o.attentionChanged()...)
	if len(changed) == 0 {
		return nil
	}
	return workflow.UpsertTypedSearchAttributes(ctx, changed...)
}

// statusChanged is what the status changes in the search attributes.
func (o *orderRun) statusChanged() []temporal.SearchAttributeUpdate {
	first := o.shown == "" || o.in.showsPassingStates()
	if o.shown == string(o.at.Status) || o.passing() && !first {
		return nil
	}
	o.shown = string(o.at.Status)
	if !first {
		return []temporal.SearchAttributeUpdate{StatusAttribute.ValueSet(o.shown)}
	}
	return []temporal.SearchAttributeUpdate{StatusAttribute.ValueSet(o.shown),
		AssetAttribute.ValueSet(string(o.at.Asset)), RailAttribute.ValueSet(o.at.Rail)}
}

// attentionChanged is what the reference, once, and what the order waits for change in them.
func (o *orderRun) attentionChanged() (changed []temporal.SearchAttributeUpdate) {
	if !o.showsAttention() {
		return nil
	}
	if !o.named && o.at.Reference != "" {
		o.named = true
		changed = append(changed, ReferenceAttribute.ValueSet(o.at.Reference))
	}
	if o.waits == o.at.Attention {
		return changed
	}
	if o.waits = o.at.Attention; o.waits == "" {
		return append(changed, AttentionAttribute.ValueUnset())
	}
	return append(changed, AttentionAttribute.ValueSet(o.waits))
}

// measure times how long the order stood at the status it leaves, as far as this
// workflow saw. A measurement is no event of the history.
func (o *orderRun) measure(ctx workflow.Context, at order.OrderState) {
	if at.Status == o.at.Status {
		return
	}
	now := workflow.Now(ctx)
	if o.at.Status != "" {
		workflow.GetMetricsHandler(ctx).WithTags(map[string]string{"status": string(o.at.Status), "rail": o.at.Rail}).Timer("order_in_state").Record(now.Sub(o.since))
	}
	o.since = now
}

// passing reports whether the order stays at its status no longer than the next step runs:
// being bought, or bought and about to be sent.
func (o *orderRun) passing() bool {
	bought := o.at.Status == order.StatusFilled && !o.at.TransferOn || o.rowKnowsPaymentFirst() && o.at.Status == order.StatusFulfilling
	return bought && !o.at.Waits
}

// left is how long until a deadline that was in d from when the row was read.
func (o *orderRun) left(ctx workflow.Context, d time.Duration) time.Duration {
	return d - workflow.Now(ctx).Sub(o.readAt)
}

// row runs a step that only touches the order's row.
func (o *orderRun) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at order.OrderState
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	return o.enter(ctx, at)
}

// call runs a step that leaves the platform, with the options in ctx.
func (o *orderRun) call(ctx workflow.Context, step any, args ...any) error {
	return o.finish(ctx, workflow.ExecuteActivity(ctx, step, args...))
}

func (o *orderRun) finish(ctx workflow.Context, step workflow.Future) error {
	var at order.OrderState
	if err := step.Get(ctx, &at); err != nil {
		return err
	}
	return o.enter(ctx, at)
}

// describe states in plain words what the order is waiting for, for the Temporal web UI.
func describe(at order.OrderState) string {
	doing := map[order.OrderStatus]string{
		order.StatusPending:         "waiting for the payment, or for an admin once a card is authorised",
		order.StatusPaymentApproved: "paid; waiting for an admin to press Fulfill",
		order.StatusFulfilling:      "buying coin on the exchange",
		order.StatusFilled:          "sending coin to the customer",
		order.StatusSent:            "sent; waiting for the network's confirmation",
		order.StatusFailed:          "failed at step " + at.FailedStep + "; waiting for an admin to retry or refund",
	}[at.Status]
	switch {
	case at.Resolution != "":
		doing = "ended: " + at.Resolution
	case at.Closed:
		doing = "sent and confirmed"
	case at.Attention == casework.AttentionPaused:
		doing = "paused by a kill switch; goes on by itself"
	case at.Waits:
		doing = "waiting for a person: " + at.Attention
	case at.Held:
		doing = "on hold"
	case at.Authorised && at.Status == order.StatusPending:
		doing = "card authorised; waiting for an admin to press Process or Decline"
	}
	return at.Summary + "\n\n" + doing
}
