package order

import (
	"fmt"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// The money of a lost dispute: it pays our debt to the customer of an order that is not sent, and is claimed from the
// customer of sent coin. Both compare with what is booked, so they may run after every change.

// kept is what the bank holds of the dispute, in cents.
func (d *Dispute) kept() money.Units { return d.Withdrawn.Sub(d.Reinstated) }

// lostSQL is the condition that the bank of a card keeps what it holds of a dispute: the dispute was lost, or it was
// won and its money has moved since. A won dispute whose money has not moved yet is about to be reinstated.
const lostSQL = `(status = 'lost' OR status = 'won' AND (reinstated_at IS NOT NULL OR withdrawn_at > closed_at))`

// lost is lostSQL of a dispute.
func (d *Dispute) lost() bool {
	switch d.Status {
	case DisputeLost:
		return true
	case DisputeWon:
		return d.ReinstatedAt != nil || d.WithdrawnAt != nil && d.ClosedAt != nil && d.WithdrawnAt.After(*d.ClosedAt)
	}
	return false
}

// unsettled is what the bank keeps of a lost dispute and has not paid our debt to the customer, in cents.
func (d *Dispute) unsettled() money.Units {
	if !d.lost() {
		return money.Units{}
	}
	return d.kept().Sub(d.Settled)
}

// bankKeeps reports whether the bank keeps any money of the order by lost disputes.
func (c *OrderChange) bankKeeps() (keeps bool, err error) {
	err = c.Tx.Row(c.Ctx, `SELECT EXISTS (SELECT FROM disputes
		WHERE order_id = $1 AND withdrawn > reinstated AND `+lostSQL+`)`, c.Order.ID).Scan(&keeps)
	if err != nil {
		return false, fmt.Errorf("read what the bank keeps: %w", err)
	}
	return keeps, nil
}

// moveDecided books the consequences of money that moved after the bank's decision. A withdrawal counts as one before
// the decision. Reinstated money that had paid our debt to the customer is owed to them again: an order that ended
// credits their balance, another order continues if the bank keeps no more of its money. Rewards and the bonus follow.
func (c *OrderChange) moveDecided(d *Dispute, status string) error {
	if d.Status != status && (status == DisputeWon || status == DisputeLost) {
		d.Status = status
		if err := c.disputeDecided(d); err != nil {
			return err
		}
	}
	over := d.Settled.Sub(d.kept())
	if over.Sign() > 0 {
		d.Settled, c.Order.Refunded = d.Settled.Sub(over), c.Order.Refunded.Sub(over)
	}
	what := fmt.Sprintf("dispute:%d:%s:%s", d.Sequence, d.Withdrawn, d.Reinstated)
	if err := store.FirstError(c.Save(d), c.oweSettled()); err != nil {
		return err
	}
	if err := c.regainReduction(over); err != nil {
		return err
	}
	if err := store.FirstError(c.bearExcess(), c.bearLost(d, what)); err != nil {
		return err
	}
	keeps, err := c.bankKeeps()
	if err != nil {
		return err
	}
	switch {
	case over.Sign() <= 0 || c.Order.Status == StatusSent:
	case c.Order.Resolution != nil:
		if err := c.creditInstead(&Refund{Amount: over}); err != nil {
			return err
		}
	case !keeps:
		if err := c.clearAttentionOf(AttentionRefundedThere); err != nil {
			return err
		}
	}
	return c.regainRewards()
}

// bearLost has the customer bear what the bank keeps of a dispute: they lose what the order earned, owe the money of
// sent coin, and otherwise have their money back. what names the change.
func (c *OrderChange) bearLost(d *Dispute, what string) error {
	if err := store.FirstError(c.loseRewards(d.CreatedAt), c.bonusAfter(what), c.claimLost()); err != nil {
		return err
	}
	if c.Order.Status == StatusSent {
		return nil
	}
	return c.settleLost(d)
}

// claimLost claims from the customer of sent coin what the bank of their card withdrew by lost disputes: it reduces
// their balance, and they owe the rest; but not what less coin was sent for (unreducedSQL). What is no longer claimed,
// because the bank reinstated it or the transfer died, is credited again. It compares with what is booked, so that it
// may be called after every change.
func (c *OrderChange) claimLost() error {
	var change money.Units
	var before int
	err := c.Tx.Row(c.Ctx, `SELECT (SELECT coalesce(sum(withdrawn - reinstated), 0) FROM disputes
			WHERE order_id = $1 AND `+lostSQL+` AND $3) - CASE WHEN $3 THEN `+unreducedSQL+` ELSE 0 END
			- coalesce(sum(CASE from_account WHEN $2 THEN amount ELSE -amount END), 0), count(DISTINCT group_key)
		FROM postings WHERE order_id = $1 AND event IN ('dispute_claimed', 'claim_returned')
			AND $2 IN (from_account, to_account)`,
		c.Order.ID, ledger.AccountChargebacks, c.Order.Status == StatusSent).Scan(&change, &before)
	if err != nil {
		return fmt.Errorf("compare claims with lost disputes: %w", err)
	}
	customer, group := c.Order.UserID, fmt.Sprintf("dispute_claim:%d", before)
	switch change.Sign() {
	case 1:
		claim := c.booking("dispute_claimed", group)
		owed, err := ledger.ClawBack(c.Ctx, c.Tx, claim, customer, ledger.AccountChargebacks, change)
		if err != nil {
			return err
		}
		sum := money.USD.Format(change)
		data := map[string]any{"amount": sum, "taken": sum, "owed": money.USD.Format(owed)}
		return c.Event(casework.Event{Kind: "money_returned", Actor: casework.ByProvider, Data: data, Dedupe: group})
	case -1:
		back := ledger.Posting{From: ledger.CustomerBalance(customer), To: ledger.AccountChargebacks, Currency: money.USD}
		back.Amount = change.Neg()
		if err := c.credit("claim_returned", group, back); err != nil {
			return err
		}
		if c.Order.Status != StatusSent { // the transfer died: the bank reinstated nothing
			return nil
		}
		sum := money.USD.Format(back.Amount)
		data := map[string]any{"amount": sum, "credited": sum}
		return c.Event(casework.Event{Kind: "return_reinstated", Actor: casework.ByProvider, Data: data, Dedupe: group})
	}
	return nil
}

// oweSettled books what disputes no longer settle of our debt to the customer. It compares with what is booked, so that
// it may be called after every change. Sent coin leaves no debt: what disputes settled is booked with it.
func (c *OrderChange) oweSettled() error {
	if c.Order.Status == StatusSent {
		return nil
	}
	var over money.Units
	var before int
	err := c.Tx.Row(c.Ctx, `SELECT coalesce(sum(CASE to_account WHEN $2 THEN amount ELSE -amount END), 0)
			- (SELECT coalesce(sum(settled), 0) FROM disputes WHERE order_id = $1),
			count(*) FILTER (WHERE event = 'dispute_reinstated')
		FROM postings WHERE order_id = $1 AND event IN ('dispute_lost', 'dispute_reinstated')`,
		c.Order.ID, ledger.AccountPrepaid).Scan(&over, &before)
	if err != nil {
		return fmt.Errorf("compare disputes with the debt: %w", err)
	}
	if over.Sign() <= 0 {
		return nil
	}
	group := fmt.Sprintf("dispute_reinstated:%d", before)
	return c.Post("dispute_reinstated", group, ForgonePostings(ledger.AccountChargebacks, over)...)
}

// settleLost books what the bank withdrew as payment of our debt to the customer of an order that is not sent. The
// order ends by it, or waits for staff.
func (c *OrderChange) settleLost(d *Dispute) error {
	if !c.Order.Paid() || c.Order.Resolution != nil {
		return nil
	}
	amount, err := c.settle(d)
	if err != nil || amount.IsZero() {
		return err
	}
	if c.Order.Refunded.Cmp(c.Order.Total) >= 0 && c.coinIsStill() == nil {
		return c.endRefunded("", RefundToCard, amount)
	}
	return c.Escalate(AttentionRefundedThere)
}

// settle books what a lost dispute has not settled yet, up to our debt to the customer, and returns how much that was
// in cents. The order is not sent.
func (c *OrderChange) settle(d *Dispute) (money.Units, error) {
	amount := d.unsettled().Min(c.Order.Total.Sub(c.Order.Refunded))
	if amount.Sign() <= 0 {
		return money.Units{}, nil
	}
	// A dispute settles several times: more is owed after a transfer that died, or a refund that bounced.
	group := fmt.Sprintf("dispute:%d:lost:%d:%s", d.Sequence, c.Now.UnixMicro(), d.Settled)
	if err := c.Post("dispute_lost", group, LostPostings(amount)...); err != nil {
		return money.Units{}, err
	}
	d.Settled, c.Order.Refunded = d.Settled.Add(amount), c.Order.Refunded.Add(amount)
	return amount, c.Save(d)
}

// settleBounced has lost disputes settle what a bounced refund leaves us owing.
func (c *OrderChange) settleBounced() error {
	if !c.Order.ByCard() || !c.Order.Paid() || c.Order.Status == StatusSent {
		return nil
	}
	disputes, err := Disputes(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return err
	}
	for i := range disputes {
		if _, err := c.settle(&disputes[i]); err != nil {
			return err
		}
	}
	return nil
}

// refundsBorneBy moves the order's refunds to the account that bears them from now on, and books that: our goodwill
// once the coin is sent, the debt to the customer again when its transfer died. The rows say which it is, so that a
// refund that bounces later is reversed from the right one.
func (c *OrderChange) refundsBorneBy(bearer, event, group string) error {
	before := ledger.AccountPrepaid
	if bearer == ledger.AccountPrepaid {
		before = ledger.AccountGoodwill
	}
	var sum money.Units
	err := c.Tx.ORM(c.Ctx).Raw(`WITH moved AS (UPDATE refunds SET booked_to = @to WHERE order_id = @id AND status = 'succeeded' AND booked_to = @from AND NOT reduces RETURNING amount)
		SELECT coalesce(sum(amount), 0) FROM moved`, map[string]any{"id": c.Order.ID, "from": before, "to": bearer}).Row().Scan(&sum)
	if err != nil {
		return fmt.Errorf("move refunds: %w", err)
	}
	if sum.IsZero() {
		return nil
	}
	if err := c.Post(event, group+":goodwill", ledger.Posting{From: before, To: bearer, Currency: money.USD, Amount: sum}); err != nil {
		return err
	}
	return c.bearExcess()
}

// oweAgain is for a transfer that died: we owe the customer again, less what was refunded as goodwill or charged
// back.
func (c *OrderChange) oweAgain(group string) error {
	reversed := group + ":reversed"
	err := store.FirstError(c.refundsBorneBy(ledger.AccountPrepaid, "transfer_died", reversed),
		c.returnsBorneBy(borneByOrder, reversed), c.oweSettled(), c.claimLost())
	if err != nil {
		return err
	}
	disputes, err := Disputes(c.Ctx, c.Tx, c.Order.ID)
	if err != nil {
		return err
	}
	for i := range disputes {
		if disputes[i].unsettled().Sign() > 0 && c.Order.ClosedAt == nil {
			if err := c.settleLost(&disputes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
