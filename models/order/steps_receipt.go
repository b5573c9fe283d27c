package order

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// ConfirmReceipt books money that arrived by a rail without a card, as staff read it in the bank's account. The order's
// price, in time, pays the order, and what is left over is its surplus; anything else is kept apart until its customer
// chooses. An order that is over is re-opened by it; one that was paid before is not touched (receiveBeyond).
func ConfirmReceipt(ctx context.Context, db *store.DB, orderID, decisionID string, terms SurplusTerms) error {
	return ChangeOrder(ctx, db, orderID, func(c *OrderChange) error {
		decision, err := c.openDecision(decisionID, DecisionConfirmReceipt)
		if err != nil {
			return err
		}
		if c.Order.CreditsMore() {
			return c.receiveBeyond(decision)
		}
		return c.receive(decision, terms)
	})
}

// BookedBeside reports whether a decision is executed by a workflow of its own: the order's does not wait for money any
// more, or has ended.
func BookedBeside(ctx context.Context, db *store.DB, d *Decision) (bool, error) {
	if d.Kind != DecisionConfirmReceipt {
		return false, nil
	}
	o, err := ReadOrder(ctx, db, d.OrderID)
	return err == nil && (o.CreditsMore() || o.ClosedAt != nil), err
}

// receiveBeyond books money for an order that was paid before, or refunded: sent
// twice, as a rule. It is the customer's, on their balance, and nothing about
// the order changes.
func (c *OrderChange) receiveBeyond(decision *Decision) error {
	row, err := c.storeReceipt(decision)
	if err != nil {
		return err
	}
	p, err := c.Payment()
	if err != nil {
		return err
	}
	p.took(row)
	if err := c.savePayment(p); err != nil {
		return err
	}
	if err := c.Post("money_received", "receipt:"+row.ID, c.arrived(UnallocatedPostings(row.Amount))...); err != nil {
		return err
	}
	lines := ReceiptBackPostings(c.Order, row.Amount)
	if err := c.creditOf(decision, "money_left_over", creditOfReceipt(row.ID), lines...); err != nil {
		return err
	}
	detail := map[string]any{"amount": money.USD.Format(row.Amount)}
	if err := c.Event(casework.Event{Kind: "money_credited", Actor: casework.ByStaff, Data: detail, Dedupe: "receipt:" + row.ID}); err != nil {
		return err
	}
	return c.resolveDecision(decision.ID, casework.DecisionDone)
}

// creditOfReceipt is the group of the postings that credit a receipt beyond the order's price.
func creditOfReceipt(id string) string { return "surplus:" + id }

// receive books a receipt and resolves its decision.
func (c *OrderChange) receive(decision *Decision, terms SurplusTerms) error {
	row, err := c.storeReceipt(decision)
	if err != nil {
		return err
	}
	p, err := c.Payment()
	if err != nil {
		return err
	}
	before, err := c.unallocated()
	if err != nil {
		return err
	}
	p.took(row)
	if err := c.decided(p, decision.ID); err != nil {
		return err
	}
	late, err := c.isLate(row, before.Add(row.Amount))
	if err != nil {
		return err
	}
	if !late && before.IsZero() && row.Amount.Cmp(c.Order.Total) == 0 {
		return c.confirmed(p)
	}
	return c.keepApart(p, row, before.Add(row.Amount), late, terms)
}

// isLate reports whether money arrived after its order's window: by the day on which the bank received it, whenever
// staff confirm it. An order that has expired since is paid as agreed by its price or more, if its customer still has
// room for it.
func (c *OrderChange) isLate(row StoredReceipt, sum money.Units) (bool, error) {
	o := c.Order
	if o.Status == StatusPending && c.Now.Before(o.PaymentDueAt) {
		return false, nil
	}
	made, due := o.CreatedAt.UTC().Truncate(24*time.Hour), o.PaymentDueAt.UTC().Truncate(24*time.Hour)
	if row.ReceivedOn.Before(made) || row.ReceivedOn.After(due) {
		return true, nil
	}
	if o.Status == StatusPending {
		return false, nil
	}
	if store.Text(o.Resolution) != string(ResolutionExpired) || sum.Cmp(o.Total) < 0 {
		return true, nil
	}
	if err := c.roomToday(); err != nil {
		if code := store.CodeOf(err); code == store.CodeInvalid || code == store.CodeForbidden {
			return true, nil
		}
		return true, err
	}
	c.reopen()
	return false, nil
}

// reopen clears how the order ended. Its workflow may have ended with it: the caller or the sweep starts another.
func (c *OrderChange) reopen() {
	if c.Order.ClosedAt != nil {
		c.Order.ClosedAt, c.Order.WorkflowStartedAt, c.Order.SweptAt = nil, nil, nil
	}
	c.Order.Resolution = nil
}

func (c *OrderChange) storeReceipt(decision *Decision) (StoredReceipt, error) {
	var receipt Receipt
	if err := json.Unmarshal(decision.Data, &receipt); err != nil {
		return StoredReceipt{}, store.Conflict("receipt_unreadable", "We can't read the receipt")
	}
	day, err := time.Parse(time.DateOnly, receipt.ReceivedOn)
	if err != nil || receipt.Amount.Sign() <= 0 {
		return StoredReceipt{}, store.Conflict("receipt_unreadable", "We can't read the receipt")
	}
	if err := store.FirstError(c.freeReference(receipt), c.fromUnplaced(receipt, decision.ID)); err != nil {
		return StoredReceipt{}, err
	}
	row := StoredReceipt{ID: store.NewID(), OrderID: c.Order.ID, DecisionID: &decision.ID, Amount: receipt.Amount, ReceivedOn: day,
		BankReference: receipt.BankReference, CreatedAt: c.Now}
	err = c.Tx.ORM(c.Ctx).Create(&row).Error
	if store.Violates(err, "receipts_bank_reference") {
		return StoredReceipt{}, ledger.ErrReferenceUsed
	}
	if err != nil {
		return StoredReceipt{}, fmt.Errorf("store receipt: %w", err)
	}
	return row, nil
}

