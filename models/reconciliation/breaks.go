package reconciliation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Break is an effect on which the ledger and its provider's statement have not
// agreed in time. Booked and Told are base units of Currency: as they stand while
// it is open, as they ended once it is closed.
type Break struct {
	ID        string `gorm:"primaryKey"`
	Holder    ledger.Provider
	Key       string
	Currency  money.Currency
	Booked    money.Units
	Told      money.Units
	CreatedAt time.Time `gorm:"default:clock_now()"`

	// The booking that one person requested and a second one has to approve.
	WantedAccount, WantedReason, WantedBy *string
	WantedAt                              *time.Time
	proposed                              money.Units // the difference then

	ClosedAt        *time.Time
	Outcome         *string // BreakAgreed, BreakBooked or BreakEnded
	Account, Reason *string
	ClosedBy        *string
	ProposedBy      *string // the first of two people; nil when one booked it alone
}

// TableName implements GORM's Tabler.
func (Break) TableName() string { return "reconciliation_breaks" }

// How a break ends.
const (
	BreakAgreed = "agreed" // the two sides agreed after all
	BreakBooked = "booked" // a person booked the difference
	BreakEnded  = "ended"  // staff expect nothing more of a line that did not settle
)

// Difference is what is missing in the ledger: negative when too much is booked.
func (b *Break) Difference() money.Units { return b.Told.Sub(b.Booked) }

// BreakAccounts are the accounts that may bear a difference.
var BreakAccounts = []string{ledger.AccountProviderFee, ledger.AccountNetworkFee, ledger.AccountTrading, ledger.AccountChargebacks, ledger.AccountGoodwill, ledger.AccountBank, ledger.AccountUnallocated, ledger.AccountEquity}

// BreakResolution is a requested way to resolve a break. Seen is the difference as they saw it, in whole dollars or
// coins; Alone is the most, in cents, that one person books within a day.
type BreakResolution struct {
	ID, Account, Seen string
	Alone             money.Units
	// StaffAlone is how many cents may rest on one person's statement in a day, over everything they do. Nil is no limit.
	StaffAlone *money.Units
	By         store.Actor
}

// ResolveBreak books a break's difference to an account that bears it, and closes
// it. What one person may not book alone is kept for a second one to approve; the
// break stays open then, and waiting is true.
func ResolveBreak(ctx context.Context, db *store.DB, in BreakResolution) (waiting bool, err error) {
	if err := in.check(); err != nil {
		return false, err
	}
	err = changeBreak(ctx, db, in.ID, func(tx *store.DB, b *Break, now time.Time) error {
		if b.WantedBy != nil {
			return store.Conflict("already_proposed", "This already needs a second person")
		}
		if err := store.FirstError(b.stillIs(in.Seen), b.mayBear(in.Account)); err != nil {
			return err
		}
		worth, err := worth(ctx, tx, b.Currency, b.Difference().Abs())
		if err != nil {
			return err
		}
		beside, err := bookedAlone(ctx, tx, in.By.ActorID)
		if err != nil {
			return err
		}
		err = dualcontrol.CheckStaffLimit(ctx, tx, in.By.ActorID, worth, in.StaffAlone)
		if err != nil && !errors.Is(err, dualcontrol.ErrSecondPerson) {
			return err
		}
		if waiting = err != nil || worth.Add(beside).Cmp(in.Alone) > 0; !waiting {
			if err := attestBreak(ctx, tx, b, dualcontrol.Attestation{By: in.By.ActorID, Amount: &worth}); err != nil {
				return err
			}
			return bookBreak(ctx, tx, b, in.Account, in.By, now, map[string]any{})
		}
		b.WantedAccount, b.WantedReason, b.WantedBy, b.WantedAt = &in.Account, &in.By.Reason, &in.By.ActorID, &now
		return auditBreak(ctx, tx, b, "break.proposed", in.By, map[string]any{"account": in.Account, "difference": b.Currency.Format(b.Difference())})
	})
	return waiting, err
}

// attestBreak notes who stated what a break's difference is.
func attestBreak(ctx context.Context, tx *store.DB, b *Break, a dualcontrol.Attestation) error {
	a.Kind, a.Subject, a.Source = dualcontrol.BreakBooked, dualcontrol.Ref{Kind: "break", ID: b.ID}, dualcontrol.Ref{Kind: "reconciliation_breaks", ID: b.ID}
	return dualcontrol.Attest(ctx, tx, a)
}

