package customer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
	"github.com/tradepost/tradepost/models/team"
	"github.com/tradepost/tradepost/models/voucher"
)

// FreezeCustomer stops whatever moves money for a customer: nothing new begins, and open records park before their
// next such step. A member of staff has no role while frozen: their tickets are unassigned, and their proposals and
// first approvals end. Of two who freeze each other at once, one is too late.
func FreezeCustomer(ctx context.Context, db *store.DB, in account.StaffAction) error {
	if err := in.NeedsReason(); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		if err := people.LockTeam(ctx, tx); err != nil {
			return err
		}
		frozen, err := kyc.Frozen(ctx, tx, in.ActorID)
		if err != nil {
			return err
		}
		if frozen {
			return store.Forbidden("account_frozen", "Your account is frozen")
		}
		return freeze(ctx, tx, in)
	})
}

func freeze(ctx context.Context, db *store.DB, in account.StaffAction) error {
	return account.LockCustomerRow(ctx, db, in, func(tx *store.DB, c *account.Customer) error {
		if c.FrozenAt != nil {
			return sayWhoFroze(ctx, tx, c)
		}
		if err := people.Freeze(ctx, tx, c.ID, in.ActorID, in.Reason); err != nil {
			return err
		}
		if err := store.FirstError(order.DropHeldAddresses(ctx, tx, c.ID), casework.DropLinksOf(ctx, tx, c.ID)); err != nil {
			return err
		}
		by := audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, RequestID: in.RequestID}
		if err := store.FirstError(support.LeaveTickets(ctx, tx, c.ID, by), team.EndBegun(ctx, tx, in)); err != nil {
			return err
		}
		return account.AuditStaff(ctx, tx, in, "customer.frozen", map[string]any{"frozen": false}, map[string]any{"frozen": true})
	})
}

// sayWhoFroze refuses a second freeze, and names who was first.
func sayWhoFroze(ctx context.Context, db *store.DB, c *account.Customer) error {
	who := "Somebody"
	if c.FrozenBy != nil {
		first, err := Customer(ctx, db, *c.FrozenBy)
		if err != nil {
			return err
		}
		who = first.Name()
	}
	return store.Conflict("already_frozen", who+" already froze this account")
}

// UnfreezeCustomer lifts a customer's freeze. For each order that it had blocked a decision is written in the same
// transaction, which the order's workflow executes on the signal, or when the sweep delivers it.
func UnfreezeCustomer(ctx context.Context, db *store.DB, in account.StaffAction) (parked []casework.Blocked, err error) {
	if err := in.NeedsReason(); err != nil {
		return nil, err
	}
	err = account.LockCustomerRow(ctx, db, in, func(tx *store.DB, c *account.Customer) error {
		if c.FrozenAt == nil {
			return store.Conflict("not_frozen", "This account isn't frozen")
		}
		if err := people.Unfreeze(ctx, tx, c.ID); err != nil {
			return err
		}
		if parked, err = takeOn(ctx, tx, in); err != nil {
			return err
		}
		return account.AuditStaff(ctx, tx, in, "customer.unfrozen", map[string]any{"frozen": true}, map[string]any{"frozen": false, "tookOn": len(parked)})
	})
	return parked, err
}

