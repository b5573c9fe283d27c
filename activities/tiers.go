package activities

import (
	"context"

	"github.com/tradepost/tradepost/models"
)

// Tiers gives customers the volume tier they bought themselves.
type Tiers struct{ DB *models.DB }

// tierBatch is how many customers one step looks at.
const tierBatch = 500

// FollowTiers looks at the customers after one, and says how far it came.
func (a *Tiers) FollowTiers(ctx context.Context, after string) (models.TierBatch, error) {
	return a.DB.FollowTiers(ctx, after, tierBatch)
}

// ForgetFineTallies drops what was counted by the hour and is too old to be
// asked for.
func (a *Tiers) ForgetFineTallies(ctx context.Context) error { return a.DB.ForgetFineTallies(ctx) }
