// Package voucher answers the calls about vouchers.
package voucher

import (
	"log/slog"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about vouchers.
type Handlers struct {
	*caseworkapi.Cases
	*caseworkapi.Console
	*executionapi.Networks
	*rest.Exports
	*rest.SecondFactor
	DB        *store.DB
	Log       *slog.Logger
	Policy    *policy.Policy
	RateScale int
	Vault     *secret.Keys
	Vouchers  VoucherSettings
}
