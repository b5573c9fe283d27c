// Package customer answers the calls about customers, for staff.
package customer

import (
	"sync"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about customers, for staff.
type Handlers struct {
	*caseworkapi.Cases
	Background *sync.WaitGroup
	DB         *store.DB
	Policy     *policy.Policy
}
