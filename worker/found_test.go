package worker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/workflows"
)

// Operators find an order's workflow by the reference that people name it by, and what waits for them by its reason, in
// the real server's search.
func TestAWorkflowIsFoundByItsReferenceAndReason(t *testing.T) {
	h := open(t)
	placed := h.paid()
	found := func(query string) []string {
		answer, err := h.client.WorkflowService().ListWorkflowExecutions(t.Context(),
			&workflowservice.ListWorkflowExecutionsRequest{Namespace: testbed.Namespace, Query: query})
		require.NoError(t, err, query)
		ids := []string{}
		for _, execution := range answer.GetExecutions() {
			ids = append(ids, execution.GetExecution().GetWorkflowId())
		}
		return ids
	}
	shows := func(query string, want ...string) {
		h.until(query, func() bool { return fmt.Sprint(found(query)) == fmt.Sprint(want) })
	}
	named := fmt.Sprintf("%s = '%s'", workflows.ReferenceAttribute.GetName(), placed.Reference)
	shows(named, workflows.OrderID(placed.ID))
	waits := fmt.Sprintf("%s AND %s = '%s'", named, workflows.AttentionAttribute.GetName(), casework.AttentionPrice)
	shows(waits)

	before, err := pricing.Markets(t.Context(), h.db)
	require.NoError(t, err)
	h.price(before[money.BTC].Ask, 105)
	require.Equal(t, casework.AttentionPrice, h.decide(placed.ID, workflows.Fulfill, nil).Code)
	h.attention(placed.ID, casework.AttentionPrice)
	shows(waits, workflows.OrderID(placed.ID))
	h.price(before[money.BTC].Ask, 100)
	h.must(placed.ID, workflows.Retry, nil)
	h.closed(placed.ID)
	shows(waits)
	shows(named, workflows.OrderID(placed.ID))
}
