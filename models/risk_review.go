package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/money"
)

// What compliance has to look at: an order, or a redemption, that goes no
// further until a person releases it, or sends the money back. That it waits is
// a column of its own row (under_review), read where anything would begin at a
// provider; why, and what was decided, is here.

// The ends of a review.
const (
	ReviewReleased = "released"
	ReviewRefused  = "refused" // a person sent the money back, or declined it
	ReviewEnded    = "ended"   // the order came to its end by itself: cancelled, expired, refunded by others
)

// Review is what speaks against an order or a redemption, and what became of it.
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

// insertReview opens a review, unless one is open: its id is "" then.
func (db *DB) insertReview(ctx context.Context, row Review) (id string, err error) {
	row.ID = NewID()
	result := db.orm(ctx).Exec(`INSERT INTO risk_reviews (id, order_id, redemption_id, user_id, address_key, score, reasons) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		row.ID, row.OrderID, row.RedemptionID, row.UserID, row.AddressKey, row.Score, row.Reasons)
	if result.Error != nil {
		return "", fmt.Errorf("open review: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return "", nil
	}
	return row.ID, nil
}

// endReviews closes what is open about an order or a redemption that has come to
// its end; whose column says which. One that a person was refusing is refused.
func (db *DB) endReviews(ctx context.Context, column, id string) error {
	err := db.orm(ctx).Exec(`UPDATE risk_reviews SET closed_at = clock_now(), outcome = CASE WHEN decided_by IS NULL THEN 'ended' ELSE 'refused' END
		WHERE `+column+` = ? AND closed_at IS NULL`, id).Error
	if err != nil {
		return fmt.Errorf("close review: %w", err)
	}
	return nil
}

// released reports whether somebody has looked at this address for this order or
// redemption since it was listed, and let it go.
func (db *DB) released(ctx context.Context, column, id, key string, listed time.Time) (bool, error) {
	var released bool
	err := db.row(ctx, `SELECT EXISTS (SELECT FROM risk_reviews WHERE `+column+` = $1 AND outcome = 'released' AND address_key = $2
		AND 'blocked_address' = ANY(reasons) AND closed_at >= $3)`, id, key, listed).Scan(&released)
	if err != nil {
		return false, fmt.Errorf("look for a release: %w", err)
	}
	return released, nil
}

// openReview opens a review of the order for the reasons on its row.
func (c *OrderChange) openReview() error {
	o := c.Order
	id, err := c.tx.insertReview(c.ctx, Review{OrderID: &o.ID, UserID: o.UserID, AddressKey: addressKey(o.Network, o.DestAddress), Score: o.RiskScore, Reasons: o.RiskReasons})
	if id == "" || err != nil {
		return err
	}
	return c.Event(Event{Kind: "under_review", Internal: true, Dedupe: "review:" + id, Data: map[string]any{"score": o.RiskScore, "reasons": []string(o.RiskReasons)}})
}

// blocked reports whether the order's address is on a list by now. That one is,
// opens a review, unless somebody has released it there.
func (c *OrderChange) blocked(kind string, since time.Time) (bool, error) {
	o := c.Order
	if kind == "" {
		return false, nil
	}
	key := addressKey(o.Network, o.DestAddress)
	if released, err := c.tx.released(c.ctx, "order_id", o.ID, key, since); released || err != nil {
		return false, err
	}
	risk := Risk{Score: o.RiskScore, Reasons: o.RiskReasons}
	risk.add(ruled{RiskBlocked, blockedScore})
	o.UnderReview, o.RiskScore, o.RiskReasons = true, risk.Score, pq.StringArray(risk.Reasons)
	return true, c.openReview()
}

// reviewed is the reason to wait while compliance has not released the order; ""
// when there is none. One that came back after its review was over is looked at
// again.
func (c *OrderChange) reviewed() (string, error) {
	if !c.Order.UnderReview {
		return "", nil
	}
	return AttentionRisk, c.openReview()
}

// keepReview holds up what is under review before its money is captured, and
// what is paid before it is fulfilled, in whatever way it came there; and closes
// the review of what is over. Later steps ask themselves (halted).
func (c *OrderChange) keepReview() error {
	o := c.Order
	switch {
	case !o.UnderReview:
		return nil
	case o.ClosedAt != nil:
		return c.tx.endReviews(c.ctx, "order_id", o.ID)
	case o.AttentionReason != nil || o.Status != StatusPending && o.Status != StatusPaymentApproved:
		return nil
	case o.Status == StatusPending:
		if p, err := c.Payment(); err != nil || p.AuthorisedAt == nil {
			return err
		}
	}
	reason, err := c.reviewed()
	if err != nil {
		return err
	}
	return c.attend(reason)
}

// openReview opens a review of the redemption: vouchers are asked for their
// address alone.
func (c *redemptionChange) openReview() error {
	r := c.Redemption
	_, err := c.tx.insertReview(c.ctx, Review{RedemptionID: &r.ID, UserID: r.UserID, AddressKey: addressKey(r.Network, r.DestAddress),
		Score: blockedScore, Reasons: pq.StringArray{RiskBlocked}})
	return err
}

// blocked is OrderChange's, for a redemption.
func (c *redemptionChange) blocked() (bool, error) {
	r := c.Redemption
	key := addressKey(r.Network, r.DestAddress)
	kind, since, err := c.tx.listing(c.ctx, r.Network, key)
	if kind == "" || err != nil {
		return false, err
	}
	if released, err := c.tx.released(c.ctx, "redemption_id", r.ID, key, since); released || err != nil {
		return false, err
	}
	r.UnderReview = true
	return true, c.openReview()
}

// markBlocked puts a redemption to a listed address under review as it is made.
func (c *redemptionChange) markBlocked() error {
	if blocked, err := c.blocked(); !blocked || err != nil {
		return err
	}
	return c.store()
}

// reviewed is OrderChange's, for a redemption.
func (c *redemptionChange) reviewed() (string, error) {
	if !c.Redemption.UnderReview {
		return "", nil
	}
	return AttentionRisk, c.openReview()
}

// keepReview closes the review of a redemption that is over.
func (c *redemptionChange) keepReview() error {
	if !c.Redemption.UnderReview || c.Redemption.ClosedAt == nil {
		return nil
	}
	return c.tx.endReviews(c.ctx, "redemption_id", c.Redemption.ID)
}

// Review reads one review.
func (db *DB) Review(ctx context.Context, id string) (*Review, error) {
	return rowByID[Review](ctx, db, id, "Review")
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
	ReceiptPeople pq.StringArray `gorm:"type:text[]"` // on whose word the order's money came
	Deciding      bool           // a decision about it is being carried out
	Waits         bool           // it stands still until somebody decides; one that does not may not be paid yet
}

// ReviewFilter says which reviews are wanted.
type ReviewFilter struct {
	Closed bool   // decided, instead of open
	About  string // of one order or redemption, by its id; empty for any
}

// Reviews is the queue of what is open, oldest first, or what was decided, newest
// first.
func (db *DB) Reviews(ctx context.Context, f ReviewFilter, page Page) ([]StaffReview, *Cursor, error) {
	page.OldestFirst = !f.Closed
	query := db.orm(ctx).Table("risk_reviews").Select(`risk_reviews.*, coalesce(o.reference, r.reference) AS reference, coalesce(o.status, r.status) AS status,
		coalesce(o.asset, r.asset) AS asset, coalesce(o.amount, r.amount) AS amount, coalesce(o.total, r.base_price) AS total,
		coalesce(o.network, r.network) AS network, coalesce(o.dest_address, r.dest_address) AS dest_address, u.email AS customer_email, d.email AS decided_email, f.email AS first_email, ARRAY(` + strings.ReplaceAll(receiptPeople, "orders.id", "o.id") + `) AS receipt_people,
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
	if err := page.in(query, "risk_reviews").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read reviews: %w", err)
	}
	rows, next := cut(rows, page, func(r StaffReview) Cursor { return Cursor{r.CreatedAt, r.ID} })
	return rows, next, nil
}

// CountReviews counts what is open, up to a bound, and when the oldest was opened.
func (db *DB) CountReviews(ctx context.Context) (open int, oldest *time.Time, err error) {
	err = db.row(ctx, `SELECT count(*), min(created_at) FROM (SELECT created_at FROM risk_reviews WHERE closed_at IS NULL ORDER BY created_at, id LIMIT 1000) r`).Scan(&open, &oldest)
	if err != nil {
		return 0, nil, fmt.Errorf("count reviews: %w", err)
	}
	return open, oldest, nil
}
