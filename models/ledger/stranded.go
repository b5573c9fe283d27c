package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Money for a customer whose account is closed. Its balance is out of reach, so whatever would be credited to it is
// owed from AccountClosed instead, with a row in a queue, until staff have returned it to its sender.

// StrandedCredit is a credit of US cents that reached a closed account.
type StrandedCredit struct {
	ID            string `gorm:"primaryKey"`
	UserID        string
	OrderID       *string
	Amount        money.Units
	Taken         money.Units // reversed before it was sent to its sender
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
	RestoredAt    *time.Time // the bank may have sent it: a backup was restored, or a first approval withdrawn; nil once its statement was read
}

// Left is what of it is sent back, or was.
func (c *StrandedCredit) Left() money.Units { return c.Amount.Sub(c.Taken) }

// closed reports whether a customer's account is closed. The caller holds the customer's lock, which closing an
// account acquires.
func closed(ctx context.Context, db *store.DB, userID string) (closed bool, err error) {
	if err := db.Row(ctx, "SELECT closed_at IS NOT NULL FROM users WHERE id = $1", userID).Scan(&closed); err != nil {
		return false, fmt.Errorf("read whether an account is closed: %w", err)
	}
	return closed, nil
}

// strand redirects the lines that credit a closed customer's balance to
// AccountClosed and writes the case for staff, less what the customer owes: that is
// still paid first.
func strand(ctx context.Context, db *store.DB, about StoredPosting, userID string, owed money.Units, lines []Posting) ([]Posting, error) {
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
	row := &StrandedCredit{ID: store.NewID(), UserID: userID, OrderID: about.OrderID, Amount: left, Event: about.Event, GroupKey: about.GroupKey}
	if err := db.ORM(ctx).Omit("created_at").Create(row).Error; err != nil {
		return nil, fmt.Errorf("store stranded credit: %w", err)
	}
	return lines, nil
}

// TakeStranded deducts an amount from what waits to be sent back to a closed account, of the order first; left is the
// part that was missing. A credit with an approval of its return, or of a restored backup, is not touched, since the
// money may have left; the caller holds the customer's lock.
func TakeStranded(ctx context.Context, db *store.DB, userID string, orderID *string, amount money.Units) (left money.Units, err error) {
	var rows []StrandedCredit
	err = db.ORM(ctx).Raw(`SELECT * FROM stranded_credits WHERE user_id = ? AND first_by IS NULL AND restored_at IS NULL
		AND `+StrandedOpen+` ORDER BY order_id IS NOT DISTINCT FROM ? DESC, created_at, id FOR UPDATE`, userID, orderID).Scan(&rows).Error
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
		if err := db.ORM(ctx).Select("taken", "taken_at").Updates(row).Error; err != nil {
			return left, fmt.Errorf("store stranded credit: %w", err)
		}
	}
	return left, nil
}

// StrandedOpen is the condition of a credit of which something waits to be sent back.
const StrandedOpen = "paid_at IS NULL AND taken_at IS NULL"

// MarkStrandedRestored marks credits to closed accounts that may have been sent back after a backup that was restored,
// and counts them.
func MarkStrandedRestored(ctx context.Context, tx *store.DB) (int64, error) {
	const mark = "UPDATE stranded_credits SET restored_at = clock_now() WHERE restored_at IS NULL AND " + StrandedOpen
	result := tx.ORM(ctx).Exec(mark)
	return result.RowsAffected, result.Error
}

// StorePayBack writes who said that a credit was sent back, by which transfer, and who
// confirmed it. used is the refusal of a bank's reference that another one has.
func StorePayBack(ctx context.Context, db *store.DB, row *StrandedCredit, used error) error {
	err := db.ORM(ctx).Select("first_by", "first_at", "bank_reference", "reason", "paid_by", "paid_at",
		"restored_at").Updates(row).Error
	if store.Violates(err, "stranded_bank_reference") {
		return used
	}
	if err != nil {
		return fmt.Errorf("store stranded credit: %w", err)
	}
	return nil
}

// WithdrawPayBacks withdraws a person's first approvals that credits were sent back, and returns the credits. The bank may
// have sent them, so that its statement is read before anybody books or sends them.
func WithdrawPayBacks(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE stranded_credits SET first_by = NULL, first_at = NULL, bank_reference = NULL, reason = NULL,
		restored_at = coalesce(restored_at, clock_now()) WHERE first_by = ? AND paid_at IS NULL RETURNING id`, by)
}
