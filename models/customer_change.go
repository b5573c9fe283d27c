package models

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// StaffAction is something that staff do about a customer.
type StaffAction struct {
	CustomerID         string
	ActorID, ActorRole string
	Reason, RequestID  string
}

// lockCustomerRow locks a customer's row and runs fn on it. Nobody decides about
// themselves.
func (db *DB) lockCustomerRow(ctx context.Context, in StaffAction, fn func(tx *DB, c *Customer) error) error {
	if !IsID(in.CustomerID) {
		return NotFound("Customer")
	}
	own := Forbidden("own_account", "You can't decide on your own account")
	if err := db.anotherPerson(ctx, in.ActorID, own, in.CustomerID); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *DB) error {
		var rows []Customer
		if err := tx.orm(ctx).Raw("SELECT * FROM users WHERE id = ? FOR NO KEY UPDATE", in.CustomerID).Scan(&rows).Error; err != nil {
			return fmt.Errorf("lock customer: %w", err)
		}
		if len(rows) == 0 {
			return NotFound("Customer")
		}
		return fn(tx, &rows[0])
	})
}

// auditStaff notes in the log what staff did about a customer.
func (db *DB) auditStaff(ctx context.Context, in StaffAction, action string, before, after map[string]any) error {
	return db.Audit(ctx, AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: action, ObjectKind: "user", ObjectID: in.CustomerID,
		Before: before, After: after, Reason: in.Reason, RequestID: in.RequestID})
}

// needsReason refuses an action without one.
func (in *StaffAction) needsReason() error {
	if in.Reason = strings.TrimSpace(in.Reason); in.Reason == "" {
		return Invalid("reason", "required", "Enter a reason")
	}
	return nil
}

// FreezeCustomer stops whatever moves money for a customer: nothing new begins,
// and what is under way parks before its next step that does.
func (db *DB) FreezeCustomer(ctx context.Context, in StaffAction) error {
	if err := in.needsReason(); err != nil {
		return err
	}
	return db.lockCustomerRow(ctx, in, func(tx *DB, c *Customer) error {
		if c.FrozenAt != nil {
			return tx.sayWhoFroze(ctx, c)
		}
		err := tx.orm(ctx).Exec("UPDATE users SET frozen_at = clock_now(), frozen_by = ?, frozen_reason = ?, version = version + 1, updated_at = clock_now() WHERE id = ?",
			in.ActorID, in.Reason, c.ID).Error
		if err != nil {
			return fmt.Errorf("freeze customer: %w", err)
		}
		if err := tx.dropHeldAddresses(ctx, c.ID); err != nil {
			return err
		}
		return tx.auditStaff(ctx, in, "customer.frozen", map[string]any{"frozen": false}, map[string]any{"frozen": true})
	})
}

// sayWhoFroze refuses a second freeze, and names who was first.
func (db *DB) sayWhoFroze(ctx context.Context, c *Customer) error {
	who := "Somebody"
	if c.FrozenBy != nil {
		first, err := db.Customer(ctx, *c.FrozenBy)
		if err != nil {
			return err
		}
		who = first.Name()
	}
	return Conflict("already_frozen", who+" already froze this account")
}

// Parked is an order, or a redemption, that waited because its customer was
// frozen, with the decision that takes it on.
type Parked struct {
	Matter               Matter // empty for an order
	ID, DecisionID, Kind string
}

// UnfreezeCustomer takes the freeze back. What parked goes on: for each a
// decision is written in the same transaction, which its workflow carries out
// now, or when the sweep delivers it.
func (db *DB) UnfreezeCustomer(ctx context.Context, in StaffAction) (parked []Parked, err error) {
	if err := in.needsReason(); err != nil {
		return nil, err
	}
	err = db.lockCustomerRow(ctx, in, func(tx *DB, c *Customer) error {
		if c.FrozenAt == nil {
			return Conflict("not_frozen", "This account isn't frozen")
		}
		err := tx.orm(ctx).Exec("UPDATE users SET frozen_at = NULL, frozen_by = NULL, frozen_reason = '', version = version + 1, updated_at = clock_now() WHERE id = ?", c.ID).Error
		if err != nil {
			return fmt.Errorf("unfreeze customer: %w", err)
		}
		if parked, err = tx.takeOn(ctx, in); err != nil {
			return err
		}
		return tx.auditStaff(ctx, in, "customer.unfrozen", map[string]any{"frozen": true}, map[string]any{"frozen": false, "tookOn": len(parked)})
	})
	return parked, err
}

