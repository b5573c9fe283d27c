package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
)

const attentionInternal = casework.AttentionInternal

// pastDeadline is how long after a deadline it is acted on, so that the row's
// clock has passed it too.
const pastDeadline = time.Second

// takeCard executes the next step of a card payment: create the page, wait, read its state,
// execute a decision, or end it at the deadline.
func (o *orderRun) takeCard(ctx workflow.Context) error {
	late := !o.at.Authorised && o.left(ctx, o.at.DueIn) <= 0
	switch {
	case late && o.at.Attention != attentionInternal:
		return o.expire(ctx)
	case !o.at.Authorised && !o.at.PageOpen && !o.at.Waits:
		return o.openPage(ctx)
	case o.expiresSoon(ctx):
		o.warned = true
		return o.row(ctx, "Warn staff: the hold on the card ends soon", rows.WarnOfLapse, o.id)
	}
	decision, err := o.await(ctx, o.nextPoll(ctx), func() bool { return o.paymentNews }, o.cardDecisions()...)
	switch {
	case err != nil || o.at.Closed:
		return err
	case decision == nil:
		return o.readPayment(ctx)
	case decision.kind == Process:
		return o.capture(ctx, decision)
	case decision.kind == Decline:
		return o.endPayment(ctx, order.ResolutionDeclined, decision)
	case decision.kind == Retry:
		return o.settle(ctx, decision, "Try to make the payment page again", rows.RetryStep)
	}
	return o.endPayment(ctx, order.ResolutionCancelled, decision)
}

// expire ends an order that was not paid in time, unless its row is authorised or no longer
// pending.
func (o *orderRun) expire(ctx workflow.Context) error {
	if o.rowKnowsPaymentFirst() {
		if err := o.read(ctx); err != nil || o.at.Authorised || o.at.Status != order.StatusPending {
			return err
		}
	}
	return o.endPayment(ctx, order.ResolutionExpired, nil)
}

func (o *orderRun) cardDecisions() []string {
	switch {
	case o.at.Waits && !o.at.Authorised:
		return []string{Retry, Cancel}
	case o.at.Authorised || o.rowKnowsPaymentFirst():
		return []string{Process, Decline, Cancel}
	}
	return []string{Cancel}
}

// nextPoll is how long to wait for a signal before the next poll: until the deadline, or
// the expiry of the card's hold, at most.
func (o *orderRun) nextPoll(ctx workflow.Context) time.Duration {
	poll, deadline := o.timing.PaymentPoll, o.left(ctx, o.at.DueIn)
	if o.at.Authorised {
		poll, deadline = o.timing.AuthorisedPoll, o.left(ctx, o.at.LapsesIn)
		if o.timing.LapseWarning > 0 && !o.warned && deadline > o.timing.LapseWarning {
			deadline -= o.timing.LapseWarning
		}
	}
	if deadline <= 0 {
		return poll
	}
	return min(poll, deadline+pastDeadline)
}

// expiresSoon reports, once a run, that the hold on the card ends within the
// warning. Orders that were begun before there was one have none.
func (o *orderRun) expiresSoon(ctx workflow.Context) bool {
	return o.timing.LapseWarning > 0 && o.at.Authorised && !o.warned && o.at.LapsesIn > 0 && o.left(ctx, o.at.LapsesIn) <= o.timing.LapseWarning
}

// openPage creates the payment page. The customer may cancel meanwhile; any other decision
// by then is about an existing page, and is executed next.
func (o *orderRun) openPage(ctx workflow.Context) error {
	budget := max(o.left(ctx, o.at.DueIn), time.Minute)
	making, stop := workflow.WithCancel(outside(ctx, o.timing, PaymentsQueue, budget, "Make the card payment page"))
	page := workflow.ExecuteActivity(making, payments.CreateCheckout, o.id)
	kinds := []string{Cancel}
	if o.rowKnowsPaymentFirst() {
		kinds = append(kinds, Process, Decline)
	}
	decision, err := o.await(ctx, 0, page.IsReady, kinds...)
	if err != nil {
		return err
	}
	if decision != nil && decision.kind == Cancel {
		stop()
		return o.endPayment(ctx, order.ResolutionCancelled, decision)
	}
	err = o.finish(ctx, page)
	if err != nil && !temporal.IsCanceledError(err) {
		return o.askPerson(ctx, order.AttentionCheckout, err)
	}
	return err
}

