// Package site answers the calls about the built web app and the health of the process.
package site

import (
	"context"

	accountapi "github.com/tradepost/tradepost/api/account"
	referralapi "github.com/tradepost/tradepost/api/referral"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about the built web app and the health of the process.
type Handlers struct {
	*rest.Guard
	Build          *Build
	Clock          *rest.Clock
	Legal          *legal.Library
	Languages      rest.Languages
	DB             *store.DB
	PublicURL      string
	StartingFile   string
	TidioPublicKey string
	WidgetURL      string
	Workflows      Workflows
	Account        *accountapi.Handlers
	Referral       *referralapi.Handlers

	readiness telemetry.Readiness[healthAnswer]
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	Healthy(ctx context.Context) error
}
