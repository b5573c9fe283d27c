// Package payout answers the calls about payouts.
package payout

import (
	"log/slog"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about payouts.
type Handlers struct {
	*caseworkapi.Cases
	*caseworkapi.Console
	*dualcontrolapi.Limits
	*rest.SecondFactor
	DB             *store.DB
	Log            *slog.Logger
	PayoutTwoAbove int64
	Policy         *policy.Policy
	Vault          *secret.Keys
}
