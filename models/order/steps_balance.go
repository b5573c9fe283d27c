package order

import (
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// credit books what an order credits to its customer.
func (c *OrderChange) credit(event, group string, lines ...ledger.Posting) error {
	if _, err := ledger.CreditBalance(c.Ctx, c.Tx, c.booking(event, group), c.Order.UserID, lines...); err != nil {
		return err
	}
	if event == "bonus_credited" {
		return nil
	}
	return dualcontrol.Credited(c.Ctx, c.Tx, c.Order.ID)
}

// creditOf books what one receipt credits to the order's customer.
func (c *OrderChange) creditOf(receipt *Decision, event, group string, lines ...ledger.Posting) error {
	if _, err := ledger.CreditBalance(c.Ctx, c.Tx, c.booking(event, group), c.Order.UserID, lines...); err != nil {
		return err
	}
	sources := []string{receipt.ID}
	err := c.Tx.ORM(c.Ctx).Raw("SELECT id FROM order_proposals WHERE decision_id = ? UNION SELECT CAST(? AS uuid)", receipt.ID, receipt.ID).Scan(&sources).Error
	if err != nil {
		return fmt.Errorf("read who proposed a receipt: %w", err)
	}
	return dualcontrol.Credited(c.Ctx, c.Tx, c.Order.ID, sources...)
}

// checkBalance returns an error when the customer's balance does not cover the order.
func (c *OrderChange) checkBalance() error {
	have, err := ledger.HoldUnderLock(c.Ctx, c.Tx, c.Order.UserID)
	if err == nil && have.Balance.Cmp(c.Order.Total) < 0 {
		err = store.Invalid("paymentMethod", "insufficient_balance", "This purchase costs "+money.Dollars(c.Order.Total)+
			"; your balance is "+money.Dollars(have.Balance))
	}
	return err
}

// payFromBalance pays an order from its customer's balance, in the transaction
// that makes or confirms it. Postgres books it, since the API may not. The caller
// holds the customer's lock.
func (c *OrderChange) payFromBalance(p *Payment) error {
	if err := c.checkBalance(); err != nil {
		return err
	}
	if err := c.Tx.ORM(c.Ctx).Exec("SELECT pay_from_balance(?)", c.Order.ID).Error; err != nil {
		return fmt.Errorf("pay from the balance: %w", err)
	}
	if err := c.Move(StatusPaymentApproved); err != nil {
		return err
	}
	p.AdminApprovalStatus = ApprovalApproved
	if err := c.Event(casework.Event{Kind: "paid_from_balance", Actor: casework.ByCustomer, Data: map[string]any{"amount": money.USD.Format(c.Order.Total)}, Dedupe: "from_balance"}); err != nil {
		return err
	}
	return c.savePayment(p)
}

// takeBackBonus claws back the bonus of an order that had been sent, whose transfer died, and that is refunded.
func (c *OrderChange) takeBackBonus() error { return c.settleBonus(money.Units{}, "bonus:back") }

// settleBonus books the tier's bonus less what was booked of it so far, once for each group.
func (c *OrderChange) settleBonus(should money.Units, group string) error {
	var booked money.Units
	err := c.Tx.Row(c.Ctx, `SELECT coalesce(sum(CASE to_account WHEN $2 THEN amount ELSE -amount END), 0) FROM postings
		WHERE order_id = $1 AND event IN ('bonus_credited', 'bonus_taken_back') AND $2 IN (from_account, to_account)`, c.Order.ID, ledger.AccountPromotions).Scan(&booked)
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
		_, err = ledger.ClawBack(c.Ctx, c.Tx, c.booking(kind, group), c.Order.UserID, ledger.AccountPromotions, change)
	}
	if err != nil {
		return err
	}
	return c.Event(casework.Event{Kind: kind, Dedupe: group, Data: map[string]any{"amount": money.USD.Format(change)}})
}

// earnsLess claws back what the order earned by refunded money: rewards, and a share of the tier's bonus.
func (c *OrderChange) earnsLess(row *Refund) error {
	if err := c.loseRewards(c.Now); err != nil {
		return err
	}
	return c.bonusAfter(fmt.Sprintf("refund:%d", row.Sequence))
}

// bonusAfter claws back the bonus of sent coin, or credits it again, as money is refunded, charged back or reinstated.
func (c *OrderChange) bonusAfter(what string) error {
	if c.Order.Status != StatusSent {
		return nil
	}
	lost, err := c.lostToBank()
	if err != nil {
		return err
	}
	return c.settleBonus(Bonus(c.Order, lost), "bonus:"+what)
}
