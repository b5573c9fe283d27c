// Package kyc answers the calls about identity verification.
package kyc

import (
	"context"
	"log/slog"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about identity verification.
type Handlers struct {
	*caseworkapi.Cases
	*caseworkapi.Console
	*rest.SecondFactor
	DB                *store.DB
	EnhancedLevel     string
	Identity          provider.Identity
	IdentityDashboard string
	Log               *slog.Logger
	Policy            *policy.Policy
	Quoter            *pricing.Quoter
	Workflows         Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	ReviewKYC(ctx context.Context, userID, reason string) error
}
