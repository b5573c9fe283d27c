package correction

import (
	"context"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

// ReturnPayout is a return that a second person approves: it credits the customer on the proposer's statement.
type ReturnPayout struct {
	PayoutID string       `json:"payoutId"`
	Returned *money.Units `json:"returned,omitempty"` // the returned amount; nil is all
	Said     string       `json:"said"`               // the reason that the customer reads
}

func (*ReturnPayout) kind() string { return "return_payout" }

func (a *ReturnPayout) subject() string { return a.PayoutID }

func (*ReturnPayout) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *ReturnPayout) execute(c *moneyChange) (err error) {
	c.done.Matter, err = payout.OpenPayoutDecision(c.ctx, c.tx, a.PayoutID, casework.NewCaseDecision{Kind: payout.PayoutReturn, ActorID: c.by.ActorID, ActorRole: c.by.ActorRole,
		First: c.first, RequestID: c.by.RequestID, Reason: a.Said, Data: payout.ReturnedPayout{Amount: a.Returned}})
	return err
}
