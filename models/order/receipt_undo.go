package order

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// Reverse marks a receipt as not this order's, which gives its bank reference free.
func (c *OrderChange) Reverse(id, actorID string) (*StoredReceipt, error) {
	receipt, err := c.ReceiptToTake(id, actorID)
	if err != nil {
		return nil, err
	}
	if err := c.unreturned(receipt); err != nil {
		return nil, err
	}
	if _, err := c.takeSurplusBack(); err != nil { // its return may have the bank reference that the kept money gets
		return nil, err
	}
	if err := c.Tx.ORM(c.Ctx).Exec("UPDATE receipts SET reversed_at = ? WHERE id = ?", c.Now, receipt.ID).Error; err != nil {
		return nil, fmt.Errorf("reverse receipt: %w", err)
	}
	return receipt, nil
}

// ReceiptToTake is a receipt of which money may leave the order: not one that was
// reversed, and not by the order's own customer.
func (c *OrderChange) ReceiptToTake(id, actorID string) (*StoredReceipt, error) {
	if err := people.Another(c.Ctx, c.Tx, actorID, ErrOwnOrder, c.Order.UserID); err != nil {
		return nil, err
	}
	row, err := store.RowByID[StoredReceipt](c.Ctx, c.Tx, id, "Receipt")
	if err != nil {
		return nil, err
	}
	if row.ReversedAt != nil {
		return nil, store.Conflict("already_reversed", "This receipt is already reversed")
	}
	return row, nil
}

// ReturnedOf is what the bank has reversed of a receipt and not reinstated.
func (c *OrderChange) ReturnedOf(receipt *StoredReceipt) (money.Units, error) {
	var sum money.Units
	err := c.Tx.Row(c.Ctx, "SELECT coalesce(sum(amount), 0) FROM receipt_returns WHERE receipt_id = $1 AND reinstated_at IS NULL", receipt.ID).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum returns: %w", err)
	}
	return sum, nil
}

// unreturned refuses a receipt of which the bank has reversed a part, or of which a part was sent back to its sender.
func (c *OrderChange) unreturned(receipt *StoredReceipt) error {
	sum, err := c.ReturnedOf(receipt)
	if err != nil {
		return err
	}
	if !sum.IsZero() {
		return store.Conflict("returned", "The bank already took back some or all of this money")
	}
	sum, err = c.sentBackOf(receipt.ID)
	if err != nil {
		return err
	}
	if !sum.IsZero() {
		return store.Conflict("returned", "Some of this money was already sent back to its sender")
	}
	return nil
}

// Reinstate gives each account its part back: a surplus is held again. What the order has no use for any more is the
// customer's, on their balance.
func (c *OrderChange) Reinstate(r *ReceiptReturn) error {
	var waits, price money.Units
	before, surplus, err := c.surplusRegains(r)
	if err != nil {
		return err
	}
	unpaid := !c.Order.Paid() && c.Order.ClosedAt == nil
	switch {
	case unpaid:
		waits = r.FromWaiting
	case r.BorneBy == borneByOrder && c.Order.Resolution == nil:
		price = r.FromOrder
	}
	lines := []ledger.Posting{{From: ledger.AccountUnallocated, To: ledger.AccountBank, Currency: money.USD, Amount: waits.Add(surplus)},
		{From: ledger.AccountPrepaid, To: ledger.AccountBank, Currency: money.USD, Amount: price}}
	group := "return:" + r.ID + ":reinstated"
	if err := c.Post("return_reinstated", group, lines...); err != nil {
		return err
	}
	credited := r.Amount.Sub(waits).Sub(price).Sub(surplus)
	err = c.credit("return_reinstated", group+":credited", ledger.Posting{From: ledger.CustomerBalance(c.Order.UserID), To: ledger.AccountBank, Currency: money.USD, Amount: credited})
	if err != nil {
		return err
	}
	c.Order.Refunded = c.Order.Refunded.Sub(price)
	data := map[string]any{"amount": money.USD.Format(r.Amount), "credited": money.USD.Format(credited)}
	if err := c.Event(casework.Event{Kind: "return_reinstated", Actor: casework.ByProvider, Data: data, Dedupe: "return:" + r.ID + ":reinstated"}); err != nil {
		return err
	}
	if err := c.regainSurplus(before, surplus); err != nil {
		return err
	}
	if !waits.IsZero() {
		p, err := c.Payment()
		if err != nil {
			return err
		}
		return c.judgeMoney(p)
	}
	if err := c.regainRewards(); err != nil || price.IsZero() {
		return err
	}
	return c.clearAttentionOf(AttentionRefundedThere)
}

