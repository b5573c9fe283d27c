package workflows

import (
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/order"
)

var money *activities.Money

// GiveBack executes one refund that does not end its order, a part of the money or any of
// it after the coin was sent, from its row to its end: completed, or refused and seen by
// staff. One whose outcome stays unknown for longer than its budget is resumed by the
// sweep, under the same identity.
func GiveBack(ctx workflow.Context, in activities.PartRef) error {
	var loaded activities.RefundLoaded
	if err := runLocal(ctx, "Read the refund", &loaded, rows.LoadRefund, in); err != nil {
		return err
	}
	giving := outside(ctx, loaded.Timing, PaymentsQueue, loaded.Timing.RefundBudget, "Refund the card payment")
	err := workflow.ExecuteActivity(giving, payments.GiveBack, in).Get(ctx, nil)
	if temporal.IsCanceledError(err) {
		return err
	}
	if err != nil {
		workflow.GetLogger(ctx).Info("the refund did not go through", "code", failureOf(err).code)
		if !failureOf(err).final() { // otherwise its row has the reason, and staff decide
			if err := runLocal(ctx, "Ask a person: the refund takes too long", nil, rows.RefundStuck, in); err != nil {
				return err
			}
		}
	}
	if signalsItsOrder(ctx) {
		signal(ctx, OrderID(in.OrderID), OrderChanged, "refund")
	}
	return nil
}

// Dispute follows one dispute of a card payment to its end at the bank, however many weeks
// that lasts, and sends the answer of staff.
func Dispute(ctx workflow.Context, in activities.PartRef) error {
	var loaded activities.DisputeLoaded
	if err := runLocal(ctx, "Read the dispute", &loaded, rows.LoadDispute, in); err != nil {
		return err
	}
	at, hooks := loaded.State, workflow.GetSignalChannel(ctx, DisputeChanged)
	for at.Open {
		if err := readDispute(ctx, loaded.Timing, in, &at); err != nil {
			return err
		}
		if !at.Open || at.Answer {
			continue // answered during the read
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && hooks.Len() == 0 {
			return workflow.NewContinueAsNewError(ctx, DisputeType, in)
		}
		waiting := workflow.NewSelector(ctx)
		tick, stop := workflow.WithCancel(ctx)
		waiting.AddReceive(hooks, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil) })
		waiting.AddFuture(workflow.NewTimerWithOptions(tick, loaded.Timing.DisputePoll, workflow.TimerOptions{Summary: "Look again, should no news come"}), func(workflow.Future) {})
		waiting.Select(ctx)
		stop()
		for hooks.ReceiveAsync(nil) {
		}
		if err := runLocal(ctx, "Read the dispute again", &loaded, rows.LoadDispute, in); err != nil {
			return err
		}
		at = loaded.State
	}
	signal(ctx, OrderID(in.OrderID), OrderChanged, "dispute")
	return nil
}

// readDispute sends a pending answer, or reads the dispute again. When Stripe does not
// answer in time, the next read follows by itself.
func readDispute(ctx workflow.Context, t activities.Timing, in activities.PartRef, at *order.DisputeState) error {
	step, summary := any(money.FollowDispute), "Read the dispute at the card processor"
	if at.Answer {
		step, summary = money.AnswerDispute, "Answer the dispute at the card processor"
	}
	now := *at
	err := workflow.ExecuteActivity(outside(ctx, t, PaymentsQueue, t.CaptureBudget, summary), step, in).Get(ctx, &now)
	if temporal.IsCanceledError(err) {
		return err
	}
	if err != nil {
		workflow.GetLogger(ctx).Info("the dispute could not be reached", "code", failureOf(err).code)
		at.Answer = false // not again at once
		return nil
	}
	*at = now
	return nil
}

// Payment reads the later course of an order's captured payment: refunds made at Stripe
// itself, and disputes. It starts the workflows of open disputes, and signals the order's
// to read its row again.
func Payment(ctx workflow.Context, in OrderInput) error {
	var timing activities.Timing
	if err := runLocal(ctx, "Read the waits and budgets", &timing, rows.LoadTiming); err != nil {
		return err
	}
	hooks := workflow.GetSignalChannel(ctx, PaymentChanged)
	for {
		for hooks.ReceiveAsync(nil) {
		}
		reading := outside(ctx, timing, PaymentsQueue, timing.CaptureBudget, "Read refunds and disputes at the card processor")
		var read activities.MoneyReading
		err := workflow.ExecuteActivity(reading, money.ReadMoney, in.OrderID).Get(ctx, &read)
		if unanswered(err) {
			workflow.GetLogger(ctx).Info("the money of a payment could not be read", "code", failureOf(err).code)
			return nil // the sweep restarts it while a webhook waits, the poll otherwise
		}
		if err != nil {
			return err
		}
		if read.Unread {
			workflow.GetLogger(ctx).Info("a refund or dispute of a payment could not be read")
		}
		for _, sequence := range read.Open {
			part := activities.PartRef{OrderID: in.OrderID, Sequence: sequence}
			started := startAbandoned(ctx, DisputeType, DisputeID(part), "A dispute of a card payment", temporal.SearchAttributes{}, part)
			if started.Get(ctx, nil) != nil { // it runs already
				signal(ctx, DisputeID(part), DisputeChanged, "notice")
			}
		}
		signal(ctx, OrderID(in.OrderID), OrderChanged, "money")
		if hooks.Len() == 0 {
			return nil
		}
	}
}

// unanswered reports whether a reading failed because a provider or the database did not
// answer within its budget.
func unanswered(err error) bool {
	away := []activities.Class{activities.Retry, activities.Unknown, activities.Storage}
	return err != nil && !temporal.IsCanceledError(err) && slices.Contains(away, failureOf(err).class)
}

// MoneyPoll regularly reads the newest refunds and disputes at Stripe, for webhooks that
// were lost.
func MoneyPoll(ctx workflow.Context) error {
	var timing activities.Timing
	if err := runLocal(ctx, "Read the waits and budgets", &timing, rows.LoadTiming); err != nil {
		return err
	}
	var orders []string
	reading := outside(ctx, timing, PaymentsQueue, timing.CallTimeout, "Read the newest refunds and disputes at the card processor")
	if err := workflow.ExecuteActivity(reading, money.FindMoney).Get(ctx, &orders); err != nil {
		return err
	}
	var starting []workflow.Future
	for _, id := range orders {
		starting = append(starting, startAbandoned(ctx, PaymentType, PaymentID(id), "What became of a card payment", temporal.SearchAttributes{}, OrderInput{OrderID: id}))
	}
	for _, start := range starting {
		_ = start.Get(ctx, nil) // running already is just as well
	}
	return nil
}
