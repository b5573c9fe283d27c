package worker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

func TestCardOrderIsAuthorisedCapturedBoughtSentAndConfirmed(t *testing.T) {
	h := open(t)
	o := h.buy("card")
	h.authorise(o.ID)
	h.must(o.ID, workflows.Process, nil)
	h.status(o.ID, order.StatusPaymentApproved)
	h.must(o.ID, workflows.Fulfill, nil)
	sent := h.closed(o.ID)
	require.Equal(t, order.StatusSent, sent.Status)
	require.NotNil(t, sent.ConfirmedAt)
	require.NotEmpty(t, *sent.TxID)
	require.Zero(t, sent.RetryCount)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}, h.effects())
	require.Equal(t, []string{"created", "checkout_ready", "authorised", "capture_requested", "captured", "fulfil_requested", "reserved", "exchange_placed",
		"filled", "transfer_requested", "sent", "bonus_credited", "confirmed"}, h.kinds(o.ID))
	h.books()

	events, activities, text := h.history(o.ID)
	require.LessOrEqual(t, len(activities), 6, "%v", activities)
	require.LessOrEqual(t, events, 90)
	for _, secret := range []string{goodAddress, "@example.com", "cs_", "/pay/", "because"} {
		require.NotContains(t, text, secret)
	}
	require.NotRegexp(t, `[^-\w]4242[^-\w@]`, text) // nor the card; an id or a process's number may hold 4242
	t.Logf("%d events, %v", events, activities)
	h.record(workflows.OrderID(o.ID), "card")
}

func TestDeclinedCardIsReportedAndAnotherCardPays(t *testing.T) {
	h := open(t)
	placed := h.buy("card")
	page := h.page(placed.ID)
	h.pay(page, declinedCard)
	h.reaches(placed.ID, "declined once", func(_ *order.Order, p *order.Payment) bool { return p.Declines == 1 && p.DeclineCode != nil })
	h.authorise(placed.ID)
	require.Contains(t, h.kinds(placed.ID), "card_declined")
	require.Equal(t, workflows.Done, h.decide(placed.ID, workflows.Decline, nil).Code)
	o := h.closed(placed.ID)
	require.Equal(t, order.ResolutionDeclined, *o.Resolution)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/cancel": 1}, h.effects())
	h.books()
	h.record(workflows.OrderID(placed.ID), "card-declined")
}

func TestBar29LostWebhooksAreCaughtByThePoll(t *testing.T) {
	h := open(t)
	h.hooks = false
	o := h.paid()
	h.must(o.ID, workflows.Fulfill, nil)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	h.books()
	h.record(workflows.OrderID(o.ID), "card-notice-lost")
}

func TestCustomerCancelsBeforePaying(t *testing.T) {
	h := open(t)
	o := h.buy("card")
	h.page(o.ID)
	h.must(o.ID, workflows.Cancel, nil)
	require.Equal(t, order.ResolutionCancelled, *h.closed(o.ID).Resolution)
	require.Empty(t, h.effects())
	h.record(workflows.OrderID(o.ID), "card-cancelled")
}

func TestWireIsConfirmedOnceAndSent(t *testing.T) {
	h := open(t)
	o := h.buy("domestic_wire")
	receipt := order.Receipt{Amount: o.Total, ReceivedOn: "2026-11-20", BankReference: "FED-1"}
	h.must(o.ID, workflows.ConfirmReceipt, receipt)
	h.must(o.ID, workflows.Hold, nil)
	h.must(o.ID, workflows.Resume, nil)
	h.must(o.ID, workflows.Fulfill, nil)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	h.record(workflows.OrderID(o.ID), "wire")

	again := h.buy("domestic_wire")
	receipt.Amount = again.Total // the price may have moved since
	_, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: again.ID, Kind: workflows.ConfirmReceipt, ActorID: h.staff, ActorRole: "admin", Data: receipt})
	require.Equal(t, "bank_reference_used", store.ReasonOf(err))
	h.must(again.ID, workflows.Reject, nil)
	require.Equal(t, order.ResolutionDeclined, *h.closed(again.ID).Resolution)
	h.record(workflows.OrderID(again.ID), "wire-rejected")
	h.books()
}

