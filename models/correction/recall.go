package correction

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// errOwnAccount rejects a decision about one's own balance.
var errOwnAccount = store.Forbidden("own_account", "You can't decide on your own account")

// RecallMoney books that the bank took back unplaced money, or a part of it, after it was credited to a customer. It is
// a claim on that customer: their balance is reduced, and they owe the rest.
type RecallMoney struct {
	MoneyID       string      `json:"moneyId"`
	Amount        money.Units `json:"amount"` // cents
	BankReference string      `json:"bankReference"`
	ReturnedOn    string      `json:"returnedOn"`
	Code          string      `json:"code"` // the bank's reason
}

func (*RecallMoney) kind() string { return "recall_money" }

func (a *RecallMoney) subject() string { return a.MoneyID }

func (*RecallMoney) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *RecallMoney) execute(c *moneyChange) error {
	row, err := a.recall(c)
	if err != nil {
		return err
	}
	if err := order.BookRecall(c.ctx, c.tx, row); err != nil {
		return err
	}
	return casework.Append(c.ctx, c.tx, row.About(), casework.Event{Kind: "credit_recalled", Actor: casework.ByProvider,
		Dedupe: "recalled", Data: map[string]any{"amount": money.USD.Format(row.Amount),
			"taken": money.USD.Format(row.Amount.Sub(row.Owed)), "owed": money.USD.Format(row.Owed)}})
}

// recall returns the recall that is to be booked, once the act's facts fit the money, which it locks.
func (a *RecallMoney) recall(c *moneyChange) (*order.Recall, error) {
	reference, err := bankReferenceOf("bankReference", a.BankReference)
	if err != nil {
		return nil, err
	}
	day, err := bankDay("returnedOn", a.ReturnedOn, c.now)
	if err != nil {
		return nil, err
	}
	code, err := bankCodeOf(a.Code)
	if err = store.FirstError(err, atLeastACent("amount", a.Amount)); err != nil {
		return nil, err
	}
	from, _, err := store.LockedRow[order.UnplacedMoney](c.ctx, c.tx, "unplaced_money", a.MoneyID, "Money")
	if err != nil {
		return nil, err
	}
	if from.Status != order.UnplacedCredited || from.UserID == nil {
		return nil, store.Conflict("not_credited", "This money wasn't credited to a customer")
	}
	if err := people.Another(c.ctx, c.tx, c.by.ActorID, errOwnAccount, *from.UserID); err != nil {
		return nil, err
	}
	recalls, err := order.RecallsOf(c.ctx, c.tx, from.ID)
	if err != nil {
		return nil, err
	}
	left := from.Amount.Sub(order.Recalled(recalls[from.ID]))
	switch {
	case a.Amount.Cmp(left) > 0:
		return nil, store.Conflict("return_exceeds", "Only "+money.Dollars(left)+" of this money can still go back")
	case day.Before(from.ReceivedOn):
		return nil, store.Invalid("returnedOn", "before_receipt", "Enter a day after the money arrived")
	}
	return &order.Recall{ID: c.id, MoneyID: from.ID, UserID: *from.UserID, Amount: a.Amount, BankReference: reference,
		ReturnedOn: day, Code: code, CreatedAt: c.now}, nil
}

// reinstateRecall credits money to its customer again that the bank took back and then reinstated. The caller holds the
// recall's lock.
func (c *moneyChange) reinstateRecall(row *order.Recall, reference string, day time.Time) error {
	if err := people.Another(c.ctx, c.tx, c.by.ActorID, errOwnAccount, row.UserID); err != nil {
		return err
	}
	if row.ReinstatedAt != nil {
		return store.Conflict("already_reinstated", "This money is already booked again")
	}
	if day.Before(row.ReturnedOn) {
		return store.Invalid("reinstatedOn", "before_return", "Enter a day after the bank took the money back")
	}
	row.ReinstatedAt, row.ReinstatedOn, row.ReinstatedReference = &c.now, &day, &reference
	if err := order.StoreReinstatedRecall(c.ctx, c.tx, row); err != nil {
		return err
	}
	if err := c.attest(dualcontrol.Credit, row.UserID, unplacedRef(row.MoneyID), row.Amount); err != nil {
		return err
	}
	about := ledger.About(string(order.KindRecall), row.ID, "recall_reinstated", "reinstated")
	netted, err := ledger.CreditBalance(c.ctx, c.tx, about, row.UserID, ledger.Posting{From: ledger.CustomerBalance(row.UserID),
		To: ledger.AccountBank, Currency: money.USD, Amount: row.Amount})
	if err != nil {
		return err
	}
	return casework.Append(c.ctx, c.tx, row.About(), casework.Event{Kind: "recall_reinstated", Actor: casework.ByProvider,
		Dedupe: "reinstated", Data: map[string]any{"amount": money.USD.Format(row.Amount), "debt": money.USD.Format(netted)}})
}
