package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// waitsForPrice is a paid order that is not fulfilled because its price rose too far.
func (d *orderFixture) waitsForPrice() {
	d.Helper()
	d.pay()
	d.price("52500")
	d.do("fulfill")
	require.Equal(d, casework.AttentionPrice, *d.now().AttentionReason)
	require.NoError(d, order.OfferChoice(d.Context(), d.db, d.order.ID, patience))
}

// An order on hold is fulfilled neither by its customer's choice to wait for the price nor by the automatic retry.
func TestAnOrderOnHoldIsNotFulfilledByItsCustomersChoice(t *testing.T) {
	d := openOrderFixture(t)
	keep := func() error {
		return d.chooses(order.DecisionKeepTrying, nil, func(id string) error { return order.KeepTrying(t.Context(), d.db, d.order.ID, id, 100, patience) })
	}
	d.waitsForPrice()
	d.do("hold")
	d.price("50000")
	require.NoError(t, keep())
	require.Equal(t, order.StatusPaymentApproved, d.now().Status, "the customer's word")

	d.exec(`UPDATE orders SET try_next_at = clock_now() - interval '1 second' WHERE id = $1`, d.order.ID)
	require.NoError(t, order.Expire(t.Context(), d.db, d.order.ID, 100, patience))
	o := d.now()
	require.Equal(t, order.StatusPaymentApproved, o.Status, "the clock's")
	require.True(t, o.Held)
	require.True(t, o.TryNextAt.After(time.Now()), "and it is looked at again")

	d.do("resume")
	d.exec(`UPDATE orders SET try_next_at = clock_now() - interval '1 second' WHERE id = $1`, d.order.ID)
	require.NoError(t, order.Expire(t.Context(), d.db, d.order.ID, 100, patience))
	require.Equal(t, order.StatusFulfilling, d.now().Status, "taken back, it goes on")
	d.balanced()
}

// A customer who does not answer gets their money back, also when staff are deciding
// just then, or a part is on its way back, and nothing comes of it.
func TestBar18TheDefaultOfAChoiceWaitsForADecisionInProgress(t *testing.T) {
	d := openOrderFixture(t)
	expire := func() { // its workflow reads the row after each step
		d.exec(`UPDATE orders SET choice_due_at = clock_now() - interval '1 second' WHERE id = $1 AND choice_due_at IS NOT NULL`, d.order.ID)
		require.NoError(t, order.Expire(t.Context(), d.db, d.order.ID, 100, patience))
	}
	d.waitsForPrice()
	hold, err := d.decide(order.DecisionHold, nil)
	require.NoError(t, err)
	expire()
	state, err := order.ReadOrderState(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.Empty(t, state.Default, "staff decide")
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, hold, "not_awaited"))

	expire()
	state, err = order.ReadOrderState(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.NotEmpty(t, state.Default, "nothing came of it")

	d.waitsForPrice()
	_, err = d.part(500)
	require.NoError(t, err)
	expire()
	require.Equal(t, order.AttentionRefundBlocked, *d.now().AttentionReason, "all that is left is known once that one has ended")
}

// A default that another change preceded is refused as it is executed. The customer has their choice again, with a
// new deadline, or the order would be stuck.
func TestADefaultThatIsRefusedIsAskedAnew(t *testing.T) {
	d := openOrderFixture(t)
	d.waitsForPrice()
	state := func() order.OrderState {
		t.Helper()
		state, err := order.ReadOrderState(t.Context(), d.db, d.order.ID)
		require.NoError(t, err)
		return state
	}
	expire := func() string {
		d.exec(`UPDATE orders SET choice_due_at = clock_now() - interval '1 second' WHERE id = $1 AND choice_due_at IS NOT NULL`, d.order.ID)
		require.NoError(t, order.Expire(t.Context(), d.db, d.order.ID, 100, patience))
		return state().Default
	}
	decision := expire()
	require.NotEmpty(t, decision)
	row, err := d.part(500)
	require.NoError(t, err, "a gesture, a moment before")
	_, err = order.StartRefund(t.Context(), d.db, d.order.ID, decision)
	require.Equal(t, "refund_open", store.ReasonOf(err))
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, decision, "refund_open"))

	require.True(t, state().AskCustomer, "they still have the choice, and are told so")
	require.NoError(t, order.OfferChoice(t.Context(), d.db, d.order.ID, patience))
	require.WithinDuration(t, time.Now().Add(patience.Choice), *d.now().ChoiceDueAt, time.Minute)
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, decision, "refund_open"), "told twice")
	require.NotNil(t, d.now().ChoiceDueAt, "they are not asked a third time")
	require.Equal(t, []string{order.DecisionKeepTrying, order.DecisionRefundNow}, state().Choices)

	require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, row.Sequence, "re_part", order.RefundSucceeded, ""))
	decision = expire()
	_, err = order.StartRefund(t.Context(), d.db, d.order.ID, decision)
	require.NoError(t, err, "what is left goes back")
}