func TestBar28UnknownOutcomesAreLookedUpNeverRepeated(t *testing.T) {
	for _, fault := range []struct{ provider, operation, code string }{
		{"stripe", "create_checkout", "drop_after"}, {"stripe", "capture", "drop_after"}, {"stripe", "capture", "drop_before"},
		{"stripe", "capture", "http:500_after"}, {"stripe", "capture", "500_stored"},
		{"kraken", "AddOrder", "drop_after"}, {"kraken", "AddOrder", "drop_before"}, {"kraken", "AddOrder", "part_fill:0.4"},
		{"bitgo", "sendcoins", "drop_after"}, {"bitgo", "sendcoins", "drop_before"}, {"bitgo", "sendcoins", "http:500_after"}, {"bitgo", "sendcoins", "429"},
	} {
		t.Run(fmt.Sprintf("%s %s %s", fault.provider, fault.operation, fault.code), func(t *testing.T) {
			h := open(t)
			h.arm(fault.provider, fault.operation, fault.code)
			placed := h.paid()
			h.must(placed.ID, workflows.Fulfill, nil)
			o := h.closed(placed.ID)
			require.Equal(t, order.StatusSent, o.Status)
			fills := 1
			if strings.HasPrefix(fault.code, "part_fill") {
				fills = 2
				require.Contains(t, h.kinds(placed.ID), "exchange_part_filled")
			} else if fault.code != "http:500_after" || fault.provider != "bitgo" {
				require.Equal(t, slices.Contains(h.kinds(placed.ID), "attempt_failed"), o.RetryCount > 0)
			}
			require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": fills, "bitgo/send": 1}, h.effects())
			h.books()
		})
	}
}

func TestRefusedPurchaseFailsAndIsRetriedByAPerson(t *testing.T) {
	h := open(t)
	h.arm("kraken", "AddOrder", "insufficient")
	placed := h.paid()
	h.must(placed.ID, workflows.Fulfill, nil)
	o := h.status(placed.ID, order.StatusFailed)
	require.Equal(t, execution.StepBuy, *o.FailedStep)
	require.NotEmpty(t, *o.FulfillmentError)
	require.Equal(t, 1, o.RetryCount)
	h.must(placed.ID, workflows.Retry, nil)
	require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
	require.Equal(t, 1, h.effects()["kraken/fill"])
	h.books()
	h.record(workflows.OrderID(placed.ID), "failed-retried")
}

func TestRefusedPurchaseIsRefundedToTheCard(t *testing.T) {
	h := open(t)
	h.arm("kraken", "AddOrder", "insufficient")
	placed := h.paid()
	h.must(placed.ID, workflows.Fulfill, nil)
	h.status(placed.ID, order.StatusFailed)
	h.must(placed.ID, workflows.Refund, nil)
	o := h.closed(placed.ID)
	require.Equal(t, order.ResolutionRefunded, *o.Resolution)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}, h.effects())
	h.books()
	h.record(workflows.OrderID(placed.ID), "refunded")
}

func TestPriceBeyondTheSlippageWaitsForAPersonAndGoesOn(t *testing.T) {
	h := open(t)
	placed := h.paid()
	before, err := pricing.Markets(t.Context(), h.db)
	require.NoError(t, err)
	h.price(before[money.BTC].Ask, 105)
	require.Equal(t, casework.AttentionPrice, h.decide(placed.ID, workflows.Fulfill, nil).Code)
	o := h.attention(placed.ID, casework.AttentionPrice)
	require.Equal(t, []string{workflows.Retry, workflows.Hold, workflows.Refund}, []string(o.AttentionChoices))
	h.price(before[money.BTC].Ask, 100)
	h.must(placed.ID, workflows.Retry, nil)
	require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
	h.books()
	h.record(workflows.OrderID(placed.ID), "price-moved")
}

