package customer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// Released is the result of a release: a second person has to agree, or it is released, and Parked are the orders
// that continue.
type Released struct {
	Waits  bool
	Parked *casework.Blocked
}

// ReleaseReview releases what was under review; above alone, in cents a customer and day, once a second person
// releases it too. What a later step had blocked continues by a decision of the same transaction; what waits for
// Process or Fulfill keeps waiting for staff.
func ReleaseReview(ctx context.Context, db *store.DB, id string, by store.Actor, alone money.Units) (out Released, err error) {
	review, err := risk.MayReview(ctx, db, id, &by)
	if err != nil {
		return out, err
	}
	if review.RedemptionID != nil {
		return releaseRedemption(ctx, db, review, by, alone)
	}
	err = order.ChangeOrder(ctx, db, *review.OrderID, func(c *order.OrderChange) error {
		if last, err := c.LastDecision(); err != nil || last != nil && last.SettledAt == nil {
			return store.FirstError(err, store.Conflict("decision_open", "Another decision on this order is in progress"+last.Told(order.NewDecision{Kind: order.DecisionRetry})))
		}
		if err := c.CheckRelease(dualcontrol.ReleaseReview, by.ActorID); err != nil {
			return err
		}
		if out.Waits, err = release(ctx, c.Tx, review, c.Order.Total, by, alone); err != nil || out.Waits {
			return err
		}
		c.Order.UnderReview = false
		if err := c.Event(casework.Event{Kind: "review_released", Actor: casework.ByStaff, Internal: true, Dedupe: "released:" + id}); err != nil {
			return err
		}
		if !slices.Contains([]string{casework.AttentionRisk, casework.AttentionBlocked}, store.Text(c.Order.AttentionReason)) {
			return nil
		}
		if c.Order.Status == order.StatusPending || c.Order.Status == order.StatusPaymentApproved {
			return c.Continue()
		}
		in := order.NewDecision{OrderID: c.Order.ID, Kind: order.DecisionRetry, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID}
		if err := c.MayDecide(in); err != nil {
			return err
		}
		row := c.DecisionRow(in.Kind, in.ActorID, in.Reason, []byte("{}"))
		out.Parked = &casework.Blocked{ID: c.Order.ID, DecisionID: row.ID, Kind: row.Kind}
		return c.WriteDecision(row, in)
	})
	return out, err
}

// release closes a review as released, under the lock of what it is about. Above
// what one person releases of a customer's in a day, the first of two is noted.
func release(ctx context.Context, db *store.DB, review *risk.Review, amount money.Units, by store.Actor, alone money.Units) (waits bool, err error) {
	now, err := risk.ReadReview(ctx, db, review.ID)
	if err != nil || now.ClosedAt != nil {
		return false, store.FirstError(err, risk.SayWhoReviewed(ctx, db, review.ID))
	}
	subject := dualcontrol.OrderRef(review.About())
	if review.RedemptionID != nil {
		subject = dualcontrol.RedemptionRef(review.About())
	}
	attestation := dualcontrol.Attestation{Kind: dualcontrol.Released, By: by.ActorID, Customer: review.UserID, Subject: subject, Amount: &amount,
		Source: dualcontrol.Ref{Kind: "risk_reviews", ID: review.ID}}
	err = dualcontrol.CheckRelease(ctx, db, dualcontrol.Release{Action: dualcontrol.ReleaseReview, Actors: []string{by.ActorID}, First: store.Text(now.FirstBy)})
	if err = store.FirstError(err, casework.CheckApproval(ctx, db, risk.KindRelease, review.ID, by.Seen)); err != nil {
		return false, err
	}
	if now.FirstBy != nil {
		attestation.By, attestation.Second = *now.FirstBy, by.ActorID
		return false, decideRelease(ctx, db, review, attestation, by)
	}
	err = dualcontrol.CheckIntake(ctx, db, dualcontrol.Intake{Kind: dualcontrol.Released, Actor: by.ActorID, Customer: review.UserID, Amount: amount, Limit: &alone, Except: subject})
	if err == nil {
		return false, decideRelease(ctx, db, review, attestation, by)
	}
	if !errors.Is(err, dualcontrol.ErrSecondPerson) {
		return false, err
	}
	if err := risk.NoteFirstRelease(ctx, db, review.ID, by); err != nil {
		return false, err
	}
	return true, risk.AuditReview(ctx, db, review, "risk.release_asked", map[string]any{"amount": money.USD.Format(amount)}, by)
}

