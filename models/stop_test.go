package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// A stop that is recorded again after a later decision, because the worker died twice, does not stop the order.
func TestOneStopIsNotedOnce(t *testing.T) {
	d := openOrderFixture(t)
	fails := func(stop execution.Stop) {
		t.Helper()
		require.NoError(t, order.StepFailed(t.Context(), d.db, d.order.ID, execution.StepBuy, "insufficient_funds", stop))
	}
	d.pay()
	d.do("fulfill")
	fails("run:7")
	require.Equal(t, order.StatusFailed, d.now().Status)
	d.do("retry")
	fails("run:7")
	require.Equal(t, order.StatusFulfilling, d.now().Status, "the stop was noted before")
	fails("run:12")
	require.Equal(t, order.StatusFailed, d.now().Status, "another purchase failed")

	d.pay()
	d.do("fulfill")
	asks := func(stop execution.Stop) *string {
		t.Helper()
		err := order.NeedPerson(t.Context(), d.db, d.order.ID, casework.AttentionBuyUnknown, "", stop)
		require.NoError(t, err)
		return d.now().AttentionReason
	}
	require.Equal(t, casework.AttentionBuyUnknown, store.Text(asks("run:7")))
	d.do("retry")
	require.Nil(t, asks("run:7"), "the stop was noted before")
	require.Equal(t, casework.AttentionBuyUnknown, store.Text(asks("run:12")))
}

// The same for the redemption of a voucher.
func TestOneStopOfARedemptionIsNotedOnce(t *testing.T) {
	p := openPress(t)
	_, code, err := p.make("20", money.USD)
	require.NoError(t, err)
	r, err := p.redeem(code)
	require.NoError(t, err)
	require.NoError(t, failure(voucher.ReserveVoucher(t.Context(), p.db, r.ID, 100)))
	asks := func(stop execution.Stop) *string {
		t.Helper()
		err := voucher.VoucherNeedsPerson(t.Context(), p.db, r.ID, casework.AttentionBuyUnknown, stop)
		require.NoError(t, err)
		return p.redemption(r.ID).AttentionReason
	}
	require.Equal(t, casework.AttentionBuyUnknown, store.Text(asks("run:7")))
	require.NoError(t, p.decide(r.ID, voucher.VoucherResume))
	require.Nil(t, asks("run:7"), "the stop was noted before")
	require.Equal(t, casework.AttentionBuyUnknown, store.Text(asks("run:12")))
}
