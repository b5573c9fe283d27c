// Package risk answers the calls about risk reviews.
package risk

import (
	"sync"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about risk reviews.
type Handlers struct {
	*caseworkapi.Cases
	*dualcontrolapi.Limits
	*orderapi.Decisions
	*rest.SecondFactor
	Background *sync.WaitGroup
	DB         *store.DB
	Policy     *policy.Policy
}
