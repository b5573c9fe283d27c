package models

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tradepost/tradepost/models/money"
)

// ReturnedPayout is the data of a return: what came back, in cents; nil is all.
type ReturnedPayout struct {
	Amount *money.Units `json:"amount,omitempty"`
}

// maxReturnFee is the most that a bank is believed to keep of a return, in cents.
const maxReturnFee = 100_00

// fee is what a bank kept of a payout that it sent back.
func (r ReturnedPayout) fee(p *Payout) (money.Units, error) {
	if r.Amount == nil {
		return money.Units{}, nil
	}
	fee := p.Amount.Sub(*r.Amount)
	if r.Amount.Sign() <= 0 || fee.Sign() < 0 || fee.Cmp(money.FromInt(maxReturnFee)) > 0 {
		return money.Units{}, Invalid("returned", "out_of_range", fmt.Sprintf("Enter an amount between the payout and %s less", money.Dollars(money.FromInt(maxReturnFee))))
	}
	return fee, nil
}

// ReturnPayout is a return that a second person approves: it credits the customer by
// somebody's word.
type ReturnPayout struct {
	PayoutID string       `json:"payoutId"`
	Returned *money.Units `json:"returned,omitempty"` // what came back; nil is all
	Said     string       `json:"said"`               // the reason that the customer reads
}

func (*ReturnPayout) kind() string                               { return "return_payout" }
func (a *ReturnPayout) subject() string                          { return a.PayoutID }
func (*ReturnPayout) stops(context.Context, *DB) (string, error) { return "", nil }
func (a *ReturnPayout) carry(c *moneyChange) (err error) {
	c.done.Matter, err = c.tx.OpenPayoutDecision(c.ctx, a.PayoutID, NewMatterDecision{Kind: PayoutReturn, ActorID: c.by.ActorID, ActorRole: c.by.ActorRole,
		RequestID: c.by.RequestID, Reason: a.Said, Data: ReturnedPayout{Amount: a.Returned}})
	return err
}

// mayReturn refuses an amount that cannot have come back, a return that waits for a
// second person, and one that is above what one person alone credits.
func (c *PayoutChange) mayReturn(in NewMatterDecision) error {
	back, _ := in.Data.(ReturnedPayout)
	_, err := back.fee(c.Payout)
	return firstError(err, c.tx.anotherPerson(c.ctx, in.ActorID, ownMatter(MatterPayout), c.Payout.UserID), c.tx.unproposedMoney(c.ctx, c.Payout.ID),
		c.tx.oneWord(c.ctx, c.Payout.UserID, c.Payout.Amount, in.Alone))
}

// ReturnPayout books a transfer that the customer's bank sent back.
func (db *DB) ReturnPayout(ctx context.Context, id, decisionID string) error {
	return db.carryPayout(ctx, id, decisionID, PayoutReturn, func(c *PayoutChange, d *MatterDecision) error {
		var back ReturnedPayout
		if len(d.Data) > 0 && json.Unmarshal(d.Data, &back) != nil {
			return Conflict("amount_unreadable", "We can't read the amount")
		}
		fee, err := back.fee(c.Payout)
		if err != nil {
			return err
		}
		if err := c.move(PayoutReturned); err != nil {
			return err
		}
		p := c.Payout
		p.Reason, p.EndedBy, p.EndedAt = &d.Reason, &d.ActorID, &c.Now
		if err := c.giveBack("payout_returned", "returned", PayoutReturnedPostings(p.UserID, p.Amount, fee)); err != nil {
			return err
		}
		if err := c.event(Event{Kind: "returned", Actor: ByStaff, Dedupe: "ended", Data: p.told()}); err != nil {
			return err
		}
		return c.close()
	})
}