// readPayment reads the payment at Stripe. When Stripe does not answer, the next read
// follows by itself.
func (o *orderRun) readPayment(ctx workflow.Context) error {
	o.paymentNews = false
	if o.rowKnowsPaymentFirst() && !o.at.Authorised {
		if err := o.read(ctx); err != nil || o.at.Authorised || o.at.Status != order.StatusPending {
			return err
		}
	}
	reading := outside(ctx, o.timing, PaymentsQueue, o.timing.CallTimeout, "Read the card payment")
	err := o.call(reading, payments.ReadPayment, o.id)
	if err != nil && !temporal.IsCanceledError(err) {
		workflow.GetLogger(ctx).Info("the payment could not be read", "code", failureOf(err).code)
		o.readAt, o.at.DueIn, o.at.LapsesIn = workflow.Now(ctx), o.left(ctx, o.at.DueIn), o.left(ctx, o.at.LapsesIn)
		return nil
	}
	return err
}

// capture captures the authorised money. Refused: the order stays decidable, under a new
// identity. Unknown: the next Process looks it up first.
func (o *orderRun) capture(ctx workflow.Context, t *acceptedDecision) error {
	taking := outside(ctx, o.timing, PaymentsQueue, o.timing.CaptureBudget, "Capture the authorised card payment")
	err := o.call(taking, payments.Capture, activities.Decided{OrderID: o.id, DecisionID: t.id})
	code := Done
	switch f := failureOf(err); {
	case err == nil && o.at.Closed:
		code = "authorisation_expired"
	case err == nil:
	case temporal.IsCanceledError(err):
		return err
	case f.class == activities.Refused:
		code = f.code
		err = o.row(ctx, "Note that the capture was refused", rows.CaptureRefused, activities.Stopped{OrderID: o.id, DecisionID: t.id, Code: f.code})
	case f.class == activities.Conflict:
		return o.refuse(ctx, t, f.code)
	default:
		code = "unknown"
		err = o.row(ctx, "Note that nobody knows whether it was captured", rows.CaptureUnknown, activities.Decided{OrderID: o.id, DecisionID: t.id})
	}
	o.resolve(t, code)
	return err
}

// endPayment ends an unpaid order: the page is closed and a hold released first, so that it
// cannot be paid any more.
func (o *orderRun) endPayment(ctx workflow.Context, how order.Resolution, t *acceptedDecision) error {
	ending := activities.Ending{OrderID: o.id, How: how}
	if t != nil {
		ending.DecisionID = t.id
	}
	closing := outside(ctx, o.timing, PaymentsQueue, o.timing.CaptureBudget, "Close the payment page and release the card")
	err := o.call(closing, payments.EndPayment, ending)
	switch {
	case temporal.IsCanceledError(err):
		return err
	case t != nil && err == nil:
		o.resolve(t, endCode(o.at))
		return nil
	case t != nil && failureOf(err).final():
		return o.refuse(ctx, t, failureOf(err).code)
	case err != nil && t != nil:
		err = o.row(ctx, "Ask a person: the payment could not be closed", rows.AskPerson, activities.Stopped{OrderID: o.id, DecisionID: t.id, Code: attentionInternal})
		o.resolve(t, attentionInternal)
		return err
	case err != nil:
		return o.askPerson(ctx, attentionInternal, err)
	}
	return nil
}

// endCode answers the request to end the order.
func endCode(at order.OrderState) string {
	if at.Closed {
		return Done
	}
	return "order_state"
}

// takeTransfer waits for money by a rail without a card: staff confirm or reject it, the
// customer cancels, or the deadline passes.
func (o *orderRun) takeTransfer(ctx workflow.Context) error {
	if o.at.MoneyWaits {
		return o.awaitRecoveryDecision(ctx)
	}
	left := o.left(ctx, o.at.DueIn)
	if left <= 0 {
		return o.row(ctx, "End the order: nothing was received in time", rows.EndUnpaid, activities.Ending{OrderID: o.id, How: order.ResolutionExpired})
	}
	o.paymentNews = false
	decision, err := o.await(ctx, left+pastDeadline, func() bool { return o.paymentNews }, ConfirmReceipt, Reject, Cancel)
	switch {
	case err != nil || o.at.Closed:
		return err
	case decision == nil:
		return o.read(ctx)
	case decision.kind == ConfirmReceipt:
		return o.receive(ctx, decision)
	}
	how := order.ResolutionCancelled
	if decision.kind == Reject {
		how = order.ResolutionDeclined
	}
	err = o.row(ctx, "End the order without payment", rows.EndUnpaid, activities.Ending{OrderID: o.id, How: how, DecisionID: decision.id})
	return o.settled(ctx, decision, err)
}

// receive books money that arrived. An amount that does not fit the order is booked too,
// and the customer chooses next.
func (o *orderRun) receive(ctx workflow.Context, t *acceptedDecision) error {
	err := o.row(ctx, "Book the received money", rows.ConfirmReceipt, activities.Decided{OrderID: o.id, DecisionID: t.id})
	if err != nil {
		return o.settled(ctx, t, err)
	}
	o.resolve(t, Done)
	return nil
}
