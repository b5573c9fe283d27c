package models

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/money"
)

// What may be done to a customer's balance: credit it, claw back from it, take
// from it. All three go through here, under a lock per customer, so that at any
// moment a customer either has dollars to spend or owes us some, never both. A
// transaction that touches two customers does so in the order of their ids.

// lockCustomer keeps every other change of a customer's standing and balance
// waiting until the transaction ends.
func (db *DB) lockCustomer(ctx context.Context, userID string) error {
	if err := db.lockKey(ctx, "customer:"+userID); err != nil {
		return fmt.Errorf("lock customer: %w", err)
	}
	return nil
}

// creditBalance books lines that credit a customer's balance; whatever the
// customer owes us is paid from the credit at once. netted is how much that was.
// Lines that credit something else are booked and net nothing. Every credit passes
// here, and so the guard of closed accounts (strand).
func (db *DB) creditBalance(ctx context.Context, about StoredPosting, userID string, lines ...Posting) (netted money.Units, err error) {
	have, err := db.holdUnderLock(ctx, userID)
	if err != nil {
		return netted, err
	}
	from := CustomerBalance(userID)
	closed, err := db.closed(ctx, userID)
	if err != nil {
		return netted, err
	}
	if closed {
		from = AccountClosed
		if lines, err = db.strand(ctx, about, userID, have.Receivable, lines); err != nil {
			return netted, err
		}
	}
	if err := db.postAbout(ctx, about, lines); err != nil {
		return netted, err
	}
	var credited money.Units
	for _, line := range lines {
		if line.From == from && line.Currency == money.USD {
			credited = credited.Add(line.Amount)
		}
	}
	netted = have.Receivable.Min(credited)
	about.Event, about.GroupKey = "debt_paid", about.GroupKey+":netted"
	return netted, db.postAbout(ctx, about, NettedPostings(userID, from, netted))
}

// clawBack takes an amount back from a customer: what there is of it from their
// balance, or from what waits to be sent back to a closed account, and the rest becomes
// what they owe us. to is the account it goes back
// to, the one that bore the credit. owed is the part that was not there.
func (db *DB) clawBack(ctx context.Context, about StoredPosting, userID, to string, amount money.Units) (owed money.Units, err error) {
	have, err := db.holdUnderLock(ctx, userID)
	if err != nil {
		return owed, err
	}
	closed, err := db.closed(ctx, userID)
	if err != nil {
		return owed, err
	}
	rest := amount
	if closed {
		if rest, err = db.takeStranded(ctx, userID, about.OrderID, amount); err != nil {
			return owed, err
		}
	}
	there := have.Balance.Min(rest)
	lines := append(ClawedBackPostings(userID, to, there, rest.Sub(there)), Posting{From: to, To: AccountClosed, Currency: money.USD, Amount: amount.Sub(rest)})
	return rest.Sub(there), db.postAbout(ctx, about, lines)
}

// takeFromBalance books lines that take from a customer's balance, as much as
// there is at most; more is refused with Conflict.
func (db *DB) takeFromBalance(ctx context.Context, about StoredPosting, userID string, lines ...Posting) error {
	if _, err := db.holdUnderLock(ctx, userID); err != nil {
		return err
	}
	return db.postAbout(ctx, about, lines)
}

// holdUnderLock reads what a customer has and owes, which nobody else can change
// until the transaction ends.
func (db *DB) holdUnderLock(ctx context.Context, userID string) (Holdings, error) {
	if !db.inTx() {
		return Holdings{}, fmt.Errorf("a balance only changes in the transaction of what changes it")
	}
	if err := db.lockCustomer(ctx, userID); err != nil {
		return Holdings{}, err
	}
	if err := db.OpenCustomerAccounts(ctx, userID); err != nil {
		return Holdings{}, err
	}
	return db.HoldingsOf(ctx, userID)
}

// credit is creditBalance for what an order credits to its customer.
func (c *OrderChange) credit(event, group string, lines ...Posting) error {
	about := StoredPosting{Event: event, GroupKey: "order:" + c.Order.ID + ":" + group, OrderID: &c.Order.ID}
	_, err := c.tx.creditBalance(c.ctx, about, c.Order.UserID, lines...)
	return err
}
