package models

import (
	"fmt"

	"github.com/tradepost/tradepost/models/money"
)

// payFromBalance pays an order that has just been made from its customer's
// balance: at once, in the order's own transaction, or there is no order. The
// caller holds the customer's lock.
func (c *OrderChange) payFromBalance(p *Payment) error {
	have, err := c.tx.holdUnderLock(c.ctx, c.Order.UserID)
	if err != nil {
		return err
	}
	if have.Balance.Cmp(c.Order.Total) < 0 {
		return Invalid("paymentMethod", "insufficient_balance", "This purchase costs "+money.Dollars(c.Order.Total)+
			"; your balance is "+money.Dollars(have.Balance))
	}
	if err := c.Post("paid_from_balance", "from_balance", FromBalancePostings(c.Order)...); err != nil {
		return err
	}
	if err := c.Move(StatusPaymentApproved); err != nil {
		return err
	}
	p.AdminApprovalStatus = ApprovalApproved
	if err := c.Event(Event{Kind: "paid_from_balance", Actor: ByCustomer, Data: map[string]any{"amount": money.USD.Format(c.Order.Total)}, Dedupe: "from_balance"}); err != nil {
		return err
	}
	if err := c.savePayment(p); err != nil {
		return err
	}
	return c.store()
}

// takeBackBonus claws back the bonus of an order that had been sent, came to
// nothing after all, and is refunded.
func (c *OrderChange) takeBackBonus() error { return c.settleBonus(money.Units{}, "bonus:back") }

// settleBonus books what the tier's bonus should come to less what it came to so
// far, once for each group.
func (c *OrderChange) settleBonus(should money.Units, group string) error {
	var booked money.Units
	err := c.tx.row(c.ctx, `SELECT coalesce(sum(CASE to_account WHEN $2 THEN amount ELSE -amount END), 0) FROM postings
		WHERE order_id = $1 AND event IN ('bonus_credited', 'bonus_taken_back') AND $2 IN (from_account, to_account)`, c.Order.ID, AccountPromotions).Scan(&booked)
	if err != nil {
		return fmt.Errorf("sum the bonus: %w", err)
	}
	kind, change := "bonus_credited", should.Sub(booked)
	switch change.Sign() {
	case 0:
		return nil
	case 1:
		err = c.credit(kind, group, BonusPostings(c.Order, change)...)
	case -1:
		kind, change = "bonus_taken_back", change.Neg()
		about := StoredPosting{Event: kind, GroupKey: "order:" + c.Order.ID + ":" + group, OrderID: &c.Order.ID}
		_, err = c.tx.clawBack(c.ctx, about, c.Order.UserID, AccountPromotions, change)
	}
	if err != nil {
		return err
	}
	return c.Event(Event{Kind: kind, Dedupe: group, Data: map[string]any{"amount": money.USD.Format(change)}})
}

// earnsLess takes back what the order earned by money that went back: rewards, and
// a share of the tier's bonus.
func (c *OrderChange) earnsLess(row *Refund) error {
	if err := c.loseRewards(c.Now); err != nil {
		return err
	}
	return c.bonusAfter(fmt.Sprintf("refund:%d", row.Sequence))
}

// bonusAfter takes the bonus of sent coin back, or credits it again, with the money
// that went back or was returned.
func (c *OrderChange) bonusAfter(what string) error {
	if c.Order.Status != StatusSent {
		return nil
	}
	return c.settleBonus(Bonus(c.Order), "bonus:"+what)
}
