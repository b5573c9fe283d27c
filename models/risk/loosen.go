package risk

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// errLoosens refuses one person a change that loosens a rule or list. It is recorded, and made when a second person
// requests the same.
var errLoosens = store.Conflict("second_person", "This lets more through. It takes effect when a second person makes the same change.")

// loosening is a requested change that loosens a rule or list.
type loosening struct {
	thing, wish string
	by          store.Actor
}

// agreed reports whether another person has requested the same before; else this one is the first. The caller holds
// the lock of the thing.
func agreed(ctx context.Context, db *store.DB, l loosening) (agreed bool, err error) {
	var first []struct{ Wish, FirstBy string }
	if err := db.ORM(ctx).Raw("SELECT wish, first_by FROM risk_loosenings WHERE thing = ?", l.thing).Scan(&first).Error; err != nil {
		return false, fmt.Errorf("read what is to be loosened: %w", err)
	}
	if len(first) > 0 && first[0].Wish == l.wish {
		same, err := people.Same(ctx, db, l.by.ActorID, first[0].FirstBy)
		return !same, store.FirstError(err, dualcontrol.CheckNotFrozen(ctx, db, first[0].FirstBy))
	}
	err = db.ORM(ctx).Exec(`INSERT INTO risk_loosenings (thing, wish, first_by) VALUES (?, ?, ?)
		ON CONFLICT (thing) DO UPDATE SET wish = excluded.wish, first_by = excluded.first_by, first_at = clock_now()`, l.thing, l.wish, l.by.ActorID).Error
	if err != nil {
		return false, fmt.Errorf("note what is to be loosened: %w", err)
	}
	return false, audit.Audit(ctx, db, audit.AuditEntry{ActorID: l.by.ActorID, ActorRole: l.by.ActorRole, Action: "risk.loosening_asked", ObjectKind: "risk", ObjectID: l.thing,
		After: map[string]any{"wish": l.wish}, Reason: l.by.Reason, RequestID: l.by.RequestID})
}

// changed deletes the requested changes of a rule or list that has changed since.
func changed(ctx context.Context, db *store.DB, thing string) error {
	if err := db.ORM(ctx).Exec("DELETE FROM risk_loosenings WHERE thing = ?", thing).Error; err != nil {
		return fmt.Errorf("forget what was to be loosened: %w", err)
	}
	return nil
}

// loosens reports whether a change is looser than the rule.
func (in *RiskRuleChange) loosens(now RiskRule) bool {
	switch {
	case !now.Enabled:
		return false
	case in.Code == riskThreshold:
		return !in.Enabled || in.Score > now.Score
	}
	return !in.Enabled || in.Most > now.Most || in.Hours < now.Hours || in.Score < now.Score
}

// WithdrawLoosenings withdraws what a person loosened as the first of two, and gives its subjects.
func WithdrawLoosenings(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `DELETE FROM risk_loosenings WHERE first_by = ? RETURNING thing`, by)
}
