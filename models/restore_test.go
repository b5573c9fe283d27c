package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
)

// After a backup was put back, what was open is looked for before it is sent, since
// it was made; what is made afterwards is sent as ever. The rest of the way:
// e2e/restore_test.go.
func TestBar34WhatIsOpenAfterARestoreIsLookedForFirst(t *testing.T) {
	s := openShop(t)
	made := func() *models.Order {
		quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
		require.NoError(t, err)
		order, err := s.order(t.Context(), quote)
		require.NoError(t, err)
		return order
	}
	before := made()
	for _, open := range []int64{1, 0} { // twice is once
		marked, err := s.db.NoteRestored(t.Context(), "command:somebody")
		require.NoError(t, err)
		require.Equal(t, models.Restored{Orders: open}, marked)
	}
	first, err := s.db.StartCheckout(t.Context(), before.ID, false)
	require.NoError(t, err)
	require.True(t, first.SentBefore, "its page may have been made after the backup")
	require.Equal(t, 1, first.Generation)
	require.WithinDuration(t, before.CreatedAt, first.StartedAt, time.Millisecond)
	next, err := s.db.StartCheckout(t.Context(), before.ID, true)
	require.NoError(t, err)
	require.False(t, next.SentBefore)
	require.Equal(t, 2, next.Generation)
	fresh, err := s.db.StartCheckout(t.Context(), made().ID, false)
	require.NoError(t, err)
	require.False(t, fresh.SentBefore)
}

// An approved move may have been sent after the backup, and the exchange keeps no
// identity of ours by which to tell: it ends, and nothing was booked for it.
func TestBar34AMoveThatWasApprovedBeforeARestoreIsNotSent(t *testing.T) {
	v := openVault(t)
	m := v.approved(500_000_000)
	_, err := v.db.NoteRestored(t.Context(), "command:somebody")
	require.NoError(t, err)
	require.True(t, v.start(m).Done)
	require.Equal(t, "restored", *v.stands(m, models.MoveFailed).Problem)
	v.holds(2_000_000_000, 0, 1_000_000_000)
	require.False(t, v.start(v.approved(500_000_000)).Done, "proposed anew")
}