// decideRelease closes a review as released, with who stated that it may be.
func decideRelease(ctx context.Context, db *store.DB, review *risk.Review, a dualcontrol.Attestation, by store.Actor) error {
	if err := risk.DecideReview(ctx, db, review, risk.ReviewReleased, by); err != nil {
		return err
	}
	return dualcontrol.Attest(ctx, db, a)
}

func releaseRedemption(ctx context.Context, db *store.DB, review *risk.Review, by store.Actor, alone money.Units) (out Released, err error) {
	err = voucher.ChangeRedemption(ctx, db, *review.RedemptionID, func(c *voucher.RedemptionChange) error {
		if open, err := casework.CaseDecisions.Of(voucher.KindVoucher).Open(ctx, c.Tx, c.Redemption.ID); open != nil || err != nil {
			return store.FirstError(err, store.Conflict("decision_open", "Another decision on this voucher is in progress"))
		}
		if err := c.CheckRelease(dualcontrol.ReleaseReview, by.ActorID); err != nil {
			return err
		}
		if out.Waits, err = release(ctx, c.Tx, review, c.Redemption.BasePrice, by, alone); err != nil || out.Waits {
			return err
		}
		c.Redemption.UnderReview = false
		if !slices.Contains([]string{casework.AttentionRisk, casework.AttentionBlocked}, store.Text(c.Redemption.AttentionReason)) {
			return nil
		}
		if err := c.MayDecide(voucher.VoucherResume); err != nil {
			return err
		}
		d, err := casework.StoreCaseDecision(ctx, c.Tx, c.Redemption.About(), casework.NewCaseDecision{Kind: voucher.VoucherResume, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID})
		if err != nil {
			return err
		}
		out.Parked = &casework.Blocked{Matter: voucher.KindVoucher, ID: c.Redemption.ID, DecisionID: d.ID, Kind: d.Kind}
		return nil
	})
	return out, err
}

// RefuseReview decides that an order ends and its money is refunded, or that a voucher is restored. More cents than
// alone are refused with ErrSecondPerson. The review closes with its end.
func RefuseReview(ctx context.Context, db *store.DB, id string, by store.Actor, alone money.Units, staffAlone *money.Units) (order *order.Decision, voucher *casework.CaseDecision, err error) {
	review, err := risk.MayReview(ctx, db, id, &by)
	if err != nil {
		return nil, nil, err
	}
	if review.RedemptionID != nil {
		voucher, err = refuseRedemption(ctx, db, review, by)
		return nil, voucher, err
	}
	order, err = refuseOrder(ctx, db, review, by, alone, staffAlone)
	return order, nil, err
}

func refuseRedemption(ctx context.Context, db *store.DB, review *risk.Review, by store.Actor) (decision *casework.CaseDecision, err error) {
	err = voucher.ChangeRedemption(ctx, db, *review.RedemptionID, func(c *voucher.RedemptionChange) error {
		if err := store.FirstError(risk.DecideReview(ctx, c.Tx, review, risk.ReviewRefused, by), c.MayDecide(voucher.VoucherRestore)); err != nil {
			return err
		}
		decision, err = casework.StoreCaseDecision(ctx, c.Tx, c.Redemption.About(), casework.NewCaseDecision{Kind: voucher.VoucherRestore, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID})
		return err
	})
	return decision, err
}

func refuseOrder(ctx context.Context, db *store.DB, review *risk.Review, by store.Actor, alone money.Units, staffAlone *money.Units) (decision *order.Decision, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		o, _, err := order.LockOrder(ctx, tx, *review.OrderID)
		if err != nil {
			return err
		}
		if err := risk.DecideReview(ctx, tx, review, risk.ReviewRefused, by); err != nil {
			return err
		}
		var p order.Payment
		if err := tx.ORM(ctx).Where("order_id = ?", o.ID).Take(&p).Error; err != nil {
			return fmt.Errorf("read payment: %w", err)
		}
		kind, err := order.RefusalOf(o, &p)
		if err != nil {
			return err
		}
		decision, err = order.OpenDecision(ctx, tx, order.NewDecision{OrderID: o.ID, Kind: kind, ActorID: by.ActorID, ActorRole: by.ActorRole, Reason: by.Reason, RequestID: by.RequestID, Alone: &alone, StaffAlone: staffAlone})
		return err
	})
	return decision, err
}
