package activities

import (
	"context"

	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// Tiers gives customers the volume tier they bought themselves.
type Tiers struct{ DB *store.DB }

// tierBatch is how many customers one step checks.
const tierBatch = 500

// FollowTiers updates the tiers of the customers after one, and returns the last that it
// reached.
func (a *Tiers) FollowTiers(ctx context.Context, after string) (customer.TierBatch, error) {
	return customer.FollowTiers(ctx, a.DB, after, tierBatch)
}

// ForgetFineTallies drops hourly counts that are too old to be read.
func (a *Tiers) ForgetFineTallies(ctx context.Context) error {
	return reporting.ForgetFineTallies(ctx, a.DB)
}
