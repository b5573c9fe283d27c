// Package worker turns workflows and activities into processes: what runs on
// which task queue, how much of it at once, and the record of failed attempts.
//
// Invariants:
//
//   - A process polls the one task queue whose provider's key it holds; only
//     core runs workflows.
//   - Every failed attempt of an order's activity is on the order's row before it is
//     reported to Temporal, as a class and a code.
//   - A process that receives a stop signal accepts no new work, and waits for what runs;
//     whatever does not end in time is looked up by the next attempt.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/gctune"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// Sizes keep an idle process under 60 MiB and a busy one from drowning.
const (
	connections   = 6
	pollers       = 2
	workflowTasks = 50
	stickyCache   = 500
	stopTime      = 7 * time.Second
	memoryGoal    = 48 << 20
	startPause    = time.Second
	waitingAgain  = time.Minute // a first start builds Temporal for minutes
)

// Settings are the configuration common to all worker processes.
type Settings struct {
	config.Common   `embed:""`
	config.Health   `embed:""`
	config.Traces   `embed:""`
	config.Postgres `embed:""`
	config.Temporal `embed:""`

	Release config.WorkerVersion `embed:""`

	Version kong.VersionFlag `help:"Say which version this is, and end."`
}

// Process is a worker process that is starting up.
type Process struct {
	Queue  string
	Log    *slog.Logger
	DB     *store.DB
	Client *temporalx.Client

	// Note is a line of the health endpoint: why the process is idle.
	Note string

	listen  string
	metrics *telemetry.Metrics
	worker  worker.Worker
	beside  []func(ctx context.Context) error
	apart   []func(ctx context.Context) error
}

