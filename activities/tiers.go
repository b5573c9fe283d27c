package activities

import (
	"context"

	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// Tiers gives customers the volume tier they bought themselves.
type Tiers struct{ DB *store.DB }

// tierBatch is how many customers one step looks at.
const tierBatch = 500

// FollowTiers looks at the customers after one, and says how far it came.
func (a *Tiers) FollowTiers(ctx context.Context, after string) (customer.TierBatch, error) {
	return customer.FollowTiers(ctx, a.DB, after, tierBatch)
}

// ForgetFineTallies drops what was counted by the hour and is too old to be
// asked for.
func (a *Tiers) ForgetFineTallies(ctx context.Context) error {
	return reporting.ForgetFineTallies(ctx, a.DB)
}
