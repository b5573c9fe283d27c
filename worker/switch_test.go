package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/workflows"
)

// turn pauses something or resumes it, and tells nobody: the sweep finds what
// waits.
func (h *house) turn(kind, name string, pause bool) {
	h.Helper()
	_, err := h.db.TurnSwitch(h.Context(), kind, name, pause, models.By{ActorID: h.staff, ActorRole: "admin", Reason: "a test"})
	require.NoError(h, err)
}

// A paid order whose rail, asset or every delivery is paused waits at Fulfill,
// begins nothing at a provider, and goes on by itself: by the sweep alone when
// nobody tells it.
func TestPausedOrderWaitsAndGoesOnByItself(t *testing.T) {
	h := open(t)
	order := h.paid()
	before := h.effects()
	h.turn(models.SwitchAsset, "BTC", true)
	h.turn(models.SwitchFulfilment, "", true)
	require.Equal(t, models.AttentionPaused, h.decide(order.ID, workflows.Fulfill, nil).Code)
	h.attention(order.ID, models.AttentionPaused)
	h.turn(models.SwitchAsset, "BTC", false)
	wakes, err := h.db.Resumed(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, wakes, "one of two switches is still on")
	require.Equal(t, before, h.effects(), "nothing begins at a provider")
	h.turn(models.SwitchFulfilment, "", false)
	h.sweep()
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	kinds := h.kinds(order.ID)
	require.Contains(t, kinds, "attention")
	require.Contains(t, kinds, "attention_cleared")
	require.Equal(t, 1, h.effects()["bitgo/send"])
	h.books()
	h.record(workflows.OrderID(order.ID), "paused")
}

// One that is taken up again while its rail is paused waits before it buys, and
// is bought and sent once.
func TestAnOrderTakenUpWhilePausedBuysNothing(t *testing.T) {
	h := open(t)
	order := h.paid()
	h.arm("kraken", "AddOrder", "insufficient")
	h.must(order.ID, workflows.Fulfill, nil)
	h.asked(order.ID, models.ChoiceFailed)
	h.turn(models.SwitchRail, "card", true)
	h.must(order.ID, workflows.KeepTrying, nil)
	o := h.attention(order.ID, models.AttentionPaused)
	require.Equal(t, models.StatusFulfilling, o.Status)
	require.Zero(t, h.effects()["kraken/fill"])
	h.turn(models.SwitchRail, "card", false)
	h.sweep()
	require.Equal(t, models.StatusSent, h.closed(order.ID).Status)
	require.Equal(t, 1, h.effects()["bitgo/send"])
	h.books()
}

// Custody asks its own switch, whatever the workflow believes.
func TestCustodySendsNothingWhileItsAssetIsPaused(t *testing.T) {
	h := open(t)
	order := h.paid()
	h.turn(models.SwitchAsset, "BTC", true)
	h.exec(`UPDATE orders SET status = 'filled' WHERE id = $1`, order.ID)
	job, err := h.db.StartTransfer(t.Context(), order.ID, models.Caps{Order: 1_000_000, Day: 1_000_000})
	require.NoError(t, err)
	require.True(t, job.Done)
	var reason string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT attention_reason FROM orders WHERE id = $1`, order.ID).Scan(&reason))
	require.Equal(t, models.AttentionPaused, reason)
}

// A redeemed voucher waits too, at each place where a provider would be asked,
// is paid once, and none is redeemed meanwhile.
func TestPausedRedemptionWaitsAndGoesOnByItself(t *testing.T) {
	h := open(t)
	row, code := h.redeem("100", money.USD, false)
	h.turn(models.SwitchFulfilment, "", true)
	require.NoError(t, h.client.StartMatter(t.Context(), models.MatterVoucher, row.ID))
	require.Equal(t, models.AttentionPaused, *h.waits(row.ID).AttentionReason)
	require.Empty(t, h.voucherEffects(row.ID))
	err := h.db.Tx(t.Context(), func(tx *models.DB) error {
		v, err := tx.MakeVoucher(t.Context(), voucherKeys(t), models.NewVoucher{Actor: models.Viewer{ID: h.staff, Role: "admin"}, Amount: money.FromInt(50_00), Currency: money.USD,
			Limits: models.VoucherLimits{Value: money.FromInt(2000_00), Alone: money.FromInt(1_000_000_00)}})
		require.NoError(t, err)
		another, err := models.VoucherCode(voucherKeys(t), v)
		require.NoError(t, err)
		_, err = tx.RedeemVoucher(t.Context(), voucherKeys(t), models.NewRedemption{UserID: h.customer, Code: another, Asset: money.BTC,
			Network: models.NetworkBitcoin, Address: h.unusedAddress(), Terms: models.VoucherTerms{IdentityAbove: money.FromInt(300_00)}})
		return err
	})
	require.Equal(t, "fulfilment_paused", models.ReasonOf(err))
	h.turn(models.SwitchFulfilment, "", false)
	h.sweep()
	h.paidOut(row.ID)
	require.Equal(t, oneVoucher, h.voucherEffects(row.ID))
	h.voucherEnded(row, code)
	h.record(workflows.MatterID(models.MatterVoucher, row.ID), "voucher-paused")
	h.books()
}
