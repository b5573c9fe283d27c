package activities

import (
	"context"
	"errors"
	"sync"
	"time"
)

// How decisions are resent: one that its workflow is still carrying out takes as long
// as a deliverer waits, so several wait side by side, and none is begun when the time
// of the step is nearly over.
const (
	deliveries   = 16
	deliverTurn  = 40 * time.Second
	deliverLimit = 10 * time.Second // of one
)

// deliverAll hands over each decision, in their order, and returns how many were taken.
// One that fails takes nothing from the others.
func deliverAll[D any](ctx context.Context, late []D, deliver func(ctx context.Context, d D) (taken bool, err error)) (int, error) {
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
			taken, err := deliver(limited, d)
			mu.Lock()
			defer mu.Unlock()
			if taken {
				delivered++
			}
			failed = errors.Join(failed, err)
		})
	}
	running.Wait()
	return delivered, failed
}
