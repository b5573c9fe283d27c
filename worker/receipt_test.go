package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

// receipt is money for an order, as a person sees it at the bank.
func receipt(cents money.Units, reference string) models.Receipt {
	return models.Receipt{Amount: cents, ReceivedOn: "2026-11-20", BankReference: reference}
}

// requote is the price that the customer is shown for what came.
func (h *house) requote(id string) models.Requoted {
	h.Helper()
	var quote models.Quote
	h.until("a price for what came", func() bool {
		o, err := h.db.Order(h.Context(), id)
		require.NoError(h, err)
		quote, err = h.quoter.Requote(h.Context(), o)
		return err == nil
	})
	return models.Requoted{Quote: quote}
}

func (h *house) balance() money.Units {
	h.Helper()
	have, err := h.db.HoldingsOf(h.Context(), h.customer)
	require.NoError(h, err)
	return have.Balance
}

func (h *house) send(order *models.Order) {
	h.Helper()
	h.must(order.ID, workflows.Fulfill, nil)
	require.Equal(h, models.StatusSent, h.closed(order.ID).Status)
	h.books()
}

func TestBar23ShortMoneyIsCompletedOrRequoted(t *testing.T) {
	h := open(t)
	completed, requoted := h.buy("domestic_wire"), h.buy("domestic_wire")
	part := money.FromInt(30000)
	for _, order := range []*models.Order{completed, requoted} {
		h.must(order.ID, workflows.ConfirmReceipt, receipt(part, "part of "+order.Reference))
		o := h.asked(order.ID, models.AttentionShort)
		require.Equal(t, models.StatusPending, o.Status)
	}
	h.must(completed.ID, workflows.ConfirmReceipt, receipt(completed.Total.Sub(part), "rest of "+completed.Reference))
	h.send(h.status(completed.ID, models.StatusPaymentApproved))
	require.Subset(t, h.kinds(completed.ID), []string{"money_received", "money_short", "receipt_confirmed"})
	h.record(workflows.OrderID(completed.ID), "wire-in-parts")

	h.priced()
	h.must(requoted.ID, workflows.Requote, h.requote(requoted.ID))
	o := h.status(requoted.ID, models.StatusPaymentApproved)
	require.Negative(t, o.Amount.Cmp(requoted.Amount))
	h.send(o)
	require.Contains(t, h.kinds(requoted.ID), "requoted")
	h.record(workflows.OrderID(requoted.ID), "wire-short-requoted")
}

func TestBar23MoneyBeyondThePriceGoesToTheBalance(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET volume_tier = 'bronze' WHERE id = $1`, h.customer) // no bonus beside it
	order := h.buy("domestic_wire")
	h.must(order.ID, workflows.ConfirmReceipt, receipt(order.Total.Add(money.FromInt(1234)), "too much"))
	h.asked(order.ID, models.AttentionOver)
	h.must(order.ID, workflows.KeepOrder, nil)
	h.send(h.status(order.ID, models.StatusPaymentApproved))
	require.Equal(t, "1234", h.balance().String())
	h.record(workflows.OrderID(order.ID), "wire-over")
}

// The customer sends the money twice, and once more after the coin went out: all
// of it is theirs, and the order does not care.
func TestBar23MoneyThatNobodyWaitsForGoesToTheBalance(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET volume_tier = 'bronze' WHERE id = $1`, h.customer)
	order := h.buy("domestic_wire")
	h.must(order.ID, workflows.ConfirmReceipt, receipt(order.Total, "first"))
	have := h.balance()
	for i, reference := range []string{"second", "third"} {
		decision, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.ConfirmReceipt, ActorID: h.teller, ActorRole: "finance",
			Data: receipt(order.Total, reference)})
		require.NoError(t, err)
		require.NotNil(t, decision.SettledAt)
		have = have.Add(order.Total)
		require.Equal(t, have, h.balance())
		if i == 0 {
			h.send(h.status(order.ID, models.StatusPaymentApproved))
		}
	}
	_, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.ConfirmReceipt, ActorID: h.teller, ActorRole: "finance",
		Data: receipt(order.Total, "third")})
	require.Equal(t, "bank_reference_used", models.ReasonOf(err))
	require.Equal(t, 2, h.told(order.ID, "money_credited"))
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	require.Equal(t, "0.00", h.moved(order.ID, models.AccountUnallocated))
	h.books()
}

func TestBar23MoneyAfterTheLockReopensTheOrder(t *testing.T) {
	h := open(t)
	requoted, refunded, unanswered := h.buy("domestic_wire"), h.buy("domestic_wire"), h.buy("domestic_wire")
	h.advance(73 * time.Hour)
	h.sweep()
	for i, order := range []*models.Order{requoted, refunded, unanswered} {
		require.Equal(t, models.ResolutionExpired, *h.closed(order.ID).Resolution)
		decision, err := h.db.OpenDecision(t.Context(), models.NewDecision{OrderID: order.ID, Kind: workflows.ConfirmReceipt, ActorID: h.teller, ActorRole: "admin",
			Data: receipt(order.Total, "late "+order.Reference)})
		require.NoError(t, err)
		require.NotNil(t, decision.SettledAt, "booked with the row, whether or not a workflow can be reached")
		if i > 0 {
			reopened, err := h.db.Order(t.Context(), order.ID)
			require.NoError(t, err)
			require.NoError(t, h.client.StartOrder(t.Context(), reopened))
		}
	}
	h.sweep() // and this one finds the first
	for _, order := range []*models.Order{requoted, refunded, unanswered} {
		require.Equal(t, models.StatusFailed, h.asked(order.ID, models.AttentionLate).Status)
	}
	h.must(requoted.ID, workflows.Requote, h.requote(requoted.ID))
	h.send(h.status(requoted.ID, models.StatusPaymentApproved))

	had := h.balance()
	h.must(refunded.ID, workflows.RefundNow, nil)
	require.Equal(t, models.ResolutionRefunded, *h.closed(refunded.ID).Resolution)
	require.Equal(t, refunded.Total, h.balance().Sub(had))
	h.record(workflows.OrderID(refunded.ID), "wire-late-refunded")

	h.advance(73 * time.Hour)
	h.sweep()
	require.Equal(t, models.ResolutionRefunded, *h.closed(unanswered.ID).Resolution, "no answer is a refund")
	require.Equal(t, refunded.Total.Add(unanswered.Total), h.balance().Sub(had))
	h.books()
}
