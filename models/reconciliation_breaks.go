package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Break is an effect on which the ledger and its holder's statement have not
// agreed in time. Booked and Told are base units of Currency: as they stand while
// it is open, as they ended once it is closed.
type Break struct {
	ID        string `gorm:"primaryKey"`
	Holder    Holder
	Key       string
	Currency  money.Currency
	Booked    money.Units
	Told      money.Units
	CreatedAt time.Time `gorm:"default:clock_now()"`

	// What somebody wants booked that a second person has to approve.
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
	BreakEnded  = "ended"  // a person expects nothing more of a line that did not settle
)

// Difference is what is missing in the ledger: negative when too much is booked.
func (b *Break) Difference() money.Units { return b.Told.Sub(b.Booked) }

// BreakAccounts are the accounts that may bear a difference.
var BreakAccounts = []string{AccountProviderFee, AccountNetworkFee, AccountTrading, AccountChargebacks, AccountGoodwill, AccountBank, AccountUnallocated, AccountEquity}

// dollarAccounts hold dollars alone.
var dollarAccounts = []string{AccountChargebacks, AccountGoodwill, AccountBank, AccountUnallocated}

// BreakResolution is what somebody wants to be done about a break. Seen is the
// difference as they saw it, in whole dollars or coins; Alone is the most, in
// cents, that one person books within a day.
type BreakResolution struct {
	ID, Account, Seen string
	Alone             money.Units
	By                By
}

// ResolveBreak books a break's difference to an account that bears it, and closes
// it. What one person may not book alone is kept for a second one to approve; the
// break stays open then, and waiting is true.
func (db *DB) ResolveBreak(ctx context.Context, in BreakResolution) (waiting bool, err error) {
	if err := in.check(); err != nil {
		return false, err
	}
	err = db.changeBreak(ctx, in.ID, func(tx *DB, b *Break, now time.Time) error {
		if b.WantedBy != nil {
			return Conflict("already_proposed", "This already needs a second person")
		}
		if err := firstError(b.stillIs(in.Seen), b.mayBear(in.Account)); err != nil {
			return err
		}
		worth, err := tx.worth(ctx, b.Currency, b.Difference().Abs())
		if err != nil {
			return err
		}
		beside, err := tx.bookedAlone(ctx, in.By.ActorID)
		if err != nil {
			return err
		}
		if waiting = worth.Add(beside).Cmp(in.Alone) > 0; !waiting {
			return tx.bookBreak(ctx, b, in.Account, in.By, now, map[string]any{})
		}
		b.WantedAccount, b.WantedReason, b.WantedBy, b.WantedAt = &in.Account, &in.By.Reason, &in.By.ActorID, &now
		return tx.auditBreak(ctx, b, "break.proposed", in.By, map[string]any{"account": in.Account, "difference": b.Currency.Format(b.Difference())})
	})
	return waiting, err
}

// bookedAlone is what somebody has booked of other breaks within a day, under
// whatever account and without a second person, in cents at the prices now.
func (db *DB) bookedAlone(ctx context.Context, actorID string) (sum money.Units, err error) {
	if err := db.lockKey(ctx, "breaks booked alone"); err != nil {
		return sum, fmt.Errorf("lock breaks: %w", err)
	}
	mine, err := db.accountsOf(ctx, actorID)
	if err != nil {
		return sum, err
	}
	var booked []struct {
		Currency money.Currency
		Sum      money.Units
	}
	err = db.orm(ctx).Raw(`SELECT currency, sum(abs(told - booked)) AS sum FROM reconciliation_breaks
		WHERE outcome = 'booked' AND proposed_by IS NULL AND closed_by IN ? AND closed_at > clock_now() - interval '1 day' GROUP BY currency`, mine).Scan(&booked).Error
	if err != nil {
		return sum, fmt.Errorf("sum booked breaks: %w", err)
	}
	for _, b := range booked {
		worth, err := db.worth(ctx, b.Currency, b.Sum)
		if err != nil {
			return sum, err
		}
		sum = sum.Add(worth)
	}
	return sum, nil
}

func (in *BreakResolution) check() error {
	if in.By.Reason == "" {
		return Invalid("reason", "required", "Enter a reason")
	}
	if !slices.Contains(BreakAccounts, in.Account) {
		return Invalid("account", "unknown_account", "You can't book a difference to this account")
	}
	return nil
}

// stillIs refuses what was decided on another difference than that of now.
func (b *Break) stillIs(seen string) error {
	if seen != b.Currency.Format(b.Difference()) {
		return Conflict("difference_moved", "The difference has changed. Refresh the page.")
	}
	return nil
}

// mayBear refuses coin for an account that holds dollars alone.
func (b *Break) mayBear(account string) error {
	if b.Currency != money.USD && slices.Contains(dollarAccounts, account) {
		return Invalid("account", "dollars_only", "This account holds dollars only")
	}
	return nil
}

// worth is what an amount is worth in cents, at the price now.
func (db *DB) worth(ctx context.Context, currency money.Currency, amount money.Units) (money.Units, error) {
	if currency == money.USD {
		return amount, nil
	}
	markets, err := db.Markets(ctx)
	if err != nil {
		return money.Units{}, err
	}
	m := markets[currency]
	if m == nil || m.PricedAt == nil {
		return money.Units{}, Unavailable("no_price", "There is no price for "+string(currency)+" at the moment")
	}
	return money.USD.FromDecimal(currency.Decimal(amount).Mul(m.Ask), money.Up), nil
}

