package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/money"
)

// ReverseReceipt takes a receipt back that was confirmed on the wrong order. Kept
// is that the money is there all the same: it becomes unplaced money, and with an
// order it is confirmed on that one.
type ReverseReceipt struct {
	ReceiptID string `json:"receiptId"`
	Kept      bool   `json:"kept,omitempty"`
	OrderID   string `json:"orderId,omitempty"`
}

func (*ReverseReceipt) kind() string      { return "reverse_receipt" }
func (a *ReverseReceipt) subject() string { return a.ReceiptID }
func (a *ReverseReceipt) stops(ctx context.Context, tx *DB) (string, error) {
	return tx.orderOfReceipt(ctx, a.ReceiptID)
}

// orderOfReceipt is the order a receipt is of.
func (db *DB) orderOfReceipt(ctx context.Context, id string) (string, error) {
	row, err := rowByID[StoredReceipt](ctx, db, id, "Receipt")
	if err != nil {
		return "", err
	}
	return row.OrderID, nil
}

func (a *ReverseReceipt) carry(c *moneyChange) error {
	orderID, err := c.tx.orderOfReceipt(c.ctx, a.ReceiptID)
	if err != nil {
		return err
	}
	if a.OrderID == orderID {
		return Invalid("orderId", "same_order", "This receipt is already confirmed on this order")
	}
	if err := c.lockOrders(orderID, a.OrderID); err != nil {
		return err
	}
	c.changed(orderID)
	contra, kept := AccountBank, (*UnplacedMoney)(nil)
	if a.Kept || a.OrderID != "" {
		contra = AccountUnplaced
	}
	err = c.tx.ChangeOrder(c.ctx, orderID, func(o *OrderChange) error {
		receipt, err := o.reverse(a.ReceiptID, c.by.ActorID)
		if err != nil {
			return err
		}
		row := &ReceiptReturn{ID: c.id, OrderID: orderID, ReceiptID: receipt.ID, Kind: ReturnReversal, Amount: receipt.Amount, CreatedAt: o.Now}
		if contra == AccountUnplaced {
			kept = &UnplacedMoney{ID: c.id, Amount: receipt.Amount, BankReference: receipt.BankReference, ReceivedOn: receipt.ReceivedOn, Rail: o.Order.PaymentMethod,
				OpenedBy: c.by.ActorID, FromOrderID: &orderID, Status: UnplacedOpen, CreatedAt: c.now}
			if err := c.tx.storeUnplaced(c.ctx, kept); err != nil {
				return err
			}
		}
		return o.takeReceipt(row, contra)
	})
	if err != nil || a.OrderID == "" {
		return err
	}
	return c.place(kept, a.OrderID)
}

// reverse marks a receipt as not this order's, which gives its bank reference free.
func (c *OrderChange) reverse(id, actorID string) (*StoredReceipt, error) {
	receipt, err := c.receiptToTake(id, actorID)
	if err != nil {
		return nil, err
	}
	if err := c.unreturned(receipt); err != nil {
		return nil, err
	}
	if err := c.tx.orm(c.ctx).Exec("UPDATE receipts SET reversed_at = ? WHERE id = ?", c.Now, receipt.ID).Error; err != nil {
		return nil, fmt.Errorf("reverse receipt: %w", err)
	}
	return receipt, nil
}

// lockOrders locks orders in the order of their ids, before any is changed.
func (c *moneyChange) lockOrders(ids ...string) error {
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	if slices.ContainsFunc(ids, func(id string) bool { return !IsID(id) }) {
		return NotFound("Order")
	}
	err := c.tx.exec(c.ctx, "SELECT FROM orders WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE", ids)
	if err != nil {
		return fmt.Errorf("lock orders: %w", err)
	}
	return nil
}

// receiptToTake is a receipt of which money may leave the order: not one that was
// reversed, and not by the order's own customer.
func (c *OrderChange) receiptToTake(id, actorID string) (*StoredReceipt, error) {
	if err := c.tx.anotherPerson(c.ctx, actorID, errOwnOrder, c.Order.UserID); err != nil {
		return nil, err
	}
	row, err := rowByID[StoredReceipt](c.ctx, c.tx, id, "Receipt")
	if err != nil {
		return nil, err
	}
	if row.ReversedAt != nil {
		return nil, Conflict("already_reversed", "This receipt is already reversed")
	}
	return row, nil
}

// returnedOf is what the bank has taken back of a receipt and not given again.
func (c *OrderChange) returnedOf(receipt *StoredReceipt) (money.Units, error) {
	var sum money.Units
	err := c.tx.row(c.ctx, "SELECT coalesce(sum(amount), 0) FROM receipt_returns WHERE receipt_id = $1 AND reinstated_at IS NULL", receipt.ID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum returns: %w", err)
	}
	return sum, nil
}

// unreturned refuses a receipt of which the bank has taken something back.
func (c *OrderChange) unreturned(receipt *StoredReceipt) error {
	sum, err := c.returnedOf(receipt)
	if err == nil && !sum.IsZero() {
		return Conflict("returned", "The bank already took back some or all of this money")
	}
	return err
}

// BankReturn is money that the bank took back after it was confirmed: an ACH
// return, a reversal at PayPal or Zelle, a recalled wire; all of it or a part.
type BankReturn struct {
	ReceiptID     string      `json:"receiptId"`
	Amount        money.Units `json:"amount"` // cents
	BankReference string      `json:"bankReference"`
	ReturnedOn    string      `json:"returnedOn"`
	Code          string      `json:"code"` // the bank's reason, such as R01
}

