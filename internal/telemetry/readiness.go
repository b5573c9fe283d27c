package telemetry

import (
	"context"
	"sync"
	"time"
)

// ReadinessAge is how long the result of a readiness check answers further requests.
const ReadinessAge = time.Second

// Readiness keeps the result of a check for ReadinessAge, so that many requests cost no more checks than one per
// ReadinessAge. A request that arrives while the check runs waits for it. The zero value is ready for use, by several
// goroutines.
type Readiness[T any] struct {
	mu      sync.Mutex
	result  T
	until   time.Time     // when the result is too old
	running chan struct{} // closed when the check that runs has ended; nil when none runs
}

// Of returns the result of check, which runs now unless it ended within ReadinessAge. It outlives the request that
// began it, so check must end by itself.
func (r *Readiness[T]) Of(ctx context.Context, check func(context.Context) T) T {
	r.mu.Lock()
	if r.running == nil {
		if time.Now().Before(r.until) {
			defer r.mu.Unlock()
			return r.result
		}
		r.running = make(chan struct{})
		go r.run(context.WithoutCancel(ctx), check, r.running)
	}
	running := r.running
	r.mu.Unlock()
	<-running
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result
}

func (r *Readiness[T]) run(ctx context.Context, check func(context.Context) T, running chan struct{}) {
	result := check(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result, r.until, r.running = result, time.Now().Add(ReadinessAge), nil
	close(running)
}
