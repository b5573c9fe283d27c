// Package referral answers the calls about referrals and their rewards.
package referral

import (
	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about referrals and their rewards.
type Handlers struct {
	*caseworkapi.Cases
	*caseworkapi.Console
	*rest.Cookies
	Languages rest.Languages
	DB        *store.DB
	Policy    *policy.Policy
	Programme Programme
	PublicURL string
}
