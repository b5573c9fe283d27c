package worker

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

// refused is a paid order that the exchange refuses to fill so many times.
func (h *house) refused(times int) *models.Order {
	h.Helper()
	h.control("/control/faults", map[string]any{"provider": "kraken", "operation": "AddOrder", "code": "insufficient", "count": times})
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	return h.asked(order.ID, models.ChoiceFailed)
}

// asked waits until the customer is offered a choice.
func (h *house) asked(id, reason string) *models.Order {
	h.Helper()
	return h.reaches(id, "offered a choice: "+reason, func(o *models.Order, _ *models.Payment) bool {
		return o.ChoiceReason != nil && *o.ChoiceReason == reason
	})
}

func TestNothingChosenMeansTheMoneyGoesBack(t *testing.T) {
	h := open(t)
	order := h.refused(1)
	require.Equal(t, models.StatusFailed, order.Status)
	now, err := h.db.Now(t.Context())
	require.NoError(t, err)
	require.WithinDuration(t, now.Add(quick.ChoiceWindow), *order.ChoiceDueAt, time.Minute)
	h.sweep()
	require.Nil(t, h.status(order.ID, models.StatusFailed).Resolution, "not before its time")

	h.advance(quick.ChoiceWindow + time.Minute)
	h.sweep()
	o := h.closed(order.ID)
	require.Equal(t, models.ResolutionRefunded, *o.Resolution)
	require.Equal(t, o.Total, o.Refunded)
	require.Nil(t, o.ChoiceReason)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}, h.effects())
	require.Subset(t, h.kinds(order.ID), []string{"choice_offered", "refund_requested", "refunded"})
	h.books()
	h.record(workflows.OrderID(order.ID), "choice-lapsed")
}

func TestKeepTryingTriesAgainUntilItWorks(t *testing.T) {
	h := open(t)
	order := h.refused(2)
	h.must(order.ID, workflows.KeepTrying, nil)
	h.reaches(order.ID, "refused again", func(o *models.Order, _ *models.Payment) bool {
		return o.Status == models.StatusFailed && o.RetryCount == 2 && o.ChoiceReason == nil && o.TryNextAt != nil
	})
	h.advance(quick.KeepTryingWait + time.Minute)
	h.priced()
	h.sweep()
	o := h.closed(order.ID)
	require.Equal(t, models.StatusSent, o.Status)
	require.Nil(t, o.KeptUntil)
	require.Equal(t, 1, h.effects()["kraken/fill"])
	require.Equal(t, 1, h.effects()["bitgo/send"])
	h.books()
	h.record(workflows.OrderID(order.ID), "kept-trying")
}

func TestHavingTriedForLongEnoughTheCustomerIsAskedAgain(t *testing.T) {
	h := open(t)
	order := h.refused(-1)
	h.must(order.ID, workflows.KeepTrying, nil)
	kept := h.reaches(order.ID, "kept", func(o *models.Order, _ *models.Payment) bool {
		return o.Status == models.StatusFailed && o.RetryCount == 2
	})
	require.Equal(t, []string{models.DecisionRefundNow}, models.CustomerChoices(kept, nil), "the money can be asked back all the while")
	h.advance(quick.KeepTryingFor + time.Minute)
	h.sweep()
	asked := h.asked(order.ID, models.ChoiceFailed)
	require.Equal(t, []string{models.DecisionKeepTrying, models.DecisionRefundNow}, models.CustomerChoices(asked, nil))
	h.must(order.ID, workflows.RefundNow, nil)
	require.Equal(t, models.ResolutionRefunded, *h.closed(order.ID).Resolution)
	require.Equal(t, 1, h.effects()["stripe/refund"])
	h.books()
}

func TestPriceThatComesBackLetsAKeptOrderGoOn(t *testing.T) {
	h := open(t)
	order := h.paid()
	before, err := h.db.Markets(t.Context())
	require.NoError(t, err)
	h.price(before[money.BTC].Ask, 105)
	require.Equal(t, models.AttentionPrice, h.decide(order.ID, workflows.Fulfill, nil).Code)
	h.asked(order.ID, models.AttentionPrice)
	require.Contains(t, h.kinds(order.ID), "price_waiting")
	h.must(order.ID, workflows.KeepTrying, nil)
	require.Equal(t, models.StatusPaymentApproved, h.attention(order.ID, models.AttentionPrice).Status, "still too dear")
	h.price(before[money.BTC].Ask, 100)
	h.advance(quick.KeepTryingWait + time.Minute)
	h.priced()
	h.sweep()
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
}

// A transfer that failed may yet appear on the network: nobody but a person
// who has looked there may send again or give the money back.
func TestAFailedTransferIsNoChoiceOfTheCustomers(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "failed")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	o := h.status(order.ID, models.StatusFailed)
	require.Equal(t, "transfer_failed", *o.FulfillmentCode)
	require.Empty(t, models.CustomerChoices(o, nil))
	h.advance(quick.ChoiceWindow + time.Minute)
	h.sweep()
	o, err := h.db.Order(t.Context(), order.ID)
	require.NoError(t, err)
	require.Nil(t, o.Resolution)
	require.Zero(t, h.effects()["stripe/refund"])
}

func TestBar18AChoiceIsTakenOnce(t *testing.T) {
	h := open(t)
	order := h.refused(1)
	var mu sync.Mutex
	var crowd sync.WaitGroup
	taken := map[string]int{}
	for i := range 8 {
		kind := []string{workflows.KeepTrying, workflows.RefundNow}[i%2]
		crowd.Go(func() {
			decision, err := h.db.OpenDecision(context.WithoutCancel(t.Context()), models.NewDecision{OrderID: order.ID, Kind: kind, ActorID: h.customer, ActorRole: "customer"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				taken[models.ReasonOf(err)]++
				return
			}
			taken["taken"]++
			_, _, err = h.client.Decide(context.WithoutCancel(t.Context()), order.ID, kind, decision.ID, 40*time.Second)
			require.NoError(t, err)
		})
	}
	crowd.Wait()
	require.Equal(t, 1, taken["taken"], taken)
	h.closed(order.ID)
	require.LessOrEqual(t, h.effects()["stripe/refund"]+h.effects()["bitgo/send"], 1)
	h.books()
}

// Staff decide in the moment in which the customer's time to choose is over: what
// they decided is carried out, and neither waits for the other.
func TestBar18ADecisionTakenAsAChoiceLapsesIsCarriedOut(t *testing.T) {
	h := open(t)
	order := h.refused(1)
	h.advance(quick.ChoiceWindow + time.Minute)
	h.priced()
	retry, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.Retry, ActorID: h.staff, ActorRole: "admin"})
	require.NoError(t, err)
	h.sweep() // the clock comes first
	outcome, decided, err := h.client.Decide(t.Context(), order.ID, workflows.Retry, retry.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.Equal(t, workflows.Done, outcome.Code)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
}
