package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

const otherAddress = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

// refusedSend is a paid order whose coin custody would not send for lack of it:
// it failed, and nothing has gone out.
func (h *house) refusedSend() *models.Order {
	h.Helper()
	h.arm("bitgo", "sendcoins", "insufficient")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	return h.reaches(order.ID, "failed at send", func(o *models.Order, _ *models.Payment) bool {
		return o.Status == models.StatusFailed && *o.FailedStep == models.StepSend
	})
}

func TestAmendedAddressIsWhereTheCoinGoes(t *testing.T) {
	h := open(t)
	order := h.refusedSend()
	h.must(order.ID, workflows.AmendAddress, models.AmendedAddress{Address: otherAddress, AddressKey: otherAddress})
	o := h.closed(order.ID)
	require.Equal(t, models.StatusSent, o.Status)
	require.Equal(t, otherAddress, o.DestAddress)
	transfers, err := h.db.OrderWithdrawals(t.Context(), order.ID)
	require.NoError(t, err)
	require.Len(t, transfers, 2, "the refused one, and the one that went out")
	for _, w := range transfers {
		want := goodAddress
		if w.Status == models.TransferConfirmed {
			want = otherAddress
		}
		require.Equal(t, want, w.Address)
	}
	require.Equal(t, 1, h.effects()["bitgo/send"])
	require.Contains(t, h.kinds(order.ID), "address_amended")
	h.books()
	h.record(workflows.OrderID(order.ID), "address-amended")
}

func TestOrderMarkedAsSentEndsWithoutASend(t *testing.T) {
	h := open(t)
	order := h.refusedSend()
	h.must(order.ID, workflows.MarkSent, models.SentEvidence{TxID: "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"})
	o := h.closed(order.ID)
	require.Equal(t, models.StatusSent, o.Status)
	require.Equal(t, "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", *o.TxID)
	require.Zero(t, h.effects()["bitgo/send"])
	require.Equal(t, "0.00", h.moved(order.ID, models.AccountPrepaid))
	h.balanced()
	h.reconcile()
	h.later()
	h.reconcile()
	unknown := h.breaks()["by_hand:"+*o.TxID+" BTC"]
	require.Equal(t, models.CauseSentElsewhere, unknown.Cause(), "our custodian does not know that transaction")
	require.Equal(t, order.Reference, text(unknown.Reference))
	h.record(workflows.OrderID(order.ID), "marked-sent")
}

// The custodian refuses to say what became of a transfer: our token was withdrawn
// for a while, or the transfer is not found where it was. That says nothing of the
// coin, which is on its way: the order neither fails, nor is its money offered back.
func TestATransferThatCannotBeReadHasNotFailed(t *testing.T) {
	for _, refusal := range []string{"401:Unauthorized", "403:AccessDenied", "404:NotFound"} {
		t.Run(refusal, func(t *testing.T) {
			h := open(t)
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
			order := h.paid()
			h.must(order.ID, workflows.Fulfill, nil)
			h.status(order.ID, models.StatusSent)
			h.arm("bitgo", "transfer", "decline:"+refusal)
			h.reaches(order.ID, "a look that was refused", func(o *models.Order, _ *models.Payment) bool { return o.RetryCount > 0 })
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
			require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
			require.NotContains(t, h.kinds(order.ID), "failed")
			require.Equal(t, 1, h.effects()["bitgo/send"])
			h.books()
		})
	}
}

// The network loses sight of a transfer that was told as sent, or another
// transaction takes its place, and a person is asked; then it is there, and
// nobody has to say so.
func TestTransferThatComesBackIsSeen(t *testing.T) {
	for _, lost := range []string{"removed", "replaced"} {
		t.Run(lost, func(t *testing.T) {
			h := open(t)
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
			order := h.paid()
			h.must(order.ID, workflows.Fulfill, nil)
			sent := h.status(order.ID, models.StatusSent)
			h.control("/control/bitgo/transfers/"+*sent.BitgoTransferID, map[string]string{"state": lost})
			require.Equal(t, models.StatusSent, h.attention(order.ID, models.AttentionTransfer).Status)
			if lost == "removed" {
				h.control("/control/bitgo/transfers/"+*sent.BitgoTransferID, map[string]string{"state": "confirmed"})
			} else {
				h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
			}
			require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
			require.Equal(t, 1, h.effects()["bitgo/send"])
			h.books()
			h.record(workflows.OrderID(order.ID), "transfer-came-back-"+lost)
		})
	}
}