// ReceiptReturn is money that left an order again: a receipt reversed because it
// was confirmed on the wrong order, or a return by the bank. Amounts are cents.
type ReceiptReturn struct {
	ID                  string `gorm:"primaryKey"`
	OrderID             string
	ReceiptID           string
	Kind                string
	Amount              money.Units
	BankReference       *string
	ReturnedOn          *time.Time
	Code                string
	FromWaiting         money.Units // of what waited for its customer's choice, a surplus included
	FromOrder           money.Units // of the order's price
	FromCustomer        money.Units // of what was credited to the customer
	BorneBy             string      // who bears FromOrder
	Owed                money.Units
	CreatedAt           time.Time
	ReinstatedAt        *time.Time
	ReinstatedOn        *time.Time
	ReinstatedReference *string
}

// The kinds of returns, and who bears the part of the order's price: the debt to
// the customer before the coin is sent, the customer after that.
const (
	ReturnReversal = "reversal"
	ReturnByBank   = "return"

	borneByOrder    = "order"
	borneByCustomer = "customer"
	borneByUnpaid   = "unpaid" // the order is unpaid again: no debt arises
)

// OrderReturns reads what left an order's money again, oldest first.
func OrderReturns(ctx context.Context, db *store.DB, orderID string) ([]ReceiptReturn, error) {
	var rows []ReceiptReturn
	if err := db.ORM(ctx).Where("order_id = ?", orderID).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read returns: %w", err)
	}
	return rows, nil
}

// Clawed is what the customer bears of it.
func (r *ReceiptReturn) Clawed() money.Units {
	if r.BorneBy == borneByCustomer {
		return r.FromCustomer.Add(r.FromOrder)
	}
	return r.FromCustomer
}

// TakeReceipt deducts an amount of a receipt from the order again. contra is the account where the money is now,
// either gone from the bank or unplaced; waiting money is used first, then the excess, then the order's price, then
// other credits to the customer's balance.
func (c *OrderChange) TakeReceipt(r *ReceiptReturn, contra string) error {
	if r.BankReference != nil {
		if err := ledger.FreeReference(c.Ctx, c.Tx, ledger.MoneyOut, *r.BankReference); err != nil {
			return err
		}
	}
	surplus, err := c.takeSurplusBack()
	if err != nil {
		return err
	}
	if err := c.splitReturn(r); err != nil {
		return err
	}
	event, group := returnEvents[r.Kind], "return:"+r.ID
	lines := []ledger.Posting{{From: contra, To: ledger.AccountUnallocated, Currency: money.USD, Amount: r.FromWaiting}}
	claw := r.FromCustomer
	if r.BorneBy != borneByCustomer {
		lines = append(lines, ledger.Posting{From: contra, To: ledger.AccountPrepaid, Currency: money.USD, Amount: r.FromOrder})
	} else {
		claw = claw.Add(r.FromOrder)
	}
	if err := c.Post(event, group, lines...); err != nil {
		return err
	}
	if r.Owed, err = ledger.ClawBack(c.Ctx, c.Tx, c.booking(event, group+":clawed"), c.Order.UserID, contra, claw); err != nil {
		return err
	}
	if err := c.storeReturn(r); err != nil {
		return err
	}
	if surplus != nil {
		if err := c.leaveSurplus(surplus, surplus.Amount.Sub(r.FromWaiting)); err != nil {
			return err
		}
	}
	data := map[string]any{"amount": money.USD.Format(r.Amount), "taken": money.USD.Format(claw), "owed": money.USD.Format(r.Owed)}
	if r.Code != "" {
		data["code"] = r.Code
	}
	actor := casework.ByStaff
	if r.Kind == ReturnByBank {
		actor = casework.ByProvider
	}
	entry := casework.Event{Kind: event, Actor: actor, Data: data, Dedupe: "return:" + r.ID}
	if r.BorneBy == borneByUnpaid { // which has an event of its own
		return store.FirstError(c.Event(entry), c.afterReturn(r))
	}
	// An order may end by it, without another mail to its customer.
	if err := c.afterReturn(r); err != nil {
		return err
	}
	return c.Event(entry)
}

