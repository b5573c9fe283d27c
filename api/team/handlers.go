// Package team answers the calls about the team and its roles.
package team

import (
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about the team and its roles.
type Handlers struct {
	*rest.SecondFactor
	DB *store.DB
}
