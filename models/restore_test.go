package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/treasury"
)

// After a backup was put back, what was open is looked for before it is sent, since
// it was made; what is made afterwards is sent as ever. The rest of the way:
// e2e/restore_test.go.
func TestBar34WhatIsOpenAfterARestoreIsLookedForFirst(t *testing.T) {
	s := openShop(t)
	made := func() *order.Order {
		quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
		require.NoError(t, err)
		order, err := s.order(t.Context(), quote)
		require.NoError(t, err)
		return order
	}
	before := made()
	for _, open := range []int64{1, 0} { // twice is once
		marked, err := order.NoteRestored(t.Context(), s.db, "command:somebody")
		require.NoError(t, err)
		require.Equal(t, order.Restored{Orders: open}, marked)
	}
	first, err := order.StartCheckout(t.Context(), s.db, before.ID, false)
	require.NoError(t, err)
	require.True(t, first.SentBefore, "its page may have been made after the backup")
	require.Equal(t, 1, first.Generation)
	require.WithinDuration(t, before.CreatedAt, first.StartedAt, time.Millisecond)
	next, err := order.StartCheckout(t.Context(), s.db, before.ID, true)
	require.NoError(t, err)
	require.False(t, next.SentBefore)
	require.Equal(t, 2, next.Generation)
	fresh, err := order.StartCheckout(t.Context(), s.db, made().ID, false)
	require.NoError(t, err)
	require.False(t, fresh.SentBefore)
}

// An approved move may have been sent after the backup, and the exchange keeps no
// identity of ours by which to tell: it ends, and nothing was booked for it.
func TestBar34AMoveThatWasApprovedBeforeARestoreIsNotSent(t *testing.T) {
	v := openVault(t)
	m := v.approved(500_000_000)
	_, err := order.NoteRestored(t.Context(), v.db, "command:somebody")
	require.NoError(t, err)
	require.True(t, v.start(m).Done)
	require.Equal(t, "restored", *v.stands(m, treasury.MoveFailed).Problem)
	v.holds(2_000_000_000, 0, 1_000_000_000)
	require.False(t, v.start(v.approved(500_000_000)).Done, "proposed anew")
}

// A refund of an order that was made before a restore is looked for before it is sent,
// whoever carries it and whether or not its order has ended: the row that knows of the
// one sent after the backup may be missing, and its number be given out again.
func TestRefundsOfOrdersBeforeARestoreAreLookedForFirst(t *testing.T) {
	for name, restored := range map[string]bool{"restored": true, "not restored": false} {
		t.Run(name, func(t *testing.T) {
			d := openDesk(t)
			d.pay()
			open, err := d.part(5_000) // its row is in the backup, unsent
			require.NoError(t, err)
			if restored {
				_, err = order.NoteRestored(t.Context(), d.db, "command:somebody")
				require.NoError(t, err)
			}
			starts := func(sequence int) order.RefundJob {
				t.Helper()
				job, err := order.StartGiveBack(t.Context(), d.db, d.order.ID, sequence)
				require.NoError(t, err)
				return job
			}
			require.Equal(t, restored, starts(open.Sequence).SentBefore)
			require.True(t, starts(open.Sequence).SentBefore, "begun before")
			require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, open.Sequence, "re_1", order.RefundSucceeded, ""))
			again, err := d.part(7_000) // its number may be that of one the backup does not know
			require.NoError(t, err)
			require.Equal(t, restored, starts(again.Sequence).SentBefore)
			require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, again.Sequence, "re_2", order.RefundSucceeded, ""))
			decision, err := d.decide(order.DecisionRefund, nil)
			require.NoError(t, err)
			job, err := order.StartRefund(t.Context(), d.db, d.order.ID, decision)
			require.NoError(t, err)
			require.Equal(t, restored, job.SentBefore, "all that is left")
		})
	}
}
