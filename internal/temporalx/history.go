package temporalx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/temporalproto"
	apiworkflow "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// Runs lists every run of every workflow about an order that Temporal still holds, oldest
// first: without their histories.
func (c *Client) Runs(ctx context.Context, orderID string) ([]order.History, error) {
	ids := workflows.AboutOrder(orderID)
	var query []string
	for _, id := range ids {
		query = append(query, "WorkflowId STARTS_WITH '"+id+"'")
	}
	var found []*apiworkflow.WorkflowExecutionInfo
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: strings.Join(query, " OR ")}
	for {
		page, err := c.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list the runs of an order: %w", err)
		}
		found = append(found, page.GetExecutions()...)
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			break
		}
	}
	// What is listed may lag behind; the last run of the order's own does not.
	last, err := c.DescribeWorkflowExecution(ctx, ids[0], "")
	var gone *serviceerror.NotFound
	if err != nil && !errors.As(err, &gone) {
		return nil, fmt.Errorf("read the run of an order: %w", err)
	}
	if info := last.GetWorkflowExecutionInfo(); info != nil {
		found = slices.DeleteFunc(found, func(f *apiworkflow.WorkflowExecutionInfo) bool {
			return f.GetExecution().GetRunId() == info.GetExecution().GetRunId()
		})
		found = append(found, info)
	}
	runs := make([]order.History, 0, len(found))
	for _, f := range found {
		runs = append(runs, runOf(orderID, f))
	}
	slices.SortFunc(runs, func(a, b order.History) int { return a.StartedAt.Compare(b.StartedAt) })
	return runs, nil
}

func runOf(orderID string, f *apiworkflow.WorkflowExecutionInfo) order.History {
	h := order.History{WorkflowID: f.GetExecution().GetWorkflowId(), RunID: f.GetExecution().GetRunId(), OrderID: orderID,
		WorkflowType: f.GetType().GetName(), Events: int(f.GetHistoryLength()), StartedAt: f.GetStartTime().AsTime()}
	if f.GetCloseTime() != nil {
		at := f.GetCloseTime().AsTime()
		h.ClosedAt = &at
	}
	return h
}

// Fetch reads the history of a run, up to now, into it. Names of machines are left out.
func (c *Client) Fetch(ctx context.Context, run *order.History) error {
	whole := &history.History{}
	reader := c.GetWorkflowHistory(ctx, run.WorkflowID, run.RunID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for reader.HasNext() {
		event, err := reader.Next()
		if err != nil {
			return fmt.Errorf("read the history of %s: %w", run.WorkflowID, err)
		}
		whole.Events = append(whole.Events, event)
	}
	run.Events = len(whole.Events)
	text, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(whole)
	if err != nil {
		return fmt.Errorf("write the history of %s: %w", run.WorkflowID, err)
	}
	return run.Zip(identity.ReplaceAll(text, []byte(`"identity": "$1"`)))
}

// identity is who wrote an event, with the name of the machine; history-service
// and the like have none.
var identity = regexp.MustCompile(`"identity": ?"([^"@]*)@[^"]*"`)

// Replay runs a history against a build's workflows, which register registers. An error
// means that this build would have executed other steps, or that the history cannot be
// read.
func Replay(text []byte, register func(workflows.Registry)) error {
	kept, err := client.HistoryFromJSON(bytes.NewReader(text), client.HistoryJSONOptions{})
	if err != nil {
		return fmt.Errorf("read a history: %w", err)
	}
	replayer := worker.NewWorkflowReplayer()
	register(replayer)
	return replayer.ReplayWorkflowHistory(tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)), kept)
}
