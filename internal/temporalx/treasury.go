package temporalx

import (
	"context"

	"github.com/tradepost/tradepost/workflows"
)

// RunMove starts the workflow of a move of coin from its row when none runs.
func (c *Client) RunMove(ctx context.Context, id, reason string) error {
	_, err := c.SignalWithStartWorkflow(ctx, workflows.TreasuryMoveID(id), workflows.CaseChanged, workflows.WebhookSignal{Reason: reason},
		executionOptions(workflows.TreasuryMoveID(id), "A move of coin to a wallet"), workflows.TreasuryMoveType, workflows.CaseInput{ID: id})
	return err
}
