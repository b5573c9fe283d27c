package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tradepost/tradepost/models/casework"
)

// Decisions are delivered side by side, because one whose workflow is still executing it
// blocks its deliverer for the whole wait; none is begun when the time of the step is
// nearly over.
const (
	deliveries   = 16
	deliverTurn  = 40 * time.Second
	deliverLimit = 10 * time.Second // of one
)

// deliverAll delivers each decision, in their order, and returns how many were accepted.
// One that fails does not affect the others.
func deliverAll[D any](ctx context.Context, late []D, deliver func(ctx context.Context, d D) (accepted bool, err error)) (int, error) {
	var (
		mu        sync.Mutex
		delivered int
		failed    error
		running   sync.WaitGroup
		free      = make(chan struct{}, deliveries)
		over      = time.After(deliverTurn)
	)
	for _, d := range late {
		select {
		case free <- struct{}{}:
		case <-over:
			running.Wait()
			return delivered, failed
		}
		running.Go(func() {
			defer func() { <-free }()
			limited, cancel := context.WithTimeout(ctx, deliverLimit)
			defer cancel()
			accepted, err := deliver(limited, d)
			mu.Lock()
			defer mu.Unlock()
			if accepted {
				delivered++
			}
			failed = errors.Join(failed, err)
		})
	}
	running.Wait()
	return delivered, failed
}

// resend delivers the decisions of a table that no workflow has accepted. One that its
// workflow does not wait for is refused, so that another can be made.
func resend[D interface{ Common() casework.Decision }](ctx context.Context, a *Sweep, decisions *casework.Decisions[D], deliver, refuse func(context.Context, D) error) (int, error) {
	late, err := decisions.Undelivered(ctx, a.DB, a.Grace, 10*a.Grace, sweepBatch)
	if err != nil {
		return 0, err
	}
	return deliverAll(ctx, late, func(ctx context.Context, d D) (bool, error) {
		err := deliver(ctx, d)
		switch {
		case err == nil:
			return true, decisions.MarkDelivered(ctx, a.DB, d.Common().ID)
		case errors.Is(err, ErrNotAwaited):
			err = refuse(ctx, d)
		}
		return false, err
	})
}
