package models_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// turn turns the switch of all deliveries.
func (d *desk) turn(pause bool) {
	d.Helper()
	_, err := d.db.TurnSwitch(d.Context(), models.SwitchFulfilment, "", pause, models.By{ActorID: d.staff, ActorRole: "admin", Reason: "a test"})
	require.NoError(d, err)
}

// pausedAt pays an order and has a switch stop it at a status.
func (d *desk) pausedAt(status models.OrderStatus) {
	d.Helper()
	d.pay()
	switch status {
	case models.StatusPaymentApproved:
		d.turn(true)
		d.do("fulfill")
	case models.StatusFulfilling:
		d.do("fulfill")
		d.turn(true)
		_, err := d.db.StartBuy(d.Context(), d.order.ID, 100, time.Minute)
		require.NoError(d, err)
	case models.StatusFilled:
		d.do("fulfill", "buy")
		d.turn(true)
		_, err := d.db.StartTransfer(d.Context(), d.order.ID, wideCaps)
		require.NoError(d, err)
	}
	require.Equal(d, models.AttentionPaused, d.waits())
	require.Equal(d, status, d.now().Status)
}

// taken reports whether the order is taken up again now that the switch is back.
func (d *desk) taken() bool {
	d.Helper()
	state, err := d.db.OrderState(d.Context(), d.order.ID)
	require.NoError(d, err)
	wakes, err := d.db.Resumed(d.Context(), 10)
	require.NoError(d, err)
	require.Equal(d, state.GoesOn, slices.ContainsFunc(wakes, func(w models.Wake) bool { return w.Subject == d.order.ID }))
	require.NoError(d, d.db.GoOn(d.Context(), d.order.ID, 100))
	went := d.waits() == ""
	require.Equal(d, state.GoesOn, went, "the workflow and its row agree, or it turns for ever")
	return went
}

// A switch that is turned back takes no order up about which somebody has decided, or
// whose money is on its way back.
func TestASwitchTurnedBackWaitsForWhatWasDecided(t *testing.T) {
	for _, status := range []models.OrderStatus{models.StatusPaymentApproved, models.StatusFulfilling, models.StatusFilled} {
		t.Run(string(status)+" decided", func(t *testing.T) {
			d := openDesk(t)
			d.pausedAt(status)
			decision, err := d.decide(models.DecisionRefund, nil) // Temporal is away: nobody carries it out yet
			require.NoError(t, err)
			d.turn(false)
			require.False(t, d.taken())
			job, err := d.db.StartRefund(t.Context(), d.order.ID, decision)
			require.NoError(t, err)
			require.False(t, d.taken(), "pending at Stripe, and Temporal came back empty")
			require.NoError(t, d.db.RecordRefund(t.Context(), d.order.ID, job.Refund.Sequence, "re_1", models.RefundSucceeded, decision))
			require.Equal(t, models.ResolutionRefunded, *d.now().Resolution)
			d.balanced()
		})
		t.Run(string(status)+" left", func(t *testing.T) {
			d := openDesk(t)
			d.pausedAt(status)
			decision, err := d.decide(models.DecisionRefund, nil)
			require.NoError(t, err)
			_, err = d.db.StartRefund(t.Context(), d.order.ID, decision)
			require.NoError(t, err)
			require.NoError(t, d.db.RefuseDecision(t.Context(), decision, "not_awaited")) // by a run that began anew
			d.turn(false)
			require.False(t, d.taken())
		})
		t.Run(string(status)+" proposed", func(t *testing.T) {
			d := openDesk(t)
			d.pausedAt(status)
			p, err := d.db.Propose(t.Context(), models.NewProposal{OrderID: d.order.ID, Kind: models.DecisionRefund, ActorID: d.staff, ActorRole: "admin", Reason: "they ask"})
			require.NoError(t, err)
			d.turn(false)
			require.False(t, d.taken())
			require.NoError(t, d.db.RejectProposal(t.Context(), models.ProposalAnswer{OrderID: d.order.ID, ID: p.ID, Kinds: []string{models.DecisionRefund}, ActorID: d.staff, ActorRole: "admin", Reason: "no"}))
			require.True(t, d.taken())
		})
	}
}

// Trying again by the clock waits as well.
func TestTryingAgainWaitsForAProposal(t *testing.T) {
	d := openDesk(t)
	d.pay()
	d.do("fulfill", "fail buy")
	patience := models.Patience{Choice: time.Hour, TryFor: time.Hour, TryEvery: time.Minute, TryAtMost: time.Hour}
	require.NoError(t, d.db.OfferChoice(t.Context(), d.order.ID, patience))
	decision, err := d.db.OpenDecision(t.Context(), models.NewDecision{OrderID: d.order.ID, Kind: models.DecisionKeepTrying, ActorID: d.user})
	require.NoError(t, err)
	require.NoError(t, d.db.KeepTrying(t.Context(), d.order.ID, decision.ID, 100, patience))
	d.do("fail buy")
	_, err = d.db.Propose(t.Context(), models.NewProposal{OrderID: d.order.ID, Kind: models.DecisionRefund, ActorID: d.staff, ActorRole: "admin", Reason: "they ask"})
	require.NoError(t, err)
	d.exec(`UPDATE orders SET try_next_at = clock_now() WHERE id = $1`, d.order.ID)
	require.NoError(t, d.db.Lapse(t.Context(), d.order.ID, 100, patience))
	require.Equal(t, models.StatusFailed, d.now().Status)
	require.True(t, d.now().TryNextAt.After(time.Now()), "looked at again later, not at once")
}

// Identity that is withdrawn stops each next step; what was begun is recorded.
func TestIdentityWithdrawnStopsTheCoinAtEachStep(t *testing.T) {
	d := openDesk(t)
	d.pay()
	identity := func(at string) {
		d.exec(`UPDATE kyc_records SET revoked_at = ` + at + ` WHERE user_id = '` + d.user + `'`)
	}
	stopped := func(status models.OrderStatus) {
		t.Helper()
		require.Equal(t, status, d.now().Status)
		require.Equal(t, models.AttentionKYC, d.waits())
		require.Equal(t, []string{models.DecisionRetry, models.DecisionRefund}, d.choices())
		identity("NULL")
		d.do("retry")
		require.Empty(t, d.waits())
	}
	d.do("fulfill")
	identity("now()")
	buy, err := d.db.StartBuy(t.Context(), d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	require.True(t, buy.Done)
	stopped(models.StatusFulfilling)

	buy, err = d.db.StartBuy(t.Context(), d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	require.False(t, buy.Done)
	identity("now()") // begun: what it came to is recorded
	require.NoError(t, d.db.RecordFill(t.Context(), d.order.ID, 1, "O1"+d.order.ID, models.Fill{Filled: buy.Order.Asked, Cost: money.FromInt(50_000), Fee: money.FromInt(1)}))
	require.Equal(t, models.StatusFilled, d.now().Status)
	send, err := d.db.StartTransfer(t.Context(), d.order.ID, wideCaps)
	require.NoError(t, err)
	require.True(t, send.Done)
	stopped(models.StatusFilled)

	send, err = d.db.StartTransfer(t.Context(), d.order.ID, wideCaps)
	require.NoError(t, err)
	require.False(t, send.Done)
	identity("now()") // sent? it left no trace: not sent again
	may, err := d.db.MaySend(t.Context(), d.order.ID)
	require.NoError(t, err)
	require.False(t, may)
	stopped(models.StatusFilled)
	identity("now()")
	d.do("broadcast", "confirm")
	require.NotNil(t, d.now().ClosedAt)
	d.balanced()
}