// ApproveBreak books what another person wanted booked: the difference of now, to
// the account that they named, which is what both have seen or there is nothing to
// approve. The limit of one person does not matter here.
func (db *DB) ApproveBreak(ctx context.Context, in BreakResolution) error {
	by := in.By
	return db.changeBreak(ctx, in.ID, func(tx *DB, b *Break, now time.Time) error {
		switch {
		case b.WantedBy == nil:
			return Conflict("not_proposed", "There is no proposal for this")
		case *b.WantedAccount != in.Account:
			return Conflict("proposal_moved", "The proposal has changed. Refresh the page.")
		}
		own := Forbidden("own_proposal", "Another person must approve your proposal")
		if err := firstError(tx.anotherPerson(ctx, by.ActorID, own, *b.WantedBy), b.stillIs(in.Seen)); err != nil {
			return err
		}
		if b.proposed.Cmp(b.Difference()) != 0 {
			return Conflict("difference_moved", "The difference has changed since this was proposed. Reject it and propose it again.")
		}
		account, proposer := *b.WantedAccount, *b.WantedBy
		b.ProposedBy = &proposer
		if by.Reason == "" {
			by.Reason = *b.WantedReason
		}
		return tx.bookBreak(ctx, b, account, by, now, map[string]any{"proposedBy": proposer})
	})
}

// DropBreakProposal takes back what was wanted: by who wanted it, or by another
// who does not.
func (db *DB) DropBreakProposal(ctx context.Context, id string, by By) error {
	if by.Reason == "" {
		return Invalid("reason", "required", "Enter a reason")
	}
	return db.changeBreak(ctx, id, func(tx *DB, b *Break, _ time.Time) error {
		if b.WantedBy == nil {
			return Conflict("not_proposed", "There is no proposal for this")
		}
		action := "break.rejected"
		if *b.WantedBy == by.ActorID {
			action = "break.withdrawn"
		}
		b.WantedAccount, b.WantedReason, b.WantedBy, b.WantedAt = nil, nil, nil, nil
		return tx.auditBreak(ctx, b, action, by, map[string]any{})
	})
}

// changeBreak locks an open break with what stands booked and told now.
func (db *DB) changeBreak(ctx context.Context, id string, fn func(tx *DB, b *Break, now time.Time) error) error {
	return db.Tx(ctx, func(tx *DB) error {
		b, now, err := lockedRow[Break](ctx, tx, "reconciliation_breaks", id, "Break")
		if err != nil {
			return err
		}
		if b.ClosedAt != nil {
			return Conflict("break_closed", "This break is already closed")
		}
		b.proposed = b.Difference()
		err = tx.orm(ctx).Raw("SELECT booked, told FROM reconciled_effects WHERE holder = ? AND key = ? AND currency = ? FOR UPDATE", b.Holder, b.Key, b.Currency).Row().Scan(&b.Booked, &b.Told)
		if err != nil {
			return fmt.Errorf("read the two sides of a break: %w", err)
		}
		if b.Difference().IsZero() {
			return Conflict("break_agrees", "The two sides now agree. The next comparison closes this.")
		}
		if err := fn(tx, b, now); err != nil {
			return err
		}
		if err := tx.orm(ctx).Select(breakChanges).Updates(b).Error; err != nil {
			return fmt.Errorf("store break: %w", err)
		}
		return nil
	})
}

// breakChanges are the columns in which a break may change.
var breakChanges = []string{"booked", "told", "wanted_account", "wanted_reason", "wanted_by", "wanted_at", "closed_at", "outcome", "account", "reason", "closed_by", "proposed_by"}

// bookBreak books the difference and closes the break, in the transaction of the
// caller. Its group is the break's, so that it is booked once.
func (db *DB) bookBreak(ctx context.Context, b *Break, account string, by By, now time.Time, told map[string]any) error {
	if err := db.notOfDead(ctx, b); err != nil {
		return err
	}
	var about struct {
		Network *string
		OrderID *string
	}
	err := db.orm(ctx).Raw("SELECT network, order_id FROM reconciled_effects WHERE holder = ? AND key = ? AND currency = ?", b.Holder, b.Key, b.Currency).Scan(&about).Error
	if err != nil {
		return fmt.Errorf("read what a break is about: %w", err)
	}
	posting := StoredPosting{Event: "reconciled", GroupKey: "break:" + b.ID, OrderID: about.OrderID}
	if err := db.postAbout(ctx, posting, MovedPostings(b.Holder.account(text(about.Network)), account, b.Currency, b.Difference())); err != nil {
		return err
	}
	told["account"], told["difference"] = account, b.Currency.Format(b.Difference())
	if err := db.auditBreak(ctx, b, "break.booked", by, told); err != nil {
		return err
	}
	outcome := BreakBooked
	b.ClosedAt, b.Outcome, b.Account, b.Reason, b.ClosedBy = &now, &outcome, &account, &by.Reason, &by.ActorID
	b.WantedAccount, b.WantedReason, b.WantedBy, b.WantedAt = nil, nil, nil, nil
	return nil
}

func (db *DB) auditBreak(ctx context.Context, b *Break, action string, by By, after map[string]any) error {
	return db.Audit(ctx, AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: action, ObjectKind: "break", ObjectID: b.ID,
		Before: map[string]any{"holder": b.Holder, "effect": b.Key, "currency": b.Currency, "booked": b.Currency.Format(b.Booked), "told": b.Currency.Format(b.Told)},
		After:  after, Reason: by.Reason, RequestID: by.RequestID})
}
