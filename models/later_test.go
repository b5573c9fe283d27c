package models_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

func (s *shop) ordered() *models.Order {
	quote, err := s.quoter.Quote(s.Context(), s.input("0.01"))
	require.NoError(s, err)
	order, err := s.order(s.Context(), quote)
	require.NoError(s, err)
	return order
}

func (s *shop) kinds(id string) (kinds []string) {
	events, err := s.db.OrderEvents(s.Context(), id)
	require.NoError(s, err)
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// What one change writes is there for what it reads, in the order in which it was
// written, and once it fails none of it is.
func TestWritesThatWaitAreSeenInTheirOrder(t *testing.T) {
	s := openShop(t)
	order := s.ordered()
	line := models.Posting{From: models.AccountEquity, To: models.AccountBank, Currency: money.USD, Amount: money.FromInt(100)}
	told := []string{"created", "held", "resumed", "held", "checkout_ready"}
	require.NoError(t, s.db.ChangeOrder(t.Context(), order.ID, func(c *models.OrderChange) error {
		for _, kind := range told[1:4] { // the same kind twice, without a dedupe
			if err := c.Event(models.Event{Kind: kind}); err != nil {
				return err
			}
		}
		if err := errors.Join(c.Post("float_seeded", "one", line), c.Post("float_seeded", "two", line)); err != nil {
			return err
		}
		for range 2 {
			if err := c.Event(models.Event{Kind: told[4], Dedupe: "once"}); err != nil {
				return err
			}
		}
		events, err := c.DB().OrderEvents(t.Context(), order.ID)
		require.Len(t, events, len(told))
		record, also := c.DB().OrderRecord(t.Context(), order.ID)
		require.Len(t, record.Postings, 2)
		return errors.Join(err, also)
	}))
	require.Equal(t, told, s.kinds(order.ID))

	failed := errors.New("failed")
	require.ErrorIs(t, s.db.ChangeOrder(t.Context(), order.ID, func(c *models.OrderChange) error {
		require.NoError(t, c.Event(models.Event{Kind: "held"}))
		return failed
	}), failed)
	err := s.db.ChangeOrder(t.Context(), order.ID, func(c *models.OrderChange) error {
		return errors.Join(c.Event(models.Event{Kind: "held"}), c.Post("float_seeded", "one", line))
	})
	require.Equal(t, "already_posted", models.ReasonOf(err), "the refusal of the part that failed: %v", err)
	err = s.db.ChangeOrder(t.Context(), order.ID, func(c *models.OrderChange) error {
		require.NoError(t, c.Post("float_seeded", "one", line))
		_, err := c.DB().Order(t.Context(), order.ID)
		return err
	})
	require.Equal(t, "already_posted", models.ReasonOf(err), "also where it fails before a read: %v", err)
	require.Equal(t, told, s.kinds(order.ID))
}

// An order that somebody else had moved to another status is not written over, although
// what else the change writes would be.
func TestAChangeOfAnOrderThatMovedIsRefused(t *testing.T) {
	s := openShop(t)
	order := s.ordered()
	err := s.db.ChangeOrder(t.Context(), order.ID, func(c *models.OrderChange) error {
		c.Order.Held = true
		require.NoError(t, c.Event(models.Event{Kind: "held"}))
		return c.Exec("UPDATE orders SET status = 'payment_approved', paid_at = now() WHERE id = $1", order.ID) // past the change
	})
	require.Equal(t, "order_moved", models.ReasonOf(err), "%v", err)
	require.Equal(t, []string{"created"}, s.kinds(order.ID))
}

// Who waits for an order reads its payment as it is once the order is theirs.
func TestWhoWaitsForAnOrderReadsItsPaymentThen(t *testing.T) {
	s := openShop(t)
	order := s.ordered()
	wrote := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	held, release, read := make(chan struct{}), make(chan struct{}), make(chan *models.Payment, 1)
	done := make(chan error, 2)
	go func() {
		done <- s.db.ChangeOrder(t.Context(), order.ID, func(c *models.OrderChange) error {
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
		done <- s.db.ChangeOrder(t.Context(), order.ID, func(c *models.OrderChange) error {
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
