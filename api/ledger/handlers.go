// Package ledger answers the calls about the ledger and balances.
package ledger

import (
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about the ledger and balances.
type Handlers struct {
	*rest.Exports
	DB *store.DB
}
