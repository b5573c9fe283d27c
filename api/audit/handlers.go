// Package audit answers the calls about the audit log.
package audit

import (
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about the audit log.
type Handlers struct {
	*rest.Exports
	DB *store.DB
}
