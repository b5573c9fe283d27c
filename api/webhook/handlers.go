// Package webhook answers the calls about providers' webhooks.
package webhook

import (
	"context"
	"log/slog"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about providers' webhooks.
type Handlers struct {
	Clock     *rest.Clock
	DB        *store.DB
	Log       *slog.Logger
	Webhooks  map[ledger.Provider]provider.WebhookVerifier
	Workflows Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	Signal(ctx context.Context, orderID, signal, reason string) error
	ReviewKYC(ctx context.Context, userID, reason string) error
	// ReconcileNow starts a comparison of statements and books unless one runs.
	ReconcileNow(ctx context.Context) error
	SignalCase(ctx context.Context, caseKind casework.Kind, id, reason string) error
	// FollowPayment has an order's refunds and disputes read at Stripe.
	FollowPayment(ctx context.Context, orderID, reason string) error
}
