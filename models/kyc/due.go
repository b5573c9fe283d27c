package kyc

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// DueKYC does what is due: a warning before documents expire, and then their end, after which new ones are requested.
// Older records without an end get one here.
func DueKYC(ctx context.Context, db *store.DB, userID string, terms KYCTerms) error {
	return changeKYC(ctx, db, userID, func(c *kycChange) error {
		if !c.Verified() {
			c.WakeAt = nil
			return nil
		}
		if c.ExpiresAt == nil {
			until := c.now.Add(terms.Valid)
			c.ExpiresAt = &until
		}
		if !c.now.Before(*c.ExpiresAt) {
			return c.expire()
		}
		defer c.schedule(terms)
		if c.RemindedAt != nil || c.now.Before(c.ExpiresAt.Add(-terms.Notice)) {
			return nil
		}
		c.RemindedAt = &c.now
		return c.record(casework.Event{Kind: "expiring", Data: map[string]any{"expiresAt": c.ExpiresAt.UTC().Format(time.RFC3339)}})
	})
}

// expire ends a level whose time is over. An attempt in progress continues; without one the provider is to start from
// the beginning.
func (c *kycChange) expire() error {
	if c.RenewingSince == nil {
		c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels, c.ResetWantedAt = KYCNotStarted, true, false, "", nil, &c.now
	}
	c.WantedLevel, c.DecidedAt = c.Level, nil
	return c.end(KYCEndedExpired, casework.BySystem)
}

// RenewKYC allows a customer to show documents again before the old ones expire; the level stays in force meanwhile.
func RenewKYC(ctx context.Context, db *store.DB, userID string) error {
	if _, err := MayShowDocuments(ctx, db, userID); err != nil {
		return err
	}
	return changeKYC(ctx, db, userID, func(c *kycChange) error {
		switch {
		case c.RenewingSince != nil:
			return nil
		case !c.Renewable():
			return store.Conflict("kyc_not_due", "You don't need to renew your verification yet.")
		}
		c.RenewingSince, c.ResetWantedAt, c.WantedLevel, c.DecidedAt = &c.now, &c.now, c.Level, nil
		return c.record(casework.Event{Kind: "renewal_started", Actor: casework.ByCustomer})
	})
}

// Renewable reports whether documents may be shown again now: the customer was notified that the current ones expire.
func (r *KYCRecord) Renewable() bool {
	return r.Verified() && r.RenewingSince == nil && r.RemindedAt != nil && r.Status != KYCPending
}

// WantEnhanced has a verified customer apply for the higher level; the present one stays in force during the review.
func WantEnhanced(ctx context.Context, db *store.DB, userID string) error {
	if _, err := MayShowDocuments(ctx, db, userID); err != nil {
		return err
	}
	return changeKYC(ctx, db, userID, func(c *kycChange) error {
		switch {
		case !c.Verified():
			return store.Conflict("kyc_required", "Verify your identity first.")
		case c.Level == KYCEnhanced:
			return store.Conflict("kyc_level_in_force", "You already have the highest level.")
		case c.RenewingSince != nil:
			return store.Conflict("kyc_renewing", "Renew your verification first.")
		case c.WantedLevel == KYCEnhanced:
			return nil
		}
		c.WantedLevel = KYCEnhanced
		return c.record(casework.Event{Kind: "enhanced_wanted", Actor: casework.ByCustomer})
	})
}

// KYCReset records that the provider starts from the beginning.
func KYCReset(ctx context.Context, db *store.DB, userID string) error {
	return changeKYC(ctx, db, userID, func(c *kycChange) error {
		c.ResetWantedAt, c.AskedAt = nil, &c.now
		return nil
	})
}

// StaleReviews finds customers whose verification has to be read: it is in progress and was not read for age, or
// something has been due, or has to be reported to the provider, for grace.
func StaleReviews(ctx context.Context, db *store.DB, age, grace time.Duration, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find stale reviews", `
		SELECT user_id AS subject, 'poll' AS reason FROM kyc_records
		 WHERE status IN ('pending', 'not_started') AND (status = 'pending' OR status = 'not_started' AND created_at > clock_now() - interval '2 days')
		   AND coalesce(polled_at, created_at) < clock_now() - CAST(@age AS interval)
		UNION
		SELECT user_id, 'due' FROM kyc_records WHERE wake_at < clock_now() - CAST(@grace AS interval)
		UNION
		SELECT user_id, 'reset' FROM kyc_records WHERE reset_wanted_at < clock_now() - CAST(@grace AS interval)
		   AND coalesce(polled_at, created_at) < clock_now() - CAST(@grace AS interval)
		UNION
		SELECT u.id, 'webhook' FROM webhook_inbox i JOIN users u ON u.id = CASE WHEN i.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN CAST(i.subject AS uuid) END
		 WHERE i.provider = 'sumsub' AND i.handled_at IS NULL AND i.received_at < clock_now() - interval '15 seconds'
		LIMIT @limit`, map[string]any{"age": store.Seconds(age), "grace": store.Seconds(grace), "limit": limit})
}
