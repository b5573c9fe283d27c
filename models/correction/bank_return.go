package correction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// ReverseReceipt reverses a receipt that was confirmed on the wrong order. Kept means that the money is still at the
// bank: it becomes unplaced money, or with an order it is confirmed on that one.
type ReverseReceipt struct {
	ReceiptID string `json:"receiptId"`
	Kept      bool   `json:"kept,omitempty"`
	OrderID   string `json:"orderId,omitempty"`
}

func (*ReverseReceipt) kind() string { return "reverse_receipt" }

func (a *ReverseReceipt) subject() string { return a.ReceiptID }

func (a *ReverseReceipt) stops(ctx context.Context, tx *store.DB) (string, error) {
	return orderOfReceipt(ctx, tx, a.ReceiptID)
}

// orderOfReceipt is the order a receipt is of.
func orderOfReceipt(ctx context.Context, db *store.DB, id string) (string, error) {
	row, err := store.RowByID[order.StoredReceipt](ctx, db, id, "Receipt")
	if err != nil {
		return "", err
	}
	return row.OrderID, nil
}

func (a *ReverseReceipt) execute(c *moneyChange) error {
	orderID, err := orderOfReceipt(c.ctx, c.tx, a.ReceiptID)
	if err != nil {
		return err
	}
	if a.OrderID == orderID {
		return store.Invalid("orderId", "same_order", "This receipt is already confirmed on this order")
	}
	if err := c.lockOrders(orderID, a.OrderID); err != nil {
		return err
	}
	c.changed(orderID)
	contra, kept := ledger.AccountBank, (*order.UnplacedMoney)(nil)
	if a.Kept || a.OrderID != "" {
		contra = ledger.AccountUnplaced
	}
	err = order.ChangeOrder(c.ctx, c.tx, orderID, func(o *order.OrderChange) error {
		receipt, err := o.Reverse(a.ReceiptID, c.by.ActorID)
		if err != nil {
			return err
		}
		row := &order.ReceiptReturn{ID: c.id, OrderID: orderID, ReceiptID: receipt.ID, Kind: order.ReturnReversal, Amount: receipt.Amount, CreatedAt: o.Now}
		if contra == ledger.AccountUnplaced {
			kept = &order.UnplacedMoney{ID: c.id, Amount: receipt.Amount, BankReference: receipt.BankReference, ReceivedOn: receipt.ReceivedOn, Rail: o.Order.PaymentMethod,
				OpenedBy: c.by.ActorID, FromOrderID: &orderID, Status: order.UnplacedOpen, CreatedAt: c.now}
			if err := order.KeepUnplaced(c.ctx, c.tx, kept); err != nil {
				return err
			}
			if err := c.attest(dualcontrol.Receipt, "", unplacedRef(kept.ID), kept.Amount); err != nil {
				return err
			}
		}
		return o.TakeReceipt(row, contra)
	})
	if err != nil || a.OrderID == "" {
		return err
	}
	return c.place(kept, a.OrderID)
}

// lockOrders locks orders in the order of their ids, before any is changed.
func (c *moneyChange) lockOrders(ids ...string) error {
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	if slices.ContainsFunc(ids, func(id string) bool { return !store.IsID(id) }) {
		return store.NotFound("Order")
	}
	err := c.tx.Exec(c.ctx, "SELECT FROM orders WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE", ids)
	if err != nil {
		return fmt.Errorf("lock orders: %w", err)
	}
	return nil
}

// BankReturn is money that the bank reversed after it was confirmed: an ACH return, a reversal at PayPal or Zelle, a
// recalled wire; all of it or a part.
type BankReturn struct {
	ReceiptID     string      `json:"receiptId"`
	Amount        money.Units `json:"amount"` // cents
	BankReference string      `json:"bankReference"`
	ReturnedOn    string      `json:"returnedOn"`
	Code          string      `json:"code"` // the bank's reason, such as R01
}

func (*BankReturn) kind() string { return "bank_return" }

func (a *BankReturn) subject() string { return a.ReceiptID }

func (a *BankReturn) stops(ctx context.Context, tx *store.DB) (string, error) {
	return orderOfReceipt(ctx, tx, a.ReceiptID)
}

