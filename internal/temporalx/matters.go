package temporalx

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/workflows"
)

// StartMatter starts the workflow that carries a matter unless it runs.
func (c *Client) StartMatter(ctx context.Context, matter casework.Matter, id string) error {
	_, err := c.ExecuteWorkflow(ctx, carried(workflows.MatterID(matter, id), string(matter)), workflows.MatterType(matter), workflows.MatterInput{ID: id})
	return err
}

// HintMatter wakes a matter's workflow to look at what changed beside it. One
// that does not run has nothing to wake: its next start looks by itself.
func (c *Client) HintMatter(ctx context.Context, matter casework.Matter, id, reason string) error {
	return c.hint(ctx, workflows.MatterID(matter, id), workflows.MatterChanged, reason)
}

// DecideMatter delivers a decision to a matter's workflow, starting that from
// its row when it does not run, and waits for the outcome. decided is false when
// it is still being carried out after that time.
func (c *Client) DecideMatter(ctx context.Context, matter casework.Matter, id, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error) {
	start := carried(workflows.MatterID(matter, id), string(matter))
	return c.decide(ctx, start, workflows.MatterType(matter), workflows.MatterInput{ID: id}, kind, decisionID, wait)
}
