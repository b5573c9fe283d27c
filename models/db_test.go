package models_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// A transaction that fails, panics, or whose caller disconnects leaves nothing, its connection included; the next one
// finds the database unchanged.
func TestATransactionThatDoesNotEndWellLeavesNothing(t *testing.T) {
	s := openShop(t)
	quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
	require.NoError(t, err)
	o, err := s.order(t.Context(), quote)
	require.NoError(t, err)
	notify := func(ctx context.Context, then func() error) error {
		return order.ChangeOrder(ctx, s.db, o.ID, func(c *order.OrderChange) error {
			if err := c.Event(casework.Event{Kind: "held"}); err != nil {
				return err
			}
			return then()
		})
	}
	show := func() int {
		events, err := order.Timeline.Events(t.Context(), s.db, o.ID)
		require.NoError(t, err)
		return len(events)
	}

	failed := errors.New("failed")
	require.ErrorIs(t, notify(t.Context(), func() error { return failed }), failed)
	require.Panics(t, func() { _ = notify(t.Context(), func() error { panic("a mistake") }) })
	gone, leave := context.WithCancel(t.Context())
	require.Error(t, notify(gone, func() error { leave(); return nil }))
	require.Equal(t, 1, show(), "that it was created")
	require.Eventually(t, func() bool { return s.db.Pool().Stat().AcquiredConns() == 0 }, time.Minute, time.Millisecond)

	require.NoError(t, notify(t.Context(), func() error { return nil }))
	require.Equal(t, 2, show())
}

// Locks of a machine that loses its power are released within ten seconds, not after two hours.
func TestLocksOfAMachineThatIsGoneAreLetGo(t *testing.T) {
	s := openShop(t)
	for name, want := range map[string]string{"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "1", "tcp_keepalives_count": "5",
		"tcp_user_timeout": "10000", "idle_in_transaction_session_timeout": "5min"} {
		var have string
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), "SHOW "+name).Scan(&have))
		require.Equal(t, want, have, name)
	}
}

// A release that is started before its migrations does not begin to work; the one before it still works after them.
func TestNoReleaseWorksOnTheSchemaOfAnEarlierOne(t *testing.T) {
	s := openShop(t)
	owner, err := store.Open(t.Context(), s.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
	require.NoError(t, err)
	defer owner.Close()
	open := func() error {
		db, err := store.Open(t.Context(), s.dbs.App, store.Options{MaxConns: 1})
		if err == nil {
			db.Close()
		}
		return err
	}
	for _, c := range []struct {
		change string
		old    bool
	}{
		{"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)", false},
		{"DELETE FROM goose_db_version WHERE version_id >= (SELECT max(version_id) FROM goose_db_version WHERE version_id < 99999)", true},
		{"ALTER TABLE goose_db_version RENAME TO not_made_yet", true},
	} {
		_, err := owner.Pool().Exec(t.Context(), c.change)
		require.NoError(t, err)
		if c.old {
			require.ErrorIs(t, open(), store.ErrOldSchema, c.change)
		} else {
			require.NoError(t, open(), c.change)
		}
	}
}
