package models_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

func (s *shop) ordered() *order.Order {
	quote, err := s.quoter.Quote(s.Context(), s.input("0.01"))
	require.NoError(s, err)
	order, err := s.order(s.Context(), quote)
	require.NoError(s, err)
	return order
}

func (s *shop) kinds(id string) (kinds []string) {
	events, err := order.Timeline.Events(s.Context(), s.db, id)
	require.NoError(s, err)
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// The writes of one change are visible to its reads, in the order in which they were written, and once it fails none
// of them is stored.
func TestWritesThatWaitAreSeenInTheirOrder(t *testing.T) {
	s := openShop(t)
	o := s.ordered()
	line := ledger.Posting{From: ledger.AccountEquity, To: ledger.AccountBank, Currency: money.USD, Amount: money.FromInt(100)}
	lines := []string{"created", "held", "resumed", "held", "checkout_ready"}
	require.NoError(t, order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
		for _, kind := range lines[1:4] { // the same kind twice, without a dedupe
			if err := c.Event(casework.Event{Kind: kind}); err != nil {
				return err
			}
		}
		if err := errors.Join(c.Post("float_seeded", "one", line), c.Post("float_seeded", "two", line)); err != nil {
			return err
		}
		for range 2 {
			if err := c.Event(casework.Event{Kind: lines[4], Dedupe: "once"}); err != nil {
				return err
			}
		}
		events, err := order.Timeline.Events(t.Context(), c.DB(), o.ID)
		require.Len(t, events, len(lines))
		record, also := order.ReadOrderRecord(t.Context(), c.DB(), o.ID)
		require.Len(t, record.Postings, 2)
		return errors.Join(err, also)
	}))
	require.Equal(t, lines, s.kinds(o.ID))

	failed := errors.New("failed")
	require.ErrorIs(t, order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
		require.NoError(t, c.Event(casework.Event{Kind: "held"}))
		return failed
	}), failed)
	err := order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
		return errors.Join(c.Event(casework.Event{Kind: "held"}), c.Post("float_seeded", "one", line))
	})
	require.Equal(t, "already_posted", store.ReasonOf(err), "the refusal of the part that failed: %v", err)
	err = order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
		require.NoError(t, c.Post("float_seeded", "one", line))
		_, err := order.ReadOrder(t.Context(), c.DB(), o.ID)
		return err
	})
	require.Equal(t, "already_posted", store.ReasonOf(err), "also where it fails before a read: %v", err)
	require.Equal(t, lines, s.kinds(o.ID))
}

// An order that another process moved to another status is not overwritten, although the other writes of the change
// would succeed.
func TestAChangeOfAnOrderThatMovedIsRefused(t *testing.T) {
	s := openShop(t)
	o := s.ordered()
	err := order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
		c.Order.Held = true
		require.NoError(t, c.Event(casework.Event{Kind: "held"}))
		return Exec(c, "UPDATE orders SET status = 'payment_approved', paid_at = now() WHERE id = $1", o.ID) // past the change
	})
	require.Equal(t, "order_moved", store.ReasonOf(err), "%v", err)
	require.Equal(t, []string{"created"}, s.kinds(o.ID))
}

// Who waits for an order reads its payment as it is once the order is theirs.
func TestWhoWaitsForAnOrderReadsItsPaymentThen(t *testing.T) {
	s := openShop(t)
	o := s.ordered()
	wrote := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	held, release, read := make(chan struct{}), make(chan struct{}), make(chan *order.Payment, 1)
	done := make(chan error, 2)
	go func() {
		done <- order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
			close(held)
			<-release
			p, err := c.Payment()
			if err != nil {
				return err
			}
			p.SubmittedAt = &wrote
			return c.Save(p)
		})
	}()
	<-held
	go func() {
		done <- order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
			p, err := c.Payment()
			read <- p
			return err
		})
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := s.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		return err == nil && waiting > 0
	}, time.Minute, time.Millisecond)
	close(release)
	require.NoError(t, errors.Join(<-done, <-done))
	p := <-read
	require.NotNil(t, p.SubmittedAt)
	require.Equal(t, wrote, p.SubmittedAt.UTC())
}
