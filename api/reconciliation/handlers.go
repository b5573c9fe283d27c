// Package reconciliation answers the calls about reconciliation.
package reconciliation

import (
	"context"

	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about reconciliation.
type Handlers struct {
	*dualcontrolapi.Limits
	DB        *store.DB
	Places    executionapi.Places
	Policy    *policy.Policy
	Workflows Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	// ReconcileNow starts a comparison of statements and books unless one runs.
	ReconcileNow(ctx context.Context) error
}
