package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// TailSQL finds the last snapshot that holds nothing later than a moment, and
// what was booked after it until then. How far behind or ahead of their numbers
// the times of postings can be says migration 00039.
const TailSQL = `WITH base AS (SELECT through_id, max_at FROM ledger_snapshots WHERE max_at <= @at ORDER BY max_at DESC, through_id DESC LIMIT 1),
		beyond AS (SELECT through_id FROM ledger_snapshots WHERE max_at > CAST(@at AS timestamptz) + interval '10 minutes' ORDER BY max_at, through_id LIMIT 1),
		tail AS (SELECT from_account, to_account, currency, amount FROM postings
		  WHERE id > coalesce((SELECT through_id FROM base), 0) AND id <= coalesce((SELECT through_id FROM beyond), 9223372036854775807) AND at <= @at)`

// CutAt drops the extra row and says where the next page begins.
func CutAt[T any](rows []T, limit int, id func(*T) int64) ([]T, *store.NumberCursor) {
	if len(rows) <= limit {
		return rows, nil
	}
	rows = rows[:limit]
	next := store.NumberCursor(id(&rows[limit-1]))
	return rows, &next
}

// Numbered narrows rows of a table that is only added to by a period of time,
// found by numbers, so that a walk by numbers does not begin or end elsewhere.
// How far times can be from the order of numbers says migration 00039.
func Numbered(query *gorm.DB, table string, from, to *time.Time) *gorm.DB {
	if from != nil {
		query = query.Where(table+".at >= ? AND "+table+".id > coalesce((SELECT id FROM "+table+" WHERE at < CAST(? AS timestamptz) - interval '10 minutes' ORDER BY at DESC LIMIT 1), 0)", *from, *from)
	}
	if to != nil {
		query = query.Where(table+".at < ? AND "+table+".id < coalesce((SELECT id FROM "+table+" WHERE at > CAST(? AS timestamptz) + interval '10 minutes' ORDER BY at LIMIT 1), 9223372036854775807)", *to, *to)
	}
	return query
}

// Distinct lists the values of an indexed column of few valuesby a loose index scan: from each to the next greater
// one.
func Distinct(ctx context.Context, db *store.DB, table, column string) ([]string, error) {
	var values []string
	err := db.ORM(ctx).Raw(strings.NewReplacer("$t", table, "$c", column).Replace(`WITH RECURSIVE v AS (
		(SELECT $c FROM $t ORDER BY $c LIMIT 1)
		UNION ALL SELECT (SELECT $c FROM $t WHERE $c > v.$c ORDER BY $c LIMIT 1) FROM v WHERE v.$c IS NOT NULL)
		SELECT $c FROM v WHERE $c IS NOT NULL`)).Scan(&values).Error
	if err != nil {
		return nil, fmt.Errorf("list what %s there are: %w", column, err)
	}
	return values, nil
}

// AuditFilter narrows the audit log. Empty fields do not narrow.
type AuditFilter struct {
	Actor    string // the actor; "system" when no person acted
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
	// Receipt is a JSON object of the money that was confirmed, as its decision has it.
	Receipt []byte
}

// ActorName is what the actor is called; nothing for the system.
func (a *AuditLine) ActorName() string {
	if a.ActorID == nil || a.Email == "" {
		return ""
	}
	return people.PersonName(a.FirstName, a.LastName, a.Email)
}

// auditObjectName is what people call an object of the log, read for the lines of a page alone.
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
	WHEN 'alert' THEN (SELECT replace(kind, '_', ' ') || ' ' || subject FROM alerts WHERE id = a.object_id::uuid)
	WHEN 'voucher_batch' THEN left(a.object_id, 8)
	END, '') END`

// auditReceipt is what a confirmed receipt was about. The log holds the decision's id alone.
const auditReceipt = `CASE WHEN a.action = 'order.confirm_receipt' THEN (SELECT jsonb_build_object(
	'amount', CAST(CAST(CAST(d.data->>'amount' AS numeric) / 100 AS numeric(20, 2)) AS text),
	'bank_reference', d.data->>'bankReference', 'received_on', d.data->>'receivedOn')
	FROM decisions d WHERE d.id = CAST(a.after->>'decision' AS uuid)) END`

// AuditLog is one page of the audit log, newest first.
func AuditLog(ctx context.Context, db *store.DB, f *AuditFilter, after *store.NumberCursor, limit int) ([]AuditLine, *store.NumberCursor, error) {
	query := Numbered(db.ORM(ctx).Table("audit_log").Select("audit_log.*"), "audit_log", f.From, f.To)
	switch {
	case f.Actor == "system":
		query = query.Where("audit_log.actor_id IS NULL")
	case f.Actor != "":
		ids, err := named(ctx, db, actorsNamed, strings.TrimSpace(f.Actor))
		if err != nil {
			return nil, nil, err
		}
		query = query.Where("audit_log.actor_id IN (?)", slices.DeleteFunc(ids, func(id string) bool { return !store.IsID(id) }))
	}
	if f.Object != "" {
		ids, err := named(ctx, db, objectsNamed, strings.TrimSpace(f.Object))
		if err != nil {
			return nil, nil, err
		}
		query = query.Where("audit_log.object_id IN (?)", ids)
	}
	for column, value := range map[string]string{"action": f.Action, "object_kind": f.Kind} {
		if value != "" {
			query = query.Where("audit_log."+column+" = ?", value)
		}
	}
	if after != nil {
		query = query.Where("audit_log.id < ?", int64(*after))
	}
	var rows []AuditLine
	err := db.CustomPlans(ctx).Raw(`SELECT a.*, u.email, u.first_name, u.last_name, `+auditObjectName+` AS object_name,
		`+auditReceipt+` AS receipt FROM (?) a
		LEFT JOIN users u ON u.id = a.actor_id ORDER BY a.id DESC`, query.Order("audit_log.id DESC").Limit(limit+1)).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("list the audit log: %w", err)
	}
	rows, next := CutAt(rows, limit, func(a *AuditLine) int64 { return a.ID })
	return rows, next, nil
}

// EachAuditLine calls fn with every line that matches the filter, newest first.
func EachAuditLine(ctx context.Context, db *store.DB, f *AuditFilter, fn func(*AuditLine) error) error {
	return store.EachPage(func(after *store.NumberCursor) ([]AuditLine, *store.NumberCursor, error) {
		return AuditLog(ctx, db, f, after, store.ExportPage)
	}, fn)
}

// AuditWords are the actions and the kinds of objects there are lines of.
func AuditWords(ctx context.Context, db *store.DB) (actions, kinds []string, err error) {
	if actions, err = Distinct(ctx, db, "audit_log", "action"); err != nil {
		return nil, nil, err
	}
	kinds, err = Distinct(ctx, db, "audit_log", "object_kind")
	return actions, kinds, err
}
