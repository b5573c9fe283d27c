package models

import "github.com/tradepost/tradepost/models/money"

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
func (c *OrderChange) takeBackBonus() error {
	booked, err := c.booked("bonus")
	if err != nil || !booked {
		return err
	}
	bonus := Bonus(c.Order)
	about := StoredPosting{Event: "bonus_taken_back", GroupKey: "order:" + c.Order.ID + ":bonus:back", OrderID: &c.Order.ID}
	if _, err := c.tx.clawBack(c.ctx, about, c.Order.UserID, AccountPromotions, bonus); err != nil {
		return err
	}
	return c.Event(Event{Kind: "bonus_taken_back", Dedupe: "bonus:back", Data: map[string]any{"amount": money.USD.Format(bonus)}})
}
