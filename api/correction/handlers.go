// Package correction answers the calls about corrections of the books.
package correction

import (
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
	DB     *store.DB
	Files  *blob.Bucket
	Policy *policy.Policy
	Vault  *secret.Keys
	Log    *slog.Logger
}
