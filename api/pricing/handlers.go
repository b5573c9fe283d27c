// Package pricing answers the calls about prices and kill switches.
package pricing

import (
	"context"
	"log/slog"
	"sync"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about prices and kill switches.
type Handlers struct {
	*rest.SecondFactor
	Background *sync.WaitGroup
	DB         *store.DB
	Log        *slog.Logger
	Quoter     *pricing.Quoter
	Workflows  Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	Signal(ctx context.Context, orderID, signal, reason string) error
	SignalCase(ctx context.Context, caseKind casework.Kind, id, reason string) error
}