// returnEvents are what the ledger and the order's timeline call a return.
var returnEvents = map[string]string{ReturnReversal: "receipt_reversed", ReturnByBank: "money_returned"}

func (c *OrderChange) storeReturn(r *ReceiptReturn) error {
	err := c.Tx.ORM(c.Ctx).Create(r).Error
	switch {
	case store.Violates(err, "receipt_returns_reversal"):
		return store.Conflict("already_reversed", "This receipt is already reversed")
	case err != nil:
		return fmt.Errorf("store return: %w", err)
	}
	return nil
}

// splitReturn sets how much of a return each account pays. A receipt that was credited beyond the price is deducted from
// that credit first: the surplus of another receipt, which can only go back to its sender, must not pay for it.
func (c *OrderChange) splitReturn(r *ReceiptReturn) error {
	waiting, err := c.unallocated()
	if err != nil {
		return err
	}
	surplus, err := c.leftOver(waiting)
	if err != nil {
		return err
	}
	beyond, err := c.booked(creditOfReceipt(r.ReceiptID))
	if err != nil {
		return err
	}
	r.BorneBy = borneByOrder
	r.FromWaiting = waiting.Min(r.Amount)
	if beyond {
		r.FromWaiting = waiting.Min(r.Amount.Sub(surplus.Min(r.Amount)))
	}
	rest := r.Amount.Sub(r.FromWaiting)
	r.FromCustomer = surplus.Min(rest)
	rest = rest.Sub(r.FromCustomer)
	switch {
	case c.Order.Status == StatusSent: // a goodwill refund is no part of the price any more
		left, err := c.refundable()
		if err != nil {
			return err
		}
		r.BorneBy, r.FromOrder = borneByCustomer, left.Min(rest)
	case c.Order.Paid() && c.Order.Resolution == nil:
		r.FromOrder = c.Order.Total.Sub(c.Order.Refunded).Min(rest)
		if r.Kind == ReturnReversal && c.Order.Status == StatusPaymentApproved && c.Order.Refunded.IsZero() && !r.FromOrder.IsZero() {
			r.BorneBy = borneByUnpaid
		}
	}
	r.FromCustomer = r.Amount.Sub(r.FromWaiting).Sub(r.FromOrder)
	return nil
}

