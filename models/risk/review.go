package risk

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// The review queue of compliance: an order, or a redemption, that is stopped until a person releases it, or refunds
// it. That it waits is a column of its own row (under_review), read where anything would begin at a provider; the
// reasons and the decision are here.

// The ends of a review.
const (
	ReviewReleased = "released"
	ReviewRefused  = "refused" // a person sent the money back, or declined it
	ReviewEnded    = "ended"   // the order ended otherwise: cancelled, expired, refunded by others
)

// Review is the risk signals of an order or a redemption, and the decision about them.
type Review struct {
	ID           string `gorm:"primaryKey"`
	OrderID      *string
	RedemptionID *string
	UserID       string
	AddressKey   string
	Score        int
	Reasons      pq.StringArray `gorm:"type:text[]"`
	CreatedAt    time.Time      `gorm:"default:clock_now()"`
	ClosedAt     *time.Time
	Outcome      *string
	DecidedBy    *string
	Reason       string
	// FirstBy is who released it as the first of two people.
	FirstBy     *string
	FirstAt     *time.Time
	FirstReason string
}

// TableName implements GORM's Tabler.
func (Review) TableName() string { return "risk_reviews" }

// InsertReview opens a review, unless one is open: its id is "" then.
func InsertReview(ctx context.Context, db *store.DB, row Review) (id string, err error) {
	row.ID = store.NewID()
	result := db.ORM(ctx).Exec(`INSERT INTO risk_reviews (id, order_id, redemption_id, user_id, address_key, score, reasons) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		row.ID, row.OrderID, row.RedemptionID, row.UserID, row.AddressKey, row.Score, row.Reasons)
	if result.Error != nil {
		return "", fmt.Errorf("open review: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return "", nil
	}
	return row.ID, nil
}

// EndReviews closes what is open about an order or a redemption that has ended; column names which. One that a person
// was refusing is refused.
func EndReviews(ctx context.Context, db *store.DB, column, id string) error {
	err := db.ORM(ctx).Exec(`UPDATE risk_reviews SET closed_at = clock_now(), outcome = CASE WHEN decided_by IS NULL THEN 'ended' ELSE 'refused' END
		WHERE `+column+` = ? AND closed_at IS NULL`, id).Error
	if err != nil {
		return fmt.Errorf("close review: %w", err)
	}
	return nil
}

// Released reports whether compliance has reviewed this address for this order or redemption since it was listed, and
// released it.
func Released(ctx context.Context, db *store.DB, column, id, key string, listed time.Time) (bool, error) {
	var released bool
	err := db.Row(ctx, `SELECT EXISTS (SELECT FROM risk_reviews WHERE `+column+` = $1 AND outcome = 'released' AND address_key = $2
		AND 'blocked_address' = ANY(reasons) AND closed_at >= $3)`, id, key, listed).Scan(&released)
	if err != nil {
		return false, fmt.Errorf("look for a release: %w", err)
	}
	return released, nil
}

// ReadReview reads one review.
func ReadReview(ctx context.Context, db *store.DB, id string) (*Review, error) {
	return store.RowByID[Review](ctx, db, id, "Review")
}

// StaffReview is a review as the queue shows it, with what it is about.
type StaffReview struct {
	Review        `gorm:"embedded"`
	Reference     string
	Status        string
	Asset         money.Currency
	Amount        money.Units
	Total         money.Units
	Network       string
	DestAddress   string
	CustomerEmail string
	DecidedEmail  *string
	FirstEmail    *string
	PaymentMethod string    // of the order; empty of a redemption
	SpentAt       time.Time // when the balance was spent on the order, or now
	Deciding      bool      // a decision about it is being executed
	Waits         bool      // it is stopped until a decision; one that is not may be unpaid yet
}

// ReviewFilter selects reviews.
type ReviewFilter struct {
	Closed bool   // decided, instead of open
	About  string // of one order or redemption, by its id; empty for any
}

// Reviews is the queue of what is open, oldest first, or what was decided, newest
// first.
func Reviews(ctx context.Context, db *store.DB, f ReviewFilter, page store.Page) ([]StaffReview, *store.Cursor, error) {
	page.OldestFirst = !f.Closed
	query := db.ORM(ctx).Table("risk_reviews").Select(`risk_reviews.*, coalesce(o.reference, r.reference) AS reference, coalesce(o.status, r.status) AS status,
		coalesce(o.asset, r.asset) AS asset, coalesce(o.amount, r.amount) AS amount, coalesce(o.total, r.base_price) AS total,
		coalesce(o.network, r.network) AS network, coalesce(o.dest_address, r.dest_address) AS dest_address, u.email AS customer_email, d.email AS decided_email, f.email AS first_email,
		coalesce(o.payment_method, '') AS payment_method, coalesce(o.paid_at, clock_now()) AS spent_at,
		EXISTS (SELECT FROM decisions x WHERE x.order_id = o.id AND x.settled_at IS NULL)
		  OR EXISTS (SELECT FROM matter_decisions x WHERE x.matter_id = r.id AND x.matter = 'voucher' AND x.settled_at IS NULL) AS deciding,
		coalesce(o.attention_reason, r.attention_reason, '') IN ('risk_review', 'address_blocked') AS waits`).
		Joins("LEFT JOIN orders o ON o.id = risk_reviews.order_id").Joins("LEFT JOIN voucher_redemptions r ON r.id = risk_reviews.redemption_id").
		Joins("JOIN users u ON u.id = risk_reviews.user_id").Joins("LEFT JOIN users d ON d.id = risk_reviews.decided_by").
		Joins("LEFT JOIN users f ON f.id = risk_reviews.first_by")
	if f.Closed {
		query = query.Where("risk_reviews.closed_at IS NOT NULL")
	} else {
		query = query.Where("risk_reviews.closed_at IS NULL")
	}
	if f.About != "" {
		query = query.Where("risk_reviews.order_id = ? OR risk_reviews.redemption_id = ?", f.About, f.About)
	}
	var rows []StaffReview
	if err := page.In(query, "risk_reviews").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read reviews: %w", err)
	}
	rows, next := store.Cut(rows, page, func(r StaffReview) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}

// CountReviews counts what is open, up to a bound, and when the oldest was opened.
func CountReviews(ctx context.Context, db *store.DB) (open int, oldest *time.Time, err error) {
	err = db.Row(ctx, `SELECT count(*), min(created_at) FROM (SELECT created_at FROM risk_reviews WHERE closed_at IS NULL ORDER BY created_at, id LIMIT 1000) r`).Scan(&open, &oldest)
	if err != nil {
		return 0, nil, fmt.Errorf("count reviews: %w", err)
	}
	return open, oldest, nil
}

// NoteFirstRelease records the first of two people who release what is under review.
func NoteFirstRelease(ctx context.Context, db *store.DB, reviewID string, by store.Actor) error {
	err := db.ORM(ctx).Exec("UPDATE risk_reviews SET first_by = ?, first_at = clock_now(), first_reason = ? WHERE id = ?", by.ActorID, by.Reason, reviewID).Error
	if err != nil {
		return fmt.Errorf("note the first release: %w", err)
	}
	return nil
}

// DropFirstRelease withdraws the first of two releases of an order.
func DropFirstRelease(ctx context.Context, db *store.DB, orderID string) error {
	err := db.ORM(ctx).Exec("UPDATE risk_reviews SET first_by = NULL, first_at = NULL WHERE order_id = ? AND closed_at IS NULL", orderID).Error
	if err != nil {
		return fmt.Errorf("take back the first release: %w", err)
	}
	return nil
}

// WithdrawReleases withdraws a person's first releases, and gives the reviews.
func WithdrawReleases(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE risk_reviews SET first_by = NULL, first_at = NULL WHERE first_by = ? AND closed_at IS NULL RETURNING id`, by)
}

// Release is the release of the value that the review stopped.
func (r *StaffReview) Release() dualcontrol.Release {
	release := dualcontrol.Release{Action: dualcontrol.ReleaseReview, Customer: r.UserID, Subject: dualcontrol.OrderRef(r.About()),
		Balance: r.PaymentMethod == balanceMethod, Spent: r.SpentAt}
	if r.RedemptionID != nil {
		release.Subject = dualcontrol.RedemptionRef(r.About())
	}
	return release
}

// balanceMethod is pricing.MethodBalance, which risk is below.
const balanceMethod = "balance"
