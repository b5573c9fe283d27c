package correction

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// KnownUnplaced is unplaced money with the names beside it and what is proposed.
type KnownUnplaced struct {
	order.UnplacedMoney `gorm:"embedded"`
	Opener              string
	CustomerEmail       string
	OrderReference      string
	FromReference       string
	BeingPlaced         bool
	Surplus             bool // of an order: it is only sent back
	ProposalID          *string
	ProposalKind        string
	ProposalReason      string
	ProposalBy          string
	Proposer            string
	Recalls             []order.Recall `gorm:"-"` // oldest first
}

// Returnable is what the bank can still take back of credited money, in cents; zero of other money.
func (u *KnownUnplaced) Returnable() money.Units {
	if u.Status != order.UnplacedCredited {
		return money.Units{}
	}
	return u.Amount.Sub(order.Recalled(u.Recalls))
}

// readRecalls adds the recalls to cases.
func readRecalls(ctx context.Context, db *store.DB, rows ...*KnownUnplaced) error {
	var ids []string
	for _, row := range rows {
		if row.Status == order.UnplacedCredited {
			ids = append(ids, row.ID)
		}
	}
	recalls, err := order.RecallsOf(ctx, db, ids...)
	for _, row := range rows {
		row.Recalls = recalls[row.ID]
	}
	return err
}

func knownUnplaced(ctx context.Context, db *store.DB) *gorm.DB {
	return db.ORM(ctx).Table("unplaced_money").Select(`unplaced_money.*, u.email AS opener, coalesce(w.email, '') AS customer_email, coalesce(o.reference, '') AS order_reference,
			coalesce(f.reference, '') AS from_reference, d.id IS NOT NULL AND d.settled_at IS NULL AS being_placed,
			s.id IS NOT NULL AS surplus, p.id AS proposal_id, coalesce(p.kind, '') AS proposal_kind,
			coalesce(p.reason, '') AS proposal_reason, coalesce(p.proposed_by::text, '') AS proposal_by, coalesce(m.email, '') AS proposer`).
		Joins("JOIN users u ON u.id = unplaced_money.opened_by").Joins("LEFT JOIN users w ON w.id = unplaced_money.user_id").
		Joins("LEFT JOIN orders o ON o.id = unplaced_money.order_id").Joins("LEFT JOIN orders f ON f.id = unplaced_money.from_order_id").
		Joins("LEFT JOIN decisions d ON d.id = unplaced_money.decision_id").
		Joins("LEFT JOIN surpluses s ON s.unplaced_id = unplaced_money.id").
		Joins("LEFT JOIN money_proposals p ON p.subject_id = unplaced_money.id AND p.status = 'open'").Joins("LEFT JOIN users m ON m.id = p.proposed_by")
}

// UnplacedList is one page of unplaced money, newest first unless the page says
// otherwise.
func UnplacedList(ctx context.Context, db *store.DB, status order.UnplacedStatus, p store.Page) ([]KnownUnplaced, *store.Cursor, error) {
	query := knownUnplaced(ctx, db)
	if status != "" {
		query = query.Where("unplaced_money.status = ?", status)
	}
	var rows []KnownUnplaced
	if err := p.In(query, "unplaced_money").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read unplaced money: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r KnownUnplaced) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	all := make([]*KnownUnplaced, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	return rows, next, readRecalls(ctx, db, all...)
}

// Unplaced reads one case.
func Unplaced(ctx context.Context, db *store.DB, id string) (*KnownUnplaced, error) {
	if !store.IsID(id) {
		return nil, store.NotFound("Money")
	}
	var row KnownUnplaced
	result := knownUnplaced(ctx, db).Where("unplaced_money.id = ?", id).Limit(1).Scan(&row)
	if result.Error != nil {
		return nil, fmt.Errorf("read unplaced money: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, store.NotFound("Money")
	}
	return &row, readRecalls(ctx, db, &row)
}

// MoneyWaiting counts what waits for staff: unplaced money, and open proposals.
type MoneyWaiting struct{ Unplaced, Proposals int }

// CountMoneyWaiting counts both, up to a bound.
func CountMoneyWaiting(ctx context.Context, db *store.DB) (n MoneyWaiting, err error) {
	err = db.Row(ctx, `SELECT (SELECT count(*) FROM (SELECT FROM unplaced_money WHERE status = 'open' LIMIT 1000) u),
		(SELECT count(*) FROM (SELECT FROM money_proposals WHERE status = 'open' LIMIT 1000) p)`).Scan(&n.Unplaced, &n.Proposals)
	if err != nil {
		return n, fmt.Errorf("count what waits: %w", err)
	}
	return n, nil
}

// CountUnplaced counts unplaced money, of one status or in all.
func CountUnplaced(ctx context.Context, db *store.DB, status order.UnplacedStatus) (int, error) {
	counts, err := store.CountByStatus[order.UnplacedStatus](ctx, db, "unplaced_money", "")
	return counts.Matching(status), err
}

// CountMoneyProposals counts the proposals of a filter.
func CountMoneyProposals(ctx context.Context, db *store.DB, f MoneyProposalFilter) (int, error) {
	if f.OrderID == "" && len(f.Kinds) == 0 {
		counts, err := store.CountByStatus[casework.ProposalStatus](ctx, db, "money_proposals", "")
		return counts.Matching(map[bool]casework.ProposalStatus{true: casework.ProposalOpen}[f.Open]), err
	}
	var n int64
	if err := f.narrow(db.ORM(ctx).Table("money_proposals")).Count(&n).Error; err != nil {
		return 0, fmt.Errorf("count proposals: %w", err)
	}
	return int(n), nil
}

// OrderNamed is the id of an order that staff named by its reference or id.
func OrderNamed(ctx context.Context, db *store.DB, field, name string) (id string, err error) {
	name = typed.Reference(name)
	if store.IsID(name) {
		return strings.ToLower(name), nil
	}
	err = db.Row(ctx, "SELECT id::text FROM orders WHERE reference = $1", strings.ToUpper(name)).Scan(&id)
	if store.IsMissing(err) {
		return "", store.Invalid(field, "unknown_order", "Order not found")
	}
	return id, err
}

// CustomerNamed is the id of a customer whom staff named by their id or the whole
// of their address.
func CustomerNamed(ctx context.Context, db *store.DB, field, name string) (id string, err error) {
	name = strings.TrimSpace(name)
	if store.IsID(name) {
		return strings.ToLower(name), nil
	}
	var ids []string
	if err := db.ORM(ctx).Raw("SELECT id::text FROM users WHERE lower(email) IN ? AND email_verified LIMIT 2", typed.EmailForms(name)).Scan(&ids).Error; err != nil {
		return "", fmt.Errorf("look for customer: %w", err)
	}
	if len(ids) != 1 {
		return "", store.Invalid(field, "unknown_customer", "Customer not found, or there is more than one. Enter their ID.")
	}
	return ids[0], nil
}
