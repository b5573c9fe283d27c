package models_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// turn turns the switch of all deliveries.
func (d *orderFixture) turn(pause bool) {
	d.Helper()
	_, err := pricing.TurnSwitch(d.Context(), d.db, pricing.SwitchFulfilment, "", pause, store.Actor{ActorID: d.staff, ActorRole: "admin", Reason: "a test"})
	require.NoError(d, err)
}

// pausedAt pays an order and has a switch stop it at a status.
func (d *orderFixture) pausedAt(status order.OrderStatus) {
	d.Helper()
	d.pay()
	switch status {
	case order.StatusPaymentApproved:
		d.turn(true)
		d.do("fulfill")
	case order.StatusFulfilling:
		d.do("fulfill")
		d.turn(true)
		_, err := order.StartBuy(d.Context(), d.db, d.order.ID, 100, time.Minute)
		require.NoError(d, err)
	case order.StatusFilled:
		d.do("fulfill", "buy")
		d.turn(true)
		_, err := order.StartTransfer(d.Context(), d.db, d.order.ID, wideCaps)
		require.NoError(d, err)
	}
	require.Equal(d, casework.AttentionPaused, d.waits())
	require.Equal(d, status, d.now().Status)
}

// resumed reports whether the order is resumed now that the switch is back.
func (d *orderFixture) resumed() bool {
	d.Helper()
	state, err := order.ReadOrderState(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	due, err := order.Resumed(d.Context(), d.db, 10)
	require.NoError(d, err)
	require.Equal(d, state.GoesOn, slices.ContainsFunc(due, func(w store.Signal) bool { return w.Subject == d.order.ID }))
	require.NoError(d, order.GoOn(d.Context(), d.db, d.order.ID, 100, surplusTerms))
	went := d.waits() == ""
	require.Equal(d, state.GoesOn, went, "the workflow and its row agree, or it turns for ever")
	return went
}

// A switch that is turned back resumes no order with an open decision or a refund in progress.
func TestASwitchTurnedBackWaitsForWhatWasDecided(t *testing.T) {
	for _, status := range []order.OrderStatus{order.StatusPaymentApproved, order.StatusFulfilling, order.StatusFilled} {
		t.Run(string(status)+" decided", func(t *testing.T) {
			d := openOrderFixture(t)
			d.pausedAt(status)
			decision, err := d.decide(order.DecisionRefund, nil) // Temporal is unreachable: it is not executed yet
			require.NoError(t, err)
			d.turn(false)
			require.False(t, d.resumed())
			job, err := order.StartRefund(t.Context(), d.db, d.order.ID, decision)
			require.NoError(t, err)
			require.False(t, d.resumed(), "pending at Stripe, and Temporal came back empty")
			require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, job.Refund.Sequence, "re_1", order.RefundSucceeded, decision))
			require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
			d.balanced()
		})
		t.Run(string(status)+" left", func(t *testing.T) {
			d := openOrderFixture(t)
			d.pausedAt(status)
			decision, err := d.decide(order.DecisionRefund, nil)
			require.NoError(t, err)
			_, err = order.StartRefund(t.Context(), d.db, d.order.ID, decision)
			require.NoError(t, err)
			require.NoError(t, order.RefuseDecision(t.Context(), d.db, decision, "not_awaited")) // by a restarted run
			d.turn(false)
			require.False(t, d.resumed())
		})
		t.Run(string(status)+" proposed", func(t *testing.T) {
			d := openOrderFixture(t)
			d.pausedAt(status)
			p, err := order.Propose(t.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionRefund, ActorID: d.staff, ActorRole: "admin", Reason: "they ask"})
			require.NoError(t, err)
			d.turn(false)
			require.False(t, d.resumed())
			require.NoError(t, order.RejectProposal(t.Context(), d.db, order.ProposalAnswer{OrderID: d.order.ID, ID: p.ID, Kinds: []string{order.DecisionRefund}, ActorID: d.staff, ActorRole: "admin", Reason: "no"}))
			require.True(t, d.resumed())
		})
	}
}

// Trying again by the clock waits as well.
func TestTryingAgainWaitsForAProposal(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "fail buy")
	patience := order.Patience{Choice: time.Hour, TryFor: time.Hour, TryEvery: time.Minute, TryAtMost: time.Hour}
	require.NoError(t, order.OfferChoice(t.Context(), d.db, d.order.ID, patience))
	decision, err := order.OpenDecision(t.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: order.DecisionKeepTrying, ActorID: d.user})
	require.NoError(t, err)
	require.NoError(t, order.KeepTrying(t.Context(), d.db, d.order.ID, decision.ID, 100, patience))
	d.do("fail buy")
	_, err = order.Propose(t.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionRefund, ActorID: d.staff, ActorRole: "admin", Reason: "they ask"})
	require.NoError(t, err)
	d.exec(`UPDATE orders SET try_next_at = clock_now() WHERE id = $1`, d.order.ID)
	require.NoError(t, order.Expire(t.Context(), d.db, d.order.ID, 100, patience))
	require.Equal(t, order.StatusFailed, d.now().Status)
	require.True(t, d.now().TryNextAt.After(time.Now()), "looked at again later, not at once")
}

// Identity that is withdrawn stops each next step; what was begun is recorded.
func TestIdentityWithdrawnStopsTheCoinAtEachStep(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	identity := func(at string) {
		d.exec(`UPDATE kyc_records SET revoked_at = ` + at + ` WHERE user_id = '` + d.user + `'`)
	}
	stopped := func(status order.OrderStatus) {
		t.Helper()
		require.Equal(t, status, d.now().Status)
		require.Equal(t, casework.AttentionKYC, d.waits())
		require.Equal(t, []string{order.DecisionRetry, order.DecisionRefund}, d.choices())
		identity("NULL")
		d.do("retry")
		require.Empty(t, d.waits())
	}
	d.do("fulfill")
	identity("now()")
	buy, err := order.StartBuy(t.Context(), d.db, d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	require.True(t, buy.Done)
	stopped(order.StatusFulfilling)

	buy, err = order.StartBuy(t.Context(), d.db, d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	require.False(t, buy.Done)
	identity("now()") // begun: what it came to is recorded
	require.NoError(t, order.RecordFill(t.Context(), d.db, d.order.ID, 1, "O1"+d.order.ID, execution.Fill{Filled: buy.Order.Asked, Cost: money.FromInt(50_000), Fee: money.FromInt(1)}))
	require.Equal(t, order.StatusFilled, d.now().Status)
	send, err := order.StartTransfer(t.Context(), d.db, d.order.ID, wideCaps)
	require.NoError(t, err)
	require.True(t, send.Done)
	stopped(order.StatusFilled)

	send, err = order.StartTransfer(t.Context(), d.db, d.order.ID, wideCaps)
	require.NoError(t, err)
	require.False(t, send.Done)
	identity("now()") // sent? it left no trace: not sent again
	may, err := order.MaySend(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.False(t, may)
	stopped(order.StatusFilled)
	identity("now()")
	d.do("broadcast", "confirm")
	require.NotNil(t, d.now().ClosedAt)
	d.balanced()
}
