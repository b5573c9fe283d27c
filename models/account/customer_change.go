package account

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// StaffAction is something that staff do about a customer.
type StaffAction struct {
	CustomerID         string
	ActorID, ActorRole string
	Reason, RequestID  string
	Seen               string // the version of what they approve
}

// LockCustomerRow locks a customer's row and runs fn on it. No member of staff decides about their own account.
func LockCustomerRow(ctx context.Context, db *store.DB, in StaffAction, fn func(tx *store.DB, c *Customer) error) error {
	if !store.IsID(in.CustomerID) {
		return store.NotFound("Customer")
	}
	own := store.Forbidden("own_account", "You can't decide on your own account")
	if err := people.Another(ctx, db, in.ActorID, own, in.CustomerID); err != nil {
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
