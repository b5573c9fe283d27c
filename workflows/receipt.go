package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/order"
)

// Receipt books money whose arrival staff confirmed for an order that waits for none: it is over, or paid. It starts
// the workflow of an order that the money re-opens, and answers as the order's workflow does to a decision.
func Receipt(ctx workflow.Context, in activities.Decided) (Outcome, error) {
	var at order.OrderState
	err := runLocal(ctx, "Book the received money", &at, rows.ConfirmReceipt, in)
	if err != nil && !failureOf(err).final() {
		return Outcome{}, err
	}
	if err != nil {
		code := failureOf(err).code
		err = runLocal(ctx, "Note that the decision could not be carried out", &at, rows.RefuseDecision, activities.Stopped{OrderID: in.OrderID, DecisionID: in.DecisionID, Code: code})
		return Outcome{Status: string(at.Status), Code: code}, err
	}
	if !at.Closed {
		found := activities.FoundOrder{ID: at.ID, Summary: at.Summary, Status: string(at.Status), Asset: string(at.Asset), Rail: at.Rail}
		_ = startOrder(ctx, found).Get(ctx, nil) // running already is just as well
	}
	return Outcome{Status: string(at.Status), Code: Done}, nil
}
