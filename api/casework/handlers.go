// Package casework passes decisions about cases to their workflows, and formats the
// answers.
package casework

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/workflows"
)

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	// Decide sends a decision and waits; decided is false when its execution outlasts the
	// wait.
	Decide(ctx context.Context, orderID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
	StartCase(ctx context.Context, caseKind casework.Kind, id string) error
	// DecideCase sends a decision and waits, as Decide does.
	DecideCase(ctx context.Context, caseKind casework.Kind, id, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
}