// bookedAlone is what a person has booked of other breaks within a day, under whatever account and without a second
// person, in cents at the prices now.
func bookedAlone(ctx context.Context, db *store.DB, actorID string) (sum money.Units, err error) {
	if err := db.LockKey(ctx, "breaks booked alone"); err != nil {
		return sum, fmt.Errorf("lock breaks: %w", err)
	}
	mine, err := people.AccountsOf(ctx, db, actorID)
	if err != nil {
		return sum, err
	}
	var booked []struct {
		Currency money.Currency
		Sum      money.Units
	}
	err = db.ORM(ctx).Raw(`SELECT currency, sum(abs(told - booked)) AS sum FROM reconciliation_breaks
		WHERE outcome = 'booked' AND proposed_by IS NULL AND closed_by IN ? AND closed_at > clock_now() - interval '1 day' GROUP BY currency`, mine).Scan(&booked).Error
	if err != nil {
		return sum, fmt.Errorf("sum booked breaks: %w", err)
	}
	for _, b := range booked {
		worth, err := worth(ctx, db, b.Currency, b.Sum)
		if err != nil {
			return sum, err
		}
		sum = sum.Add(worth)
	}
	return sum, nil
}

func (in *BreakResolution) check() error {
	if in.By.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	if !slices.Contains(BreakAccounts, in.Account) {
		return store.Invalid("account", "unknown_account", "You can't book a difference to this account")
	}
	return nil
}

// stillIs refuses what was decided on another difference than that of now.
func (b *Break) stillIs(seen string) error {
	if seen != b.Currency.Format(b.Difference()) {
		return store.Conflict("difference_moved", "The difference has changed. Refresh the page.")
	}
	return nil
}

// mayBear refuses coin for an account that holds dollars alone.
func (b *Break) mayBear(account string) error {
	if b.Currency != money.USD && slices.Contains(ledger.DollarAccounts, account) {
		return store.Invalid("account", "dollars_only", "This account holds dollars only")
	}
	return nil
}

// worth is what an amount is worth in cents, at the price now.
func worth(ctx context.Context, db *store.DB, currency money.Currency, amount money.Units) (money.Units, error) {
	if currency == money.USD {
		return amount, nil
	}
	markets, err := pricing.Markets(ctx, db)
	if err != nil {
		return money.Units{}, err
	}
	m := markets[currency]
	if m == nil || m.PricedAt == nil {
		return money.Units{}, store.Unavailable("no_price", "There is no price for "+string(currency)+" at the moment")
	}
	return money.USD.FromDecimal(currency.Decimal(amount).Mul(m.Ask), money.Up), nil
}

// ApproveBreak books what another person proposed: the present difference, to the account that they named; if it
// changed since, nothing is approved. The limit of one person does not apply here.
func ApproveBreak(ctx context.Context, db *store.DB, in BreakResolution) error {
	by := in.By
	return changeBreak(ctx, db, in.ID, func(tx *store.DB, b *Break, now time.Time) error {
		switch {
		case b.WantedBy == nil:
			return store.Conflict("not_proposed", "There is no proposal for this")
		case *b.WantedAccount != in.Account:
			return store.Conflict("proposal_moved", "The proposal has changed. Refresh the page.")
		}
		err := dualcontrol.CheckRelease(ctx, tx, dualcontrol.Release{Action: dualcontrol.BookBreak, Actors: []string{by.ActorID}, First: *b.WantedBy})
		if err != nil {
			return err
		}
		if err := store.FirstError(casework.CheckApproval(ctx, tx, KindProposal, b.ID, by.Seen), b.stillIs(in.Seen)); err != nil {
			return err
		}
		if b.proposed.Cmp(b.Difference()) != 0 {
			return store.Conflict("difference_moved", "The difference has changed since this was proposed. Reject it and propose it again.")
		}
		account, proposer := *b.WantedAccount, *b.WantedBy
		b.ProposedBy = &proposer
		if by.Reason == "" {
			by.Reason = *b.WantedReason
		}
		if err := attestBreak(ctx, tx, b, dualcontrol.Attestation{By: proposer, Proposed: true, Second: by.ActorID}); err != nil {
			return err
		}
		return bookBreak(ctx, tx, b, account, by, now, map[string]any{"proposedBy": proposer})
	})
}

// DropBreakProposal ends a proposed booking: its proposer withdraws it, or another person rejects it.
func DropBreakProposal(ctx context.Context, db *store.DB, id string, by store.Actor) error {
	if by.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	return changeBreak(ctx, db, id, func(tx *store.DB, b *Break, _ time.Time) error {
		if b.WantedBy == nil {
			return store.Conflict("not_proposed", "There is no proposal for this")
		}
		action := "break.rejected"
		if *b.WantedBy == by.ActorID {
			action = "break.withdrawn"
		}
		b.WantedAccount, b.WantedReason, b.WantedBy, b.WantedAt = nil, nil, nil, nil
		return auditBreak(ctx, tx, b, action, by, map[string]any{})
	})
}

