package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// The ledger as staff read it: balances at any moment, and postings. No query sums up more than a snapshot's distance
// (rollup.go).

// customersAccounts are all customers' accounts of a kind, which are one to who
// reads the books.
const customersAccounts = "customers:"

// Statement is every account's balance at a moment; all customers' accounts of
// a kind are one.
func Statement(ctx context.Context, db *store.DB, at time.Time) ([]AccountTotal, error) {
	var totals []AccountTotal
	err := db.CustomPlans(ctx).Raw(audit.TailSQL+`
		SELECT m.account, coalesce(a.kind, CASE m.account WHEN 'customers:receivable' THEN 'asset' ELSE 'liability' END) AS kind, coalesce(a.protected, true) AS protected,
		       m.currency, sum(m.amount) AS balance
		  FROM (SELECT account, currency, balance AS amount FROM ledger_snapshot_balances WHERE through_id = (SELECT through_id FROM base)
		        UNION ALL SELECT ledger_account(to_account), currency, amount FROM tail
		        UNION ALL SELECT ledger_account(from_account), currency, -amount FROM tail) m
		  LEFT JOIN accounts a ON a.code = m.account GROUP BY m.account, a.kind, a.protected, m.currency ORDER BY m.account, m.currency`, map[string]any{"at": at}).Scan(&totals).Error
	if err != nil {
		return nil, fmt.Errorf("read balances at a moment: %w", err)
	}
	return totals, nil
}

// BalanceAt is the balance of one account in one currency at a moment. A customer's own account is summed up from its
// first posting.
func BalanceAt(ctx context.Context, db *store.DB, account string, currency money.Currency, at time.Time) (money.Units, error) {
	sql := audit.TailSQL + `SELECT coalesce((SELECT balance FROM ledger_snapshot_balances WHERE through_id = (SELECT through_id FROM base) AND account = @account AND currency = @currency), 0)
		+ coalesce((SELECT sum(amount) FROM tail WHERE to_account = @account AND currency = @currency), 0)
		- coalesce((SELECT sum(amount) FROM tail WHERE from_account = @account AND currency = @currency), 0)`
	if strings.HasPrefix(account, "customer:") {
		sql = `SELECT coalesce((SELECT sum(amount) FROM postings WHERE to_account = @account AND currency = @currency AND at <= @at), 0)
			- coalesce((SELECT sum(amount) FROM postings WHERE from_account = @account AND currency = @currency AND at <= @at), 0)`
	}
	var balance money.Units
	err := db.CustomPlans(ctx).Raw(sql, map[string]any{"account": account, "currency": currency, "at": at}).Row().Scan(&balance)
	if err != nil {
		return money.Units{}, fmt.Errorf("read the balance of %s at a moment: %w", account, err)
	}
	return balance, nil
}

// BookAccount is one of the ledger's accounts.
type BookAccount struct {
	Code      string `gorm:"primaryKey"`
	Kind      string
	UserID    *string
	Protected bool
}

// LedgerAccount reads an account; one that is not there is not found.
func LedgerAccount(ctx context.Context, db *store.DB, code string) (*BookAccount, error) {
	var account BookAccount
	err := db.ORM(ctx).Table("accounts").Where("code = ?", code).Take(&account).Error
	if store.IsMissing(err) {
		return nil, store.NotFound("Account")
	}
	if err != nil {
		return nil, fmt.Errorf("read account: %w", err)
	}
	return &account, nil
}

// PostingFilter narrows a list of postings. Empty fields do not narrow.
type PostingFilter struct {
	Account  string // one account, not all customers' of a kind
	Currency money.Currency
	Event    string
	Object   string     // the order, gift card or case they are about
	From, To *time.Time // To is not in it any more
}

// Postings is one page of the ledger, newest first: each walk of one index reads
// the page's length, and the newest of them all are the page.
func Postings(ctx context.Context, db *store.DB, f *PostingFilter, after *store.NumberCursor, limit int) ([]StoredPosting, *store.NumberCursor, error) {
	query := "SELECT * FROM (?) a ORDER BY id DESC LIMIT ?"
	var arms []any
	for _, walk := range f.walks(db.ORM(ctx)) {
		walk = audit.Numbered(walk, "postings", f.From, f.To)
		if after != nil {
			walk = walk.Where("postings.id < ?", int64(*after))
		}
		arms = append(arms, walk.Order("postings.id DESC").Limit(limit+1))
	}
	query = strings.Replace(query, "(?)", "("+strings.Repeat("(?) UNION ALL ", len(arms)-1)+"(?))", 1)
	var rows []StoredPosting
	if err := db.CustomPlans(ctx).Raw(query, append(arms, limit+1)...).Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list postings: %w", err)
	}
	rows, next := audit.CutAt(rows, limit, func(p *StoredPosting) int64 { return p.ID })
	return rows, next, addBankLines(ctx, db, rows)
}

// walks are the walks that a page is read by: of an account its credits and its debits, of an object by what kind of
// object it may be.
func (f *PostingFilter) walks(tx *gorm.DB) (walks []*gorm.DB) {
	base := func() *gorm.DB {
		query := tx.Table("postings").Select("postings.*")
		if f.Currency != "" {
			query = query.Where("postings.currency = ?", f.Currency)
		}
		if f.Event != "" {
			query = query.Where("postings.event = ?", f.Event)
		}
		return query
	}
	switch {
	case f.Object != "":
		for _, column := range []string{"order_id", "gift_card_id", "matter_id"} {
			walk := base().Where("postings."+column+" = ?", f.Object)
			if f.Account != "" {
				walk = walk.Where("(postings.from_account = @account OR postings.to_account = @account)", map[string]any{"account": f.Account})
			}
			walks = append(walks, walk)
		}
	case f.Account != "" && f.Currency == "":
		for _, currency := range append([]money.Currency{money.USD}, money.Assets...) {
			walks = append(walks, base().Where("postings.from_account = ? AND postings.currency = ?", f.Account, currency),
				base().Where("postings.to_account = ? AND postings.currency = ?", f.Account, currency))
		}
	case f.Account != "":
		walks = append(walks, base().Where("postings.from_account = ?", f.Account), base().Where("postings.to_account = ?", f.Account))
	default:
		walks = append(walks, base())
	}
	return walks
}

// EachPosting calls fn with every posting that matches the filter, newest first, a page at a time.
func EachPosting(ctx context.Context, db *store.DB, f *PostingFilter, fn func(*StoredPosting) error) error {
	return store.EachPage(func(after *store.NumberCursor) ([]StoredPosting, *store.NumberCursor, error) {
		return Postings(ctx, db, f, after, store.ExportPage)
	}, fn)
}

// PostingEvents are the events there are postings of, each found by one index lookup.
func PostingEvents(ctx context.Context, db *store.DB) ([]string, error) {
	return audit.Distinct(ctx, db, "postings", "event")
}

// IsAccountOfAll reports whether a name stands for all customers' accounts of a
// kind.
func IsAccountOfAll(code string) bool {
	return strings.HasPrefix(code, customersAccounts)
}

// validObject refuses what is no id before Postgres does.
func validObject(id string) error {
	if id != "" && !store.IsID(id) {
		return store.Invalid("object", "bad_id", "Enter the UUID of an order, a gift card or another item")
	}
	return nil
}

// Check refuses a filter that names what cannot be.
func (f *PostingFilter) Check() error {
	if IsAccountOfAll(f.Account) {
		return store.Invalid("account", "account_of_all", "This is the total of all customer accounts. Choose one customer's account.")
	}
	return validObject(f.Object)
}
