package treasury

import (
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
)

// A move is one amount that leaves the exchange, and that less its fee which arrives. When either is reported
// otherwise, nothing is booked automatically: the move waits, in the queue and under its alert, for a person who
// accepts the amount after checking both places, or has them read again.

// differs puts an amount that was not expected before a person.
func (c *MoveChange) differs(amount money.Units) error {
	if err := c.become(MoveDiffers); err != nil {
		return err
	}
	code := "amount_differs"
	c.Move.Differing, c.Move.Problem, c.Move.WakeAt = &amount, &code, nil
	return c.event("differs", nil, map[string]any{"code": code, "amount": c.Move.Asset.Format(amount)})
}

// accept accepts the reported amount. What left the exchange is corrected in the books, and its coin is followed on;
// what arrived ends the move, and the rest was the exchange's fee, or what it sent beyond it.
func (c *MoveChange) accept() error {
	m, amount := c.Move, *c.Move.Differing
	m.Differing, m.Problem = nil, nil
	if m.SettledAt != nil {
		return c.arrive(*m.ReceiptID, amount)
	}
	if err := c.become(MoveSent); err != nil {
		return err
	}
	corrected := ledger.MovedPostings(ledger.AccountExchange, InTransitAccount(m.Network), m.Asset, m.Amount.Sub(amount))
	m.Amount = amount
	return c.book("treasury_move_corrected", "corrected:"+amount.String(), corrected...)
}

// recheck has both places read again.
func (c *MoveChange) recheck() error {
	c.Move.Differing, c.Move.Problem, c.Move.ReceiptID = nil, nil, nil
	return c.become(MoveSent)
}

// arrive books coin that is in the wallet, and ends the move.
func (c *MoveChange) arrive(receiptID string, arrived money.Units) error {
	m := c.Move
	if err := c.become(MoveArrived); err != nil {
		return err
	}
	m.Arrived, m.ReceiptID, m.ArrivedAt, m.Problem = &arrived, &receiptID, &c.Now, nil
	if err := c.book("treasury_move_arrived", "arrived", MoveArrivedPostings(m, arrived)...); err != nil {
		return err
	}
	return c.event("arrived", nil, map[string]any{"amount": m.Asset.Format(arrived)})
}
