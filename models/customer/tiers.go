package customer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// TierBatch is the progress of a nightly run over the volume tiers.
type TierBatch struct {
	Last    string // the last customer read; empty after the last batch
	Changed int    // whose tier is another one now
}

// FollowTiers gives the next so many customers the tier that their volume of 30 days earns them, unless staff set it
// by hand and its end has not come. What changes is audited with it. It is idempotent.
func FollowTiers(ctx context.Context, db *store.DB, after string, limit int) (TierBatch, error) {
	if after == "" {
		after = store.Everybody
	}
	var batch TierBatch
	err := db.ORM(ctx).Raw(`
		WITH batch AS (SELECT id, volume_tier, tier_until FROM users WHERE id > CAST(@after AS uuid) ORDER BY id LIMIT @limit FOR NO KEY UPDATE),
		due AS (SELECT * FROM batch WHERE tier_until IS NULL OR tier_until <= clock_now()),
		volumes AS (SELECT owner, sum(amount) AS bought FROM (
			SELECT owner, amount, facet FROM tallies WHERE list = 'bought' AND owner IN (SELECT id FROM due)
			UNION ALL SELECT owner, amount, facet FROM tally_changes WHERE list = 'bought' AND owner IN (SELECT id FROM due)) t
			WHERE facet > utc_day(clock_now() - interval '30 days') GROUP BY owner),
		earned AS (SELECT d.*, (SELECT tier_name FROM volume_tiers WHERE is_active AND min_volume_30_days <= coalesce(v.bought, 0) ORDER BY min_volume_30_days DESC LIMIT 1) AS tier
			FROM due d LEFT JOIN volumes v ON v.owner = d.id),
		changed AS (`+people.FollowTiers+`),
		audited AS (`+audit.BySystem+`
			SELECT 'system', 'customer.tier_followed', 'user', id, jsonb_build_object('tier', was, 'byHand', by_hand), jsonb_build_object('tier', tier, 'byHand', false) FROM changed)
		SELECT CASE WHEN (SELECT count(*) FROM batch) = @limit THEN (SELECT CAST(id AS text) FROM batch ORDER BY id DESC LIMIT 1) ELSE '' END AS last,
		       (SELECT count(*) FROM changed) AS changed`, map[string]any{"after": after, "limit": limit}).Scan(&batch).Error
	if err != nil {
		return TierBatch{}, fmt.Errorf("follow volumes with tiers: %w", err)
	}
	return batch, nil
}

// earnedTier returns the tier that a customer's volume of 30 days earns, and their present tier where none is active.
func earnedTier(ctx context.Context, db *store.DB, c *account.Customer) (tier string, err error) {
	err = db.ORM(ctx).Raw(`SELECT tier_name FROM volume_tiers WHERE is_active AND min_volume_30_days <= (
			SELECT coalesce(sum(amount), 0) FROM (
				SELECT amount, facet FROM tallies WHERE list = 'bought' AND owner = @id
				UNION ALL SELECT amount, facet FROM tally_changes WHERE list = 'bought' AND owner = @id) t
			WHERE facet > utc_day(clock_now() - interval '30 days'))
		ORDER BY min_volume_30_days DESC LIMIT 1`, map[string]any{"id": c.ID}).Row().Scan(&tier)
	if errors.Is(err, sql.ErrNoRows) {
		return c.VolumeTier, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the earned tier: %w", err)
	}
	return tier, nil
}
