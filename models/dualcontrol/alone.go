package dualcontrol

import (
	"context"
	"fmt"
	"slices"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// ErrSecondPerson rejects an action that one person may not take alone; it can be proposed.
var ErrSecondPerson = store.Conflict("second_person", "A second person must approve this")

// Intake is value that is about to rest on one person's statement. Amounts are US cents.
type Intake struct {
	Kind     Kind
	Actor    string
	Customer string // empty: no customer's
	Amount   money.Units
	// Limit is how much of this kind, or of what is credited, may rest on single persons' statements for one customer
	// within a day. StaffLimit is how much may rest on the actor's statement within a day, over all customers. Nil is no
	// limit; the API always gives both.
	Limit      *money.Units
	StaffLimit *money.Units
	// Except is left out of the customer's sum: it counts in Amount already.
	Except Ref
}

// alike are the kinds that share a limit per customer.
func (in Intake) alike() []Kind {
	if in.Kind == Receipt || in.Kind == CardValue || in.Kind == PayoutReturned {
		return []Kind{Receipt, Credit, CardValue, PayoutReturned}
	}
	return []Kind{in.Kind}
}

// CheckIntake returns ErrSecondPerson if the amount exceeds a limit together with what single persons attested before.
// It holds the customer's lock and the actor's, so that concurrent decisions count each other.
func CheckIntake(ctx context.Context, tx *store.DB, in Intake) error {
	if in.Limit != nil && in.Customer != "" {
		if err := ledger.LockCustomer(ctx, tx, in.Customer); err != nil {
			return err
		}
		before, err := AloneFor(ctx, tx, in.Customer, in.Except, in.alike()...)
		if err != nil {
			return err
		}
		if before.Add(in.Amount).Cmp(*in.Limit) > 0 {
			return ErrSecondPerson
		}
	}
	return CheckStaffLimit(ctx, tx, in.Actor, in.Amount, in.StaffLimit)
}

// CheckStaffLimit returns ErrSecondPerson if the amount, in US cents, exceeds the limit together with everything else
// that rests on the actor's statement alone within a day, under whatever account. Nil is no limit.
func CheckStaffLimit(ctx context.Context, tx *store.DB, actor string, amount money.Units, limit *money.Units) error {
	if limit == nil {
		return nil
	}
	accounts, err := people.AccountsOf(ctx, tx, actor)
	if err != nil {
		return err
	}
	if err := tx.LockKey(ctx, "attestations:"+slices.Min(accounts)); err != nil {
		return fmt.Errorf("lock attestations: %w", err)
	}
	before, err := aloneBy(ctx, tx, accounts)
	if err != nil {
		return err
	}
	if before.Add(amount).Cmp(*limit) > 0 {
		return ErrSecondPerson
	}
	return nil
}

// AloneFor returns what single persons attested for a customer within a day, of some kinds, in US cents. except is left out.
func AloneFor(ctx context.Context, db *store.DB, customer string, except Ref, kinds ...Kind) (sum money.Units, err error) {
	err = db.Row(ctx, `SELECT coalesce(sum(amount), 0) FROM attestations WHERE customer_id = $1 AND kind = ANY($2)
		AND at > clock_now() - interval '1 day' AND NOT proposed AND second_by IS NULL AND withdrawn_at IS NULL
		AND (subject_kind, subject_id) <> ($3, $4)`, customer, texts(kinds), except.Kind, except.ID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum attestations: %w", err)
	}
	return sum, nil
}

// AloneBy returns how much rests on a person's statement alone within a day, over all customers and under whatever
// account, in US cents.
func AloneBy(ctx context.Context, db *store.DB, person string) (money.Units, error) {
	accounts, err := people.AccountsOf(ctx, db, person)
	if err != nil {
		return money.Units{}, err
	}
	return aloneBy(ctx, db, accounts)
}

func aloneBy(ctx context.Context, db *store.DB, accounts []string) (sum money.Units, err error) {
	err = db.Row(ctx, `SELECT coalesce(sum(amount), 0) FROM attestations WHERE by_id = ANY($1::uuid[]) AND kind = ANY($2)
		AND at > clock_now() - interval '1 day' AND NOT proposed AND second_by IS NULL AND withdrawn_at IS NULL`, accounts, texts(counted)).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum attestations: %w", err)
	}
	return sum, nil
}