func TestBar30TransferWaitsForCustodysApproval(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "approval")
	placed := h.paid()
	h.must(placed.ID, workflows.Fulfill, nil)
	o := h.attention(placed.ID, casework.AttentionApproval)
	require.Equal(t, order.StatusFilled, o.Status)
	transfers, err := execution.OrderWithdrawals(t.Context(), h.db, placed.ID)
	require.NoError(t, err)
	require.Len(t, transfers, 1)
	h.control("/control/bitgo/approvals/"+*transfers[0].ApprovalID, map[string]string{"state": "approved"})
	require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
	h.books()
	h.record(workflows.OrderID(placed.ID), "approval")
}

// Found by a lookup, a transfer under approval names the approval it waits for, as the lost
// answer would have.
func TestBar30ApprovalIsKnownAlthoughTheAnswerWasLost(t *testing.T) {
	h := open(t)
	h.control("/control/bitgo/policy", map[string]string{"coin": "btc", "limit": "0"})
	h.arm("bitgo", "sendcoins", "http:500_after")
	o := h.paid()
	h.must(o.ID, workflows.Fulfill, nil)
	h.attention(o.ID, casework.AttentionApproval)
	h.approve(o.ID)
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	h.books()
}

func TestBar26OrderWithoutWorkflowIsStartedBySweepOnce(t *testing.T) {
	h := open(t)
	placed := h.write("domestic_wire")
	decision, err := order.OpenDecision(t.Context(), h.db, order.NewDecision{OrderID: placed.ID, Kind: workflows.Reject, ActorID: h.staff, ActorRole: "admin", Reason: "no money"})
	require.NoError(t, err)
	h.record(h.sweep(), "sweep")
	h.sweep()
	o := h.closed(placed.ID)
	require.Equal(t, order.ResolutionDeclined, *o.Resolution)
	var code string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT outcome_code FROM decisions WHERE id = $1", decision.ID).Scan(&code))
	require.Equal(t, workflows.Done, code)
}

func TestUnpaidOrderExpiresByTheDatabasesClock(t *testing.T) {
	h := open(t)
	card, wire := h.buy("card"), h.buy("domestic_wire")
	h.page(card.ID)
	h.advance(73 * time.Hour)
	h.sweep()
	for _, o := range []*order.Order{card, wire} {
		require.Equal(t, order.ResolutionExpired, *h.closed(o.ID).Resolution)
	}
	require.Empty(t, h.effects())
}

func TestOwnWalletAddressRejected(t *testing.T) {
	h := open(t)
	wallets, err := bitgo.ParseWallets(demoWallets)
	require.NoError(t, err)
	client := bitgo.New(bitgo.Config{URL: h.sandbox, Token: "token", Wallets: wallets})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	own := &activities.OwnAddresses{DB: h.db, Wallets: client, Log: slog.New(slog.DiscardHandler), Again: time.Second, Every: time.Hour}
	go func() { _ = own.Run(ctx) }()
	ours, err := client.ReceiveAddress(ctx, provider.Wallet{Asset: money.BTC, Network: money.Bitcoin})
	require.NoError(t, err)
	h.until("the bitcoin wallet to be listed", func() bool {
		var kind string
		return h.db.Pool().QueryRow(ctx, `SELECT kind FROM blocked_addresses WHERE network = 'bitcoin' AND address_key = lower($1)`, ours).Scan(&kind) == nil && kind == "own"
	})
}

// The answer to an exchange order is lost, and the exchange limits the rate: the same
// attempt continues its lookups. A new one would begin them all anew, and with several
// orders none would complete.
func TestLookupsContinueWhenTheExchangeLimitsTheirRate(t *testing.T) {
	t.Parallel()
	h := open(t)
	o := h.paid()
	h.arm("kraken", "AddOrder", "drop_after")
	for range 5 {
		h.arm("kraken", "ClosedOrders", "429")
	}
	h.must(o.ID, workflows.Fulfill, nil)
	sent := h.closed(o.ID)
	require.Equal(t, order.StatusSent, sent.Status)
	require.Equal(t, 1, sent.RetryCount, "only the attempt whose answer was lost")
	require.Equal(t, 1, h.effects()["kraken/fill"])
}