// The network drops a transfer that was told as sent: what was booked is taken
// back, the customer is not asked before a person has looked, and gets the coin
// by another transfer, or the money.
func TestTransferThatDiesAfterSent(t *testing.T) {
	for _, way := range []string{workflows.Retry, workflows.Refund} {
		t.Run(way, func(t *testing.T) {
			h := open(t)
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
			order := h.paid()
			h.must(order.ID, workflows.Fulfill, nil)
			h.status(order.ID, models.StatusSent)
			part := h.givePart(order.ID, 1000) // goodwill, while it counts as sent
			require.Equal(t, models.RefundSucceeded, part.Status)
			transfers, err := h.db.OrderWithdrawals(t.Context(), order.ID)
			require.NoError(t, err)
			h.control("/control/bitgo/transfers/"+*transfers[0].TransferID, map[string]string{"state": "failed"})
			o := h.status(order.ID, models.StatusFailed)
			require.Equal(t, "transfer_failed", *o.FulfillmentCode)
			require.Nil(t, o.ChoiceDueAt)
			require.Equal(t, money.USD.Format(money.FromInt(1000).Sub(o.Total)), h.moved(order.ID, models.AccountPrepaid), "we owe the rest again")
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
			h.until("the workflow to wait for "+way, func() bool { return h.decide(order.ID, way, nil).OK() })
			o = h.closed(order.ID)
			if way == workflows.Retry {
				require.Equal(t, models.StatusSent, o.Status)
				require.Equal(t, 2, count(h.kinds(order.ID), "sent"))
				require.Equal(t, "10.00", h.moved(order.ID, models.AccountGoodwill))
			} else {
				require.Equal(t, models.ResolutionRefunded, *o.Resolution)
				require.Equal(t, o.Total, o.Refunded)
				require.Equal(t, "0.00", h.moved(order.ID, models.AccountStripe))
			}
			require.Equal(t, "0.00", h.moved(order.ID, models.AccountPrepaid))
			h.books()
		})
	}
}

// removedForGood is a paid order whose transfer BitGo calls removed, for good.
func (h *house) removedForGood() (*models.Order, models.Withdrawal) {
	h.Helper()
	h.arm("bitgo", "sendcoins", "removed:final")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	h.attention(order.ID, models.AttentionTransfer)
	return order, h.transfers(order.ID)[0]
}

func (h *house) transfers(id string) []models.Withdrawal {
	h.Helper()
	rows, err := h.db.OrderWithdrawals(h.Context(), id)
	require.NoError(h, err)
	return rows
}

var spentOtherwise = models.DeathEvidence{Seen: "block 900001: its inputs were spent by another transaction"}

// Two people declare a removed transfer dead, and the order goes on as if BitGo had
// called it failed. When it confirms nonetheless, it sends the order, or is a loss where
// another transfer or a refund has ended that.
func TestTransferThatTwoPeopleDeclareDead(t *testing.T) {
	for _, since := range []string{"nothing", workflows.Retry, workflows.Refund} {
		t.Run(since, func(t *testing.T) {
			h := open(t)
			order, first := h.removedForGood()
			h.must(order.ID, workflows.TransferDead, spentOtherwise)
			failed := h.status(order.ID, models.StatusFailed)
			require.Equal(t, "transfer_failed", *failed.FulfillmentCode)
			require.Equal(t, models.TransferDead, h.transfers(order.ID)[0].Status)
			sends := 1
			if since != "nothing" {
				h.must(order.ID, since, nil)
				h.closed(order.ID)
			}
			if since == workflows.Retry {
				sends = 2
			}
			h.books()
			h.control("/control/bitgo/transfers/"+*first.TransferID, map[string]string{"state": "confirmed"})
			h.books()
			h.books()
			o, last := h.closed(order.ID), h.transfers(order.ID)
			h.sweep()
			require.NoError(t, h.client.GetWorkflow(t.Context(), workflows.OrderID(order.ID), "").Get(t.Context(), nil), "nobody waits any more")
			lost, err := h.db.AccountBalance(t.Context(), models.AccountLosses, o.Asset)
			require.NoError(t, err)
			if since == "nothing" {
				require.Equal(t, models.TransferConfirmed, last[0].Status)
				require.Equal(t, models.StatusSent, o.Status)
				require.Equal(t, *last[0].TxID, *o.TxID)
				require.True(t, lost.IsZero())
			} else {
				require.Equal(t, models.TransferRevived, last[0].Status)
				require.Equal(t, o.Amount, lost, "booked once")
			}
			require.Equal(t, since == workflows.Refund, o.Resolution != nil)
			require.Equal(t, sends, h.effects()["bitgo/send"])
			require.Equal(t, "0.00", h.moved(order.ID, models.AccountPrepaid))
			h.record(workflows.OrderID(order.ID), "transfer-dead-"+since)
		})
	}
}

// Two people call a transfer dead that has come back meanwhile: BitGo is asked once
// more, and what it says counts.
func TestTransferIsNotDeadOnceItIsBack(t *testing.T) {
	h := open(t)
	order, first := h.removedForGood()
	h.control("/control/bitgo/transfers/"+*first.TransferID, map[string]string{"state": "confirmed"})
	require.Equal(t, "custody_says_confirmed", h.decide(order.ID, workflows.TransferDead, spentOtherwise).Code)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	require.Equal(t, models.TransferConfirmed, h.transfers(order.ID)[0].Status)
	h.books()
}

// A transfer that was told as sent is removed, and two people declare it dead at once:
// also before the workflow knows that it waits.
func TestSentTransferIsDeclaredDead(t *testing.T) {
	h := open(t)
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	sent := h.status(order.ID, models.StatusSent)
	h.control("/control/bitgo/transfers/"+*sent.BitgoTransferID, map[string]string{"state": "removed"})
	h.attention(order.ID, models.AttentionTransfer)
	h.must(order.ID, workflows.TransferDead, spentOtherwise)
	h.status(order.ID, models.StatusFailed)
	require.Equal(t, money.USD.Format(sent.Total.Neg()), h.moved(order.ID, models.AccountPrepaid), "we owe it again")
	h.must(order.ID, workflows.Refund, nil)
	require.Equal(t, models.ResolutionRefunded, *h.closed(order.ID).Resolution)
	h.books()
}