// Main runs a worker process until it receives a stop signal: build registers what it
// executes. It ends the process with a message when it cannot start.
func Main(queue string, s *Settings, secrets []string, build func(ctx context.Context, p *Process) error) {
	log := telemetry.NewLogger(os.Stderr, telemetry.LogOptions{Service: queue, Level: s.LogLevel, JSON: s.Mode.Strict(),
		Secrets: slices.Concat(secrets, s.Traces.Secrets(), []string{s.DatabaseURL, s.APIKey})})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	telemetry.KeepSmall(ctx, memoryGoal)
	err := run(ctx, queue, s, log, build)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) { // stopped while it waited
		log.Error("cannot go on", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, queue string, s *Settings, log *slog.Logger, build func(ctx context.Context, p *Process) error) error {
	traced, err := telemetry.StartTraces(ctx, queue, &s.Traces.Traces, log)
	if err != nil {
		return err
	}
	defer traced()
	db, err := connect(ctx, s.DatabaseURL, log)
	if err != nil {
		return err
	}
	defer db.Close()
	metrics := telemetry.NewMetrics(queue)
	client, err := temporalx.Lazy(&s.Temporal, log, metrics.TemporalMetrics())
	if err != nil {
		return err
	}
	defer client.Close()
	p := newProcess(queue, &s.Release, db, client, metrics, log)
	p.listen = s.Listen
	if err := build(ctx, p); err != nil {
		return err
	}
	return p.serve(ctx)
}

// newProcess makes a worker whose tasks pass through around first.
func newProcess(queue string, version *config.WorkerVersion, db *store.DB, client *temporalx.Client, metrics *telemetry.Metrics, log *slog.Logger, around ...interceptor.WorkerInterceptor) *Process {
	metrics.Registry().MustRegister(stepFailures, provider.Requests)
	return &Process{Queue: queue, Log: log, DB: db, Client: client, metrics: metrics, worker: worker.New(client.Client, queue, options(queue, version, append(around, NewAttempts(NewRecorder(db), log))...))}
}

// connect waits for Postgres, and for its migrations. A wrong address, or a role that could change the
// ledger, ends the process at once.
func connect(ctx context.Context, url string, log *slog.Logger) (*store.DB, error) {
	for {
		db, err := store.Open(ctx, url, store.Options{MaxConns: connections})
		if err == nil || !store.Unreachable(err) && !errors.Is(err, store.ErrOldSchema) {
			return db, err
		}
		log.Warn("waiting for Postgres", "error", err)
		if !pause(ctx, startPause) {
			return nil, ctx.Err()
		}
	}
}

// reach waits for Temporal.
func reach(ctx context.Context, client *temporalx.Client, log *slog.Logger) error {
	for logged := (time.Time{}); ; {
		err := client.Healthy(ctx)
		if err == nil {
			return nil
		}
		if time.Since(logged) > waitingAgain {
			log.Warn("waiting for Temporal", "error", err)
			logged = time.Now()
		}
		if !pause(ctx, startPause) {
			return ctx.Err()
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// stuckAfter is how long a workflow may run without a wait before its task is given up. The SDK's second is too short for
// a machine on which a process waits for a processor as long.
const stuckAfter = 5 * time.Second

func options(queue string, version *config.WorkerVersion, around ...interceptor.WorkerInterceptor) worker.Options {
	worker.SetStickyWorkflowCacheSize(stickyCache)
	return worker.Options{
		Interceptors:                            around,
		MaxConcurrentActivityTaskPollers:        pollers,
		MaxConcurrentWorkflowTaskPollers:        pollers,
		MaxConcurrentWorkflowTaskExecutionSize:  workflowTasks,
		MaxConcurrentActivityExecutionSize:      workflowTasks,
		MaxConcurrentLocalActivityExecutionSize: workflowTasks,
		DisableWorkflowWorker:                   queue != workflows.CoreQueue,
		WorkerStopTimeout:                       stopTime,
		DeadlockDetectionTimeout:                stuckAfter,
		DeploymentOptions:                       versioned(version),
	}
}

// versioned polls as a version of the deployment: of all four workers, so that what a
// workflow starts on another queue runs on its own version.
func versioned(v *config.WorkerVersion) worker.DeploymentOptions {
	if v.Name == "" {
		return worker.DeploymentOptions{}
	}
	return worker.DeploymentOptions{UseVersioning: true,
		Version: worker.WorkerDeploymentVersion{DeploymentName: v.Name, BuildID: v.BuildID()}}
}

// Workflows registers the workflows; only core executes them.
func (p *Process) Workflows() { workflows.Register(p.worker) }

// Activities registers the exported methods of each struct.
func (p *Process) Activities(structs ...any) {
	for _, s := range structs {
		p.worker.RegisterActivity(s)
	}
}

// Figures has what read gives among the process's metrics.
func (p *Process) Figures(read func(ctx context.Context) ([]telemetry.Figure, error)) {
	p.metrics.Registry().MustRegister(&telemetry.Figures{Read: read})
}

// Beside runs a function in this process, until ctx ends.
func (p *Process) Beside(run func(ctx context.Context) error) { p.beside = append(p.beside, run) }

// Apart runs a function in this process, until ctx ends, that needs no Temporal.
func (p *Process) Apart(run func(ctx context.Context) error) { p.apart = append(p.apart, run) }

// noteEvery is how often a process writes down when its provider last answered.
const noteEvery = 10 * time.Second

// noteAnswers keeps when this process's provider last answered, and last did
// not, where the dashboard reads it.
func (p *Process) noteAnswers(ctx context.Context) error {
	var logged [2]time.Time
	for pause(ctx, noteEvery) {
		answer, failure := provider.LastAnswers()
		for i, at := range []*time.Time{answer, failure} {
			if at == nil || at.Equal(logged[i]) {
				continue
			}
			if err := reporting.NoteProvider(ctx, p.DB, p.Queue, i == 0, time.Since(*at)); err != nil {
				p.Log.WarnContext(ctx, "cannot note when the provider answered", "error", err)
				continue
			}
			logged[i] = *at
		}
	}
	return nil
}

func (p *Process) notes() []string {
	if p.Note == "" {
		return nil
	}
	return []string{p.Note}
}

// serve polls until ctx ends, then stops what runs. A part that fails stops the
// process, which its supervisor starts again.
func (p *Process) serve(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p.metrics.Registry().MustRegister(telemetry.Ages(func(ctx context.Context) (map[string]float64, error) { return chore.ChoreAges(ctx, p.DB) }))
	var parts sync.WaitGroup
	start := func(part func(context.Context) error) {
		parts.Go(func() {
			if err := part(ctx); err != nil && ctx.Err() == nil {
				stop(err)
			}
		})
	}
	start(func(ctx context.Context) error {
		return telemetry.Serve(ctx, p.listen, p.metrics, func(ctx context.Context) error { return errors.Join(p.judgeClock(ctx), p.Client.Healthy(ctx)) }, func(ctx context.Context) (map[string]float64, error) { return chore.ChoreAges(ctx, p.DB) }, p.notes()...)
	})
	for _, part := range p.apart {
		start(part)
	}
	if err := reach(ctx, p.Client, p.Log); err != nil {
		parts.Wait()
		return err
	}
	p.awaitClock(ctx)
	if err := p.worker.Start(); err != nil {
		return fmt.Errorf("poll task queue %s: %w", p.Queue, err)
	}
	gctune.OneProcessor()
	go gctune.Heap(ctx)
	p.Log.Info("polling", "queue", p.Queue)
	for _, part := range append(p.beside, p.watchClock, p.noteAnswers) {
		start(part)
	}
	<-ctx.Done()
	p.worker.Stop()
	parts.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}
