package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/workflows"
)

const otherAddress = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

// refusedSend is a paid order whose coin custody would not send for lack of it:
// it failed, and nothing has gone out.
func (h *testCluster) refusedSend() *order.Order {
	h.Helper()
	h.arm("bitgo", "sendcoins", "insufficient")
	placed := h.paid()
	h.must(placed.ID, workflows.Fulfill, nil)
	return h.reaches(placed.ID, "failed at send", func(o *order.Order, _ *order.Payment) bool {
		return o.Status == order.StatusFailed && *o.FailedStep == execution.StepSend
	})
}

func TestAmendedAddressIsWhereTheCoinGoes(t *testing.T) {
	h := open(t)
	placed := h.refusedSend()
	h.must(placed.ID, workflows.AmendAddress, order.AmendedAddress{Address: otherAddress, AddressKey: otherAddress})
	o := h.closed(placed.ID)
	require.Equal(t, order.StatusSent, o.Status)
	require.Equal(t, otherAddress, o.DestAddress)
	transfers, err := execution.OrderWithdrawals(t.Context(), h.db, placed.ID)
	require.NoError(t, err)
	require.Len(t, transfers, 2, "the refused one, and the one that went out")
	for _, w := range transfers {
		want := goodAddress
		if w.Status == execution.TransferConfirmed {
			want = otherAddress
		}
		require.Equal(t, want, w.Address)
	}
	require.Equal(t, 1, h.effects()["bitgo/send"])
	require.Contains(t, h.kinds(placed.ID), "address_amended")
	h.books()
	h.record(workflows.OrderID(placed.ID), "address-amended")
}

func TestOrderMarkedAsSentEndsWithoutASend(t *testing.T) {
	h := open(t)
	placed := h.refusedSend()
	h.must(placed.ID, workflows.MarkSent, order.SentEvidence{TxID: "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"})
	o := h.closed(placed.ID)
	require.Equal(t, order.StatusSent, o.Status)
	require.Equal(t, "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", *o.TxID)
	require.Zero(t, h.effects()["bitgo/send"])
	require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountPrepaid))
	h.balanced()
	h.reconcile()
	h.later()
	h.reconcile()
	unknown := h.breaks()["by_hand:"+*o.TxID+" BTC"]
	require.Equal(t, reconciliation.CauseSentElsewhere, unknown.Cause(), "our custodian does not know that transaction")
	require.Equal(t, placed.Reference, text(unknown.Reference))
	h.record(workflows.OrderID(placed.ID), "marked-sent")
}

// The custodian refuses to say what became of a transfer: our token was withdrawn
// for a while, or the transfer is not found where it was. That says nothing of the
// coin, which is on its way: the order neither fails, nor is its money offered back.
func TestATransferThatCannotBeReadHasNotFailed(t *testing.T) {
	for _, refusal := range []string{"401:Unauthorized", "403:AccessDenied", "404:NotFound"} {
		t.Run(refusal, func(t *testing.T) {
			h := open(t)
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
			placed := h.paid()
			h.must(placed.ID, workflows.Fulfill, nil)
			h.status(placed.ID, order.StatusSent)
			h.arm("bitgo", "transfer", "decline:"+refusal)
			h.reaches(placed.ID, "a look that was refused", func(o *order.Order, _ *order.Payment) bool { return o.RetryCount > 0 })
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
			require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
			require.NotContains(t, h.kinds(placed.ID), "failed")
			require.Equal(t, 1, h.effects()["bitgo/send"])
			h.books()
		})
	}
}

// The network loses sight of a transfer that was reported as sent, or another transaction
// replaces it, and staff are asked to decide; then it appears, and no decision is needed.
func TestTransferThatComesBackIsSeen(t *testing.T) {
	for _, lost := range []string{"removed", "replaced"} {
		t.Run(lost, func(t *testing.T) {
			h := open(t)
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
			o := h.paid()
			h.must(o.ID, workflows.Fulfill, nil)
			sent := h.status(o.ID, order.StatusSent)
			h.control("/control/bitgo/transfers/"+*sent.BitgoTransferID, map[string]string{"state": lost})
			require.Equal(t, order.StatusSent, h.attention(o.ID, casework.AttentionTransfer).Status)
			if lost == "removed" {
				h.control("/control/bitgo/transfers/"+*sent.BitgoTransferID, map[string]string{"state": "confirmed"})
			} else {
				h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
			}
			require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
			require.Equal(t, 1, h.effects()["bitgo/send"])
			h.books()
			h.record(workflows.OrderID(o.ID), "transfer-came-back-"+lost)
		})
	}
}

