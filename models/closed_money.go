package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Money for a customer whose account is closed. Nobody can sign in to its balance,
// so whatever would be credited to it is owed from AccountClosed instead, with a
// row in a queue, until staff have sent it back to where it came from.

// StrandedCredit is a credit of US cents that reached a closed account.
type StrandedCredit struct {
	ID            string `gorm:"primaryKey"`
	UserID        string
	OrderID       *string
	Amount        money.Units
	Taken         money.Units // back again, before it was sent to anybody
	TakenAt       *time.Time  // when nothing of it was left
	Event         string
	GroupKey      string
	CreatedAt     time.Time `gorm:"default:clock_now()"`
	FirstBy       *string   // above a limit, the first of two people
	FirstAt       *time.Time
	BankReference *string // of the transfer back
	Reason        *string
	PaidBy        *string
	PaidAt        *time.Time
}

// Left is what of it is sent back, or was.
func (c *StrandedCredit) Left() money.Units { return c.Amount.Sub(c.Taken) }

// closed reports whether a customer's account is closed. The caller holds the
// customer's lock, which closing an account takes.
func (db *DB) closed(ctx context.Context, userID string) (closed bool, err error) {
	if err := db.row(ctx, "SELECT closed_at IS NOT NULL FROM users WHERE id = $1", userID).Scan(&closed); err != nil {
		return false, fmt.Errorf("read whether an account is closed: %w", err)
	}
	return closed, nil
}

// strand redirects the lines that credit a closed customer's balance to
// AccountClosed and writes the case for staff, less what the customer owes: that is
// still paid first.
func (db *DB) strand(ctx context.Context, about StoredPosting, userID string, owed money.Units, lines []Posting) ([]Posting, error) {
	var credited money.Units
	lines = append([]Posting{}, lines...)
	for i, line := range lines {
		if line.From == CustomerBalance(userID) && line.Currency == money.USD {
			credited = credited.Add(line.Amount)
			lines[i].From = AccountClosed
		}
	}
	left := credited.Sub(owed.Min(credited))
	if left.IsZero() {
		return lines, nil
	}
	row := &StrandedCredit{ID: NewID(), UserID: userID, OrderID: about.OrderID, Amount: left, Event: about.Event, GroupKey: about.GroupKey}
	if err := db.orm(ctx).Omit("created_at").Create(row).Error; err != nil {
		return nil, fmt.Errorf("store stranded credit: %w", err)
	}
	return lines, nil
}

// takeStranded takes an amount out of what waits to be sent back to a closed
// account, of the order first; left is what there was not. A credit of which somebody
// has said that it was sent back is not touched: it has left, whether or not a second
// person has confirmed that. The caller holds the customer's lock.
func (db *DB) takeStranded(ctx context.Context, userID string, orderID *string, amount money.Units) (left money.Units, err error) {
	var rows []StrandedCredit
	err = db.orm(ctx).Raw(`SELECT * FROM stranded_credits WHERE user_id = ? AND first_by IS NULL AND `+strandedOpen+`
		ORDER BY order_id IS NOT DISTINCT FROM ? DESC, created_at, id FOR UPDATE`, userID, orderID).Scan(&rows).Error
	if err != nil {
		return left, fmt.Errorf("read stranded credits: %w", err)
	}
	now, err := db.Now(ctx)
	if err != nil {
		return left, err
	}
	left = amount
	for i := range rows {
		row, part := &rows[i], rows[i].Left().Min(left)
		if part.IsZero() {
			continue
		}
		left, row.Taken = left.Sub(part), row.Taken.Add(part)
		if row.Left().IsZero() {
			row.TakenAt = &now
		}
		if err := db.orm(ctx).Select("taken", "taken_at").Updates(row).Error; err != nil {
			return left, fmt.Errorf("store stranded credit: %w", err)
		}
	}
	return left, nil
}

// PayBack is a transfer that returned a stranded credit to its sender, as one of
// staff tells it.
type PayBack struct {
	ID        string
	Reference string // of the bank, unique for ever
	// TwoAbove is the amount of a closed account's credits of one day above which
	// two people have to say so.
	TwoAbove money.Units
	By       By
}

// PayBackStranded books the transfer; above the limit the first of two people only
// writes it down. paid reports whether it is booked.
func (db *DB) PayBackStranded(ctx context.Context, in PayBack) (row *StrandedCredit, err error) {
	in.By.Reason, in.Reference = strings.TrimSpace(in.By.Reason), strings.TrimSpace(in.Reference)
	switch {
	case in.By.Reason == "":
		return nil, Invalid("reason", "required", "Enter a reason")
	case in.Reference == "" || len(in.Reference) > 140:
		return nil, Invalid("reference", "required", "Enter the bank's reference of the transfer")
	}
	if err := db.oweFirst(ctx, in.ID); err != nil {
		return nil, err
	}
	err = db.Tx(ctx, func(tx *DB) error {
		var now time.Time
		if row, now, err = tx.lockStranded(ctx, in.ID); err != nil {
			return err
		}
		if err := tx.mayPayBack(ctx, row, in); err != nil {
			return err
		}
		two, err := tx.needsTwo(ctx, row, in.TwoAbove)
		if err != nil {
			return err
		}
		row.BankReference, row.Reason = &in.Reference, &in.By.Reason
		action := "closed_account.pay_back_first"
		if two && row.FirstBy == nil {
			row.FirstBy, row.FirstAt = &in.By.ActorID, &now
		} else {
			row.PaidBy, row.PaidAt = &in.By.ActorID, &now
			action = "closed_account.pay_back"
			if err := tx.post(ctx, "closed_account_paid", "closed_account:"+row.ID+":paid", row.OrderID, PaidBackPostings(row.Left())); err != nil {
				return err
			}
		}
		return tx.storePayBack(ctx, row, in.By, action)
	})
	return row, err
}

