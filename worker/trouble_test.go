package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

// An exchange that takes no orders for a while is no failure: the purchase is
// tried again, each refusal is counted, and it buys once.
func TestExchangeThatTakesNoOrdersIsWaitedFor(t *testing.T) {
	for _, mode := range []string{"maintenance", "cancel_only", "post_only"} {
		t.Run(mode, func(t *testing.T) {
			h := open(t)
			order := h.paid()
			h.control("/control/kraken/status", map[string]string{"status": mode})
			h.must(order.ID, workflows.Fulfill, nil)
			o := h.reaches(order.ID, "refused for now", func(o *models.Order, _ *models.Payment) bool { return o.RetryCount > 0 })
			require.Equal(t, models.StatusFulfilling, o.Status)
			require.NotEmpty(t, *o.LastError)
			h.control("/control/kraken/status", map[string]string{"status": "online"})
			require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
			require.Equal(t, 1, h.effects()["kraken/fill"])
			h.books()
		})
	}
}

// pricedAt moves the exchange's price to a share of what it was, in percent, and
// waits until we know it.
func (h *house) pricedAt(percent int64) {
	h.Helper()
	if h.ask.IsZero() {
		markets, err := h.db.Markets(h.Context())
		require.NoError(h, err)
		h.ask = markets[money.BTC].Ask
	}
	price := h.ask.Mul(money.USD.Decimal(money.FromInt(percent))).Round(1).String()
	h.control("/control/kraken/prices", map[string]string{"pair": "XXBTZUSD", "ask": price, "bid": price})
	h.until("the new price", func() bool {
		now, err := h.db.Markets(h.Context())
		return err == nil && now[money.BTC].Ask.String() == price
	})
}

// The price leaves our limit after the coin was reserved: nothing is bought
// above it, the customer is asked, and it is bought when the price is back.
func TestPriceThatLeavesTheLimitWhileBuying(t *testing.T) {
	h := open(t)
	order := h.paid()
	h.control("/control/kraken/status", map[string]string{"status": "maintenance"})
	h.must(order.ID, workflows.Fulfill, nil)
	h.reaches(order.ID, "refused for now", func(o *models.Order, _ *models.Payment) bool { return o.RetryCount > 0 })
	h.pricedAt(105)
	h.control("/control/kraken/status", map[string]string{"status": "online"})
	o := h.asked(order.ID, models.AttentionPrice)
	require.Equal(t, models.StatusFulfilling, o.Status)
	require.Zero(t, h.effects()["kraken/fill"])
	require.Contains(t, h.kinds(order.ID), "price_waiting")
	h.pricedAt(100)
	h.must(order.ID, workflows.KeepTrying, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
}

func TestIdentityTakenBackBetweenProcessAndFulfil(t *testing.T) {
	h := open(t)
	order := h.paid()
	h.exec(`UPDATE kyc_records SET revoked_at = clock_now() WHERE user_id = $1`, h.customer)
	require.Equal(t, models.AttentionKYC, h.decide(order.ID, workflows.Fulfill, nil).Code)
	o := h.attention(order.ID, models.AttentionKYC)
	require.Equal(t, []string{workflows.Retry, workflows.Hold, workflows.Refund}, []string(o.AttentionChoices))
	require.Contains(t, h.kinds(order.ID), "attention")
	h.exec(`UPDATE kyc_records SET revoked_at = NULL WHERE user_id = $1`, h.customer)
	h.must(order.ID, workflows.Retry, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
	h.record(workflows.OrderID(order.ID), "kyc-revoked")
}

func TestWalletThatIsShortIsFilledUpAndTheOrderGoesOn(t *testing.T) {
	h := open(t)
	order := h.paid()
	float, err := h.db.AccountBalance(t.Context(), models.WalletAccount("bitcoin"), money.BTC)
	require.NoError(t, err)
	move := func(group, from, to string) {
		require.NoError(t, h.db.SeedFloat(t.Context(), group, []models.Posting{{From: from, To: to, Currency: money.BTC, Amount: float}}))
	}
	move("emptied", models.WalletAccount("bitcoin"), models.AccountEquity)
	require.Equal(t, models.AttentionFloat, h.decide(order.ID, workflows.Fulfill, nil).Code)
	h.attention(order.ID, models.AttentionFloat)
	move("filled up", models.AccountEquity, models.WalletAccount("bitcoin"))
	h.must(order.ID, workflows.Retry, nil)
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	h.books()
}

// Custody's own approver says no: nothing was sent, and the money goes back.
func TestBar30TransferThatCustodyRejects(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "approval")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	h.attention(order.ID, models.AttentionApproval)
	transfers, err := h.db.OrderWithdrawals(t.Context(), order.ID)
	require.NoError(t, err)
	h.control("/control/bitgo/approvals/"+*transfers[0].ApprovalID, map[string]string{"state": "rejected"})
	o := h.asked(order.ID, models.ChoiceFailed)
	require.Equal(t, "transfer_rejected", *o.FulfillmentCode)
	require.Equal(t, []string{workflows.RefundNow}, models.CustomerChoices(o, nil))
	h.must(order.ID, workflows.RefundNow, nil)
	require.Equal(t, models.ResolutionRefunded, *h.closed(order.ID).Resolution)
	require.Zero(t, h.effects()["bitgo/send"])
	require.Equal(t, 1, h.effects()["stripe/refund"])
	h.books()
	h.record(workflows.OrderID(order.ID), "approval-rejected")
}
