package temporalx

import (
	"context"

	"github.com/tradepost/tradepost/workflows"
)

// ReconcileNow starts a comparison of statements and books unless a requested one runs.
func (c *Client) ReconcileNow(ctx context.Context) error {
	_, err := c.ExecuteWorkflow(ctx, executionOptions(workflows.ReconcileNowID, "Compare providers' statements with the ledger"), workflows.ReconciliationType)
	return err
}
