// Package casework has decisions about cases carried out by their workflows, and shapes what they answer.
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
	// Decide sends a decision and waits; decided is false when it is still
	// being carried out then.
	Decide(ctx context.Context, orderID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
	StartCase(ctx context.Context, caseKind casework.Kind, id string) error
	// DecideCase sends a decision and waits, as Decide does.
	DecideCase(ctx context.Context, caseKind casework.Kind, id, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
}
