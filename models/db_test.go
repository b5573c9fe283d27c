package models_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
)

// Of a transaction that fails, panics, or whose caller goes away nothing stays, its
// connection least of all; the next one finds the database as it was.
func TestATransactionThatDoesNotEndWellLeavesNothing(t *testing.T) {
	s := openShop(t)
	quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
	require.NoError(t, err)
	order, err := s.order(t.Context(), quote)
	require.NoError(t, err)
	tell := func(ctx context.Context, then func() error) error {
		return s.db.ChangeOrder(ctx, order.ID, func(c *models.OrderChange) error {
			if err := c.Event(models.Event{Kind: "held"}); err != nil {
				return err
			}
			return then()
		})
	}
	told := func() int {
		events, err := s.db.OrderEvents(t.Context(), order.ID)
		require.NoError(t, err)
		return len(events)
	}

	failed := errors.New("failed")
	require.ErrorIs(t, tell(t.Context(), func() error { return failed }), failed)
	require.Panics(t, func() { _ = tell(t.Context(), func() error { panic("a mistake") }) })
	gone, leave := context.WithCancel(t.Context())
	require.Error(t, tell(gone, func() error { leave(); return nil }))
	require.Equal(t, 1, told(), "that it was created")
	require.Eventually(t, func() bool { return s.db.Pool().Stat().AcquiredConns() == 0 }, 10*time.Second, time.Millisecond)

	require.NoError(t, tell(t.Context(), func() error { return nil }))
	require.Equal(t, 2, told())
}
