package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/money"
)

// JournalLine moves an amount of one account to another. Amount is base units.
type JournalLine struct {
	From     string         `json:"from"`
	To       string         `json:"to"`
	Currency money.Currency `json:"currency"`
	Amount   money.Units    `json:"amount"`
}

// Journal is a manual entry in the books, for what no other act is there for.
type Journal struct {
	Lines []JournalLine `json:"lines"`
}

const journalLinesMost = 20

func (*Journal) kind() string                               { return "journal" }
func (*Journal) subject() string                            { return "" }
func (*Journal) stops(context.Context, *DB) (string, error) { return "", nil }

// carry books the lines. Balanced they are by construction; what is protected stays
// on its side, or all of it is refused.
func (a *Journal) carry(c *moneyChange) error {
	if n := len(a.Lines); n == 0 || n > journalLinesMost {
		return Invalid("lines", "bad_lines", fmt.Sprintf("Enter between 1 and %d lines", journalLinesMost))
	}
	for _, line := range a.Lines {
		if err := c.checkLine(line); err != nil {
			return err
		}
	}
	if err := c.lockAccounts(a); err != nil {
		return err
	}
	for i, line := range a.Lines {
		about := StoredPosting{Event: "journal", GroupKey: fmt.Sprintf("journal:%s:%d", c.id, i+1)}
		posting := Posting(line)
		var err error
		switch {
		case customerOf(line.From) != "":
			_, err = c.tx.creditBalance(c.ctx, about, customerOf(line.From), posting)
		case customerOf(line.To) != "":
			err = c.tx.takeFromBalance(c.ctx, about, customerOf(line.To), posting)
		default:
			err = c.tx.postAbout(c.ctx, about, []Posting{posting})
		}
		if err != nil {
			return err
		}
	}
	return c.keptSides(a)
}

// customerOf is whose balance an account is; "" of a house account.
func customerOf(account string) string {
	id, ok := strings.CutPrefix(account, "customer:")
	id, balance := strings.CutSuffix(id, ":balance")
	if !ok || !balance {
		return ""
	}
	return id
}

func (c *moneyChange) checkLine(line JournalLine) error {
	if !slices.Contains(append([]money.Currency{money.USD}, money.Assets...), line.Currency) {
		return Invalid("lines", "bad_currency", "Choose a currency")
	}
	if line.Amount.Sign() <= 0 {
		return Invalid("lines", "bad_amount", "Enter amounts above zero")
	}
	if line.From == line.To || customerOf(line.From) != "" && customerOf(line.To) != "" {
		return Invalid("lines", "same_account", "Choose two different accounts, one of them a house account")
	}
	for _, account := range []string{line.From, line.To} {
		if err := c.checkAccount(account, line.Currency); err != nil {
			return err
		}
	}
	return nil
}

// checkAccount refuses what a journal does not touch: customers' other accounts,
// and what its own cases keep.
func (c *moneyChange) checkAccount(account string, currency money.Currency) error {
	if id := customerOf(account); id != "" {
		if currency != money.USD {
			return Invalid("lines", "dollars_only", "This account holds dollars only")
		}
		return c.tx.mayBeCredited(c.ctx, id, c.by.ActorID, "lines")
	}
	var house bool
	if err := c.tx.row(c.ctx, "SELECT EXISTS (SELECT FROM accounts WHERE code = $1 AND user_id IS NULL)", account).Scan(&house); err != nil {
		return fmt.Errorf("look for account: %w", err)
	}
	switch {
	case !house || keepsCases(account):
		return Invalid("lines", "unknown_account", "This account doesn't allow manual entries")
	case currency != money.USD && slices.Contains(dollarAccounts, account):
		return Invalid("lines", "dollars_only", "This account holds dollars only")
	}
	return nil
}

// cased are accounts of which each amount belongs to a row: to an order, a case, a
// card or a voucher. Those are their only doors, or the rows would say other than the
// account.
var cased = []string{AccountUnplaced, AccountClosed, AccountPrepaid, AccountVouchers, AccountGiftCards}

func keepsCases(account string) bool {
	return slices.Contains(cased, account) || strings.HasPrefix(account, ReservedAccount(""))
}

// ofNoOrder is what of unallocated receipts no order waits with: what breaks and
// journals booked there. That alone is moved by hand.
func (db *DB) ofNoOrder(ctx context.Context) (sum money.Units, err error) {
	err = db.row(ctx, `SELECT coalesce(sum(CASE to_account WHEN $1 THEN amount ELSE -amount END), 0) FROM postings
		WHERE $1 IN (from_account, to_account) AND currency = 'USD' AND order_id IS NULL`, AccountUnallocated).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum unallocated receipts of no order: %w", err)
	}
	return sum, nil
}

// lockAccounts has the journal wait for whoever compares a wallet with what it is
// to promise, and for other changes of the customers' balances.
func (c *moneyChange) lockAccounts(a *Journal) error {
	var house, customers []string
	for _, line := range a.Lines {
		for _, account := range []string{line.From, line.To} {
			if id := customerOf(account); id != "" {
				customers = append(customers, id)
			} else {
				house = append(house, account+":"+string(line.Currency))
			}
		}
	}
	slices.Sort(house)
	slices.Sort(customers)
	for _, name := range slices.Compact(house) {
		if err := c.tx.lockKey(c.ctx, name); err != nil {
			return fmt.Errorf("lock account: %w", err)
		}
	}
	for _, id := range slices.Compact(customers) {
		if err := c.tx.lockCustomer(c.ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// keptSides refuses a journal that leaves a protected account on its wrong side.
func (c *moneyChange) keptSides(a *Journal) error {
	for _, line := range a.Lines {
		for _, account := range []string{line.From, line.To} {
			total := AccountTotal{Account: account, Currency: line.Currency}
			if err := c.tx.row(c.ctx, "SELECT kind, protected FROM accounts WHERE code = $1", account).Scan(&total.Kind, &total.Protected); err != nil {
				return fmt.Errorf("read account: %w", err)
			}
			var err error
			if account == AccountUnallocated {
				total.Balance, err = c.tx.ofNoOrder(c.ctx)
			} else {
				total.Balance, err = c.tx.AccountBalance(c.ctx, account, line.Currency)
			}
			if err != nil {
				return err
			}
			if total.OnWrongSide() {
				return Conflict("wrong_side", "This would leave "+account+" below zero")
			}
		}
	}
	return nil
}
