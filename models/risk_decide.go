package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/money"
)

// mayReview refuses a decision without a reason, and one about what is one's own.
func (db *DB) mayReview(ctx context.Context, id string, by *By) (*Review, error) {
	if by.Reason = strings.TrimSpace(by.Reason); by.Reason == "" {
		return nil, Invalid("reason", "required", "Enter a reason")
	}
	review, err := db.Review(ctx, id)
	if err != nil {
		return nil, err
	}
	own := Forbidden("own_order", "You can't decide on your own case")
	return review, db.anotherPerson(ctx, by.ActorID, own, review.UserID)
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
	return db.auditReview(ctx, review, "risk."+outcome, map[string]any{"outcome": outcome}, by)
}

// auditReview notes a decision of compliance in the log.
func (db *DB) auditReview(ctx context.Context, review *Review, action string, after map[string]any, by By) error {
	kind := "order"
	if review.RedemptionID != nil {
		kind = "voucher"
	}
	return db.Audit(ctx, AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: action, ObjectKind: kind, ObjectID: review.about(),
		Before: map[string]any{"review": review.ID, "score": review.Score, "reasons": review.Reasons}, After: after, Reason: by.Reason, RequestID: by.RequestID})
}

// about is the order or the redemption.
func (r *Review) about() string {
	if r.RedemptionID != nil {
		return *r.RedemptionID
	}
	return text(r.OrderID)
}

// sayWhoReviewed refuses a decision on a review that somebody else has decided.
func (db *DB) sayWhoReviewed(ctx context.Context, id string) error {
	now, err := db.Review(ctx, id)
	if err != nil {
		return err
	}
	if now.DecidedBy == nil {
		return Conflict("review_closed", "This is already closed. Refresh the page.")
	}
	first, err := db.userName(ctx, *now.DecidedBy)
	if err != nil {
		return err
	}
	return Conflict("review_decided", first+" already decided this: "+text(now.Outcome))
}

// Released is what came of a release: a second person has to agree, or it is
// released, and Parked is what goes on because of that.
type Released struct {
	Waits  bool
	Parked *Parked
}

// ReleaseReview lets what was under review go on; above alone, in cents a customer
// and day, once a second person releases it too. What had parked before a later
// step is taken on by a decision, written in the same transaction; what waits for
// somebody to press Process or Fulfill waits for that.
func (db *DB) ReleaseReview(ctx context.Context, id string, by By, alone money.Units) (out Released, err error) {
	review, err := db.mayReview(ctx, id, &by)
	if err != nil {
		return out, err
	}
	if review.RedemptionID != nil {
		return db.releaseRedemption(ctx, review, by, alone)
	}
	err = db.ChangeOrder(ctx, *review.OrderID, func(c *OrderChange) error {
		if last, err := c.lastDecision(); err != nil || last != nil && last.SettledAt == nil {
			return firstError(err, Conflict("decision_open", "Another decision on this order is in progress"+last.by(NewDecision{Kind: DecisionRetry})))
		}
		if err := c.ownReceipt(by.ActorID); err != nil {
			return err
		}
		if out.Waits, err = c.tx.release(ctx, review, c.Order.Total, by, alone); err != nil || out.Waits {
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
		out.Parked = &Parked{ID: c.Order.ID, DecisionID: row.ID, Kind: row.Kind}
		return c.writeDecision(row, in)
	})
	return out, err
}

// release closes a review as released, under the lock of what it is about. Above
// what one person releases of a customer's in a day, the first of two is noted.
func (db *DB) release(ctx context.Context, review *Review, amount money.Units, by By, alone money.Units) (waits bool, err error) {
	now, err := db.Review(ctx, review.ID)
	if err != nil || now.ClosedAt != nil {
		return false, firstError(err, db.sayWhoReviewed(ctx, review.ID))
	}
	if now.FirstBy != nil {
		refusal := Forbidden("second_person", "A second person must release this")
		return false, firstError(db.anotherPerson(ctx, by.ActorID, refusal, *now.FirstBy), db.decideReview(ctx, review, ReviewReleased, by))
	}
	before, err := db.releasedAlone(ctx, review)
	if err != nil {
		return false, err
	}
	if before.Add(amount).Cmp(alone) <= 0 {
		return false, db.decideReview(ctx, review, ReviewReleased, by)
	}
	err = db.orm(ctx).Exec("UPDATE risk_reviews SET first_by = ?, first_at = clock_now(), first_reason = ? WHERE id = ?", by.ActorID, by.Reason, review.ID).Error
	if err != nil {
		return false, fmt.Errorf("note the first release: %w", err)
	}
	return true, db.auditReview(ctx, review, "risk.release_asked", map[string]any{"amount": money.USD.Format(amount)}, by)
}

// releasedAlone is what single persons have released of a customer's other orders
// and vouchers within a day. It holds the customer's lock.
func (db *DB) releasedAlone(ctx context.Context, review *Review) (sum money.Units, err error) {
	if err := db.lockCustomer(ctx, review.UserID); err != nil {
		return sum, err
	}
	err = db.row(ctx, `SELECT coalesce(sum(coalesce(o.total, r.base_price)), 0) FROM risk_reviews v
		LEFT JOIN orders o ON o.id = v.order_id LEFT JOIN voucher_redemptions r ON r.id = v.redemption_id
		WHERE v.user_id = $1 AND v.outcome = 'released' AND v.first_by IS NULL AND v.closed_at > clock_now() - interval '1 day'
		  AND coalesce(v.order_id, v.redemption_id) <> $2`, review.UserID, review.about()).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum releases: %w", err)
	}
	return sum, nil
}

// unrelease takes back the first of two releases: it was of another address.
func (c *OrderChange) unrelease() error {
	err := c.tx.orm(c.ctx).Exec("UPDATE risk_reviews SET first_by = NULL, first_at = NULL WHERE order_id = ? AND closed_at IS NULL", c.Order.ID).Error
	if err != nil {
		return fmt.Errorf("take back the first release: %w", err)
	}
	return nil
}

func (db *DB) releaseRedemption(ctx context.Context, review *Review, by By, alone money.Units) (out Released, err error) {
	err = db.changeRedemption(ctx, *review.RedemptionID, func(c *redemptionChange) error {
		if open, err := c.tx.OpenMatterDecision(ctx, MatterVoucher, c.Redemption.ID); open != nil || err != nil {
			return firstError(err, Conflict("decision_open", "Another decision on this voucher is in progress"))
		}
		if out.Waits, err = c.tx.release(ctx, review, c.Redemption.BasePrice, by, alone); err != nil || out.Waits {
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
		out.Parked = &Parked{Matter: MatterVoucher, ID: c.Redemption.ID, DecisionID: d.ID, Kind: d.Kind}
		return nil
	})
	return out, err
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
		return "", Conflict("not_paid_yet", "The order isn't paid yet. Decide when it's paid. Without a payment, the order expires.")
	}
	return "", Conflict("order_state", "You can't reject this order now: "+describe(o, p))
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
