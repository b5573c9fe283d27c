package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/money"
)

// The ledger as staff read it: balances at any moment, and postings. None of it
// sums up what is longer than a snapshot's distance (rollup.go).

// customersAccounts are all customers' accounts of a kind, which are one to who
// reads the books.
const customersAccounts = "customers:"

// Statement is every account's balance at a moment; all customers' accounts of
// a kind are one.
func (db *DB) Statement(ctx context.Context, at time.Time) ([]AccountTotal, error) {
	var totals []AccountTotal
	err := db.customPlans(ctx).Raw(tailSQL+`
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

// tailSQL finds the last snapshot that holds nothing later than a moment, and
// what was booked after it until then. How far behind or ahead of their numbers
// the times of postings can be says migration 00039.
const tailSQL = `WITH base AS (SELECT through_id, max_at FROM ledger_snapshots WHERE max_at <= @at ORDER BY max_at DESC, through_id DESC LIMIT 1),
		beyond AS (SELECT through_id FROM ledger_snapshots WHERE max_at > CAST(@at AS timestamptz) + interval '10 minutes' ORDER BY max_at, through_id LIMIT 1),
		tail AS (SELECT from_account, to_account, currency, amount FROM postings
		  WHERE id > coalesce((SELECT through_id FROM base), 0) AND id <= coalesce((SELECT through_id FROM beyond), 9223372036854775807) AND at <= @at)`

// BalanceAt is the balance of one account in one currency at a moment. Of a
// customer's own account it adds up what they ever did.
func (db *DB) BalanceAt(ctx context.Context, account string, currency money.Currency, at time.Time) (money.Units, error) {
	sql := tailSQL + `SELECT coalesce((SELECT balance FROM ledger_snapshot_balances WHERE through_id = (SELECT through_id FROM base) AND account = @account AND currency = @currency), 0)
		+ coalesce((SELECT sum(amount) FROM tail WHERE to_account = @account AND currency = @currency), 0)
		- coalesce((SELECT sum(amount) FROM tail WHERE from_account = @account AND currency = @currency), 0)`
	if strings.HasPrefix(account, "customer:") {
		sql = `SELECT coalesce((SELECT sum(amount) FROM postings WHERE to_account = @account AND currency = @currency AND at <= @at), 0)
			- coalesce((SELECT sum(amount) FROM postings WHERE from_account = @account AND currency = @currency AND at <= @at), 0)`
	}
	var balance money.Units
	err := db.customPlans(ctx).Raw(sql, map[string]any{"account": account, "currency": currency, "at": at}).Row().Scan(&balance)
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
func (db *DB) LedgerAccount(ctx context.Context, code string) (*BookAccount, error) {
	var account BookAccount
	err := db.orm(ctx).Table("accounts").Where("code = ?", code).Take(&account).Error
	if isMissing(err) {
		return nil, NotFound("Account")
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
	Object   string     // the order, gift card or matter they are about
	From, To *time.Time // To is not in it any more
}

// Postings is one page of the ledger, newest first: each walk of one index reads
// the page's length, and the newest of them all are the page.
func (db *DB) Postings(ctx context.Context, f *PostingFilter, after *NumberCursor, limit int) ([]StoredPosting, *NumberCursor, error) {
	query := "SELECT * FROM (?) a ORDER BY id DESC LIMIT ?"
	var arms []any
	for _, walk := range f.walks(db.orm(ctx)) {
		walk = numbered(walk, "postings", f.From, f.To)
		if after != nil {
			walk = walk.Where("postings.id < ?", int64(*after))
		}
		arms = append(arms, walk.Order("postings.id DESC").Limit(limit+1))
	}
	query = strings.Replace(query, "(?)", "("+strings.Repeat("(?) UNION ALL ", len(arms)-1)+"(?))", 1)
	var rows []StoredPosting
	if err := db.customPlans(ctx).Raw(query, append(arms, limit+1)...).Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list postings: %w", err)
	}
	rows, next := cutAt(rows, limit, func(p *StoredPosting) int64 { return p.ID })
	return rows, next, nil
}

// cutAt drops the extra row and says where the next page begins.
func cutAt[T any](rows []T, limit int, id func(*T) int64) ([]T, *NumberCursor) {
	if len(rows) <= limit {
		return rows, nil
	}
	rows = rows[:limit]
	next := NumberCursor(id(&rows[limit-1]))
	return rows, &next
}

// walks are the walks that a page is read by: of an account what went in and
// what went out, of an object by what kind of object it may be.
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

// numbered narrows rows of a table that is only added to by a period of time,
// found by numbers, so that a walk by numbers does not begin or end elsewhere.
// How far times can be from the order of numbers says migration 00039.
func numbered(query *gorm.DB, table string, from, to *time.Time) *gorm.DB {
	if from != nil {
		query = query.Where(table+".at >= ? AND "+table+".id > coalesce((SELECT id FROM "+table+" WHERE at < CAST(? AS timestamptz) - interval '10 minutes' ORDER BY at DESC LIMIT 1), 0)", *from, *from)
	}
	if to != nil {
		query = query.Where(table+".at < ? AND "+table+".id < coalesce((SELECT id FROM "+table+" WHERE at > CAST(? AS timestamptz) + interval '10 minutes' ORDER BY at LIMIT 1), 9223372036854775807)", *to, *to)
	}
	return query
}

// EachPosting calls fn with every posting the filter lets through, newest first,
// a page at a time.
func (db *DB) EachPosting(ctx context.Context, f *PostingFilter, fn func(*StoredPosting) error) error {
	return eachPage(func(after *NumberCursor) ([]StoredPosting, *NumberCursor, error) {
		return db.Postings(ctx, f, after, exportPage)
	}, fn)
}

// PostingEvents are the events there are postings of, each found by one look.
func (db *DB) PostingEvents(ctx context.Context) ([]string, error) {
	return db.distinct(ctx, "postings", "event")
}

// distinct lists the values of an indexed column of few values: from each it
// goes on to the next greater one.
func (db *DB) distinct(ctx context.Context, table, column string) ([]string, error) {
	var values []string
	err := db.orm(ctx).Raw(strings.NewReplacer("$t", table, "$c", column).Replace(`WITH RECURSIVE v AS (
		(SELECT $c FROM $t ORDER BY $c LIMIT 1)
		UNION ALL SELECT (SELECT $c FROM $t WHERE $c > v.$c ORDER BY $c LIMIT 1) FROM v WHERE v.$c IS NOT NULL)
		SELECT $c FROM v WHERE $c IS NOT NULL`)).Scan(&values).Error
	if err != nil {
		return nil, fmt.Errorf("list what %s there are: %w", column, err)
	}
	return values, nil
}

// IsAccountOfAll reports whether a name stands for all customers' accounts of a
// kind.
func IsAccountOfAll(code string) bool {
	return strings.HasPrefix(code, customersAccounts)
}

// AuditFilter narrows the audit log. Empty fields do not narrow.
type AuditFilter struct {
	Actor    string // who did it; "system" for what nobody did
	Action   string
	Kind     string // of the object
	Object   string // its id
	From, To *time.Time
}

// AuditLine is a line of the audit log, as it is read.
type AuditLine struct {
	ID            int64
	At            time.Time
	ActorID       *string
	ActorRole     string
	Action        string
	ObjectKind    string
	ObjectID      string
	Before, After []byte // JSON objects, or nothing
	Reason        string
	RequestID     string
	// Email and names of the actor, until they are erased.
	Email, FirstName, LastName string
	// ObjectName is the object's reference, or whose account it is.
	ObjectName string
}

// ActorName is what the actor is called; nothing for the system.
func (a *AuditLine) ActorName() string {
	if a.ActorID == nil || a.Email == "" {
		return ""
	}
	return personName(a.FirstName, a.LastName, a.Email)
}

// auditObjectName is what people call an object of the log, looked up for the
// lines of a page alone.
const auditObjectName = `CASE WHEN a.object_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN ''
	WHEN a.object_kind IN ('user', 'kyc', 'team') THEN coalesce((SELECT coalesce(nullif(trim(first_name || ' ' || last_name), ''), email) FROM users WHERE id = a.object_id::uuid), '')
	ELSE coalesce(CASE a.object_kind
	WHEN 'order' THEN (SELECT reference FROM orders WHERE id = a.object_id::uuid)
	WHEN 'gift_card' THEN (SELECT reference FROM gift_cards WHERE id = a.object_id::uuid)
	WHEN 'payout' THEN (SELECT reference FROM payouts WHERE id = a.object_id::uuid)
	WHEN 'ticket' THEN (SELECT reference FROM tickets WHERE id = a.object_id::uuid)
	WHEN 'voucher' THEN (SELECT coalesce((SELECT reference FROM vouchers WHERE id = a.object_id::uuid), (SELECT reference FROM voucher_redemptions WHERE id = a.object_id::uuid)))
	WHEN 'referral' THEN (SELECT reference FROM rewards WHERE id = a.object_id::uuid)
	WHEN 'treasury_move' THEN (SELECT reference FROM treasury_moves WHERE id = a.object_id::uuid)
	WHEN 'two_factor' THEN (SELECT reference FROM two_factor_recoveries WHERE id = a.object_id::uuid)
	WHEN 'data_export' THEN (SELECT reference FROM data_exports WHERE id = a.object_id::uuid)
	WHEN 'account_closure' THEN (SELECT reference FROM account_closures WHERE id = a.object_id::uuid)
	WHEN 'unplaced_money' THEN (SELECT bank_reference FROM unplaced_money WHERE id = a.object_id::uuid)
	WHEN 'stranded_credit' THEN (SELECT o.reference FROM stranded_credits c JOIN orders o ON o.id = c.order_id WHERE c.id = a.object_id::uuid)
	WHEN 'break' THEN (SELECT holder || ' ' || key FROM reconciliation_breaks WHERE id = a.object_id::uuid)
	WHEN 'voucher_batch' THEN left(a.object_id, 8)
	END, '') END`

// AuditLog is one page of the audit log, newest first.
func (db *DB) AuditLog(ctx context.Context, f *AuditFilter, after *NumberCursor, limit int) ([]AuditLine, *NumberCursor, error) {
	query := numbered(db.orm(ctx).Table("audit_log").Select("audit_log.*"), "audit_log", f.From, f.To)
	switch {
	case f.Actor == "system":
		query = query.Where("audit_log.actor_id IS NULL")
	case f.Actor != "":
		query = query.Where("audit_log.actor_id = ?", f.Actor)
	}
	for column, value := range map[string]string{"action": f.Action, "object_kind": f.Kind, "object_id": f.Object} {
		if value != "" {
			query = query.Where("audit_log."+column+" = ?", value)
		}
	}
	if after != nil {
		query = query.Where("audit_log.id < ?", int64(*after))
	}
	var rows []AuditLine
	err := db.customPlans(ctx).Raw(`SELECT a.*, u.email, u.first_name, u.last_name, `+auditObjectName+` AS object_name FROM (?) a
		LEFT JOIN users u ON u.id = a.actor_id ORDER BY a.id DESC`, query.Order("audit_log.id DESC").Limit(limit+1)).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("list the audit log: %w", err)
	}
	rows, next := cutAt(rows, limit, func(a *AuditLine) int64 { return a.ID })
	return rows, next, nil
}

// EachAuditLine calls fn with every line the filter lets through, newest first.
func (db *DB) EachAuditLine(ctx context.Context, f *AuditFilter, fn func(*AuditLine) error) error {
	return eachPage(func(after *NumberCursor) ([]AuditLine, *NumberCursor, error) {
		return db.AuditLog(ctx, f, after, exportPage)
	}, fn)
}

// AuditWords are the actions and the kinds of objects there are lines of.
func (db *DB) AuditWords(ctx context.Context) (actions, kinds []string, err error) {
	if actions, err = db.distinct(ctx, "audit_log", "action"); err != nil {
		return nil, nil, err
	}
	kinds, err = db.distinct(ctx, "audit_log", "object_kind")
	return actions, kinds, err
}

// validObject refuses what is no id before Postgres does.
func validObject(id string) error {
	if id != "" && !IsID(id) {
		return Invalid("object", "bad_id", "Enter the UUID of an order, a gift card or another item")
	}
	return nil
}

// Check refuses a filter that names what cannot be.
func (f *PostingFilter) Check() error {
	if IsAccountOfAll(f.Account) {
		return Invalid("account", "account_of_all", "This is the total of all customer accounts. Choose one customer's account.")
	}
	return validObject(f.Object)
}