// Keep trying is about the step that failed: once that step has succeeded, no timer tries a later one.
func TestKeepTryingEndsWithItsStep(t *testing.T) {
	d := openOrderFixture(t)
	d.keepsTrying("fulfill", "fail buy")
	require.NotNil(t, d.now().KeptUntil)
	require.Empty(t, d.overdue(), "its step is in progress")
	d.do("buy")
	require.Equal(t, order.StatusFilled, d.now().Status)
	require.Nil(t, d.now().KeptUntil)
	require.Nil(t, d.now().TryNextAt)

	d.do("start transfer", "reject")
	d.staysRejected(1)
	d.balanced()
}

// Custody's approver rejected the transfer: only staff ask for it again, no timer.
func TestRejectedTransferIsNotTriedAgain(t *testing.T) {
	d := openOrderFixture(t)
	d.keepsTrying("fulfill", "buy", "fail send")
	d.do("start transfer", "reject")
	d.staysRejected(1)
	d.exec(`UPDATE orders SET kept_from = clock_now(), kept_until = clock_now() + interval '1 day'
		WHERE id = $1`, d.order.ID) // of an earlier release
	d.staysRejected(1)
	d.do("retry", "start transfer")
	require.Len(t, d.transfers(), 2, "a person decides")
	d.balanced()
}

// keepsTrying is a paid order after some steps, which failed and whose customer chose to keep trying.
func (d *orderFixture) keepsTrying(steps ...string) {
	d.Helper()
	d.pay()
	d.do(steps...)
	require.NoError(d, order.OfferChoice(d.Context(), d.db, d.order.ID, patience))
	require.NoError(d, d.chooses(order.DecisionKeepTrying, nil, func(id string) error {
		return order.KeepTrying(d.Context(), d.db, d.order.ID, id, 100, patience)
	}))
}

// staysRejected lets all timers of the order expire: so many transfers were asked for, and no more are.
func (d *orderFixture) staysRejected(sends int) {
	d.Helper()
	d.exec(`UPDATE orders SET try_next_at = clock_now() - interval '1 hour'
		WHERE id = $1 AND kept_until IS NOT NULL`, d.order.ID)
	require.NoError(d, order.Expire(d.Context(), d.db, d.order.ID, 100, patience))
	_, err := order.StartTransfer(d.Context(), d.db, d.order.ID, execution.Caps{Order: 100_000, Day: 1_000_000_000})
	require.NoError(d, err)
	o := d.now()
	require.Equal(d, order.StatusFailed, o.Status)
	require.Equal(d, "transfer_rejected", *o.FulfillmentCode)
	require.Len(d, d.transfers(), sends)
	require.Nil(d, o.KeptUntil)
	require.Empty(d, d.overdue())
	state, err := order.ReadOrderState(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	require.True(d, state.AskCustomer, "they choose at once")
	require.Equal(d, []string{order.DecisionRefundNow}, state.Choices)
}

func (d *orderFixture) transfers() []execution.Withdrawal {
	d.Helper()
	rows, err := execution.OrderWithdrawals(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	return rows
}

// overdue are the orders that a sweep would signal, long after every timer.
func (d *orderFixture) overdue() []store.Signal {
	d.Helper()
	found, err := order.Overdue(d.Context(), d.db, -48*time.Hour, 10)
	require.NoError(d, err)
	return found
}
