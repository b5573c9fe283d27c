package models

import (
	"context"
	"time"
)

// DueKYC sees to what is due: a notice before documents run out, and then their
// end, after which the customer is asked for new ones. Records from before
// anything ran out get their end here.
func (db *DB) DueKYC(ctx context.Context, userID string, terms KYCTerms) error {
	return db.changeKYC(ctx, userID, func(c *kycChange) error {
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
		return c.tells(Event{Kind: "expiring", Data: map[string]any{"expiresAt": c.ExpiresAt.UTC().Format(time.RFC3339)}})
	})
}

// expire takes a level away whose time is over. An attempt that is under way
// goes on; without one the provider is to ask from the beginning.
func (c *kycChange) expire() error {
	if c.RenewingSince == nil {
		c.Status, c.CanRetry, c.OnHold, c.Reason, c.Labels, c.ResetWantedAt = KYCNotStarted, true, false, "", nil, &c.now
	}
	c.WantedLevel, c.DecidedAt = c.Level, nil
	return c.end(KYCEndedExpired, BySystem)
}

// RenewKYC lets a customer show documents again before the old ones run out; the
// level stands meanwhile.
func (db *DB) RenewKYC(ctx context.Context, userID string) error {
	if _, err := db.MayShowDocuments(ctx, userID); err != nil {
		return err
	}
	return db.changeKYC(ctx, userID, func(c *kycChange) error {
		switch {
		case c.RenewingSince != nil:
			return nil
		case !c.Renewable():
			return Conflict("kyc_not_due", "You don't need to renew your verification yet.")
		}
		c.RenewingSince, c.ResetWantedAt, c.WantedLevel, c.DecidedAt = &c.now, &c.now, c.Level, nil
		return c.tells(Event{Kind: "renewal_started", Actor: ByCustomer})
	})
}

// Renewable reports whether documents may be shown again now: the customer has
// been told that the old ones run out.
func (r *KYCRecord) Renewable() bool {
	return r.Verified() && r.RenewingSince == nil && r.RemindedAt != nil && r.Status != KYCPending
}

// WantEnhanced has a verified customer apply for the higher level; theirs stands
// while that is reviewed.
func (db *DB) WantEnhanced(ctx context.Context, userID string) error {
	if _, err := db.MayShowDocuments(ctx, userID); err != nil {
		return err
	}
	return db.changeKYC(ctx, userID, func(c *kycChange) error {
		switch {
		case !c.Verified():
			return Conflict("kyc_required", "Verify your identity first.")
		case c.Level == KYCEnhanced:
			return Conflict("kyc_level_in_force", "You already have the highest level.")
		case c.RenewingSince != nil:
			return Conflict("kyc_renewing", "Renew your verification first.")
		case c.WantedLevel == KYCEnhanced:
			return nil
		}
		c.WantedLevel = KYCEnhanced
		return c.tells(Event{Kind: "enhanced_wanted", Actor: ByCustomer})
	})
}

// KYCReset notes that the provider asks from the beginning.
func (db *DB) KYCReset(ctx context.Context, userID string) error {
	return db.changeKYC(ctx, userID, func(c *kycChange) error {
		c.ResetWantedAt, c.AskedAt = nil, &c.now
		return nil
	})
}
