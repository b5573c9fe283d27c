// Package support answers the calls about support tickets.
package support

import (
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about support tickets.
type Handlers struct {
	DB     *store.DB
	Policy *policy.Policy
	Vault  *secret.Keys
}
