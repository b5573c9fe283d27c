package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
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