// takeOn decides that everything of a customer that parked goes on. What
// somebody is deciding about already goes where they say.
func (db *DB) takeOn(ctx context.Context, in StaffAction) (parked []Parked, err error) {
	var orders, redemptions []string
	if err := db.orm(ctx).Raw("SELECT id FROM orders WHERE user_id = ? AND attention_reason = ? ORDER BY id", in.CustomerID, AttentionCustomer).Scan(&orders).Error; err != nil {
		return nil, fmt.Errorf("read parked orders: %w", err)
	}
	if err := db.orm(ctx).Raw("SELECT id FROM voucher_redemptions WHERE user_id = ? AND attention_reason = ? AND closed_at IS NULL ORDER BY id", in.CustomerID, AttentionFrozen).Scan(&redemptions).Error; err != nil {
		return nil, fmt.Errorf("read parked redemptions: %w", err)
	}
	for _, id := range orders {
		d, err := db.OpenDecision(ctx, NewDecision{OrderID: id, Kind: DecisionRetry, ActorID: in.ActorID, ActorRole: in.ActorRole, Reason: in.Reason, RequestID: in.RequestID})
		if CodeOf(err) == CodeConflict || errors.Is(err, errOwnReceipt) { // it waits for somebody else's Retry
			continue
		}
		if err != nil {
			return nil, err
		}
		parked = append(parked, Parked{ID: id, DecisionID: d.ID, Kind: DecisionRetry})
	}
	for _, id := range redemptions {
		d, err := db.OpenVoucherDecision(ctx, id, NewMatterDecision{Kind: VoucherResume, ActorID: in.ActorID, ActorRole: in.ActorRole, Reason: in.Reason, RequestID: in.RequestID})
		if CodeOf(err) == CodeConflict {
			continue
		}
		if err != nil {
			return nil, err
		}
		parked = append(parked, Parked{Matter: MatterVoucher, ID: id, DecisionID: d.ID, Kind: VoucherResume})
	}
	return parked, nil
}

// frozen reports whether a customer is. It holds their row for the rest of the
// transaction: whoever lifts the freeze sees what parked because of it.
func (db *DB) frozen(ctx context.Context, userID string) (bool, error) {
	var frozen bool
	err := db.row(ctx, "SELECT frozen_at IS NOT NULL FROM users WHERE id = $1 FOR SHARE", userID).Scan(&frozen)
	if err != nil {
		return false, fmt.Errorf("read customer: %w", err)
	}
	return frozen, nil
}

// EndSessionsAsStaff signs a customer out everywhere, and answers where they
// were signed in.
func (db *DB) EndSessionsAsStaff(ctx context.Context, in StaffAction) (ended int64, err error) {
	err = db.lockCustomerRow(ctx, in, func(tx *DB, c *Customer) error {
		if ended, err = tx.endSessions(ctx, c.ID); err != nil {
			return err
		}
		return tx.auditStaff(ctx, in, "customer.signed_out", nil, map[string]any{"sessions": ended})
	})
	return ended, err
}

// How long a tier that was set by hand stands unless an end is given, and the
// longest it can be given.
const (
	TierByHandFor  = 90 * 24 * time.Hour
	TierByHandMost = 2 * 365 * 24 * time.Hour
)

// TierChoice is a tier set by hand. Without Until it stands for TierByHandFor.
type TierChoice struct {
	Tier    string
	Until   *time.Time
	Version *int // what the chooser has seen; nil does not ask
}

// SetTier gives a customer a volume tier until a day, whatever they buy.
func (db *DB) SetTier(ctx context.Context, in StaffAction, choice TierChoice) (*Customer, error) {
	err := db.lockCustomerRow(ctx, in, func(tx *DB, c *Customer) error {
		if choice.Version != nil && *choice.Version != c.Version {
			return Conflict("changed_meanwhile", "Someone else has changed this customer. Refresh the page.")
		}
		var known bool
		if err := tx.orm(ctx).Raw("SELECT EXISTS (SELECT FROM volume_tiers WHERE tier_name = ? AND is_active)", choice.Tier).Row().Scan(&known); err != nil {
			return fmt.Errorf("read volume tier: %w", err)
		}
		if !known {
			return Invalid("volumeTier", "unknown_tier", "Choose a volume tier")
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		until := now.Add(TierByHandFor)
		if choice.Until != nil {
			until = *choice.Until
		}
		if !until.After(now) || until.After(now.Add(TierByHandMost)) {
			return Invalid("until", "bad_date", "The end must be in the future, within two years")
		}
		return tx.storeTier(ctx, in, c, choice.Tier, &until)
	})
	if err != nil {
		return nil, err
	}
	return db.Customer(ctx, in.CustomerID)
}

// ReleaseTier ends a tier that was set by hand: from the next night on it
// follows what the customer buys.
func (db *DB) ReleaseTier(ctx context.Context, in StaffAction) (*Customer, error) {
	err := db.lockCustomerRow(ctx, in, func(tx *DB, c *Customer) error {
		if c.TierUntil == nil {
			return Conflict("not_by_hand", "This tier wasn't set manually")
		}
		return tx.storeTier(ctx, in, c, c.VolumeTier, nil)
	})
	if err != nil {
		return nil, err
	}
	return db.Customer(ctx, in.CustomerID)
}

func (db *DB) storeTier(ctx context.Context, in StaffAction, c *Customer, tier string, until *time.Time) error {
	var by *string
	if until != nil {
		by = &in.ActorID
	}
	err := db.orm(ctx).Exec("UPDATE users SET volume_tier = ?, tier_until = ?, tier_set_by = ?, version = version + 1, updated_at = clock_now() WHERE id = ?", tier, until, by, c.ID).Error
	if err != nil {
		return fmt.Errorf("store tier: %w", err)
	}
	return db.auditStaff(ctx, in, "customer.tier_set", tierState(c.VolumeTier, c.TierUntil), tierState(tier, until))
}

func tierState(tier string, until *time.Time) map[string]any {
	state := map[string]any{"tier": tier, "byHand": until != nil}
	if until != nil {
		state["until"] = until.UTC().Format(time.RFC3339)
	}
	return state
}
