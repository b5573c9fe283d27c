package models

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// Receipt is the data of confirm_receipt: what arrived, when, and the bank's
// own reference, which is never confirmed twice.
type Receipt struct {
	Amount        money.Units `json:"amount"` // cents
	ReceivedOn    string      `json:"receivedOn"`
	BankReference string      `json:"bankReference"`
}

// StoredReceipt is money that arrived for an order, as a person saw it on our
// bank account. An order may have several.
type StoredReceipt struct {
	ID            string `gorm:"primaryKey"`
	OrderID       string
	DecisionID    *string
	Amount        money.Units
	ReceivedOn    time.Time
	BankReference string
	CreatedAt     time.Time `gorm:"default:clock_now()"`
}

// TableName implements GORM's Tabler.
func (StoredReceipt) TableName() string { return "receipts" }

// OrderReceipts reads what arrived for an order, in order.
func (db *DB) OrderReceipts(ctx context.Context, orderID string) ([]StoredReceipt, error) {
	var rows []StoredReceipt
	if err := db.orm(ctx).Where("order_id = ?", orderID).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	return rows, nil
}

// bankReferenceUsed refuses money that was confirmed before, for whatever order.
func (c *OrderChange) bankReferenceUsed(reference string) error {
	var used bool
	err := c.tx.orm(c.ctx).Raw("SELECT EXISTS (SELECT FROM receipts WHERE lower(bank_reference) = lower(?))", reference).Row().Scan(&used)
	if err != nil {
		return fmt.Errorf("look for bank reference: %w", err)
	}
	if used {
		return errReferenceUsed
	}
	return nil
}

var errReferenceUsed = Conflict("bank_reference_used", "This bank reference was already used to confirm a payment")

// Unallocated is how many cents arrived for an order and were neither taken for
// it nor given back: what its account in the ledger says.
func (db *DB) Unallocated(ctx context.Context, orderID string) (money.Units, error) {
	var waiting money.Units
	err := db.orm(ctx).Raw(`SELECT coalesce(sum(CASE WHEN from_account = @account THEN amount ELSE -amount END), 0) FROM postings
		WHERE order_id = @order AND currency = 'USD' AND @account IN (from_account, to_account)`,
		map[string]any{"account": AccountUnallocated, "order": orderID}).Row().Scan(&waiting)
	if err != nil {
		return money.Units{}, fmt.Errorf("read what is not allocated: %w", err)
	}
	return waiting, nil
}

func (c *OrderChange) unallocated() (money.Units, error) { return c.tx.Unallocated(c.ctx, c.Order.ID) }

// Received is how many cents came for an order in all.
func (p *Payment) Received(o *Order) money.Units {
	switch {
	case p.ReceivedAmount != nil:
		return *p.ReceivedAmount
	case o.Paid():
		return p.Amount
	}
	return money.Units{}
}

// MoneyWaits reports whether money arrived that does not fit the order, and its
// customer has not said yet what is to become of it.
func (o *Order) MoneyWaits() bool {
	switch text(o.AttentionReason) {
	case AttentionShort, AttentionOver, AttentionLate:
		return true
	}
	return false
}
