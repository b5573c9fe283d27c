package main

import (
	"context"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"log/slog"
	"os"
)

const (
	bareQueue     = "bench-bare"
	apartQueue    = "bench-bare-activities"
	bareNamespace = "tradepost"
)

// shape is the work that a workflow requests from Temporal: a number of regular activities, and a number of signals or
// updates. Activities executed by another process (as ours are, to separate the providers' keys) are counted apart:
// that process does not receive an activity in the response that schedules it.
type shape struct {
	Activities, Signals int
	Apart               bool
}

// anOrder is the shape of an order: a customer and an admin send it something.
var anOrder = shape{Activities: 6, Signals: 2}

// apart is the shape with its activities in a process of their own.
func (s shape) apart() shape {
	s.Apart = true
	return s
}

func (s shape) String() string {
	return fmt.Sprintf("%d activities, %d signals", s.Activities, s.Signals)
}

// bareOrder does nothing, in a shape: its activities return at once.
func bareOrder(ctx workflow.Context, s shape) error {
	queue := bareQueue
	if s.Apart {
		queue = apartQueue
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: queue, StartToCloseTimeout: time.Minute})
	signals := workflow.GetSignalChannel(ctx, "go on")
	for i := range max(s.Activities, s.Signals) {
		if i < s.Signals {
			signals.Receive(ctx, nil)
		}
		if i >= s.Activities {
			continue
		}
		if err := workflow.ExecuteActivity(ctx, bareStep).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func bareStep(context.Context) error { return nil }

// dialTemporal connects as our own programs do, without compressing messages.
func dialTemporal(address string) (client.Client, error) {
	return client.Dial(client.Options{HostPort: address, Namespace: bareNamespace,
		ConnectionOptions: client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}},
		Logger:            tlog.NewStructuredLogger(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))})
}

// bareWorker executes bare orders in a process of its own, as the SDK does by default; or, on the queue of separate
// activities, only those.
func bareWorker(ctx context.Context, address, queue string) error {
	c, err := dialTemporal(address)
	if err != nil {
		return err
	}
	defer c.Close()
	w := worker.New(c, queue, worker.Options{DisableWorkflowWorker: queue == apartQueue})
	if queue == bareQueue {
		w.RegisterWorkflow(bareOrder)
	}
	w.RegisterActivity(bareStep)
	if err := w.Start(); err != nil {
		return err
	}
	<-ctx.Done()
	w.Stop()
	return nil
}

// bareWorkflows starts bare orders.
type bareWorkflows struct{ client client.Client }

func (h *platform) bareWorkflows() (*bareWorkflows, error) {
	address := h.stack.TemporalAddress()
	for _, role := range []string{"workflow", "activities"} {
		if err := h.run("-role", role, "-address", address); err != nil {
			return nil, err
		}
	}
	c, err := dialTemporal(address)
	return &bareWorkflows{c}, err
}

func (b *bareWorkflows) close() { b.client.Close() }

// run executes one workflow: it starts it, sends its signals at once, and waits for its end.
func (b *bareWorkflows) run(ctx context.Context, id string, s shape) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	run, err := b.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "bare/" + id, TaskQueue: bareQueue}, bareOrder, s)
	if err != nil {
		return err
	}
	for range s.Signals {
		if err := b.client.SignalWorkflow(ctx, run.GetID(), run.GetRunID(), "go on", nil); err != nil {
			return fmt.Errorf("signal: %w", err)
		}
	}
	return run.Get(ctx, nil)
}

// shapeOf counts what a workflow of ours has requested from Temporal so far.
func (b *bareWorkflows) shapeOf(ctx context.Context, id string) (s shape, err error) {
	reader := b.client.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for reader.HasNext() {
		event, err := reader.Next()
		if err != nil {
			return s, err
		}
		switch event.GetEventType() { //nolint:exhaustive // the others are not counted
		case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			s.Activities++
		case enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
			s.Signals++
		}
	}
	return s, nil
}
