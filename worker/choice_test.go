package worker

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// refused is a paid order that the exchange refuses to fill so many times.
func (h *testCluster) refused(times int) *order.Order {
	h.Helper()
	h.control("/control/faults", map[string]any{"provider": "kraken", "operation": "AddOrder", "code": "insufficient", "count": times})
	o := h.paid()
	h.must(o.ID, workflows.Fulfill, nil)
	return h.asked(o.ID, order.ChoiceFailed)
}

// asked waits until the customer is offered a choice.
func (h *testCluster) asked(id, reason string) *order.Order {
	h.Helper()
	return h.reaches(id, "offered a choice: "+reason, func(o *order.Order, _ *order.Payment) bool {
		return o.ChoiceReason != nil && *o.ChoiceReason == reason
	})
}

func TestNothingChosenMeansTheMoneyGoesBack(t *testing.T) {
	h := open(t)
	placed := h.refused(1)
	require.Equal(t, order.StatusFailed, placed.Status)
	now, err := h.db.Now(t.Context())
	require.NoError(t, err)
	require.WithinDuration(t, now.Add(quick.ChoiceWindow), *placed.ChoiceDueAt, time.Minute)
	h.sweep()
	require.Nil(t, h.status(placed.ID, order.StatusFailed).Resolution, "not before its time")

	h.advance(quick.ChoiceWindow + time.Minute)
	h.sweep()
	o := h.closed(placed.ID)
	require.Equal(t, order.ResolutionRefunded, *o.Resolution)
	require.Equal(t, o.Total, o.Refunded)
	require.Nil(t, o.ChoiceReason)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}, h.effects())
	require.Subset(t, h.kinds(placed.ID), []string{"choice_offered", "refund_requested", "refunded"})
	h.books()
	h.record(workflows.OrderID(placed.ID), "choice-lapsed")
}

func TestKeepTryingTriesAgainUntilItWorks(t *testing.T) {
	h := open(t)
	placed := h.refused(2)
	h.must(placed.ID, workflows.KeepTrying, nil)
	h.reaches(placed.ID, "refused again", func(o *order.Order, _ *order.Payment) bool {
		return o.Status == order.StatusFailed && o.RetryCount == 2 && o.ChoiceReason == nil && o.TryNextAt != nil
	})
	h.advance(quick.KeepTryingWait + time.Minute)
	h.priced()
	h.sweep()
	o := h.closed(placed.ID)
	require.Equal(t, order.StatusSent, o.Status)
	require.Nil(t, o.KeptUntil)
	require.Equal(t, 1, h.effects()["kraken/fill"])
	require.Equal(t, 1, h.effects()["bitgo/send"])
	h.books()
	h.record(workflows.OrderID(placed.ID), "kept-trying")
}

func TestHavingTriedForLongEnoughTheCustomerIsAskedAgain(t *testing.T) {
	h := open(t)
	placed := h.refused(-1)
	h.must(placed.ID, workflows.KeepTrying, nil)
	kept := h.reaches(placed.ID, "kept", func(o *order.Order, _ *order.Payment) bool {
		return o.Status == order.StatusFailed && o.RetryCount == 2
	})
	require.Equal(t, []string{order.DecisionRefundNow}, order.CustomerChoices(kept, nil), "the money can be asked back all the while")
	h.advance(quick.KeepTryingFor + time.Minute)
	h.sweep()
	asked := h.asked(placed.ID, order.ChoiceFailed)
	require.Equal(t, []string{order.DecisionKeepTrying, order.DecisionRefundNow}, order.CustomerChoices(asked, nil))
	h.must(placed.ID, workflows.RefundNow, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
	require.Equal(t, 1, h.effects()["stripe/refund"])
	h.books()
}

func TestPriceThatComesBackLetsAKeptOrderGoOn(t *testing.T) {
	h := open(t)
	o := h.paid()
	before, err := pricing.Markets(t.Context(), h.db)
	require.NoError(t, err)
	h.price(before[money.BTC].Ask, 105)
	require.Equal(t, casework.AttentionPrice, h.decide(o.ID, workflows.Fulfill, nil).Code)
	h.asked(o.ID, casework.AttentionPrice)
	require.Contains(t, h.kinds(o.ID), "price_waiting")
	h.must(o.ID, workflows.KeepTrying, nil)
	require.Equal(t, order.StatusPaymentApproved, h.attention(o.ID, casework.AttentionPrice).Status, "still too dear")
	h.price(before[money.BTC].Ask, 100)
	h.advance(quick.KeepTryingWait + time.Minute)
	h.priced()
	h.sweep()
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	h.books()
}

// A transfer that failed may yet appear on the network: only a person who has checked there
// may send again or refund the money.
func TestAFailedTransferIsNoChoiceOfTheCustomers(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "failed")
	placed := h.paid()
	h.must(placed.ID, workflows.Fulfill, nil)
	o := h.status(placed.ID, order.StatusFailed)
	require.Equal(t, "transfer_failed", *o.FulfillmentCode)
	require.Empty(t, order.CustomerChoices(o, nil))
	h.advance(quick.ChoiceWindow + time.Minute)
	h.sweep()
	o, err := order.ReadOrder(t.Context(), h.db, placed.ID)
	require.NoError(t, err)
	require.Nil(t, o.Resolution)
	require.Zero(t, h.effects()["stripe/refund"])
}

func TestBar18AChoiceIsMadeOnce(t *testing.T) {
	h := open(t)
	o := h.refused(1)
	var mu sync.Mutex
	var crowd sync.WaitGroup
	taken := map[string]int{}
	for i := range 8 {
		kind := []string{workflows.KeepTrying, workflows.RefundNow}[i%2]
		crowd.Go(func() {
			decision, err := order.OpenDecision(context.WithoutCancel(t.Context()), h.db, order.NewDecision{OrderID: o.ID, Kind: kind, ActorID: h.customer, ActorRole: "customer"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				taken[store.ReasonOf(err)]++
				return
			}
			taken["taken"]++
			_, _, err = h.client.Decide(context.WithoutCancel(t.Context()), o.ID, kind, decision.ID, 40*time.Second)
			require.NoError(t, err)
		})
	}
	crowd.Wait()
	require.Equal(t, 1, taken["taken"], taken)
	h.closed(o.ID)
	require.LessOrEqual(t, h.effects()["stripe/refund"]+h.effects()["bitgo/send"], 1)
	h.books()
}

// Staff decide in the moment in which the customer's time to choose expires: their decision
// is executed, and neither waits for the other.
func TestBar18ADecisionMadeAsAChoiceExpiresIsExecuted(t *testing.T) {
	h := open(t)
	o := h.refused(1)
	h.advance(quick.ChoiceWindow + time.Minute)
	h.priced()
	retry, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: o.ID, Kind: workflows.Retry, ActorID: h.staff, ActorRole: "admin"})
	require.NoError(t, err)
	h.sweep() // the clock comes first
	outcome, decided, err := h.client.Decide(t.Context(), o.ID, workflows.Retry, retry.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.Equal(t, workflows.Done, outcome.Code)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	h.books()
}
