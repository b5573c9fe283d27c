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

// lostToBankSQL sums what the bank of the customer's card keeps by lost disputes of an order, and has not paid our debt
// with, in cents. The order's id follows.
const lostToBankSQL = `SELECT coalesce(sum(withdrawn - reinstated - settled), 0) FROM disputes
	WHERE ` + lostSQL + ` AND order_id = `

// lostToBank reads what the customer's bank withdrew by lost disputes, beyond what counts as refunded.
func (c *OrderChange) lostToBank() (lost money.Units, err error) {
	if err := c.Tx.Row(c.Ctx, lostToBankSQL+"$1", c.Order.ID).Scan(&lost); err != nil {
		return lost, fmt.Errorf("sum what was charged back: %w", err)
	}
	return lost, nil
}

// undone reports whether the greater part of the order's money was returned: refunded, or lost to the customer's
// bank.
func (c *OrderChange) undone() (bool, error) {
	lost, err := c.lostToBank()
	if err != nil {
		return false, err
	}
	gone := c.Order.Refunded.Add(lost)
	return gone.Add(gone).Cmp(c.Order.Total) >= 0, nil
}

// regainRewards pays again what the order had earned and lost, when the greater part of its money is here again.
func (c *OrderChange) regainRewards() error {
	var rows []referral.Reward
	err := c.Tx.ORM(c.Ctx).Raw(`SELECT * FROM rewards WHERE order_id = ? AND status = 'clawed_back'
		ORDER BY kind DESC FOR UPDATE`, c.Order.ID).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("read rewards: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	if undone, err := c.undone(); err != nil || undone {
		return err
	}
	for i := range rows {
		if err := referral.RegainReward(c.Ctx, c.Tx, &rows[i], c.Now); err != nil {
			return err
		}
	}
	return nil
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
