package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/store"
)

// StaffAction is something that staff do about a customer.
type StaffAction struct {
	CustomerID         string
	ActorID, ActorRole string
	Reason, RequestID  string
}

// LockCustomerRow locks a customer's row and runs fn on it. No member of staff decides about their own account.
func LockCustomerRow(ctx context.Context, db *store.DB, in StaffAction, fn func(tx *store.DB, c *Customer) error) error {
	if !store.IsID(in.CustomerID) {
		return store.NotFound("Customer")
	}
	own := store.Forbidden("own_account", "You can't decide on your own account")
	if err := audit.AnotherPerson(ctx, db, in.ActorID, own, in.CustomerID); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		var rows []Customer
		if err := tx.ORM(ctx).Raw("SELECT * FROM users WHERE id = ? FOR NO KEY UPDATE", in.CustomerID).Scan(&rows).Error; err != nil {
			return fmt.Errorf("lock customer: %w", err)
		}
		if len(rows) == 0 {
			return store.NotFound("Customer")
		}
		return fn(tx, &rows[0])
	})
}

// AuditStaff records in the log what staff did about a customer.
func AuditStaff(ctx context.Context, db *store.DB, in StaffAction, action string, before, after map[string]any) error {
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: action, ObjectKind: "user", ObjectID: in.CustomerID,
		Before: before, After: after, Reason: in.Reason, RequestID: in.RequestID})
}

// NeedsReason refuses an action without one.
func (in *StaffAction) NeedsReason() error {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	return nil
}

// EndSessionsAsStaff signs a customer out everywhere, and answers where they
// were signed in.
func EndSessionsAsStaff(ctx context.Context, db *store.DB, in StaffAction) (ended int64, err error) {
	err = LockCustomerRow(ctx, db, in, func(tx *store.DB, c *Customer) error {
		if ended, err = EndSessions(ctx, tx, c.ID); err != nil {
			return err
		}
		return AuditStaff(ctx, tx, in, "customer.signed_out", nil, map[string]any{"sessions": ended})
	})
	return ended, err
}

// Freeze records who froze a customer, and why.
func Freeze(ctx context.Context, tx *store.DB, id, by, reason string) error {
	err := tx.ORM(ctx).Exec("UPDATE users SET frozen_at = clock_now(), frozen_by = ?, frozen_reason = ?, version = version + 1, updated_at = clock_now() WHERE id = ?",
		by, reason, id).Error
	if err != nil {
		return fmt.Errorf("freeze customer: %w", err)
	}
	return nil
}

// Unfreeze lifts a customer's freeze.
func Unfreeze(ctx context.Context, tx *store.DB, id string) error {
	err := tx.ORM(ctx).Exec("UPDATE users SET frozen_at = NULL, frozen_by = NULL, frozen_reason = '', version = version + 1, updated_at = clock_now() WHERE id = ?", id).Error
	if err != nil {
		return fmt.Errorf("unfreeze customer: %w", err)
	}
	return nil
}

// SetTier gives a customer a tier, until a time when it is set by hand.
func SetTier(ctx context.Context, tx *store.DB, id, tier string, until *time.Time, by *string) error {
	err := tx.ORM(ctx).Exec("UPDATE users SET volume_tier = ?, tier_until = ?, tier_set_by = ?, version = version + 1, updated_at = clock_now() WHERE id = ?", tier, until, by, id).Error
	if err != nil {
		return fmt.Errorf("store tier: %w", err)
	}
	return nil
}

// FollowTiers is the query, to be named in a WITH, that gives customers the tiers that their
// volumes have earned: those of earned, with id, tier, volume_tier and tier_until as they are.
const FollowTiers = `UPDATE users u SET volume_tier = e.tier, tier_until = NULL, tier_set_by = NULL, version = version + 1, updated_at = clock_now()
			FROM earned e WHERE u.id = e.id AND e.tier IS NOT NULL AND u.closed_at IS NULL AND (e.tier <> e.volume_tier OR e.tier_until IS NOT NULL)
			RETURNING u.id, e.volume_tier AS was, e.tier, e.tier_until IS NOT NULL AS by_hand`

// Shut ends the account of a person who closed it. Their address is kept for a while, to notify them, and the records
// of a customer who traded for as long as the law requires.
func Shut(ctx context.Context, db *store.DB, userID string, now time.Time, forMail, byLaw time.Duration) error {
	err := db.ORM(ctx).Exec(`
		UPDATE users u SET closed_at = @now, disabled_at = coalesce(disabled_at, @now), updated_at = @now,
		       erase_after = greatest(CAST(@now AS timestamptz) + CAST(@mail AS interval), CAST(@law AS interval) + (SELECT max(t.at) FROM (
		         SELECT max(updated_at) AS at FROM orders WHERE user_id = u.id UNION ALL SELECT max(updated_at) FROM gift_cards WHERE user_id = u.id
		         UNION ALL SELECT max(p.at) FROM postings p JOIN accounts a ON a.code IN (p.from_account, p.to_account) WHERE a.user_id = u.id) t))
		 WHERE id = @user`, map[string]any{"now": now, "mail": store.Seconds(forMail), "law": store.Seconds(byLaw), "user": userID}).Error
	if err != nil {
		return fmt.Errorf("end account: %w", err)
	}
	return nil
}
