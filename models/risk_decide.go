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
