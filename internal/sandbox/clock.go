package sandbox

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is the simulators' time: the wall clock plus an offset that is kept in
// the store and only grows.
type Clock struct {
	store  *Store
	offset atomic.Int64 // nanoseconds

	mu        sync.Mutex
	onAdvance []func()
}

func openClock(store *Store) (*Clock, error) {
	c := &Clock{store: store}
	var offset time.Duration
	err := store.View(func(tx *Tx) error {
		_, err := tx.Get("clock", "offset", &offset)
		return err
	})
	c.offset.Store(int64(offset))
	return c, err
}

// Now is the simulated time, in UTC. It may be called inside a transaction.
func (c *Clock) Now() time.Time {
	return time.Now().UTC().Add(time.Duration(c.offset.Load()))
}

// Offset is how far the simulated time runs ahead of the wall clock.
func (c *Clock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// Advance moves the time forward, persists the move and runs what was due in
// between before it returns. It must not be called inside a transaction.
func (c *Clock) Advance(d time.Duration) error {
	if d <= 0 {
		return errors.New("the clock only moves forward: give a positive duration such as 168h")
	}
	if d > 10*366*24*time.Hour {
		return errors.New("the clock moves at most ten years at a time")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.offset.Load() + int64(d)
	if err := c.store.Update(func(tx *Tx) error { return tx.Put("clock", "offset", next) }); err != nil {
		return err
	}
	c.offset.Store(next)
	for _, fn := range c.onAdvance {
		fn()
	}
	return nil
}

// OnAdvance registers what must run after each Advance.
func (c *Clock) OnAdvance(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onAdvance = append(c.onAdvance, fn)
}
