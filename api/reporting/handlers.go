// Package reporting answers the calls about the dashboard, the search and lists of transactions.
package reporting

import (
	"context"
	"log/slog"

	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about the dashboard, the search and lists of transactions.
type Handlers struct {
	*rest.Exports
	DB        *store.DB
	Log       *slog.Logger
	Offer     money.Offer
	Places    executionapi.Places
	Policy    *policy.Policy
	Workflows Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	// Pollers returns which of the task queues a worker polls.
	Pollers(ctx context.Context, queues []string) (map[string]bool, error)
}