// takeOn decides that every blocked order of a customer continues. An order with an open decision follows that
// decision.
func takeOn(ctx context.Context, db *store.DB, in account.StaffAction) (parked []casework.Blocked, err error) {
	var orders, redemptions []string
	if err := db.ORM(ctx).Raw("SELECT id FROM orders WHERE user_id = ? AND attention_reason = ? ORDER BY id", in.CustomerID, casework.AttentionCustomer).Scan(&orders).Error; err != nil {
		return nil, fmt.Errorf("read parked orders: %w", err)
	}
	if err := db.ORM(ctx).Raw("SELECT id FROM voucher_redemptions WHERE user_id = ? AND attention_reason = ? AND closed_at IS NULL ORDER BY id", in.CustomerID, casework.AttentionFrozen).Scan(&redemptions).Error; err != nil {
		return nil, fmt.Errorf("read parked redemptions: %w", err)
	}
	for _, id := range orders {
		d, err := order.OpenDecision(ctx, db, order.NewDecision{OrderID: id, Kind: order.DecisionRetry, ActorID: in.ActorID, ActorRole: in.ActorRole, Reason: in.Reason, RequestID: in.RequestID})
		if store.CodeOf(err) == store.CodeConflict || barred(err) { // it waits for a Retry
			continue
		}
		if err != nil {
			return nil, err
		}
		parked = append(parked, casework.Blocked{ID: id, DecisionID: d.ID, Kind: order.DecisionRetry})
	}
	for _, id := range redemptions {
		d, err := voucher.OpenVoucherDecision(ctx, db, id, casework.NewCaseDecision{Kind: voucher.VoucherResume, ActorID: in.ActorID, ActorRole: in.ActorRole, Reason: in.Reason, RequestID: in.RequestID})
		if store.CodeOf(err) == store.CodeConflict || barred(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		parked = append(parked, casework.Blocked{Matter: voucher.KindVoucher, ID: id, DecisionID: d.ID, Kind: voucher.VoucherResume})
	}
	return parked, nil
}

// barred reports whether the actor must not release the value: another person resumes the order.
func barred(err error) bool {
	return errors.Is(err, dualcontrol.ErrOwnReceipt) || errors.Is(err, dualcontrol.ErrOwnCredit) || errors.Is(err, dualcontrol.ErrOwnIdentity)
}

// How long a tier set by hand lasts unless an end is given, and the longest it can be given.
const (
	TierByHandFor  = 90 * 24 * time.Hour
	TierByHandMost = 2 * 365 * 24 * time.Hour
)

// TierChoice is a tier set by hand. Without Until it lasts for TierByHandFor.
type TierChoice struct {
	Tier    string
	Until   *time.Time
	Version *int // the version that the chooser read; nil skips the check
}

// SetTier gives a customer a volume tier until a day, whatever they buy.
func SetTier(ctx context.Context, db *store.DB, in account.StaffAction, choice TierChoice) (*account.Customer, error) {
	err := account.LockCustomerRow(ctx, db, in, func(tx *store.DB, c *account.Customer) error {
		if choice.Version != nil && *choice.Version != c.Version {
			return store.Conflict("changed_meanwhile", "Someone else has changed this customer. Refresh the page.")
		}
		var known bool
		if err := tx.ORM(ctx).Raw("SELECT EXISTS (SELECT FROM volume_tiers WHERE tier_name = ? AND is_active)", choice.Tier).Row().Scan(&known); err != nil {
			return fmt.Errorf("read volume tier: %w", err)
		}
		if !known {
			return store.Invalid("volumeTier", "unknown_tier", "Choose a volume tier")
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
			return store.Invalid("until", "bad_date", "The end must be in the future, within two years")
		}
		return storeTier(ctx, tx, in, c, choice.Tier, &until)
	})
	if err != nil {
		return nil, err
	}
	return Customer(ctx, db, in.CustomerID)
}

// ReleaseTier ends a tier that was set by hand. The customer gets the tier that their volume of 30 days earns, now and
// every night.
func ReleaseTier(ctx context.Context, db *store.DB, in account.StaffAction) (*account.Customer, error) {
	err := account.LockCustomerRow(ctx, db, in, func(tx *store.DB, c *account.Customer) error {
		if c.TierUntil == nil {
			return store.Conflict("not_by_hand", "This tier wasn't set manually")
		}
		tier, err := earnedTier(ctx, tx, c)
		if err != nil {
			return err
		}
		return storeTier(ctx, tx, in, c, tier, nil)
	})
	if err != nil {
		return nil, err
	}
	return Customer(ctx, db, in.CustomerID)
}

func storeTier(ctx context.Context, db *store.DB, in account.StaffAction, c *account.Customer, tier string, until *time.Time) error {
	var by *string
	if until != nil {
		by = &in.ActorID
	}
	if err := people.SetTier(ctx, db, c.ID, tier, until, by); err != nil {
		return err
	}
	return account.AuditStaff(ctx, db, in, "customer.tier_set", tierState(c.VolumeTier, c.TierUntil), tierState(tier, until))
}

func tierState(tier string, until *time.Time) map[string]any {
	state := map[string]any{"tier": tier, "byHand": until != nil}
	if until != nil {
		state["until"] = until.UTC().Format(time.RFC3339)
	}
	return state
}
