package correction

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// StrandedStatus is whether a credit to a closed account waits, or was sent back.
type StrandedStatus string

// The statuses.
const (
	StrandedOpen     StrandedStatus = "open"
	StrandedSentBack StrandedStatus = "sent_back"
)

// KnownStranded is a credit to a closed account with the names beside it.
type KnownStranded struct {
	ledger.StrandedCredit `gorm:"embedded"`
	CustomerEmail         string
	OrderReference        string
	First, Payer          string
	// Day is the sum of the account's credits that are open, or were sent back within a day: the limit of one person
	// is compared with it.
	Day money.Units
}

// strandedDay is the condition of the credits that count together.
const strandedDay = "(paid_at IS NULL OR paid_at > clock_now() - interval '1 day')"

func knownStranded(ctx context.Context, db *store.DB) *gorm.DB {
	return db.ORM(ctx).Table("stranded_credits").Select(`stranded_credits.*, u.email AS customer_email, coalesce(o.reference, '') AS order_reference,
			coalesce(f.email, '') AS first, coalesce(p.email, '') AS payer,
			(SELECT coalesce(sum(s.amount - s.taken), 0) FROM stranded_credits s WHERE s.user_id = stranded_credits.user_id AND ` + strandedDay + `) AS day`).
		Joins("JOIN users u ON u.id = stranded_credits.user_id").Joins("LEFT JOIN orders o ON o.id = stranded_credits.order_id").
		Joins("LEFT JOIN users f ON f.id = stranded_credits.first_by").Joins("LEFT JOIN users p ON p.id = stranded_credits.paid_by")
}

// StrandedCredits is one page of credits to closed accounts, newest first unless the
// page says otherwise.
func StrandedCredits(ctx context.Context, db *store.DB, status StrandedStatus, p store.Page) ([]KnownStranded, *store.Cursor, error) {
	query := knownStranded(ctx, db)
	switch status {
	case StrandedOpen:
		query = query.Where("stranded_credits.paid_at IS NULL AND stranded_credits.taken_at IS NULL")
	case StrandedSentBack:
		query = query.Where("stranded_credits.paid_at IS NOT NULL")
	}
	var rows []KnownStranded
	if err := p.In(query, "stranded_credits").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read stranded credits: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r KnownStranded) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}

// Stranded reads one credit to a closed account.
func Stranded(ctx context.Context, db *store.DB, id string) (*KnownStranded, error) {
	var row KnownStranded
	result := knownStranded(ctx, db).Where("stranded_credits.id = ?", id).Limit(1).Scan(&row)
	if result.Error != nil {
		return nil, fmt.Errorf("read stranded credit: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, store.NotFound("Credit")
	}
	return &row, nil
}

// CountStranded counts them without reading them.
func CountStranded(ctx context.Context, db *store.DB) (store.Counts[StrandedStatus], error) {
	return store.CountByStatus[StrandedStatus](ctx, db, "stranded_credits", "")
}
