package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
)

// stand waits for a person to say how an order goes on that stands still: staff
// by one of kinds, or its customer by one of the choices they were given. The
// clock ends the wait when it asks something of the choice; its deadline is in
// the row, the timer only signals.
//
// It answers the decision of staff, or nil when the order is further already.
func (o *orderRun) stand(ctx workflow.Context, kinds ...string) (*acceptedDecision, error) {
	switch {
	case o.at.Default != "":
		return nil, o.refund(ctx, &acceptedDecision{RefundNow, o.at.Default})
	case o.at.AskCustomer:
		return nil, o.row(ctx, "Ask the customer: keep trying, or refund?", rows.OfferChoice, o.id)
	}
	o.paymentNews = false
	decision, err := o.await(ctx, o.nextExpiry(ctx), func() bool { return o.rowNews || o.at.LooksIn != 0 && o.paymentNews }, append(kinds, o.at.Choices...)...)
	switch {
	case err != nil || o.at.Closed:
		return nil, err
	case decision == nil && o.rowNews:
		return nil, o.reload(ctx)
	case decision == nil && o.at.LooksIn != 0:
		return nil, o.row(ctx, "See what the clock asks of the customer's choice", rows.Lapse, o.id)
	case decision == nil || !slices.Contains(o.at.Choices, decision.kind):
		return decision, nil
	}
	return nil, o.choose(ctx, decision)
}

// choose carries out what the customer chose.
func (o *orderRun) choose(ctx workflow.Context, t *acceptedDecision) error {
	switch t.kind {
	case RefundNow:
		return o.refund(ctx, t)
	case Requote:
		return o.settle(ctx, t, "Give the order the price that the customer accepted", rows.Requote)
	case KeepOrder:
		return o.settle(ctx, t, "Take the order's price out of what came", rows.KeepOrder)
	}
	err := o.row(ctx, "Keep trying, as the customer wants", rows.KeepTrying, activities.Decided{OrderID: o.id, DecisionID: t.id})
	if err != nil {
		return o.settled(ctx, t, err)
	}
	o.resolve(t, Done) // also while what stopped the order still does
	return nil
}

// nextExpiry is how long until the clock asks something; zero is never.
func (o *orderRun) nextExpiry(ctx workflow.Context) time.Duration {
	if o.at.LooksIn == 0 {
		return 0
	}
	return max(o.left(ctx, o.at.LooksIn), 0) + pastDeadline
}

// reload reads the row again, because something beside this workflow changed it.
func (o *orderRun) reload(ctx workflow.Context) error {
	o.rowNews = false
	return o.read(ctx)
}
