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
	bareNamespace = "tradepost"
)

// shape is what a workflow asks of Temporal: so many regular activities, and so
// many signals or updates that it is sent.
type shape struct{ Activities, Signals int }

// anOrder is the shape of an order: a customer and an admin send it something.
var anOrder = shape{6, 2}

func (s shape) String() string {
	return fmt.Sprintf("%d activities, %d signals", s.Activities, s.Signals)
}

// bareOrder does nothing, in a shape: its activities return at once.
func bareOrder(ctx workflow.Context, s shape) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
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

func dialTemporal(address string) (client.Client, error) {
	return client.Dial(client.Options{HostPort: address, Namespace: bareNamespace,
		Logger: tlog.NewStructuredLogger(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))})
}

// bareWorker carries out bare orders in a process of its own, as the SDK does by
// default.
func bareWorker(ctx context.Context, address string) error {
	c, err := dialTemporal(address)
	if err != nil {
		return err
	}
	defer c.Close()
	w := worker.New(c, bareQueue, worker.Options{})
	w.RegisterWorkflow(bareOrder)
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

func (h *house) bareWorkflows() (*bareWorkflows, error) {
	address := h.stack.TemporalAddress()
	if err := h.run("-role", "workflow", "-address", address); err != nil {
		return nil, err
	}
	c, err := dialTemporal(address)
	return &bareWorkflows{c}, err
}

func (b *bareWorkflows) close() { b.client.Close() }

// run carries one out: it is started, its signals are sent at once, and its end
// is awaited.
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

// shapeOf counts what a workflow of ours asked of Temporal so far.
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
