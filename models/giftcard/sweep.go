package giftcard

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// OrphanCard is a gift card that may have no running workflow.
type OrphanCard struct {
	GiftCard `gorm:"embedded"`
	Restored bool // its row may be restored from a backup, and a running workflow may be ahead of it
}

// OrphanCards finds open cards whose workflow may not run: it may be lost with Temporal's data.
func OrphanCards(ctx context.Context, db *store.DB, grace, revive time.Duration, limit int) ([]OrphanCard, error) {
	return store.Orphans[OrphanCard](ctx, db, store.OrphanTable{Table: "gift_cards",
		Returning: "*, EXISTS (SELECT FROM restores WHERE at >= created_at) AS restored"}, grace, revive, limit)
}

// LateCards finds cards whose deadline or reminder has passed without effect, and cards that a claim closed lately:
// their workflows may not have been signaled.
func LateCards(ctx context.Context, db *store.DB, grace time.Duration, limit int) ([]store.Signal, error) {
	return db.Signals(ctx, "find late gift cards", `SELECT id AS subject, 'deadline' AS reason FROM gift_cards
		 WHERE closed_at IS NULL AND least(remind_at, review_due_at) IS NOT NULL AND CASE status
		    WHEN 'in_review' THEN least(remind_at, review_due_at) WHEN 'offered' THEN offer_until ELSE remind_at
		   END < clock_now() - CAST(? AS interval)
		UNION ALL (SELECT k.card_id, 'claimed' FROM gift_card_claims k
		  JOIN gift_cards g ON g.id = k.card_id AND g.closed_at = k.created_at
		 WHERE k.created_at > clock_now() - interval '1 hour') LIMIT ?`,
		store.Seconds(grace), limit)
}

// CardReviewers are those who decide on gift cards, CardFinance those who record the outcome of their value
// (rules §7).
var (
	CardReviewers = []string{"compliance", "admin"}
	CardFinance   = []string{"finance", "admin"}
)

// CardMailings is the one table of gift cards' events and the mails they cause.
var CardMailings = []casework.Mailing{
	{Event: "submitted", Kind: "gift_card_received"},
	{Event: "approved", Kind: "gift_card_approved"},
	{Event: "offered", Kind: "gift_card_offered"},
	{Event: "declined", Kind: "gift_card_declined"},
	{Event: "rejected", Kind: "gift_card_rejected"},
	{Event: "expired", Kind: "gift_card_expired"},
	{Event: "claimed", Kind: "gift_card_claimed"},
	{Event: "claim_reversed", Kind: "gift_card_claim_reversed"},
	{Event: "review_late", Kind: "gift_card_review_late", Roles: CardReviewers},
	{Event: "realisation_late", Kind: "gift_card_realisation_late", Roles: CardFinance},
}