func (a *BankReturn) execute(c *moneyChange) (err error) {
	if a.BankReference, err = bankReferenceOf("bankReference", a.BankReference); err != nil {
		return err
	}
	day, err := bankDay("returnedOn", a.ReturnedOn, c.now)
	if err = store.FirstError(err, atLeastACent("amount", a.Amount)); err != nil {
		return err
	}
	if a.Code, err = bankCodeOf(a.Code); err != nil {
		return err
	}
	orderID, err := orderOfReceipt(c.ctx, c.tx, a.ReceiptID)
	if err != nil {
		return err
	}
	c.changed(orderID)
	return order.ChangeOrder(c.ctx, c.tx, orderID, func(o *order.OrderChange) error {
		receipt, err := o.ReceiptToTake(a.ReceiptID, c.by.ActorID)
		if err != nil {
			return err
		}
		before, err := o.ReturnedOf(receipt)
		if err != nil {
			return err
		}
		switch {
		case before.Add(a.Amount).Cmp(receipt.Amount) > 0:
			return store.Conflict("return_exceeds", "Only "+money.Dollars(receipt.Amount.Sub(before))+" of this receipt can still go back")
		case day.Before(receipt.ReceivedOn):
			return store.Invalid("returnedOn", "before_receipt", "Enter a day after the money arrived")
		}
		return o.TakeReceipt(&order.ReceiptReturn{ID: c.id, OrderID: orderID, ReceiptID: receipt.ID, Kind: order.ReturnByBank, Amount: a.Amount, BankReference: &a.BankReference,
			ReturnedOn: &day, Code: a.Code, CreatedAt: o.Now}, ledger.AccountBank)
	})
}

// bankCodeOf returns a bank's reason for a return without surrounding space.
func bankCodeOf(code string) (string, error) {
	if code = strings.TrimSpace(code); code == "" || len(code) > 40 {
		return "", store.Invalid("code", "required", "Enter the bank's reason")
	}
	return code, nil
}

// ReinstateReturn books money again that a bank had reversed and then reinstated: of a receipt, or of what was credited
// to a customer.
type ReinstateReturn struct {
	ReturnID      string `json:"returnId"`
	BankReference string `json:"bankReference"`
	ReinstatedOn  string `json:"reinstatedOn"`
}

func (*ReinstateReturn) kind() string { return "reinstate_return" }

func (a *ReinstateReturn) subject() string { return a.ReturnID }

func (*ReinstateReturn) stops(context.Context, *store.DB) (orderID string, err error) { return "", nil }

func (a *ReinstateReturn) execute(c *moneyChange) (err error) {
	if a.BankReference, err = bankReferenceOf("bankReference", a.BankReference); err != nil {
		return err
	}
	day, err := bankDay("reinstatedOn", a.ReinstatedOn, c.now)
	if err != nil {
		return err
	}
	recall, _, err := store.LockedRow[order.Recall](c.ctx, c.tx, "recalls", a.ReturnID, "Return")
	switch {
	case err == nil:
		return c.reinstateRecall(recall, a.BankReference, day)
	case store.CodeOf(err) != store.CodeNotFound:
		return err
	}
	known, err := store.RowByID[order.ReceiptReturn](c.ctx, c.tx, a.ReturnID, "Return")
	if err != nil {
		return err
	}
	c.changed(known.OrderID)
	return order.ChangeOrder(c.ctx, c.tx, known.OrderID, func(o *order.OrderChange) error {
		row, err := store.RowByID[order.ReceiptReturn](c.ctx, c.tx, a.ReturnID, "Return") // under the order's lock
		if err != nil {
			return err
		}
		if err := people.Another(c.ctx, c.tx, c.by.ActorID, order.ErrOwnOrder, o.Order.UserID); err != nil {
			return err
		}
		switch {
		case row.Kind != order.ReturnByBank:
			return store.Conflict("not_returned", "We reversed this receipt. Confirm the money again.")
		case row.ReinstatedAt != nil:
			return store.Conflict("already_reinstated", "This money is already booked again")
		}
		row.ReinstatedAt, row.ReinstatedOn, row.ReinstatedReference = &o.Now, &day, &a.BankReference
		if err := order.StoreReinstated(c.ctx, c.tx, row); err != nil {
			return err
		}
		return o.Reinstate(row)
	})
}
