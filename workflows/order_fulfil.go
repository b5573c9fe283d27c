package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
)

// prepare waits for the decision Fulfill on a paid order, and reserves coin of the wallet
// float for it when all conditions still hold.
func (o *orderRun) prepare(ctx workflow.Context) error {
	kinds := []string{Fulfill, Hold, Refund}
	switch {
	case o.at.Held:
		kinds = []string{Resume, Refund}
	case o.at.Waits:
		kinds = []string{Retry, Fulfill, Hold, Refund} // the row may no longer wait, and is authoritative
	}
	decision, err := o.awaitDecisionOrTimer(ctx, kinds...)
	if err != nil || decision == nil {
		return err
	}
	switch decision.kind {
	case Hold:
		return o.settle(ctx, decision, "Put the order on hold", rows.Hold)
	case Resume:
		return o.settle(ctx, decision, "Take the hold back", rows.Resume)
	case Refund:
		return o.refund(ctx, decision)
	}
	return o.settle(ctx, decision, "Check again and reserve coin", rows.Reserve)
}

// buy buys the coin on the exchange.
func (o *orderRun) buy(ctx workflow.Context) error {
	if o.at.Waits {
		return o.awaitRecoveryDecision(ctx)
	}
	buying := searching(ctx, o.timing, ExchangeQueue, o.timing.BuyBudget, "Buy the coin at the exchange")
	if err := o.call(buying, exchange.Buy, o.id); err != nil {
		return o.stopped(ctx, execution.StepBuy, casework.AttentionBuyUnknown, err)
	}
	return nil
}

// send sends the coin, and follows the transfer until the network has it.
func (o *orderRun) send(ctx workflow.Context) error {
	if o.at.Waits {
		return o.awaitRecoveryDecision(ctx)
	}
	if o.at.TransferOn {
		return o.follow(ctx, "Follow the transfer until the network has it", casework.AttentionSendUnknown)
	}
	sending := searching(ctx, o.timing, CustodyQueue, o.timing.SendBudget, "Have the custodian send the coin")
	err := o.call(sending, custody.Send, o.id)
	if err == nil {
		return nil
	}
	if f := failureOf(err); f.class == activities.Refused && f.code == "invalid_address" {
		return o.askPerson(ctx, casework.AttentionAddress, err)
	}
	return o.stopped(ctx, execution.StepSend, casework.AttentionSendUnknown, err)
}

// confirm follows the transfer until the network has confirmed it. One that vanished from
// the network is followed as well: it may reappear.
func (o *orderRun) confirm(ctx workflow.Context) error {
	switch {
	case o.at.Watched:
		return o.follow(ctx, "See whether the transfer comes right by itself", o.at.Attention)
	case o.at.Waits:
		return o.awaitRecoveryDecision(ctx)
	}
	return o.follow(ctx, "Wait for the network's confirmation", casework.AttentionUnconfirmed)
}

// eager is the number of first waits whose polls of a transfer are frequent, for workflows
// that do not wait for the custodian.
const eager = 10

// follow waits for the custodian's webhook about the transfer, and reads it once; after a
// silence it polls until the state changes. A webhook restarts the polls once they have
// become rare.
func (o *orderRun) follow(ctx workflow.Context, summary, unsure string) error {
	kinds := []string{TransferDead} // the row may contain a removal that this read has yet to return
	if o.at.Watched {
		kinds = append(kinds, Retry)
	}
	gap, rareAfter, notified := o.timing.FollowFirst, eager*o.timing.FollowFirst, false
	if awaitsCustodian(o.release) {
		gap, rareAfter = unasked(o.timing), 0
		decision, err := o.await(ctx, gap, func() bool { return o.transferNews }, kinds...)
		if err != nil || decision != nil {
			return o.again(ctx, decision, err)
		}
		notified = o.transferNews
	}
	looking, stop := workflow.WithCancel(following(ctx, o.timing, gap, notified, summary))
	polled := workflow.ExecuteActivity(looking, custody.Follow, o.id, notified)
	began := workflow.Now(ctx)
	o.transferNews = false
	decision, err := o.await(ctx, 0, func() bool {
		if !notified { // a signal meanwhile is seen by this read, if it reads once, or by the next
			o.transferNews = o.transferNews && workflow.Now(ctx).Sub(began) > rareAfter
		}
		return polled.IsReady() || o.transferNews && !notified
	}, kinds...)
	switch {
	case err == nil && decision == nil && polled.IsReady():
		if err = o.finish(ctx, polled); err != nil {
			err = o.stopped(ctx, execution.StepSend, unsure, err)
		}
		return err
	case err == nil:
		stop()
	}
	return o.again(ctx, decision, err)
}

