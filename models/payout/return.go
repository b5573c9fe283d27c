package payout

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// ReturnedPayout is the data of a return: the amount returned, in cents; nil is all.
type ReturnedPayout struct {
	Amount *money.Units `json:"amount,omitempty"`
}

// maxReturnFee is the largest accepted fee of a bank for a return, in cents.
const maxReturnFee = 100_00

// fee is what a bank kept of a payout that it sent back.
func (r ReturnedPayout) fee(p *Payout) (money.Units, error) {
	if r.Amount == nil {
		return money.Units{}, nil
	}
	fee := p.Amount.Sub(*r.Amount)
	if r.Amount.Sign() <= 0 || fee.Sign() < 0 || fee.Cmp(money.FromInt(maxReturnFee)) > 0 {
		return money.Units{}, store.Invalid("returned", "out_of_range", fmt.Sprintf("Enter an amount between the payout and %s less", money.Dollars(money.FromInt(maxReturnFee))))
	}
	return fee, nil
}

// mayReturn refuses an amount that cannot have been returned, a return that waits for a second person, and one that
// is above what one person alone credits.
func (c *PayoutChange) mayReturn(in casework.NewCaseDecision) error {
	back, _ := in.Data.(ReturnedPayout)
	_, err := back.fee(c.Payout)
	if err != nil {
		return err
	}
	if err := people.Another(c.ctx, c.tx, in.ActorID, casework.OwnCase(KindPayout), c.Payout.UserID); err != nil {
		return err
	}
	if err := ledger.UnproposedMoney(c.ctx, c.tx, c.Payout.ID); err != nil {
		return err
	}
	return dualcontrol.CheckIntake(c.ctx, c.tx, dualcontrol.Intake{Kind: dualcontrol.PayoutReturned, Actor: in.ActorID, Customer: c.Payout.UserID, Amount: c.Payout.Amount,
		Limit: in.Alone, StaffLimit: in.StaffAlone})
}

// attestReturn notes who stated that the bank sent the payout back.
func (c *PayoutChange) attestReturn(d *casework.CaseDecision, first string) error {
	a := dualcontrol.Attestation{Kind: dualcontrol.PayoutReturned, By: d.ActorID, Customer: c.Payout.UserID, Subject: c.ref(), Amount: &c.Payout.Amount,
		Source: dualcontrol.Ref{Kind: casework.CaseDecisions.Table, ID: d.ID}}
	if first != "" {
		a.By, a.Second = first, d.ActorID
	}
	return dualcontrol.Attest(c.ctx, c.tx, a)
}

// ref is the reference of the payout.
func (c *PayoutChange) ref() dualcontrol.Ref { return dualcontrol.Ref{Kind: "payout", ID: c.Payout.ID} }

// ReturnPayout books a transfer that the customer's bank sent back.
func ReturnPayout(ctx context.Context, db *store.DB, id, decisionID string) error {
	return executePayout(ctx, db, id, decisionID, PayoutReturn, func(c *PayoutChange, d *casework.CaseDecision) error {
		var back ReturnedPayout
		if len(d.Data) > 0 && json.Unmarshal(d.Data, &back) != nil {
			return store.Conflict("amount_unreadable", "We can't read the amount")
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
		if err := c.event(casework.Event{Kind: "returned", Actor: casework.ByStaff, Dedupe: "ended", Data: p.reported()}); err != nil {
			return err
		}
		return c.close()
	})
}
