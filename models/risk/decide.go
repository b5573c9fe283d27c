package risk

import (
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// MayReview refuses a decision without a reason, and one about what is one's own.
func MayReview(ctx context.Context, db *store.DB, id string, by *store.Actor) (*Review, error) {
	if by.Reason = strings.TrimSpace(by.Reason); by.Reason == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	review, err := ReadReview(ctx, db, id)
	if err != nil {
		return nil, err
	}
	own := store.Forbidden("own_order", "You can't decide on your own case")
	return review, people.Another(ctx, db, by.ActorID, own, review.UserID)
}

// DecideReview records who decides about an open review, under the lock of what it is about. The second of two is
// refused with the name of the first.
func DecideReview(ctx context.Context, db *store.DB, review *Review, outcome string, by store.Actor) error {
	closing := ""
	if outcome == ReviewReleased {
		closing = ", closed_at = clock_now(), outcome = 'released'"
	}
	result := db.ORM(ctx).Exec("UPDATE risk_reviews SET decided_by = ?, reason = ?"+closing+" WHERE id = ? AND closed_at IS NULL", by.ActorID, by.Reason, review.ID)
	if result.Error != nil {
		return fmt.Errorf("decide review: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return SayWhoReviewed(ctx, db, review.ID)
	}
	return AuditReview(ctx, db, review, "risk."+outcome, map[string]any{"outcome": outcome}, by)
}

// AuditReview records a decision of compliance in the log.
func AuditReview(ctx context.Context, db *store.DB, review *Review, action string, after map[string]any, by store.Actor) error {
	kind := "order"
	if review.RedemptionID != nil {
		kind = "voucher"
	}
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: action, ObjectKind: kind, ObjectID: review.About(),
		Before: map[string]any{"review": review.ID, "score": review.Score, "reasons": review.Reasons}, After: after, Reason: by.Reason, RequestID: by.RequestID})
}

// About is the order or the redemption.
func (r *Review) About() string {
	if r.RedemptionID != nil {
		return *r.RedemptionID
	}
	return store.Text(r.OrderID)
}

// SayWhoReviewed refuses a decision on a review that another person has decided.
func SayWhoReviewed(ctx context.Context, db *store.DB, id string) error {
	now, err := ReadReview(ctx, db, id)
	if err != nil {
		return err
	}
	if now.DecidedBy == nil {
		return store.Conflict("review_closed", "This is already closed. Refresh the page.")
	}
	first, err := people.UserName(ctx, db, *now.DecidedBy)
	if err != nil {
		return err
	}
	return store.Conflict("review_decided", first+" already decided this: "+store.Text(now.Outcome))
}
