package ledger

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// What may be done to a customer's balance: credit it, claw back from it, debit it. All three are here, under a lock
// per customer, so that at any moment a customer either has dollars to spend or owes us some, never both. A
// transaction that touches two customers does so in the order of their ids.

// LockCustomer keeps every other change of a customer's standing and balance
// waiting until the transaction ends.
func LockCustomer(ctx context.Context, db *store.DB, userID string) error {
	if err := db.LockKey(ctx, "customer:"+userID); err != nil {
		return fmt.Errorf("lock customer: %w", err)
	}
	return nil
}

// CreditBalance books lines that credit a customer's balance; whatever the
// customer owes us is paid from the credit at once. netted is how much that was.
// Lines that credit something else are booked and net nothing. Every credit passes
// here, and so the guard of closed accounts (strand).
func CreditBalance(ctx context.Context, db *store.DB, about StoredPosting, userID string, lines ...Posting) (netted money.Units, err error) {
	have, err := HoldUnderLock(ctx, db, userID)
	if err != nil {
		return netted, err
	}
	from := CustomerBalance(userID)
	closed, err := closed(ctx, db, userID)
	if err != nil {
		return netted, err
	}
	if closed {
		from = AccountClosed
		if lines, err = strand(ctx, db, about, userID, have.Receivable, lines); err != nil {
			return netted, err
		}
	}
	if err := PostAbout(ctx, db, about, lines); err != nil {
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
	return netted, PostAbout(ctx, db, about, NettedPostings(userID, from, netted))
}

// ClawBack reverses a credit of a customer: what is left of it comes out of their balance, or out of what waits to be
// sent back to a closed account, and the rest becomes a debt to us. to is the account that bore the credit; owed is
// the part that became a debt.
func ClawBack(ctx context.Context, db *store.DB, about StoredPosting, userID, to string, amount money.Units) (owed money.Units, err error) {
	have, err := HoldUnderLock(ctx, db, userID)
	if err != nil {
		return owed, err
	}
	closed, err := closed(ctx, db, userID)
	if err != nil {
		return owed, err
	}
	rest := amount
	if closed {
		if rest, err = TakeStranded(ctx, db, userID, about.OrderID, amount); err != nil {
			return owed, err
		}
	}
	there := have.Balance.Min(rest)
	lines := append(ClawedBackPostings(userID, to, there, rest.Sub(there)), Posting{From: to, To: AccountClosed, Currency: money.USD, Amount: amount.Sub(rest)})
	return rest.Sub(there), PostAbout(ctx, db, about, lines)
}

// TakeFromBalance books lines that debit a customer's balance, up to what it holds; more is refused with Conflict.
func TakeFromBalance(ctx context.Context, db *store.DB, about StoredPosting, userID string, lines ...Posting) error {
	if _, err := HoldUnderLock(ctx, db, userID); err != nil {
		return err
	}
	return PostAbout(ctx, db, about, lines)
}

// HoldUnderLock reads what a customer has and owes, locked until the transaction ends.
func HoldUnderLock(ctx context.Context, db *store.DB, userID string) (Holdings, error) {
	if !db.InTx() {
		return Holdings{}, fmt.Errorf("a balance only changes in the transaction of what changes it")
	}
	if err := LockCustomer(ctx, db, userID); err != nil {
		return Holdings{}, err
	}
	if err := OpenCustomerAccounts(ctx, db, userID); err != nil {
		return Holdings{}, err
	}
	return HoldingsOf(ctx, db, userID)
}
