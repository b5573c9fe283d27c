package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// receipt is money for an order, as a person sees it at the bank.
func receipt(cents money.Units, reference string) order.Receipt {
	return order.Receipt{Amount: cents, ReceivedOn: "2026-11-20", BankReference: reference}
}

// requote is the price that the customer is shown for what came.
func (h *testCluster) requote(id string) order.Requoted {
	h.Helper()
	var quote pricing.Quote
	h.until("a price for what came", func() bool {
		o, err := order.ReadOrder(h.Context(), h.db, id)
		require.NoError(h, err)
		quote, err = order.QuoteAgain(h.Context(), h.quoter, o)
		return err == nil
	})
	return order.Requoted{Quote: quote}
}

func (h *testCluster) balance() money.Units {
	h.Helper()
	have, err := ledger.HoldingsOf(h.Context(), h.db, h.customer)
	require.NoError(h, err)
	return have.Balance
}

func (h *testCluster) send(o *order.Order) {
	h.Helper()
	h.must(o.ID, workflows.Fulfill, nil)
	require.Equal(h, order.StatusSent, h.closed(o.ID).Status)
	h.books()
}

func TestBar23ShortMoneyIsCompletedOrRequoted(t *testing.T) {
	h := open(t)
	completed, requoted := h.buy("domestic_wire"), h.buy("domestic_wire")
	part := money.FromInt(30000)
	for _, placed := range []*order.Order{completed, requoted} {
		h.must(placed.ID, workflows.ConfirmReceipt, receipt(part, "part of "+placed.Reference))
		o := h.asked(placed.ID, order.AttentionShort)
		require.Equal(t, order.StatusPending, o.Status)
	}
	h.must(completed.ID, workflows.ConfirmReceipt, receipt(completed.Total.Sub(part), "rest of "+completed.Reference))
	h.send(h.status(completed.ID, order.StatusPaymentApproved))
	require.Subset(t, h.kinds(completed.ID), []string{"money_received", "money_short", "receipt_confirmed"})
	h.record(workflows.OrderID(completed.ID), "wire-in-parts")

	h.priced()
	h.must(requoted.ID, workflows.Requote, h.requote(requoted.ID))
	o := h.status(requoted.ID, order.StatusPaymentApproved)
	require.Negative(t, o.Amount.Cmp(requoted.Amount))
	h.send(o)
	require.Contains(t, h.kinds(requoted.ID), "requoted")
	h.record(workflows.OrderID(requoted.ID), "wire-short-requoted")
}

// More than the price pays the order at once. The rest is held, and credited at the end of its customer's time.
func TestBar23MoneyBeyondThePriceGoesToTheBalance(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET volume_tier = 'bronze' WHERE id = $1`, h.customer) // no bonus beside it
	o := h.buy("domestic_wire")
	h.must(o.ID, workflows.ConfirmReceipt, receipt(o.Total.Add(money.FromInt(1234)), "too much"))
	h.send(h.status(o.ID, order.StatusPaymentApproved))
	h.sweep()
	require.True(t, h.balance().IsZero(), "its customer can still choose")
	require.Equal(t, "-12.34", h.moved(o.ID, ledger.AccountUnallocated))
	h.record(workflows.OrderID(o.ID), "wire-over")

	h.advance(quick.ChoiceWindow + time.Minute)
	h.sweep()
	h.sweep()
	require.Equal(t, "1234", h.balance().String(), "once")
	require.Equal(t, 1, h.countEvents(o.ID, "surplus_credited"))
	require.Equal(t, "0.00", h.moved(o.ID, ledger.AccountUnallocated))
	h.books()
}

// The customer sends the money twice, and once more after the coin went out: all
// of it is theirs, and the order does not care.
func TestBar23MoneyThatIsNotAwaitedGoesToTheBalance(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET volume_tier = 'bronze' WHERE id = $1`, h.customer)
	o := h.buy("domestic_wire")
	h.must(o.ID, workflows.ConfirmReceipt, receipt(o.Total, "first"))
	have := h.balance()
	for i, reference := range []string{"second", "third"} {
		decision, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: o.ID, Kind: workflows.ConfirmReceipt, ActorID: h.cashier, ActorRole: "finance",
			Data: receipt(o.Total, reference)})
		require.NoError(t, err)
		outcome, resolved, err := h.client.BookReceipt(t.Context(), o.ID, decision.ID, 30*time.Second)
		require.NoError(t, err)
		require.True(t, resolved && outcome.OK(), outcome)
		h.record(workflows.ReceiptID(activities.Decided{OrderID: o.ID, DecisionID: decision.ID}), []string{"receipt-while-paid", "receipt-after-sent"}[i])
		have = have.Add(o.Total)
		require.Equal(t, have, h.balance())
		if i == 0 {
			h.send(h.status(o.ID, order.StatusPaymentApproved))
		}
	}
	_, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: o.ID, Kind: workflows.ConfirmReceipt, ActorID: h.cashier, ActorRole: "finance",
		Data: receipt(o.Total, "third")})
	require.Equal(t, "bank_reference_used", store.ReasonOf(err))
	require.Equal(t, 2, h.countEvents(o.ID, "money_credited"))
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	require.Equal(t, "0.00", h.moved(o.ID, ledger.AccountUnallocated))
	h.books()
}

