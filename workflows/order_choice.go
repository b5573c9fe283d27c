package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
)

// awaitDecisionOrTimer waits for the decision how a stopped order continues: of staff, by one of kinds, or
// of its customer, by one of the offered choices. A due reminder or expiry of the choice
// ends the wait; its deadline is in the row, and the timer only signals.
//
// It returns the decision of staff, or nil when the order has already changed.
func (o *orderRun) awaitDecisionOrTimer(ctx workflow.Context, kinds ...string) (*acceptedDecision, error) {
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

// choose executes what the customer chose.
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

// nextExpiry is how long until the choice's next reminder or expiry; zero is never.
func (o *orderRun) nextExpiry(ctx workflow.Context) time.Duration {
	if o.at.LooksIn == 0 {
		return 0
	}
	return max(o.left(ctx, o.at.LooksIn), 0) + pastDeadline
}

// reload reads the row again, because it changed beside this workflow.
func (o *orderRun) reload(ctx workflow.Context) error {
	o.rowNews = false
	return o.read(ctx)
}
