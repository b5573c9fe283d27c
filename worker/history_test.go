package worker

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// An order's history is kept once it has ended, outlives Temporal's own memory
// of it, and is joined by the run of a later change.
func TestHistoriesOutliveTemporal(t *testing.T) {
	h := open(t)
	order := h.paid()
	h.sweep()
	require.Empty(t, h.kept(order.ID), "it is not over")
	h.must(order.ID, workflows.Fulfill, nil)
	h.closed(order.ID)
	first := h.keeps(order.ID, 1)[0]
	_, err := h.client.WorkflowService().DeleteWorkflowExecution(t.Context(), &workflowservice.DeleteWorkflowExecutionRequest{Namespace: testbed.Namespace,
		WorkflowExecution: &common.WorkflowExecution{WorkflowId: first.WorkflowID, RunId: first.RunID}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { // Temporal needs half a minute to delete it
		runs, err := h.client.Runs(t.Context(), order.ID)
		return err == nil && len(runs) == 0
	}, 2*time.Minute, 200*time.Millisecond)
	require.NoError(t, h.client.StartOrder(t.Context(), order)) // begins from its row, finds it closed and ends
	h.exec(`UPDATE orders SET updated_at = clock_now() WHERE id = $1`, order.ID)
	runs := h.keeps(order.ID, 2)
	require.Equal(t, first.RunID, runs[0].RunID)
	for _, run := range runs {
		text, err := run.JSON()
		require.NoError(t, err)
		require.NoError(t, temporalx.Replay(text, workflows.Register), run.RunID)
		require.NotRegexp(t, `"identity": ?"[^"]*@`, string(text), "names of machines stay at home")
	}
	var waiting int
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM histories_due").Scan(&waiting))
	require.Zero(t, waiting)
}

func (h *testCluster) kept(id string) []order.History {
	h.Helper()
	runs, err := order.KeptHistories(h.Context(), h.db, id)
	require.NoError(h, err)
	return runs
}

// keeps sweeps until so many of an order's runs are kept.
func (h *testCluster) keeps(id string, n int) []order.History {
	h.Helper()
	h.until("histories to be kept", func() bool {
		h.exec(`UPDATE histories_due SET due_at = clock_now() - interval '1 minute'`)
		h.record(h.sweep(), "sweep-kept")
		return len(h.kept(id)) == n
	})
	runs := h.kept(id)
	require.True(h, slices.IsSortedFunc(runs, func(a, b order.History) int { return a.StartedAt.Compare(b.StartedAt) }))
	return runs
}