// The network drops a transfer that was reported as sent: its booking is reversed, the
// customer is not asked before staff have reviewed it, and gets the coin by another
// transfer, or the money.
func TestTransferThatDiesAfterSent(t *testing.T) {
	for _, way := range []string{workflows.Retry, workflows.Refund} {
		t.Run(way, func(t *testing.T) {
			h := open(t)
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
			placed := h.paid()
			h.must(placed.ID, workflows.Fulfill, nil)
			h.status(placed.ID, order.StatusSent)
			part := h.givePart(placed.ID, 1000) // goodwill, while it counts as sent
			require.Equal(t, order.RefundSucceeded, part.Status)
			transfers, err := execution.OrderWithdrawals(t.Context(), h.db, placed.ID)
			require.NoError(t, err)
			h.control("/control/bitgo/transfers/"+*transfers[0].TransferID, map[string]string{"state": "failed"})
			o := h.status(placed.ID, order.StatusFailed)
			require.Equal(t, "transfer_failed", *o.FulfillmentCode)
			require.Nil(t, o.ChoiceDueAt)
			require.Equal(t, money.USD.Format(money.FromInt(1000).Sub(o.Total)), h.moved(placed.ID, ledger.AccountPrepaid), "we owe the rest again")
			h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
			h.until("the workflow to wait for "+way, func() bool { return h.decide(placed.ID, way, nil).OK() })
			o = h.closed(placed.ID)
			if way == workflows.Retry {
				require.Equal(t, order.StatusSent, o.Status)
				require.Equal(t, 2, count(h.kinds(placed.ID), "sent"))
				require.Equal(t, "10.00", h.moved(placed.ID, ledger.AccountGoodwill))
			} else {
				require.Equal(t, order.ResolutionRefunded, *o.Resolution)
				require.Equal(t, o.Total, o.Refunded)
				require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountClearing))
			}
			require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountPrepaid))
			h.books()
		})
	}
}

// removedForGood is a paid order whose transfer BitGo calls removed, for good.
func (h *testCluster) removedForGood() (*order.Order, execution.Withdrawal) {
	h.Helper()
	h.arm("bitgo", "sendcoins", "removed:final")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	h.attention(order.ID, casework.AttentionTransfer)
	return order, h.transfers(order.ID)[0]
}

func (h *testCluster) transfers(id string) []execution.Withdrawal {
	h.Helper()
	rows, err := execution.OrderWithdrawals(h.Context(), h.db, id)
	require.NoError(h, err)
	return rows
}

var spentOtherwise = order.DeathEvidence{Seen: "block 900001: its inputs were spent by another transaction"}

// Two people declare a removed transfer dead, and the order continues as if BitGo had
// reported it failed. When it confirms nonetheless, it sends the order, or is a loss where
// another transfer or a refund has ended that.
func TestTransferThatTwoPeopleDeclareDead(t *testing.T) {
	for _, since := range []string{"nothing", workflows.Retry, workflows.Refund} {
		t.Run(since, func(t *testing.T) {
			h := open(t)
			placed, first := h.removedForGood()
			h.must(placed.ID, workflows.TransferDead, spentOtherwise)
			failed := h.status(placed.ID, order.StatusFailed)
			require.Equal(t, "transfer_failed", *failed.FulfillmentCode)
			require.Equal(t, execution.TransferDead, h.transfers(placed.ID)[0].Status)
			sends := 1
			if since != "nothing" {
				h.must(placed.ID, since, nil)
				h.closed(placed.ID)
			}
			if since == workflows.Retry {
				sends = 2
			}
			h.books()
			h.control("/control/bitgo/transfers/"+*first.TransferID, map[string]string{"state": "confirmed"})
			h.books()
			h.books()
			o, last := h.closed(placed.ID), h.transfers(placed.ID)
			h.sweep()
			require.NoError(t, h.client.GetWorkflow(t.Context(), workflows.OrderID(placed.ID), "").Get(t.Context(), nil), "nobody waits any more")
			lost, err := ledger.AccountBalance(t.Context(), h.db, ledger.AccountLosses, o.Asset)
			require.NoError(t, err)
			if since == "nothing" {
				require.Equal(t, execution.TransferConfirmed, last[0].Status)
				require.Equal(t, order.StatusSent, o.Status)
				require.Equal(t, *last[0].TxID, *o.TxID)
				require.True(t, lost.IsZero())
			} else {
				require.Equal(t, execution.TransferRevived, last[0].Status)
				require.Equal(t, o.Amount, lost, "booked once")
			}
			require.Equal(t, since == workflows.Refund, o.Resolution != nil)
			require.Equal(t, sends, h.effects()["bitgo/send"])
			require.Equal(t, "0.00", h.moved(placed.ID, ledger.AccountPrepaid))
			h.record(workflows.OrderID(placed.ID), "transfer-dead-"+since)
		})
	}
}

// Two people call a transfer dead that has come back meanwhile: BitGo is asked once
// more, and what it says counts.
func TestTransferIsNotDeadOnceItIsBack(t *testing.T) {
	h := open(t)
	o, first := h.removedForGood()
	h.control("/control/bitgo/transfers/"+*first.TransferID, map[string]string{"state": "confirmed"})
	require.Equal(t, "custody_says_confirmed", h.decide(o.ID, workflows.TransferDead, spentOtherwise).Code)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	require.Equal(t, execution.TransferConfirmed, h.transfers(o.ID)[0].Status)
	h.books()
}

// A transfer that was reported as sent is removed, and two people declare it dead at once:
// also before the workflow's state is waiting.
func TestSentTransferIsDeclaredDead(t *testing.T) {
	h := open(t)
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "1h", "block": "1h"})
	o := h.paid()
	h.must(o.ID, workflows.Fulfill, nil)
	sent := h.status(o.ID, order.StatusSent)
	h.control("/control/bitgo/transfers/"+*sent.BitgoTransferID, map[string]string{"state": "removed"})
	h.attention(o.ID, casework.AttentionTransfer)
	h.must(o.ID, workflows.TransferDead, spentOtherwise)
	h.status(o.ID, order.StatusFailed)
	require.Equal(t, money.USD.Format(sent.Total.Neg()), h.moved(o.ID, ledger.AccountPrepaid), "we owe it again")
	h.must(o.ID, workflows.Refund, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(o.ID).Resolution)
	h.books()
}
