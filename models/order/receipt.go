package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Receipt is the data of confirm_receipt: what arrived, when, and the bank's
// own reference, which is never confirmed twice.
type Receipt struct {
	Amount        money.Units `json:"amount"` // cents
	ReceivedOn    string      `json:"receivedOn"`
	BankReference string      `json:"bankReference"`
	UnplacedID    string      `json:"unplacedId,omitempty"` // it comes out of unplaced money
}

// amount is what a decision of a kind credits; nil when it credits nothing.
func (r Receipt) amount(kind string) *money.Units {
	if kind != DecisionConfirmReceipt {
		return nil
	}
	return &r.Amount
}

// mostReceipt bounds one entry by a method that has no maximum, in cents.
const mostReceipt = 100_000_000

// receiptFits refuses one entry of more than its method's maximum: a typing error must not become a liability. An
// order's own price always fits.
func (c *OrderChange) receiptFits(r Receipt) error {
	most := money.FromInt(mostReceipt)
	err := c.Tx.Row(c.Ctx, `SELECT greatest(coalesce(max_order_amount, $2), $3) FROM payment_methods WHERE payment_method = $1`,
		c.Order.PaymentMethod, most, c.Order.Total).Scan(&most)
	if err != nil {
		return fmt.Errorf("read the method's maximum: %w", err)
	}
	if r.Amount.Sign() <= 0 || r.Amount.Cmp(most) > 0 {
		return store.Invalid("amount", "above_maximum", "One entry is at most "+money.Dollars(most)+", what one payment by this method may be")
	}
	return nil
}

// StoredReceipt is money that arrived for an order, as staff read it on our bank account. An order may have several.
type StoredReceipt struct {
	ID            string `gorm:"primaryKey"`
	OrderID       string
	DecisionID    *string
	Amount        money.Units
	ReceivedOn    time.Time
	BankReference string
	CreatedAt     time.Time `gorm:"default:clock_now()"`
	ReversedAt    *time.Time
}

// TableName implements GORM's Tabler.
func (StoredReceipt) TableName() string { return "receipts" }

// OrderReceipts reads what arrived for an order, in order.
func OrderReceipts(ctx context.Context, db *store.DB, orderID string) ([]StoredReceipt, error) {
	var rows []StoredReceipt
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read receipts: %w", err)
	}
	return rows, nil
}

// Unallocated is how many cents arrived for an order and were neither allocated nor refunded: the balance of its
// ledger account.
func Unallocated(ctx context.Context, db *store.DB, orderID string) (money.Units, error) {
	var waiting money.Units
	err := db.ORM(ctx).Raw(`SELECT coalesce(sum(CASE WHEN from_account = @account THEN amount ELSE -amount END), 0) FROM postings
		WHERE order_id = @order AND currency = 'USD' AND @account IN (from_account, to_account)`,
		map[string]any{"account": ledger.AccountUnallocated, "order": orderID}).Row().Scan(&waiting)
	if err != nil {
		return money.Units{}, fmt.Errorf("read what is not allocated: %w", err)
	}
	return waiting, nil
}

func (c *OrderChange) unallocated() (money.Units, error) { return Unallocated(c.Ctx, c.Tx, c.Order.ID) }

// Received is how many cents arrived for an order in all.
func (p *Payment) Received(o *Order) money.Units {
	switch {
	case p.ReceivedAmount != nil:
		return *p.ReceivedAmount
	case o.Paid():
		return p.Amount
	}
	return money.Units{}
}

// MoneyWaits reports whether money arrived that differs from the order's terms, and its customer has not chosen yet.
func (o *Order) MoneyWaits() bool {
	switch store.Text(o.AttentionReason) {
	case AttentionShort, AttentionOver, AttentionLate:
		return true
	}
	return false
}