// changeBreak locks an open break with its present booked and reported amounts.
func changeBreak(ctx context.Context, db *store.DB, id string, fn func(tx *store.DB, b *Break, now time.Time) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		b, now, err := store.LockedRow[Break](ctx, tx, "reconciliation_breaks", id, "Break")
		if err != nil {
			return err
		}
		if b.ClosedAt != nil {
			return store.Conflict("break_closed", "This break is already closed")
		}
		b.proposed = b.Difference()
		err = tx.ORM(ctx).Raw("SELECT booked, told FROM reconciled_effects WHERE holder = ? AND key = ? AND currency = ? FOR UPDATE", b.Holder, b.Key, b.Currency).Row().Scan(&b.Booked, &b.Told)
		if err != nil {
			return fmt.Errorf("read the two sides of a break: %w", err)
		}
		if b.Difference().IsZero() {
			return store.Conflict("break_agrees", "The two sides now agree. The next comparison closes this.")
		}
		if err := fn(tx, b, now); err != nil {
			return err
		}
		if err := tx.ORM(ctx).Select(breakChanges).Updates(b).Error; err != nil {
			return fmt.Errorf("store break: %w", err)
		}
		return nil
	})
}

// breakChanges are the columns in which a break may change.
var breakChanges = []string{"booked", "told", "wanted_account", "wanted_reason", "wanted_by", "wanted_at", "closed_at", "outcome", "account", "reason", "closed_by", "proposed_by"}

// bookBreak books the difference and closes the break, in the transaction of the
// caller. Its group is the break's, so that it is booked once.
func bookBreak(ctx context.Context, db *store.DB, b *Break, account string, by store.Actor, now time.Time, data map[string]any) error {
	if err := notOfDead(ctx, db, b); err != nil {
		return err
	}
	var about struct {
		Network *string
		OrderID *string
	}
	err := db.ORM(ctx).Raw("SELECT network, order_id FROM reconciled_effects WHERE holder = ? AND key = ? AND currency = ?", b.Holder, b.Key, b.Currency).Scan(&about).Error
	if err != nil {
		return fmt.Errorf("read what a break is about: %w", err)
	}
	posting := ledger.StoredPosting{Event: "reconciled", GroupKey: "break:" + b.ID, OrderID: about.OrderID}
	if err := ledger.PostAbout(ctx, db, posting, ledger.MovedPostings(b.Holder.Account(store.Text(about.Network)), account, b.Currency, b.Difference())); err != nil {
		return err
	}
	data["account"], data["difference"] = account, b.Currency.Format(b.Difference())
	if err := auditBreak(ctx, db, b, "break.booked", by, data); err != nil {
		return err
	}
	outcome := BreakBooked
	b.ClosedAt, b.Outcome, b.Account, b.Reason, b.ClosedBy = &now, &outcome, &account, &by.Reason, &by.ActorID
	b.WantedAccount, b.WantedReason, b.WantedBy, b.WantedAt = nil, nil, nil, nil
	return nil
}

func auditBreak(ctx context.Context, db *store.DB, b *Break, action string, by store.Actor, after map[string]any) error {
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: action, ObjectKind: "break", ObjectID: b.ID,
		Before: map[string]any{"holder": b.Holder, "effect": b.Key, "currency": b.Currency, "booked": b.Currency.Format(b.Booked), "told": b.Currency.Format(b.Told)},
		After:  after, Reason: by.Reason, RequestID: by.RequestID})
}

// notOfDead refuses to book a break of a transfer that was declared dead: it is booked automatically, once.
func notOfDead(ctx context.Context, db *store.DB, b *Break) error {
	var dead bool
	err := db.ORM(ctx).Raw(`SELECT EXISTS (SELECT FROM withdrawals w, reconciliation_progress p WHERE w.sequence_id = split_part(?, 'transfer:', 2)
		AND (w.status = 'dead' OR w.revived_at > coalesce(p.compared_at, '-infinity')))`, b.Key).Row().Scan(&dead)
	if err != nil {
		return fmt.Errorf("look for a dead transfer: %w", err)
	}
	if dead {
		return store.Conflict("transfer_dead", "This transfer was declared dead. It is booked by itself once what is under way for its order has ended.")
	}
	return nil
}

// WithdrawProposals withdraws a person's proposed bookings of breaks, and gives the breaks.
func WithdrawProposals(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE reconciliation_breaks SET wanted_account = NULL, wanted_reason = NULL, wanted_by = NULL, wanted_at = NULL WHERE wanted_by = ? AND closed_at IS NULL RETURNING id`, by)
}
