package temporalx

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/workflows"
)

// StartCase starts the workflow of a case unless it runs.
func (c *Client) StartCase(ctx context.Context, caseKind casework.Kind, id string) error {
	_, err := c.ExecuteWorkflow(ctx, executionOptions(workflows.CaseID(caseKind, id), string(caseKind)), workflows.CaseType(caseKind), workflows.CaseInput{ID: id})
	return err
}

// SignalCase signals a case's workflow that its row changed. One that does not run needs no
// signal: its next start reads the row.
func (c *Client) SignalCase(ctx context.Context, caseKind casework.Kind, id, reason string) error {
	return c.signal(ctx, workflows.CaseID(caseKind, id), workflows.CaseChanged, reason)
}

// DecideCase delivers a decision to a case's workflow, starting that from its row when it
// does not run, and waits for the outcome. decided is false when its execution outlasts
// that time.
func (c *Client) DecideCase(ctx context.Context, caseKind casework.Kind, id, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error) {
	start := executionOptions(workflows.CaseID(caseKind, id), string(caseKind))
	return c.decide(ctx, start, workflows.CaseType(caseKind), workflows.CaseInput{ID: id}, kind, decisionID, wait)
}