// again executes a decision made while the transfer was followed.
func (o *orderRun) again(ctx workflow.Context, decision *acceptedDecision, err error) error {
	if err != nil || decision == nil {
		return err
	}
	if decision.kind == TransferDead {
		return o.declareDead(ctx, decision)
	}
	return o.settle(ctx, decision, "Go on from the step that stopped", rows.RetryStep)
}

// awaitRecoveryDecision waits for the decision how a failed or waiting order continues.
func (o *orderRun) awaitRecoveryDecision(ctx workflow.Context) error {
	decision, err := o.awaitDecisionOrTimer(ctx, o.recoveries()...)
	if err != nil || decision == nil {
		return err
	}
	switch decision.kind {
	case Refund:
		return o.refund(ctx, decision)
	case AmendAddress:
		return o.settle(ctx, decision, "Send to another address", rows.AmendAddress)
	case ConfirmReceipt:
		return o.receive(ctx, decision)
	case TransferDead:
		return o.declareDead(ctx, decision)
	case MarkSent:
		return o.settle(ctx, decision, "Book it as sent, on evidence", rows.MarkSent)
	}
	return o.settle(ctx, decision, "Go on from the step that stopped", rows.RetryStep)
}

// recoveries are the decisions that lead on from where the order stopped; the row is
// authoritative, and checks again.
func (o *orderRun) recoveries() []string {
	switch {
	case o.at.MoneyWaits:
		return []string{ConfirmReceipt, Refund}
	case o.at.Status == order.StatusSent:
		return []string{Retry, TransferDead}
	case o.at.Status == order.StatusFilled || o.at.FailedStep == execution.StepSend:
		return []string{Retry, AmendAddress, MarkSent, TransferDead, Refund}
	}
	return []string{Retry, Refund}
}

// custodySilent is why a transfer is not called dead: custody could not be reached.
const custodySilent = "custody_silent"

// declareDead ends a transfer that two members of staff declared dead, after one more
// lookup at the custodian.
func (o *orderRun) declareDead(ctx workflow.Context, t *acceptedDecision) error {
	looking := outside(ctx, o.timing, CustodyQueue, o.timing.CaptureBudget, "See whether the custodian still calls the transfer removed, and end it")
	err := o.call(looking, custody.DeclareDead, activities.Decided{OrderID: o.id, DecisionID: t.id})
	switch {
	case err == nil || failureOf(err).class == activities.Conflict:
		return o.settled(ctx, t, err)
	case temporal.IsCanceledError(err):
		return err
	}
	return o.refuse(ctx, t, custodySilent)
}

// refund refunds the money: to its card, or to the customer's balance.
func (o *orderRun) refund(ctx workflow.Context, t *acceptedDecision) error {
	if o.at.Rail != pricing.MethodCard {
		return o.settle(ctx, t, "Refund to the customer's balance", rows.RefundToBalance)
	}
	giving := outside(ctx, o.timing, PaymentsQueue, o.timing.RefundBudget, "Refund the card payment")
	err := o.call(giving, payments.Refund, activities.Decided{OrderID: o.id, DecisionID: t.id})
	f := failureOf(err)
	if err == nil || f.class == activities.Conflict {
		return o.settled(ctx, t, err)
	}
	if temporal.IsCanceledError(err) {
		return err
	}
	err = o.row(ctx, "Ask a person: the refund did not go through", rows.AskPerson, activities.Stopped{OrderID: o.id, DecisionID: t.id, Code: order.AttentionRefundFailed})
	code := order.AttentionRefundFailed
	if o.at.Attention == order.AttentionRefundPending {
		code = o.at.Attention
	}
	o.resolve(t, code)
	return err
}