func (*BankReturn) kind() string      { return "bank_return" }
func (a *BankReturn) subject() string { return a.ReceiptID }
func (a *BankReturn) stops(ctx context.Context, tx *DB) (string, error) {
	return tx.orderOfReceipt(ctx, a.ReceiptID)
}

func (a *BankReturn) carry(c *moneyChange) (err error) {
	if a.BankReference, err = bankReferenceOf("bankReference", a.BankReference); err != nil {
		return err
	}
	day, err := bankDay("returnedOn", a.ReturnedOn, c.now)
	if err = firstError(err, atLeastACent("amount", a.Amount)); err != nil {
		return err
	}
	if a.Code = strings.TrimSpace(a.Code); a.Code == "" || len(a.Code) > 40 {
		return Invalid("code", "required", "Enter the bank's reason")
	}
	orderID, err := c.tx.orderOfReceipt(c.ctx, a.ReceiptID)
	if err != nil {
		return err
	}
	c.changed(orderID)
	return c.tx.ChangeOrder(c.ctx, orderID, func(o *OrderChange) error {
		receipt, err := o.receiptToTake(a.ReceiptID, c.by.ActorID)
		if err != nil {
			return err
		}
		before, err := o.returnedOf(receipt)
		if err != nil {
			return err
		}
		switch {
		case before.Add(a.Amount).Cmp(receipt.Amount) > 0:
			return Conflict("return_exceeds", "Only "+money.Dollars(receipt.Amount.Sub(before))+" of this receipt can still go back")
		case day.Before(receipt.ReceivedOn):
			return Invalid("returnedOn", "before_receipt", "Enter a day after the money arrived")
		}
		return o.takeReceipt(&ReceiptReturn{ID: c.id, OrderID: orderID, ReceiptID: receipt.ID, Kind: ReturnByBank, Amount: a.Amount, BankReference: &a.BankReference,
			ReturnedOn: &day, Code: a.Code, CreatedAt: o.Now}, AccountBank)
	})
}

// ReinstateReturn books money again that a bank had taken back.
type ReinstateReturn struct {
	ReturnID      string `json:"returnId"`
	BankReference string `json:"bankReference"`
	ReinstatedOn  string `json:"reinstatedOn"`
}

func (*ReinstateReturn) kind() string                                           { return "reinstate_return" }
func (a *ReinstateReturn) subject() string                                      { return a.ReturnID }
func (*ReinstateReturn) stops(context.Context, *DB) (orderID string, err error) { return "", nil }

func (a *ReinstateReturn) carry(c *moneyChange) (err error) {
	if a.BankReference, err = bankReferenceOf("bankReference", a.BankReference); err != nil {
		return err
	}
	day, err := bankDay("reinstatedOn", a.ReinstatedOn, c.now)
	if err != nil {
		return err
	}
	known, err := rowByID[ReceiptReturn](c.ctx, c.tx, a.ReturnID, "Return")
	if err != nil {
		return err
	}
	c.changed(known.OrderID)
	return c.tx.ChangeOrder(c.ctx, known.OrderID, func(o *OrderChange) error {
		row, err := rowByID[ReceiptReturn](c.ctx, c.tx, a.ReturnID, "Return") // under the order's lock
		if err != nil {
			return err
		}
		if err := c.tx.anotherPerson(c.ctx, c.by.ActorID, errOwnOrder, o.Order.UserID); err != nil {
			return err
		}
		switch {
		case row.Kind != ReturnByBank:
			return Conflict("not_returned", "We reversed this receipt. Confirm the money again.")
		case row.ReinstatedAt != nil:
			return Conflict("already_reinstated", "This money is already booked again")
		}
		row.ReinstatedAt, row.ReinstatedOn, row.ReinstatedReference = &o.Now, &day, &a.BankReference
		err = c.tx.orm(c.ctx).Select("reinstated_at", "reinstated_on", "reinstated_reference").Updates(row).Error
		if violates(err, "receipt_returns_reinstated") {
			return errReferenceUsed
		}
		if err != nil {
			return fmt.Errorf("store return: %w", err)
		}
		return o.reinstate(row)
	})
}

// reinstate gives each account its part back. What the order has no use for any
// more is the customer's, on their balance.
func (c *OrderChange) reinstate(r *ReceiptReturn) error {
	var waits, price money.Units
	unpaid := !c.Order.Paid() && c.Order.ClosedAt == nil
	switch {
	case unpaid:
		waits = r.FromWaiting
	case r.BorneBy == borneByOrder && c.Order.Resolution == nil:
		price = r.FromOrder
	}
	lines := []Posting{{From: AccountUnallocated, To: AccountBank, Currency: money.USD, Amount: waits},
		{From: AccountPrepaid, To: AccountBank, Currency: money.USD, Amount: price}}
	group := "return:" + r.ID + ":reinstated"
	if err := c.Post("return_reinstated", group, lines...); err != nil {
		return err
	}
	credited := r.Amount.Sub(waits).Sub(price)
	err := c.credit("return_reinstated", group+":credited", Posting{From: CustomerBalance(c.Order.UserID), To: AccountBank, Currency: money.USD, Amount: credited})
	if err != nil {
		return err
	}
	c.Order.Refunded = c.Order.Refunded.Sub(price)
	told := map[string]any{"amount": money.USD.Format(r.Amount), "credited": money.USD.Format(credited)}
	if err := c.Event(Event{Kind: "return_reinstated", Actor: ByProvider, Data: told, Dedupe: "return:" + r.ID + ":reinstated"}); err != nil {
		return err
	}
	if !waits.IsZero() {
		p, err := c.Payment()
		if err != nil {
			return err
		}
		return c.judgeMoney(p)
	}
	if price.IsZero() {
		return nil
	}
	return c.clearAttentionOf(AttentionRefundedThere)
}