// leftOver is what arrived for a paid order beyond its price and is on the customer's balance, less what was reversed
// of it, or sent back to its sender.
func (c *OrderChange) leftOver(waiting money.Units) (money.Units, error) {
	var came money.Units
	if !c.Order.Paid() {
		return came, nil
	}
	err := c.Tx.Row(c.Ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM receipts WHERE order_id = $1 AND (reversed_at IS NULL
		     OR NOT EXISTS (SELECT FROM receipt_returns v WHERE v.receipt_id = receipts.id AND v.kind = 'reversal')))
		- (SELECT coalesce(sum(amount), 0) FROM receipt_returns WHERE order_id = $1 AND kind = 'return' AND reinstated_at IS NULL)`, c.Order.ID).Scan(&came)
	if err != nil {
		return came, fmt.Errorf("sum what came: %w", err)
	}
	sentBack, err := c.sentBackOf("")
	if err != nil {
		return came, err
	}
	if over := came.Sub(waiting).Sub(sentBack).Sub(c.Order.Total); over.Sign() > 0 {
		return over, nil
	}
	return money.Units{}, nil
}

// afterReturn moves the order to its state without the money.
func (c *OrderChange) afterReturn(r *ReceiptReturn) error {
	p, err := c.Payment()
	if err != nil {
		return err
	}
	if r.Kind == ReturnReversal {
		if err := c.sumReceipts(p); err != nil {
			return err
		}
	}
	switch {
	case r.FromOrder.IsZero() && c.Order.MoneyWaits():
		return c.judgeMoney(p)
	case r.FromOrder.IsZero():
		return nil
	case r.BorneBy == borneByUnpaid:
		return c.unpay(r, p)
	}
	if err := c.loseRewards(c.Now); err != nil || r.BorneBy == borneByCustomer {
		return err
	}
	c.Order.Refunded = c.Order.Refunded.Add(r.FromOrder)
	if c.Order.Refunded.Cmp(c.Order.Total) >= 0 && c.coinIsStill() == nil {
		return c.closeRefunded()
	}
	return c.Escalate(AttentionRefundedThere)
}

// sumReceipts sums up the remaining receipts on the payment.
func (c *OrderChange) sumReceipts(p *Payment) error {
	var left []StoredReceipt
	if err := c.Tx.ORM(c.Ctx).Where("order_id = ? AND reversed_at IS NULL", c.Order.ID).Order("created_at, id").Find(&left).Error; err != nil {
		return fmt.Errorf("read receipts: %w", err)
	}
	p.ReceivedAmount, p.ReceivedOn, p.BankReference = nil, nil, nil
	for _, row := range left {
		p.took(row)
	}
	return c.savePayment(p)
}

// unpay reverses the payment of an order by a receipt of others whose coin is not promised yet. Its other receipts
// wait for the customer's choice; without any, the order is over, and later money reopens it as usual.
func (c *OrderChange) unpay(r *ReceiptReturn, p *Payment) error {
	rest := c.Order.Total.Sub(r.FromOrder)
	err := c.Post("receipt_reversed", "return:"+r.ID+":kept", ledger.Posting{From: ledger.AccountUnallocated, To: ledger.AccountPrepaid, Currency: money.USD, Amount: rest})
	if err != nil {
		return err
	}
	c.Order.PaidAt, c.Order.Held, c.Order.FailedStep = nil, false, nil
	if err := c.Move(StatusFailed); err != nil {
		return err
	}
	if !rest.IsZero() {
		return c.moneyLate(p)
	}
	return c.expireUnpaid(p)
}

// expireUnpaid closes an order for which no money is left.
func (c *OrderChange) expireUnpaid(p *Payment) error {
	if err := c.Resolve(ResolutionExpired); err != nil {
		return err
	}
	c.Order.ClosedAt = &c.Now
	p.AdminApprovalStatus = ApprovalDeclined
	if err := c.Event(casework.Event{Kind: "expired", Actor: casework.BySystem}); err != nil {
		return err
	}
	return c.savePayment(p)
}

// judgeMoney assesses waiting money again, after a part of it has left or been reinstated. It runs in the API, which
// books no payment.
func (c *OrderChange) judgeMoney(p *Payment) error {
	waiting, err := c.unallocated()
	if err != nil {
		return err
	}
	c.Order.ChoiceReason, c.Order.ChoiceDueAt = nil, nil // another amount is another question
	late, fits := c.Order.Status == StatusFailed, waiting.Cmp(c.Order.Total)
	switch {
	case waiting.IsZero() && late:
		return c.expireUnpaid(p)
	case waiting.IsZero():
		c.ClearAttention()
		return c.savePayment(p)
	case late:
		return c.askAboutMoney(p, AttentionLate)
	case fits < 0:
		return c.askAboutMoney(p, AttentionShort)
	}
	return c.askAboutMoney(p, AttentionOver) // the price is taken out of it by the workflow (payOfWaiting)
}

// returnsBorneBy moves the price parts of the order's returns to who bears them
// from now on: the customer once the coin is sent, the debt to them again when its
// transfer died.
func (c *OrderChange) returnsBorneBy(bearer, group string) error {
	before := borneByOrder
	if bearer == borneByOrder {
		before = borneByCustomer
	}
	var sum money.Units
	err := c.Tx.ORM(c.Ctx).Raw(`WITH moved AS (UPDATE receipt_returns SET borne_by = @to WHERE order_id = @id AND borne_by = @from AND from_order > 0 AND reinstated_at IS NULL RETURNING from_order)
		SELECT coalesce(sum(from_order), 0) FROM moved`, map[string]any{"id": c.Order.ID, "from": before, "to": bearer}).Row().Scan(&sum)
	if err != nil {
		return fmt.Errorf("move returns: %w", err)
	}
	if sum.IsZero() {
		return nil
	}
	if bearer == borneByOrder {
		c.Order.Refunded = c.Order.Refunded.Add(sum)
		return c.credit("transfer_died", group+":returned", ledger.Posting{From: ledger.CustomerBalance(c.Order.UserID), To: ledger.AccountPrepaid, Currency: money.USD, Amount: sum})
	}
	c.Order.Refunded = c.Order.Refunded.Sub(sum)
	_, err = ledger.ClawBack(c.Ctx, c.Tx, c.booking("sent", group+":returned"), c.Order.UserID, ledger.AccountPrepaid, sum)
	return err
}

// receiptGoneOf4 is the condition that money of an order $4 of the other rails was returned, or that an open proposal
// would book that.
const receiptGoneOf4 = `(EXISTS (SELECT FROM money_proposals WHERE order_id = $4 AND status = 'open')
	OR EXISTS (SELECT FROM receipt_returns WHERE order_id = $4 AND borne_by = 'order' AND from_order > 0 AND reinstated_at IS NULL
	  AND created_at > coalesce((SELECT max(created_at) FROM decisions WHERE order_id = $4 AND kind IN ('retry', 'amend_address')), '-infinity')))`

// Returned finds orders with a recent return or reinstatement: the signal to their workflows may have been lost.
func Returned(ctx context.Context, db *store.DB, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find orders whose money went back", `
		SELECT DISTINCT order_id AS subject, 'money' AS reason FROM receipt_returns
		 WHERE greatest(created_at, reinstated_at) BETWEEN clock_now() - interval '10 minutes' AND clock_now() - interval '20 seconds' LIMIT ?`, limit)
}

// again is the name of an effect that an order has once for each time it is paid.
func (c *OrderChange) again(name string) (string, error) {
	var times int
	err := c.Tx.Row(c.Ctx, "SELECT count(*) FROM receipt_returns WHERE order_id = $1 AND borne_by = 'unpaid'", c.Order.ID).Scan(&times)
	if err != nil {
		return "", fmt.Errorf("count reversals: %w", err)
	}
	if times > 0 {
		name = fmt.Sprintf("%s:%d", name, times+1)
	}
	return name, nil
}

// StoreReinstated writes that a return's money is booked again, and by which transfer. It returns
// ledger.ErrReferenceUsed if other money than the receipt's arrived under the reference: its surplus may have gone back
// under it.
func StoreReinstated(ctx context.Context, tx *store.DB, row *ReceiptReturn) error {
	own := []string{row.ReceiptID}
	err := tx.ORM(ctx).Raw(`SELECT CAST(receipt_id AS text) FROM receipt_returns WHERE id = @id
		UNION SELECT CAST(unplaced_id AS text) FROM surpluses WHERE receipt_id = @receipt AND unplaced_id IS NOT NULL`,
		map[string]any{"id": row.ID, "receipt": row.ReceiptID}).Scan(&own).Error
	if err != nil {
		return fmt.Errorf("read what came of a receipt: %w", err)
	}
	if err := ledger.FreeReference(ctx, tx, ledger.MoneyIn, *row.ReinstatedReference, own...); err != nil {
		return err
	}
	err = tx.ORM(ctx).Select("reinstated_at", "reinstated_on", "reinstated_reference").Updates(row).Error
	if err != nil {
		return fmt.Errorf("store return: %w", err)
	}
	return nil
}
