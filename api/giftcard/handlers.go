// Package giftcard answers the calls about gift cards.
package giftcard

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gocloud.dev/blob"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// Handlers answer the calls about gift cards.
type Handlers struct {
	*caseworkapi.Console
	*dualcontrolapi.Limits
	*rest.SecondFactor
	Background *sync.WaitGroup
	CardReview time.Duration
	DB         *store.DB
	Files      *blob.Bucket
	Log        *slog.Logger
	Offer      money.Offer
	Policy     *policy.Policy
	Vault      *secret.Keys
	Workflows  Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	StartGiftCard(ctx context.Context, card *giftcard.GiftCard) error
	// DecideGiftCard sends a decision and waits, as Decide does.
	DecideGiftCard(ctx context.Context, cardID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
}
