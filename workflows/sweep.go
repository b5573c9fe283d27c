package workflows

import (
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/voucher"
)

var sweeper *activities.Sweep

// Sweep finds, every few seconds, what no workflow handles: it starts the workflows of
// orders that have none, resends decisions that no workflow received, and signals orders
// that missed a webhook or a deadline.
func Sweep(ctx workflow.Context) error {
	var found activities.Found
	if err := runLocal(ctx, "Look for what was left behind", &found, sweeper.Find); err != nil {
		return err
	}
	starting := startOrders(ctx, found)
	starting = append(starting, startReviews(ctx, found)...)
	starting = append(starting, startMoney(ctx, found)...)
	starting = append(starting, startCards(ctx, found)...)
	starting = append(starting, startCases(ctx, found)...)
	for _, start := range starting {
		_ = start.Get(ctx, nil) // running already is just as well
	}
	for _, part := range found.Answers {
		signal(ctx, DisputeID(part), DisputeChanged, "answer")
	}
	deliverLate(ctx, found)
	return nil
}

// deliverLate handles what is overdue.
func deliverLate(ctx workflow.Context, found activities.Found) {
	for _, late := range []struct {
		due     int
		step    any
		summary string
	}{
		{found.Ended, sweeper.Keep, "Keep the histories of orders that have ended"},
		{found.CardDecisions, sweeper.DeliverCards, "Resend decisions about gift cards that nobody received"},
		{found.MatterDecisions, sweeper.DeliverMatters, "Resend decisions about other matters that nobody received"},
		{found.Decisions, sweeper.Deliver, "Resend decisions that nobody received"},
	} {
		if late.due > 0 {
			once(ctx, late.summary, late.step)
		}
	}
}

// once tries a step of the sweep. Its failure is no failure of the sweep: the next one
// follows soon, and tries again. The heartbeats show early that its worker died: until
// then no sweep follows.
func once(ctx workflow.Context, summary string, step any) {
	trying := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: CoreQueue, StartToCloseTimeout: time.Minute, HeartbeatTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1}, Summary: summary,
	})
	_ = workflow.ExecuteActivity(trying, step).Get(ctx, nil)
}

// startOrders starts the orders that have no workflow, and signals those that missed a
// webhook.
func startOrders(ctx workflow.Context, found activities.Found) []workflow.Future {
	var starting []workflow.Future
	for _, order := range found.Strays {
		starting = append(starting, startOrder(ctx, order))
	}
	for _, next := range found.Payments {
		signal(ctx, OrderID(next.ID), PaymentChanged, next.Reason)
	}
	for _, next := range found.Transfers {
		signal(ctx, OrderID(next.ID), TransferChanged, next.Reason)
	}
	for _, next := range found.Resumed {
		signal(ctx, OrderID(next.ID), OrderChanged, next.Reason)
	}
	return starting
}

// startOrder starts the workflow of an order from its row.
func startOrder(ctx workflow.Context, order activities.FoundOrder) workflow.Future {
	return startAbandoned(ctx, OrderType, OrderID(order.ID), order.Summary, attributesOf(order), OrderInput{OrderID: order.ID, Release: Release})
}

// startReviews starts and signals verifications of identity.
func startReviews(ctx workflow.Context, found activities.Found) []workflow.Future {
	var starting []workflow.Future
	for _, next := range found.Reviews {
		starting = append(starting, startAbandoned(ctx, KYCType, KYCID(next.ID), "Identity verification", temporal.SearchAttributes{}, KYCInput{ID: next.ID}))
		signal(ctx, KYCID(next.ID), ApplicantChanged, next.Reason)
	}
	return starting
}

// startCards starts gift cards, and signals those whose deadline passed unheard.
func startCards(ctx workflow.Context, found activities.Found) []workflow.Future {
	var starting []workflow.Future
	for _, card := range found.Cards {
		starting = append(starting, startAbandoned(ctx, GiftCardType, GiftCardID(card.ID), card.Summary, temporal.SearchAttributes{}, CardInput{CardID: card.ID}))
	}
	for _, card := range found.LateCards {
		signal(ctx, GiftCardID(card.ID), CardChanged, "deadline")
	}
	return starting
}

// startCases starts and signals redemptions, payouts, referrals and moves of coin.
func startCases(ctx workflow.Context, found activities.Found) []workflow.Future {
	var starting []workflow.Future
	for _, caseKind := range found.Matters {
		starting = append(starting, startAbandoned(ctx, CaseType(caseKind.Matter), CaseID(caseKind.Matter, caseKind.ID), string(caseKind.Matter), temporal.SearchAttributes{}, CaseInput{ID: caseKind.ID}))
		signal(ctx, CaseID(caseKind.Matter, caseKind.ID), CaseChanged, caseKind.Reason)
	}
	for _, next := range found.RevivedVouchers {
		signal(ctx, CaseID(voucher.KindVoucher, next.ID), CaseChanged, next.Reason)
	}
	for _, move := range found.Moves {
		starting = append(starting, startAbandoned(ctx, TreasuryMoveType, TreasuryMoveID(move.ID), move.Summary, temporal.SearchAttributes{}, CaseInput{ID: move.ID}))
		signal(ctx, TreasuryMoveID(move.ID), CaseChanged, "swept")
	}
	return starting
}

// startMoney starts the workflows that follow captured money.
func startMoney(ctx workflow.Context, found activities.Found) []workflow.Future {
	var starting []workflow.Future
	for _, part := range found.Refunds {
		starting = append(starting, startAbandoned(ctx, RefundType, RefundID(part), "A refund", temporal.SearchAttributes{}, part))
	}
	for _, part := range found.Disputes {
		starting = append(starting, startAbandoned(ctx, DisputeType, DisputeID(part), "A dispute of a card payment", temporal.SearchAttributes{}, part))
	}
	for _, next := range found.Money {
		starting = append(starting, startAbandoned(ctx, PaymentType, PaymentID(next.ID), "What became of a card payment", temporal.SearchAttributes{}, OrderInput{OrderID: next.ID}))
	}
	if found.PollMoney {
		starting = append(starting, startAbandoned(ctx, MoneyPollType, MoneyPollID, "Look for refunds and disputes that no notice told of", temporal.SearchAttributes{}, nil))
	}
	return starting
}

// startAbandoned starts a workflow that outlives the sweep. The future is ready
// when it runs, or was running.
func startAbandoned(ctx workflow.Context, kind, id, summary string, attributes temporal.SearchAttributes, in any) workflow.Future {
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:            id,
		TaskQueue:             CoreQueue,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: attributes,
		StaticSummary:         summary,
	})
	return workflow.ExecuteChildWorkflow(child, kind, in).GetChildWorkflowExecution()
}

func attributesOf(order activities.FoundOrder) temporal.SearchAttributes {
	known := []temporal.SearchAttributeUpdate{
		StatusAttribute.ValueSet(order.Status), AssetAttribute.ValueSet(order.Asset), RailAttribute.ValueSet(order.Rail)}
	if order.Reference != "" {
		known = append(known, ReferenceAttribute.ValueSet(order.Reference))
	}
	return temporal.NewSearchAttributes(known...)
}

// signal signals a workflow; one that does not run has nothing to be signalled for.
func signal(ctx workflow.Context, id, name, reason string) {
	_ = workflow.SignalExternalWorkflow(ctx, id, "", name, WebhookSignal{Reason: reason}).Get(ctx, nil)
}
