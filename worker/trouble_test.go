package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/workflows"
)

// An exchange that accepts no orders for a while is no failure: the purchase is tried
// again, each refusal is counted, and it buys once.
func TestExchangeThatTakesNoOrdersIsWaitedFor(t *testing.T) {
	for _, mode := range []string{"maintenance", "cancel_only", "post_only"} {
		t.Run(mode, func(t *testing.T) {
			h := open(t)
			placed := h.paid()
			h.control("/control/kraken/status", map[string]string{"status": mode})
			h.must(placed.ID, workflows.Fulfill, nil)
			o := h.reaches(placed.ID, "refused for now", func(o *order.Order, _ *order.Payment) bool { return o.RetryCount > 0 })
			require.Equal(t, order.StatusFulfilling, o.Status)
			require.NotEmpty(t, *o.LastError)
			h.control("/control/kraken/status", map[string]string{"status": "online"})
			require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
			require.Equal(t, 1, h.effects()["kraken/fill"])
			h.books()
		})
	}
}

// pricedAt moves the exchange's price to a share of what it was, in percent, and
// waits until we know it.
func (h *testCluster) pricedAt(percent int64) {
	h.Helper()
	if h.ask.IsZero() {
		markets, err := pricing.Markets(h.Context(), h.db)
		require.NoError(h, err)
		h.ask = markets[money.BTC].Ask
	}
	price := h.ask.Mul(money.USD.Decimal(money.FromInt(percent))).Round(1).String()
	h.control("/control/kraken/prices", map[string]string{"pair": "XXBTZUSD", "ask": price, "bid": price})
	h.until("the new price", func() bool {
		now, err := pricing.Markets(h.Context(), h.db)
		return err == nil && now[money.BTC].Ask.String() == price
	})
}

// The price leaves our limit after the coin was reserved: nothing is bought
// above it, the customer is asked, and it is bought when the price is back.
func TestPriceThatLeavesTheLimitWhileBuying(t *testing.T) {
	h := open(t)
	placed := h.paid()
	h.control("/control/kraken/status", map[string]string{"status": "maintenance"})
	h.must(placed.ID, workflows.Fulfill, nil)
	h.reaches(placed.ID, "refused for now", func(o *order.Order, _ *order.Payment) bool { return o.RetryCount > 0 })
	h.pricedAt(105)
	h.control("/control/kraken/status", map[string]string{"status": "online"})
	o := h.asked(placed.ID, casework.AttentionPrice)
	require.Equal(t, order.StatusFulfilling, o.Status)
	require.Zero(t, h.effects()["kraken/fill"])
	require.Contains(t, h.kinds(placed.ID), "price_waiting")
	h.pricedAt(100)
	h.must(placed.ID, workflows.KeepTrying, nil)
	require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
	h.books()
}

func TestIdentityRevokedBetweenProcessAndFulfil(t *testing.T) {
	h := open(t)
	placed := h.paid()
	h.exec(`UPDATE kyc_records SET revoked_at = clock_now() WHERE user_id = $1`, h.customer)
	require.Equal(t, casework.AttentionKYC, h.decide(placed.ID, workflows.Fulfill, nil).Code)
	o := h.attention(placed.ID, casework.AttentionKYC)
	require.Equal(t, []string{workflows.Retry, workflows.Hold, workflows.Refund}, []string(o.AttentionChoices))
	require.Contains(t, h.kinds(placed.ID), "attention")
	h.exec(`UPDATE kyc_records SET revoked_at = NULL WHERE user_id = $1`, h.customer)
	h.must(placed.ID, workflows.Retry, nil)
	require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
	h.books()
	h.record(workflows.OrderID(placed.ID), "kyc-revoked")
}

func TestWalletThatIsShortIsFilledUpAndTheOrderGoesOn(t *testing.T) {
	h := open(t)
	o := h.paid()
	float, err := ledger.AccountBalance(t.Context(), h.db, ledger.WalletAccount("bitcoin"), money.BTC)
	require.NoError(t, err)
	move := func(group, from, to string) {
		require.NoError(t, ledger.SeedFloat(t.Context(), h.db, group, []ledger.Posting{{From: from, To: to, Currency: money.BTC, Amount: float}}))
	}
	move("emptied", ledger.WalletAccount("bitcoin"), ledger.AccountEquity)
	require.Equal(t, casework.AttentionFloat, h.decide(o.ID, workflows.Fulfill, nil).Code)
	h.attention(o.ID, casework.AttentionFloat)
	move("filled up", ledger.AccountEquity, ledger.WalletAccount("bitcoin"))
	h.must(o.ID, workflows.Retry, nil)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	h.books()
}

// Custody's own approver says no: nothing was sent, and the money goes back.
func TestBar30TransferThatCustodyRejects(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "approval")
	placed := h.paid()
	h.must(placed.ID, workflows.Fulfill, nil)
	h.attention(placed.ID, casework.AttentionApproval)
	transfers, err := execution.OrderWithdrawals(t.Context(), h.db, placed.ID)
	require.NoError(t, err)
	h.control("/control/bitgo/approvals/"+*transfers[0].ApprovalID, map[string]string{"state": "rejected"})
	o := h.asked(placed.ID, order.ChoiceFailed)
	require.Equal(t, "transfer_rejected", *o.FulfillmentCode)
	require.Equal(t, []string{workflows.RefundNow}, order.CustomerChoices(o, nil))
	h.must(placed.ID, workflows.RefundNow, nil)
	require.Equal(t, order.ResolutionRefunded, *h.closed(placed.ID).Resolution)
	require.Zero(t, h.effects()["bitgo/send"])
	require.Equal(t, 1, h.effects()["stripe/refund"])
	h.books()
	h.record(workflows.OrderID(placed.ID), "approval-rejected")
}
