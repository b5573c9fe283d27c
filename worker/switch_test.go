package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

// turn pauses a service or resumes it, without a signal: the sweep finds what waits.
func (h *testCluster) turn(kind, name string, pause bool) {
	h.Helper()
	_, err := pricing.TurnSwitch(h.Context(), h.db, kind, name, pause, store.Actor{ActorID: h.staff, ActorRole: "admin", Reason: "a test"})
	require.NoError(h, err)
}

// A paid order whose rail, asset or every delivery is paused waits at Fulfill, begins
// nothing at a provider, and resumes by itself: by the sweep alone without a signal.
func TestPausedOrderWaitsAndGoesOnByItself(t *testing.T) {
	h := open(t)
	o := h.paid()
	before := h.effects()
	h.turn(pricing.SwitchAsset, "BTC", true)
	h.turn(pricing.SwitchFulfilment, "", true)
	require.Equal(t, casework.AttentionPaused, h.decide(o.ID, workflows.Fulfill, nil).Code)
	h.attention(o.ID, casework.AttentionPaused)
	h.turn(pricing.SwitchAsset, "BTC", false)
	due, err := order.Resumed(t.Context(), h.db, 10)
	require.NoError(t, err)
	require.Empty(t, due, "one of two switches is still on")
	require.Equal(t, before, h.effects(), "nothing begins at a provider")
	h.turn(pricing.SwitchFulfilment, "", false)
	h.sweep()
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	kinds := h.kinds(o.ID)
	require.Contains(t, kinds, "attention")
	require.Contains(t, kinds, "attention_cleared")
	require.Equal(t, 1, h.effects()["bitgo/send"])
	h.books()
	h.record(workflows.OrderID(o.ID), "paused")
}

// One that is resumed while its rail is paused waits before it buys, and is bought and sent
// once.
func TestAnOrderResumedWhilePausedBuysNothing(t *testing.T) {
	h := open(t)
	placed := h.paid()
	h.arm("kraken", "AddOrder", "insufficient")
	h.must(placed.ID, workflows.Fulfill, nil)
	h.asked(placed.ID, order.ChoiceFailed)
	h.turn(pricing.SwitchRail, "card", true)
	h.must(placed.ID, workflows.KeepTrying, nil)
	o := h.attention(placed.ID, casework.AttentionPaused)
	require.Equal(t, order.StatusFulfilling, o.Status)
	require.Zero(t, h.effects()["kraken/fill"])
	h.turn(pricing.SwitchRail, "card", false)
	h.sweep()
	require.Equal(t, order.StatusSent, h.closed(placed.ID).Status)
	require.Equal(t, 1, h.effects()["bitgo/send"])
	h.books()
}

// Custody asks its own switch, whatever the workflow believes.
func TestCustodySendsNothingWhileItsAssetIsPaused(t *testing.T) {
	h := open(t)
	o := h.paid()
	h.turn(pricing.SwitchAsset, "BTC", true)
	h.exec(`UPDATE orders SET status = 'filled' WHERE id = $1`, o.ID)
	job, err := order.StartTransfer(t.Context(), h.db, o.ID, execution.Caps{Order: 1_000_000, Day: 1_000_000})
	require.NoError(t, err)
	require.True(t, job.Done)
	var reason string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT attention_reason FROM orders WHERE id = $1`, o.ID).Scan(&reason))
	require.Equal(t, casework.AttentionPaused, reason)
}

// A redeemed voucher waits too, at each place where a provider would be asked,
// is paid once, and none is redeemed meanwhile.
func TestPausedRedemptionWaitsAndGoesOnByItself(t *testing.T) {
	h := open(t)
	row, code := h.redeem("100", money.USD, false)
	h.turn(pricing.SwitchFulfilment, "", true)
	require.NoError(t, h.client.StartCase(t.Context(), voucher.KindVoucher, row.ID))
	require.Equal(t, casework.AttentionPaused, *h.waits(row.ID).AttentionReason)
	require.Empty(t, h.voucherEffects(row.ID))
	err := h.db.Tx(t.Context(), func(tx *store.DB) error {
		v, err := voucher.MakeVoucher(t.Context(), tx, voucherKeys(t), voucher.NewVoucher{Actor: store.Actor{ActorID: h.staff, ActorRole: "admin"}, Amount: money.FromInt(50_00), Currency: money.USD,
			Limits: voucher.VoucherLimits{Value: money.FromInt(2000_00), Alone: money.FromInt(1_000_000_00)}})
		require.NoError(t, err)
		another, err := voucher.VoucherCode(voucherKeys(t), v)
		require.NoError(t, err)
		_, err = voucher.RedeemVoucher(t.Context(), tx, voucherKeys(t), voucher.NewRedemption{UserID: h.customer, Code: another, Asset: money.BTC,
			Network: money.Bitcoin, Address: h.unusedAddress(), Terms: voucher.VoucherTerms{IdentityAbove: money.FromInt(300_00)}})
		return err
	})
	require.Equal(t, "fulfilment_paused", store.ReasonOf(err))
	h.turn(pricing.SwitchFulfilment, "", false)
	h.sweep()
	h.paidOut(row.ID)
	require.Equal(t, oneVoucher, h.voucherEffects(row.ID))
	h.voucherEnded(row, code)
	h.record(workflows.CaseID(voucher.KindVoucher, row.ID), "voucher-paused")
	h.books()
}
