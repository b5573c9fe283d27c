package order

import (
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/referral"
)

// The life cycle of rewards: they are earned and clawed back inside the transactions of orders, and decided on by
// people where they are held. Rewards of one order are locked in one order, the friend's own before their payee's:
// referrals form no cycle, so that no deadlock arises.

// earnRewards gives the order's customer, and their referrer, what was promised for a first sent order. A refunded
// order earns nothing.
func (c *OrderChange) earnRewards() error {
	var rows []referral.Reward
	err := c.Tx.ORM(c.Ctx).Raw("SELECT * FROM rewards WHERE friend_id = ? AND order_id IS NULL AND closed_at IS NULL ORDER BY kind DESC FOR UPDATE", c.Order.UserID).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("read promised rewards: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	if undone, err := c.undone(); err != nil || undone {
		return err
	}
	for i := range rows {
		if err := referral.EarnReward(c.Ctx, c.Tx, &rows[i], c.Order.ID, c.Now); err != nil {
			return err
		}
	}
	return nil
}

// undone reports whether the greater part of the order's money was returned: refunded, or lost to the customer's
// bank.
func (c *OrderChange) undone() (bool, error) {
	var lost money.Units
	err := c.Tx.ORM(c.Ctx).Raw("SELECT coalesce(sum(withdrawn - reinstated), 0) FROM disputes WHERE order_id = ? AND status = ? AND settled = 0", c.Order.ID, DisputeLost).Row().Scan(&lost)
	if err != nil {
		return false, fmt.Errorf("sum what was charged back: %w", err)
	}
	gone := c.Order.Refunded.Add(lost)
	return gone.Add(gone).Cmp(c.Order.Total) >= 0, nil
}

// loseRewards claws back what the order earned, when the greater part of its money was refunded. since is when that
// began: a reward that was paid too long before is kept.
func (c *OrderChange) loseRewards(since time.Time) error {
	undone, err := c.undone()
	if err != nil || !undone {
		return err
	}
	var rows []referral.Reward
	err = c.Tx.ORM(c.Ctx).Raw("SELECT * FROM rewards WHERE order_id = ? AND status NOT IN ('refused', 'clawed_back') ORDER BY kind DESC FOR UPDATE", c.Order.ID).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("read rewards: %w", err)
	}
	for i := range rows {
		if err := referral.LoseReward(c.Ctx, c.Tx, &rows[i], since, c.Now); err != nil {
			return err
		}
	}
	return nil
}