// freeReference returns ledger.ErrReferenceUsed if other money arrived under the receipt's bank reference.
func (c *OrderChange) freeReference(receipt Receipt) error {
	return ledger.FreeReference(c.Ctx, c.Tx, ledger.MoneyIn, receipt.BankReference, receipt.UnplacedID)
}

// took records on the payment what has arrived in all, and the last of it.
func (p *Payment) took(row StoredReceipt) {
	sum := row.Amount
	if p.ReceivedAmount != nil {
		sum = sum.Add(*p.ReceivedAmount)
	}
	p.ReceivedAmount, p.ReceivedOn, p.BankReference = &sum, &row.ReceivedOn, &row.BankReference
}

// confirmed applies a receipt of the right amount: the order is paid.
func (c *OrderChange) confirmed(p *Payment) error {
	group, err := c.again("received")
	if err != nil {
		return err
	}
	if err := c.Post("receipt_confirmed", group, c.arrived(ReceiptPostings(c.Order))...); err != nil {
		return err
	}
	return c.paidByReceipt(p, casework.ByStaff, nil)
}

// paidByReceipt moves the order on once money for it is in prepaid_orders.
func (c *OrderChange) paidByReceipt(p *Payment, actor casework.Actor, data map[string]any) error {
	if err := c.Move(StatusPaymentApproved); err != nil {
		return err
	}
	c.Order.FailedStep = nil
	p.AdminApprovalStatus = ApprovalApproved
	c.ClearAttention()
	if err := c.purgeCardPhotos(); err != nil {
		return err
	}
	received, err := c.again("received")
	if err != nil {
		return err
	}
	if err := c.Event(casework.Event{Kind: "receipt_confirmed", Actor: actor, Data: data, Dedupe: received}); err != nil {
		return err
	}
	return c.savePayment(p)
}

// keepApart books money that differs from the order's terms, or is not complete yet. Together with earlier money it
// may pay the order now; else the customer chooses.
func (c *OrderChange) keepApart(p *Payment, row StoredReceipt, sum money.Units, late bool, terms SurplusTerms) error {
	if err := c.Post("money_received", "receipt:"+row.ID, c.arrived(UnallocatedPostings(row.Amount))...); err != nil {
		return err
	}
	detail := map[string]any{"amount": money.USD.Format(row.Amount), "expected": money.USD.Format(c.Order.Total)}
	if err := c.Event(casework.Event{Kind: "money_received", Actor: casework.ByStaff, Data: detail, Dedupe: "receipt:" + row.ID}); err != nil {
		return err
	}
	switch {
	case late:
		return c.moneyLate(p)
	case sum.Cmp(c.Order.Total) < 0:
		return c.askAboutMoney(p, AttentionShort)
	}
	return c.payOfWaiting(p, terms)
}

// fitsOrder is the condition that the money kept apart for an order o pays its price by now, and nothing about it is
// undecided.
var fitsOrder = `coalesce(o.attention_reason = '` + AttentionOver + `', false) AND o.status = '` + string(StatusPending) + `' AND NOT ` + pricing.UndecidedOrder + `
	AND o.total <= (SELECT coalesce(sum(CASE from_account WHEN '` + ledger.AccountUnallocated + `' THEN amount ELSE -amount END), 0) FROM postings
	  WHERE order_id = o.id AND currency = 'USD' AND '` + ledger.AccountUnallocated + `' IN (from_account, to_account))`

// payOfWaiting pays the order out of money kept apart that is at least its price. The rest is its surplus.
func (c *OrderChange) payOfWaiting(p *Payment, terms SurplusTerms) error {
	waiting, err := c.unallocated()
	if err != nil {
		return err
	}
	if err := c.allocate(); err != nil {
		return err
	}
	if err := c.paidByReceipt(p, casework.ByStaff, nil); err != nil {
		return err
	}
	return c.holdSurplus(waiting.Sub(c.Order.Total), terms)
}

// moneyLate re-opens an order that had expired when its money arrived.
func (c *OrderChange) moneyLate(p *Payment) error {
	if c.Order.Status != StatusFailed {
		if err := c.Move(StatusFailed); err != nil {
			return err
		}
	}
	c.reopen()
	return c.askAboutMoney(p, AttentionLate)
}

// askAboutMoney has the order wait for its customer's choice about money that differs from its terms. The workflow
// offers it (OfferChoice).
func (c *OrderChange) askAboutMoney(p *Payment, reason string) error {
	p.AdminApprovalStatus, p.DeclineReason = ApprovalPending, nil
	c.Flag(reason)
	c.Order.AttentionChoices = DecisionsFor(c.Order, p)
	return c.savePayment(p)
}

// choiceEvents are the events that offer a choice, by its reason; the others are choice_offered.
var choiceEvents = map[string]string{
	casework.AttentionPrice: "price_waiting", AttentionShort: "money_short", AttentionOver: "money_over", AttentionLate: "money_late",
}

// aboutMoney adds to an event's data what arrived and what was expected.
func (c *OrderChange) aboutMoney(detail map[string]any) error {
	waiting, err := c.unallocated()
	detail["received"], detail["expected"] = money.USD.Format(waiting), money.USD.Format(c.Order.Total)
	return err
}

// allocate moves the order's price out of the money that was kept apart.
func (c *OrderChange) allocate() error {
	group, err := c.again("allocated")
	if err != nil {
		return err
	}
	return c.Post("receipt_allocated", group, AllocatedPostings(c.Order)...)
}
