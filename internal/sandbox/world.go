package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// World is everything the simulators share.
type World struct {
	Store   *Store
	Clock   *Clock
	Faults  *Faults
	Effects *Effects
	Hooks   *Hooks
	Chain   *Chain
	Config  Config
	Log     *slog.Logger

	tickMu sync.Mutex
}

// ErrProduction is the answer to any attempt to start simulators in production.
var ErrProduction = errors.New("MODE=production: the sandbox simulates the providers and never runs in production")

// Open opens the state in Config.Data. It refuses production mode.
func Open(config Config, log *slog.Logger) (*World, error) {
	if config.Mode == "production" {
		return nil, ErrProduction
	}
	store, err := OpenStore(config.Data)
	if err != nil {
		return nil, err
	}
	clock, err := openClock(store)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	faults, err := openFaults(config.Data)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &World{
		Store: store, Clock: clock, Faults: faults, Effects: &Effects{store},
		Hooks: newHooks(store, clock, faults), Chain: &Chain{}, Config: config, Log: log,
	}, nil
}

// Close closes the state; call it after Run has returned.
func (w *World) Close() error { return w.Store.Close() }

// Simulator is one provider.
type Simulator interface {
	// Name is the provider as faults and effects name it: "stripe".
	Name() string
	// Routes registers the provider's paths; it is called once, before Tick.
	Routes(mux *http.ServeMux, w *World)
	// Operations are the calls that faults can be armed for.
	Operations() []Operation
	// Tick executes what is due (expiries, confirmations). It is called every quarter of a
	// second and before Advance returns, never twice at once.
	Tick(now time.Time)
	// Control is the simulator's part of the control page.
	Control() []Panel
}

// Run delivers webhooks and ticks the simulators until the context ends.
func (w *World) Run(ctx context.Context, simulators ...Simulator) {
	tick := func() {
		w.tickMu.Lock()
		defer w.tickMu.Unlock()
		for _, s := range simulators {
			s.Tick(w.Clock.Now())
		}
	}
	w.Clock.OnAdvance(tick)
	var parts sync.WaitGroup
	parts.Go(func() { w.Hooks.run(ctx) })
	parts.Go(func() {
		ticker := time.NewTicker(250 * time.Millisecond)
		defer ticker.Stop()
		for {
			tick()
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	parts.Wait()
}
