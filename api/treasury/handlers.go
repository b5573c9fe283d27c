// Package treasury answers the calls about holdings and moves of coin.
package treasury

import (
	"context"
	"log/slog"
	"sync"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about holdings and moves of coin.
type Handlers struct {
	*caseworkapi.Console
	*rest.SecondFactor
	Background *sync.WaitGroup
	Custodian  ledger.Provider
	DB         *store.DB
	Log        *slog.Logger
	Places     executionapi.Places
	Offer      money.Offer
	Policy     *policy.Policy
	Treasury   TreasurySettings
	Workflows  Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	// RunMove starts the workflow of a move of coin from its row.
	RunMove(ctx context.Context, id, reason string) error
}