func TestBar23MoneyAfterTheLockReopensTheOrder(t *testing.T) {
	h := open(t)
	requoted, refunded, unanswered := h.buy("domestic_wire"), h.buy("domestic_wire"), h.buy("domestic_wire")
	h.advance(73 * time.Hour)
	h.sweep()
	var late activities.Decided
	for i, o := range []*order.Order{requoted, refunded, unanswered} {
		require.Equal(t, order.ResolutionExpired, *h.closed(o.ID).Resolution)
		decision, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: o.ID, Kind: workflows.ConfirmReceipt, ActorID: h.cashier, ActorRole: "admin",
			Data: receipt(o.Total, "late "+o.Reference)})
		require.NoError(t, err)
		if i > 0 {
			late = activities.Decided{OrderID: o.ID, DecisionID: decision.ID}
			_, _, err = h.client.BookReceipt(t.Context(), o.ID, decision.ID, 30*time.Second)
			require.NoError(t, err)
		}
	}
	h.record(workflows.ReceiptID(late), "receipt-late")
	h.sweep() // and this one delivers the first
	for _, placed := range []*order.Order{requoted, refunded, unanswered} {
		require.Equal(t, order.StatusFailed, h.asked(placed.ID, order.AttentionLate).Status)
	}
	h.must(requoted.ID, workflows.Requote, h.requote(requoted.ID))
	h.send(h.status(requoted.ID, order.StatusPaymentApproved))

	had := h.balance()
	h.must(refunded.ID, workflows.RefundNow, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(refunded.ID).Resolution)
	require.Equal(t, refunded.Total, h.balance().Sub(had))
	h.record(workflows.OrderID(refunded.ID), "wire-late-refunded")

	h.advance(73 * time.Hour)
	h.sweep()
	require.Equal(t, order.ResolutionRefunded, *h.closed(unanswered.ID).Resolution, "no answer is a refund")
	require.Equal(t, refunded.Total.Add(unanswered.Total), h.balance().Sub(had))
	h.books()
}

// Money that covers the price once its bank reinstates a part of it pays the order then: the API books nothing, the
// workflow does when it is signalled, or the sweep signals it.
func TestBar23MoneyThatFitsByNowPaysTheOrder(t *testing.T) {
	h := open(t)
	by := func(id string) store.Actor {
		return store.Actor{ActorID: id, ActorRole: "finance", Reason: "as the bank says"}
	}
	o := h.buy("domestic_wire")
	h.must(o.ID, workflows.ConfirmReceipt, receipt(money.FromInt(1234), "taken back"))
	h.asked(o.ID, order.AttentionShort)
	receipts, err := order.OrderReceipts(t.Context(), h.db, o.ID)
	require.NoError(t, err)
	p, err := correction.ProposeMoney(t.Context(), h.db, &correction.ReverseReceipt{ReceiptID: receipts[0].ID}, "", by(h.staff))
	require.NoError(t, err)
	_, err = correction.ApproveMoney(t.Context(), h.db, p.ID, by(h.cashier))
	require.NoError(t, err)
	h.must(o.ID, workflows.ConfirmReceipt, receipt(o.Total.Sub(money.FromInt(1000)), "theirs"))
	h.asked(o.ID, order.AttentionShort)

	returns, err := order.OrderReturns(t.Context(), h.db, o.ID)
	require.NoError(t, err)
	today, err := h.db.Now(t.Context())
	require.NoError(t, err)
	p, err = correction.ProposeMoney(t.Context(), h.db, &correction.ReinstateReturn{ReturnID: returns[0].ID, BankReference: "once more",
		ReinstatedOn: today.UTC().Format(time.DateOnly)}, "", by(h.staff))
	require.NoError(t, err)
	_, err = correction.ApproveMoney(t.Context(), h.db, p.ID, by(h.cashier))
	require.NoError(t, err)
	h.attention(o.ID, order.AttentionOver)
	h.sweep()
	h.send(h.status(o.ID, order.StatusPaymentApproved))
	require.Equal(t, "-2.34", h.moved(o.ID, ledger.AccountUnallocated), "the rest is its surplus")
	h.books()
}
