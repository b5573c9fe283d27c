package models

import (
	"context"
	"fmt"
	"slices"
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
func (c *OrderChange) blocked() (bool, error) {
	o := c.Order
	key := addressKey(o.Network, o.DestAddress)
	kind, since, err := c.tx.listing(c.ctx, o.Network, key)
	if kind == "" || err != nil {
		return false, err
	}
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

// mayReview refuses a decision without a reason, and one about what is one's own.
func (db *DB) mayReview(ctx context.Context, id string, by *By) (*Review, error) {
	if by.Reason = strings.TrimSpace(by.Reason); by.Reason == "" {
		return nil, Invalid("reason", "required", "Please give a reason")
	}
	review, err := db.Review(ctx, id)
	if err != nil {
		return nil, err
	}
	if review.UserID == by.ActorID {
		return nil, Forbidden("own_order", "Nobody decides on what is their own")
	}
	return review, nil
}

// decideReview notes who decides about an open review, under the lock of what it
// is about. The second of two is told who was first.
func (db *DB) decideReview(ctx context.Context, review *Review, outcome string, by By) error {
	closing := ""
	if outcome == ReviewReleased {
		closing = ", closed_at = clock_now(), outcome = 'released'"
	}
	result := db.orm(ctx).Exec("UPDATE risk_reviews SET decided_by = ?, reason = ?"+closing+" WHERE id = ? AND closed_at IS NULL", by.ActorID, by.Reason, review.ID)
	if result.Error != nil {
		return fmt.Errorf("decide review: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return db.sayWhoReviewed(ctx, review.ID)
	}
	kind, about := "order", text(review.OrderID)
	if review.RedemptionID != nil {
		kind, about = "voucher", *review.RedemptionID
	}
	return db.Audit(ctx, AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "risk." + outcome, ObjectKind: kind, ObjectID: about,
		Before: map[string]any{"review": review.ID, "score": review.Score, "reasons": review.Reasons}, After: map[string]any{"outcome": outcome}, Reason: by.Reason, RequestID: by.RequestID})
}

func (db *DB) sayWhoReviewed(ctx context.Context, id string) error {
	now, err := db.Review(ctx, id)
	if err != nil {
		return err
	}
	if now.DecidedBy == nil {
		return Conflict("review_closed", "This has come to its end by itself. Please refresh.")
	}
	first, err := db.Customer(ctx, *now.DecidedBy)
	if err != nil {
		return err
	}
	return Conflict("review_decided", first.Name()+" has decided this already: "+text(now.Outcome))
}

// ReleaseReview lets what was under review go on. What had parked before a later
// step is taken on by a decision, written in the same transaction; what waits
// for somebody to press Process or Fulfill waits for that.
func (db *DB) ReleaseReview(ctx context.Context, id string, by By) (parked *Parked, err error) {
	review, err := db.mayReview(ctx, id, &by)
	if err != nil {
		return nil, err
	}
	if review.RedemptionID != nil {
		return db.releaseRedemption(ctx, review, by)
	}
	err = db.ChangeOrder(ctx, *review.OrderID, func(c *OrderChange) error {
		if last, err := c.lastDecision(); err != nil || last != nil && last.SettledAt == nil {
			return firstError(err, Conflict("decision_open", "Another decision about this order is being carried out"+last.by(DecisionRetry)))
		}
		if err := c.tx.decideReview(ctx, review, ReviewReleased, by); err != nil {
			return err
		}
		c.Order.UnderReview = false
		if err := c.Event(Event{Kind: "review_released", Actor: ByStaff, Internal: true, Dedupe: "released:" + id}); err != nil {
			return err
		}
		if !slices.Contains([]string{AttentionRisk, AttentionBlocked}, text(c.Order.AttentionReason)) {
			return nil
		}
		if c.Order.Status == StatusPending || c.Order.Status == StatusPaymentApproved {
			return c.clearAttention()
		}
		in := NewDecision{OrderID: c.Order.ID, Kind: DecisionRetry, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID}
		if err := c.mayDecide(in); err != nil {
			return err
		}
		row := &Decision{ID: NewID(), OrderID: c.Order.ID, Kind: in.Kind, ActorID: in.ActorID, Reason: in.Reason, Data: []byte("{}"), CreatedAt: c.Now}
		parked = &Parked{ID: c.Order.ID, DecisionID: row.ID, Kind: row.Kind}
		return c.writeDecision(row, in)
	})
	return parked, err
}

func (db *DB) releaseRedemption(ctx context.Context, review *Review, by By) (parked *Parked, err error) {
	err = db.changeRedemption(ctx, *review.RedemptionID, func(c *redemptionChange) error {
		if open, err := c.tx.OpenMatterDecision(ctx, MatterVoucher, c.Redemption.ID); open != nil || err != nil {
			return firstError(err, Conflict("decision_open", "Another decision about this voucher is being carried out"))
		}
		if err := c.tx.decideReview(ctx, review, ReviewReleased, by); err != nil {
			return err
		}
		c.Redemption.UnderReview = false
		if !slices.Contains([]string{AttentionRisk, AttentionBlocked}, text(c.Redemption.AttentionReason)) {
			return nil
		}
		if err := c.mayDecide(VoucherResume); err != nil {
			return err
		}
		d, err := c.tx.openMatterDecision(ctx, c.Redemption.about(), NewMatterDecision{Kind: VoucherResume, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID})
		if err != nil {
			return err
		}
		parked = &Parked{Matter: MatterVoucher, ID: c.Redemption.ID, DecisionID: d.ID, Kind: d.Kind}
		return nil
	})
	return parked, err
}

// refusalOf is the decision that ends an order under review: what was not paid is
// declined, what was is refunded.
func refusalOf(o *Order, p *Payment) (string, error) {
	allowed := DecisionsFor(o, p)
	for _, kind := range []string{DecisionDecline, DecisionReject, DecisionRefund} {
		if slices.Contains(allowed, kind) {
			return kind, nil
		}
	}
	if o.Status == StatusPending {
		return "", Conflict("not_paid_yet", "Nothing has been paid yet. Decide when it is; without a payment the order expires.")
	}
	return "", Conflict("order_state", "The order cannot be refused now: "+describe(o, p))
}

// RefuseReview decides that an order ends and its money goes back, or that a
// voucher is restored. More cents than alone are refused with ErrSecondPerson. The review closes with its end.
func (db *DB) RefuseReview(ctx context.Context, id string, by By, alone money.Units) (order *Decision, voucher *MatterDecision, err error) {
	review, err := db.mayReview(ctx, id, &by)
	if err != nil {
		return nil, nil, err
	}
	if review.RedemptionID != nil {
		voucher, err = db.refuseRedemption(ctx, review, by)
		return nil, voucher, err
	}
	order, err = db.refuseOrder(ctx, review, by, alone)
	return order, nil, err
}

func (db *DB) refuseRedemption(ctx context.Context, review *Review, by By) (decision *MatterDecision, err error) {
	err = db.changeRedemption(ctx, *review.RedemptionID, func(c *redemptionChange) error {
		if err := firstError(c.tx.decideReview(ctx, review, ReviewRefused, by), c.mayDecide(VoucherRestore)); err != nil {
			return err
		}
		decision, err = c.tx.openMatterDecision(ctx, c.Redemption.about(), NewMatterDecision{Kind: VoucherRestore, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID})
		return err
	})
	return decision, err
}

func (db *DB) refuseOrder(ctx context.Context, review *Review, by By, alone money.Units) (decision *Decision, err error) {
	err = db.Tx(ctx, func(tx *DB) error {
		o, _, err := tx.lockOrder(ctx, *review.OrderID)
		if err != nil {
			return err
		}
		if err := tx.decideReview(ctx, review, ReviewRefused, by); err != nil {
			return err
		}
		var p Payment
		if err := tx.orm(ctx).Where("order_id = ?", o.ID).Take(&p).Error; err != nil {
			return fmt.Errorf("read payment: %w", err)
		}
		kind, err := refusalOf(o, &p)
		if err != nil {
			return err
		}
		decision, err = tx.OpenDecision(ctx, NewDecision{OrderID: o.ID, Kind: kind, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID, Alone: &alone})
		return err
	})
	return decision, err
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
	Deciding      bool // a decision about it is being carried out
	Waits         bool // it stands still until somebody decides; one that does not may not be paid yet
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
		coalesce(o.network, r.network) AS network, coalesce(o.dest_address, r.dest_address) AS dest_address, u.email AS customer_email, d.email AS decided_email,
		EXISTS (SELECT FROM decisions x WHERE x.order_id = o.id AND x.settled_at IS NULL)
		  OR EXISTS (SELECT FROM matter_decisions x WHERE x.matter_id = r.id AND x.matter = 'voucher' AND x.settled_at IS NULL) AS deciding,
		coalesce(o.attention_reason, r.attention_reason, '') IN ('risk_review', 'address_blocked') AS waits`).
		Joins("LEFT JOIN orders o ON o.id = risk_reviews.order_id").Joins("LEFT JOIN voucher_redemptions r ON r.id = risk_reviews.redemption_id").
		Joins("JOIN users u ON u.id = risk_reviews.user_id").Joins("LEFT JOIN users d ON d.id = risk_reviews.decided_by")
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
