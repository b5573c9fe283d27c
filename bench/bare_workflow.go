package main

import (
	"context"
	"fmt"
	"time"

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

// bareOrder is an order that does nothing: six regular activities that return
// at once, and the two signals a customer and an admin would send.
func bareOrder(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	signals := workflow.GetSignalChannel(ctx, "go on")
	for step := range 6 {
		if step == 1 || step == 3 {
			signals.Receive(ctx, nil)
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

// run carries one out: it is started, both signals are sent at once, and its end
// is awaited.
func (b *bareWorkflows) run(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	run, err := b.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "bare/" + id, TaskQueue: bareQueue}, bareOrder)
	if err != nil {
		return err
	}
	for range 2 {
		if err := b.client.SignalWorkflow(ctx, run.GetID(), run.GetRunID(), "go on", nil); err != nil {
			return fmt.Errorf("signal: %w", err)
		}
	}
	return run.Get(ctx, nil)
}
