// Package correction answers the calls about corrections of the books.
package correction

import (
	"context"
	"log/slog"

	"gocloud.dev/blob"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about corrections of the books.
type Handlers struct {
	*caseworkapi.Cases
	*orderapi.Decisions
	*rest.SecondFactor
	Cards  CardWorkflows
	DB     *store.DB
	Files  *blob.Bucket
	Policy *policy.Policy
	Vault  *secret.Keys
	Log    *slog.Logger
}

// CardWorkflows is how these calls reach the workflows of gift cards.
type CardWorkflows interface {
	// SignalGiftCard has a gift card's workflow read its row again. A workflow that does not run is no error.
	SignalGiftCard(ctx context.Context, cardID, reason string) error
}