// lockStranded locks a credit under its customer's lock, as whatever takes from it.
func (db *DB) lockStranded(ctx context.Context, id string) (*StrandedCredit, time.Time, error) {
	known, err := rowByID[StrandedCredit](ctx, db, id, "Credit")
	if err != nil {
		return nil, time.Time{}, err
	}
	if err := db.lockCustomer(ctx, known.UserID); err != nil {
		return nil, time.Time{}, err
	}
	return lockedRow[StrandedCredit](ctx, db, "stranded_credits", id, "Credit")
}

// oweFirst pays what the customer of a credit owes us from what waits for them. They
// can owe while something waits, where the first of two had said that it was sent
// back, and their word lapsed.
func (db *DB) oweFirst(ctx context.Context, id string) error {
	return db.Tx(ctx, func(tx *DB) error {
		row, now, err := tx.lockStranded(ctx, id)
		if err != nil || row.FirstBy != nil {
			return err
		}
		have, err := tx.HoldingsOf(ctx, row.UserID)
		if err != nil || have.Receivable.Sign() <= 0 {
			return err
		}
		left, err := tx.takeStranded(ctx, row.UserID, row.OrderID, have.Receivable)
		if err != nil {
			return err
		}
		group := fmt.Sprintf("closed_account:%s:netted:%d", row.ID, now.UnixMicro())
		return tx.post(ctx, "debt_paid", group, nil, NettedPostings(row.UserID, AccountClosed, have.Receivable.Sub(left)))
	})
}

func (db *DB) mayPayBack(ctx context.Context, row *StrandedCredit, in PayBack) error {
	switch {
	case row.TakenAt != nil:
		return Conflict("taken_back", "This money was taken back before it was sent. There is nothing left to send.")
	case row.PaidAt != nil:
		return Conflict("paid_back", "This money was already sent back")
	case row.FirstBy != nil && !strings.EqualFold(*row.BankReference, in.Reference):
		return Conflict("other_reference", "The first person entered another bank reference. Check both.")
	}
	err := firstError(db.anotherPerson(ctx, in.By.ActorID, Forbidden("own_account", "You can't decide on your own money"), row.UserID),
		db.anotherPerson(ctx, in.By.ActorID, Forbidden("second_person", "A second person must approve this"), text(row.FirstBy)))
	if err != nil {
		return err
	}
	var used bool
	err = db.row(ctx, "SELECT EXISTS (SELECT FROM payouts WHERE lower(bank_reference) = lower($1))", in.Reference).Scan(&used)
	if err != nil {
		return fmt.Errorf("look for bank reference: %w", err)
	}
	if used {
		return errPayoutReference
	}
	return nil
}

// needsTwo counts what one closed account's credits come to that are open, or were
// sent back within a day: many small ones are no way around what one person may.
func (db *DB) needsTwo(ctx context.Context, row *StrandedCredit, above money.Units) (bool, error) {
	var sum money.Units
	err := db.row(ctx, "SELECT coalesce(sum(amount - taken), 0) FROM stranded_credits WHERE user_id = $1 AND "+strandedDay, row.UserID).Scan(&sum)
	if err != nil {
		return false, fmt.Errorf("sum stranded credits: %w", err)
	}
	return sum.Cmp(above) > 0, nil
}

func (db *DB) storePayBack(ctx context.Context, row *StrandedCredit, by By, action string) error {
	err := db.orm(ctx).Select("first_by", "first_at", "bank_reference", "reason", "paid_by", "paid_at").Updates(row).Error
	if violates(err, "stranded_bank_reference") {
		return errPayoutReference
	}
	if err != nil {
		return fmt.Errorf("store stranded credit: %w", err)
	}
	return db.Audit(ctx, AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: action, ObjectKind: "stranded_credit", ObjectID: row.ID,
		After: map[string]any{"amount": money.USD.Format(row.Left()), "reference": *row.BankReference}, Reason: by.Reason, RequestID: by.RequestID})
}

// PaidBackPostings are for money of a closed account that left our bank for where
// it came from.
func PaidBackPostings(amount money.Units) []Posting {
	return []Posting{{From: AccountBank, To: AccountClosed, Currency: money.USD, Amount: amount}}
}
