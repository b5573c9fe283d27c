package referral

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/store"
)

// Referred is a referral as its referrer sees it: of their friend a first name and an initial.
type Referred struct {
	Reward    `gorm:"embedded"`
	FirstName string
	LastName  string
}

// Referrals is one page of a customer's referred friends, newest first.
func Referrals(ctx context.Context, db *store.DB, userID string, p store.Page) ([]Referred, *store.Cursor, error) {
	query := db.ORM(ctx).Table("rewards").Select("rewards.*, u.first_name, left(u.last_name, 1) AS last_name").
		Joins("JOIN users u ON u.id = rewards.friend_id").Where("rewards.user_id = ? AND rewards.kind = 'referral'", userID)
	var rows []Referred
	if err := p.In(query, "rewards").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list referrals: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r Referred) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}

// CountReferrals counts a customer's referred friends.
func CountReferrals(ctx context.Context, db *store.DB, userID string) (store.Counts[RewardStatus], error) {
	return store.CountByStatus[RewardStatus](ctx, db, "referrals", userID)
}

// CountEarned counts the rewards of all customers that were earned.
func CountEarned(ctx context.Context, db *store.DB) (store.Counts[RewardStatus], error) {
	return store.CountByStatus[RewardStatus](ctx, db, "earned", "")
}

// StaffReward is an earned reward for staff.
type StaffReward struct {
	Reward         `gorm:"embedded"`
	PayeeEmail     string
	FriendEmail    string
	OrderReference string
	// Deciding is set while a decision is being executed; DecidedBy and Reason are the last one's.
	Deciding          bool
	DecidedBy, Reason *string
}

// EarnedRewards is one page of the rewards that were earned, newest first unless the page says otherwise; of
// one status when there is one.
func EarnedRewards(ctx context.Context, db *store.DB, status RewardStatus, p store.Page) ([]StaffReward, *store.Cursor, error) {
	query := db.ORM(ctx).Table("rewards").
		Select("rewards.*, payee.email AS payee_email, friend.email AS friend_email, o.reference AS order_reference, d.deciding, d.decided_by, d.reason").
		Joins("JOIN users payee ON payee.id = rewards.user_id").Joins("JOIN users friend ON friend.id = rewards.friend_id").
		Joins("JOIN orders o ON o.id = rewards.order_id").
		Joins(`LEFT JOIN LATERAL (SELECT d.settled_at IS NULL AS deciding, d.reason, who.email AS decided_by FROM matter_decisions d JOIN users who ON who.id = d.actor_id
			WHERE d.matter_id = rewards.id AND d.matter = 'referral' ORDER BY d.created_at DESC, d.id DESC LIMIT 1) d ON true`).
		Where("rewards.order_id IS NOT NULL")
	if status != "" {
		query = query.Where("rewards.status = ?", status)
	}
	var rows []StaffReward
	if err := p.In(query, "rewards").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list rewards: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r StaffReward) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}
