package order

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// UnplacedStatus is the state of unplaced money.
type UnplacedStatus string

// The statuses of unplaced money.
const (
	UnplacedOpen     UnplacedStatus = "open"
	UnplacedPlaced   UnplacedStatus = "placed"    // a receipt of an order
	UnplacedCredited UnplacedStatus = "credited"  // on a customer's balance
	UnplacedSentBack UnplacedStatus = "sent_back" // to its sender
)

// UnplacedStatuses lists them all.
var UnplacedStatuses = []UnplacedStatus{UnplacedOpen, UnplacedPlaced, UnplacedCredited, UnplacedSentBack}

// UnplacedMoney is money on our bank account that belongs to no order yet. Amount
// is cents.
type UnplacedMoney struct {
	ID            string `gorm:"primaryKey"`
	Amount        money.Units
	BankReference string
	ReceivedOn    time.Time
	Rail          string
	Sender        string // what the bank says of who sent it
	Note          string
	OpenedBy      string
	FromOrderID   *string // where it had been confirmed before
	Status        UnplacedStatus
	OrderID       *string
	DecisionID    *string // confirms it on that order
	UserID        *string
	SentReference *string
	SentOn        *time.Time
	RestoredAt    *time.Time // was open when a backup was restored; nil once the bank's statement was read
	CreatedAt     time.Time
	ClosedAt      *time.Time
}

// TableName implements GORM's Tabler.
func (UnplacedMoney) TableName() string { return "unplaced_money" }

// Unplaced locks unplaced money that is still open, and that no order is about to receive.
func Unplaced(ctx context.Context, db *store.DB, id, decisionID string) (*UnplacedMoney, error) {
	row, _, err := store.LockedRow[UnplacedMoney](ctx, db, "unplaced_money", id, "Money")
	if err != nil {
		return nil, err
	}
	if row.Status != UnplacedOpen {
		return nil, store.Conflict("unplaced_closed", "This money was already used: "+strings.ReplaceAll(string(row.Status), "_", " "))
	}
	if row.DecisionID == nil || *row.DecisionID == decisionID {
		return row, nil
	}
	var open bool
	if err := db.Row(ctx, "SELECT settled_at IS NULL FROM decisions WHERE id = $1", *row.DecisionID).Scan(&open); err != nil {
		return nil, fmt.Errorf("read decision: %w", err)
	}
	if open {
		return nil, store.Conflict("being_placed", "This money is being confirmed on an order. Refresh the page.")
	}
	return row, nil
}

// ErrStatementUnread is returned for money of a restored backup until staff have read the bank's statement.
var ErrStatementUnread = store.Conflict("statement_unread", "A backup was restored, so this money may have been sent back "+
	"already. Read the bank's statement since the backup and enter what it shows.")

// ErrOnlyReturned is returned for the surplus of an order, which is neither placed nor credited.
var ErrOnlyReturned = store.Conflict("only_returned", "This is the surplus of an order. It can only be sent back to its sender.")

// UnplacedToUse is Unplaced for money that is confirmed on an order or credited. Money of a restored backup may have
// been sent back since: statement is what the bank's statement since the backup shows.
func UnplacedToUse(ctx context.Context, db *store.DB, id, decisionID, statement string) (*UnplacedMoney, error) {
	row, err := Unplaced(ctx, db, id, decisionID)
	if err != nil {
		return nil, err
	}
	surplus, err := SurplusOf(ctx, db, row.ID)
	if err != nil {
		return nil, err
	}
	if surplus != "" {
		return nil, ErrOnlyReturned
	}
	if row.RestoredAt != nil && strings.TrimSpace(statement) == "" {
		return nil, ErrStatementUnread
	}
	row.RestoredAt = nil
	return row, nil
}

// MarkMoneyRestored marks unplaced money that may have been sent back after a backup that was restored, and counts it.
func MarkMoneyRestored(ctx context.Context, tx *store.DB) (int64, error) {
	const mark = "UPDATE unplaced_money SET restored_at = clock_now() WHERE status = ? AND restored_at IS NULL"
	result := tx.ORM(ctx).Exec(mark, UnplacedOpen)
	return result.RowsAffected, result.Error
}

// SaveUnplaced stores a change of unplaced money.
func SaveUnplaced(ctx context.Context, db *store.DB, row *UnplacedMoney) error {
	err := db.ORM(ctx).Select("status", "order_id", "decision_id", "user_id", "sent_reference", "sent_on", "restored_at",
		"closed_at").Updates(row).Error
	if store.Violates(err, "unplaced_sent_reference") {
		return ledger.ErrReferenceUsed
	}
	if err != nil {
		return fmt.Errorf("store unplaced money: %w", err)
	}
	return nil
}

// fromUnplaced uses unplaced money for a receipt, in the transaction that makes the receipt. The receipt's postings then
// take the money from unplaced_receipts: on the bank's account it arrived once, when it was recorded.
func (c *OrderChange) fromUnplaced(receipt Receipt, decisionID string) error {
	if receipt.UnplacedID == "" {
		return nil
	}
	row, err := UnplacedToUse(c.Ctx, c.Tx, receipt.UnplacedID, decisionID, "")
	if err != nil {
		return err
	}
	row.Status, row.OrderID, row.DecisionID, row.UserID, row.ClosedAt = UnplacedPlaced, &c.Order.ID, &decisionID, &c.Order.UserID, &c.Now
	if err := SaveUnplaced(c.Ctx, c.Tx, row); err != nil {
		return err
	}
	c.unplaced = true
	return nil
}

// arrived returns a receipt's postings with the account that its money comes from.
func (c *OrderChange) arrived(lines []ledger.Posting) []ledger.Posting {
	for i := range lines {
		if c.unplaced && lines[i].To == ledger.AccountBank {
			lines[i].To = ledger.AccountUnplaced
		}
	}
	return lines
}

// KeepUnplaced stores money that matches no order.
func KeepUnplaced(ctx context.Context, db *store.DB, row *UnplacedMoney) error {
	err := db.ORM(ctx).Create(row).Error
	if store.Violates(err, "unplaced_bank_reference") {
		return ledger.ErrReferenceUsed
	}
	if err != nil {
		return fmt.Errorf("store unplaced money: %w", err)
	}
	return nil
}
