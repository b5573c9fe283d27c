package correction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
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

func (*Journal) kind() string { return "journal" }

func (*Journal) subject() string { return "" }

func (*Journal) stops(context.Context, *store.DB) (string, error) { return "", nil }

// execute books the lines, which are balanced by construction. A balance that may not change its sign keeps it, or the
// whole journal is refused.
func (a *Journal) execute(c *moneyChange) error {
	if n := len(a.Lines); n == 0 || n > journalLinesMost {
		return store.Invalid("lines", "bad_lines", fmt.Sprintf("Enter between 1 and %d lines", journalLinesMost))
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
		about := ledger.StoredPosting{Event: "journal", GroupKey: fmt.Sprintf("journal:%s:%d", c.id, i+1)}
		posting := ledger.Posting(line)
		var err error
		switch {
		case customerOf(line.From) != "":
			if err = c.attest(dualcontrol.Credit, customerOf(line.From), dualcontrol.Ref{Kind: "journal_line", ID: about.GroupKey}, line.Amount); err != nil {
				return err
			}
			_, err = ledger.CreditBalance(c.ctx, c.tx, about, customerOf(line.From), posting)
		case customerOf(line.To) != "":
			err = ledger.TakeFromBalance(c.ctx, c.tx, about, customerOf(line.To), posting)
		default:
			err = ledger.PostAbout(c.ctx, c.tx, about, []ledger.Posting{posting})
		}
		if err != nil {
			return err
		}
	}
	return c.keptSides(a)
}

// customerOf is whose balance an account is; "" of a platform account.
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
		return store.Invalid("lines", "bad_currency", "Choose a currency")
	}
	if line.Amount.Sign() <= 0 {
		return store.Invalid("lines", "bad_amount", "Enter amounts above zero")
	}
	if line.From == line.To || customerOf(line.From) != "" && customerOf(line.To) != "" {
		return store.Invalid("lines", "same_account", "Choose two different accounts, one of them a house account")
	}
	for _, account := range []string{line.From, line.To} {
		if err := c.checkAccount(account, line.Currency); err != nil {
			return err
		}
	}
	return nil
}

// checkAccount refuses what a journal does not touch: customers' other accounts, and accounts that their own cases
// keep.
func (c *moneyChange) checkAccount(account string, currency money.Currency) error {
	if id := customerOf(account); id != "" {
		if currency != money.USD {
			return store.Invalid("lines", "dollars_only", "This account holds dollars only")
		}
		return mayBeCredited(c.ctx, c.tx, id, c.by.ActorID, "lines")
	}
	var own bool
	if err := c.tx.Row(c.ctx, "SELECT EXISTS (SELECT FROM accounts WHERE code = $1 AND user_id IS NULL)", account).Scan(&own); err != nil {
		return fmt.Errorf("look for account: %w", err)
	}
	switch {
	case !own || keepsCases(account):
		return store.Invalid("lines", "unknown_account", "This account doesn't allow manual entries")
	case currency != money.USD && slices.Contains(ledger.DollarAccounts, account):
		return store.Invalid("lines", "dollars_only", "This account holds dollars only")
	}
	return nil
}

// cased are accounts of which each amount belongs to a row: to an order, a case, a
// card or a voucher. Those are their only doors, or the rows would say other than the
// account.
var cased = []string{ledger.AccountUnplaced, ledger.AccountClosed, ledger.AccountPrepaid, ledger.AccountVouchers, ledger.AccountGiftCards}

func keepsCases(account string) bool {
	return slices.Contains(cased, account) || strings.HasPrefix(account, ledger.ReservedAccount(""))
}

// ofNoOrder is what of unallocated receipts no order waits with: what breaks and
// journals booked there. That alone is moved by hand.
func ofNoOrder(ctx context.Context, db *store.DB) (sum money.Units, err error) {
	err = db.Row(ctx, `SELECT coalesce(sum(CASE to_account WHEN $1 THEN amount ELSE -amount END), 0) FROM postings
		WHERE $1 IN (from_account, to_account) AND currency = 'USD' AND order_id IS NULL`, ledger.AccountUnallocated).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum unallocated receipts of no order: %w", err)
	}
	return sum, nil
}

// lockAccounts serializes the journal with comparisons of a wallet with its commitments, and with other changes of
// the customers' balances.
func (c *moneyChange) lockAccounts(a *Journal) error {
	var own, customers []string
	for _, line := range a.Lines {
		for _, account := range []string{line.From, line.To} {
			if id := customerOf(account); id != "" {
				customers = append(customers, id)
			} else {
				own = append(own, account+":"+string(line.Currency))
			}
		}
	}
	slices.Sort(own)
	slices.Sort(customers)
	for _, name := range slices.Compact(own) {
		if err := c.tx.LockKey(c.ctx, name); err != nil {
			return fmt.Errorf("lock account: %w", err)
		}
	}
	for _, id := range slices.Compact(customers) {
		if err := ledger.LockCustomer(c.ctx, c.tx, id); err != nil {
			return err
		}
	}
	return nil
}

// keptSides refuses a journal that leaves a protected account on its wrong side.
func (c *moneyChange) keptSides(a *Journal) error {
	for _, line := range a.Lines {
		for _, account := range []string{line.From, line.To} {
			total := ledger.AccountTotal{Account: account, Currency: line.Currency}
			if err := c.tx.Row(c.ctx, "SELECT kind, protected FROM accounts WHERE code = $1", account).Scan(&total.Kind, &total.Protected); err != nil {
				return fmt.Errorf("read account: %w", err)
			}
			var err error
			if account == ledger.AccountUnallocated {
				total.Balance, err = ofNoOrder(c.ctx, c.tx)
			} else {
				total.Balance, err = ledger.AccountBalance(c.ctx, c.tx, account, line.Currency)
			}
			if err != nil {
				return err
			}
			if total.OnWrongSide() {
				return store.Conflict("wrong_side", "This would leave "+account+" below zero")
			}
		}
	}
	return nil
}
