package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/money"
)

// What becomes of rewards: they are earned and taken back inside the
// transactions of orders, and decided on by people where they are held. Rewards
// of one order are taken in one order, the friend's own before their payee's:
// who was brought here waits for who brought them, and there are no circles, so
// that nobody waits for each other.

// earnRewards gives the order's customer, and who brought them here, what was
// promised for a first order that is sent. An order whose money has gone back
// earns nothing.
func (c *OrderChange) earnRewards() error {
	var rows []Reward
	err := c.tx.orm(c.ctx).Raw("SELECT * FROM rewards WHERE friend_id = ? AND order_id IS NULL AND closed_at IS NULL ORDER BY kind DESC FOR UPDATE", c.Order.UserID).Scan(&rows).Error
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
		if err := c.tx.earnReward(c.ctx, &rows[i], c.Order.ID, c.Now); err != nil {
			return err
		}
	}
	return nil
}

// earnReward notes which order earned a reward, and pays it unless something
// speaks against that.
func (db *DB) earnReward(ctx context.Context, r *Reward, orderID string, now time.Time) error {
	var earned struct {
		Hash    []byte
		Signals pq.StringArray `gorm:"type:text[]"`
	}
	err := db.orm(ctx).Raw(earningSQL, map[string]any{"order": orderID, "friend": r.FriendID, "payee": r.UserID, "referral": r.Kind == RewardReferral}).Scan(&earned).Error
	if err != nil {
		return fmt.Errorf("look for signs of one person: %w", err)
	}
	r.OrderID, r.AddressHash, r.Signals = &orderID, earned.Hash, append(r.Signals, earned.Signals...)
	if r.Status == RewardRegistered { // an identity that was withdrawn meanwhile; a later approval pays
		return db.saveReward(ctx, r, RewardRegistered, now)
	}
	return db.payOrHold(ctx, r, now)
}

// payOrHold pays what was earned, unless something speaks against that: then a
// person looks at it.
func (db *DB) payOrHold(ctx context.Context, r *Reward, now time.Time) error {
	restricted, err := db.holds(ctx, r.UserID, "disabled_at IS NOT NULL OR frozen_at IS NOT NULL")
	if err != nil {
		return err
	}
	if restricted {
		r.Signals = append(r.Signals, "account_restricted")
	}
	if len(r.Signals) == 0 {
		return db.payReward(ctx, r, now)
	}
	r.Status = RewardHeld
	if err := db.saveReward(ctx, r, RewardActive, now); err != nil {
		return err
	}
	return db.tell(ctx, r.about(), Event{Kind: "held", Internal: true, Dedupe: "held"})
}

// holds reports whether a condition holds of somebody's account.
func (db *DB) holds(ctx context.Context, userID, condition string) (yes bool, err error) {
	if err := db.orm(ctx).Raw("SELECT EXISTS (SELECT FROM users WHERE id = ? AND ("+condition+"))", userID).Row().Scan(&yes); err != nil {
		return false, fmt.Errorf("look at the payee's account: %w", err)
	}
	return yes, nil
}

// earningSQL reads where an order's coin went, as a hash, and what says that its
// customer may be the payee, or somebody who earned a reward before: the same
// wallet, the same card.
const earningSQL = `
WITH earning AS (SELECT o.*, sha256(convert_to(lower(o.dest_address), 'UTF8')) AS hash, p.card_brand, p.card_last4
                   FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.id = @order)
SELECT hash, array_remove(ARRAY[
  CASE WHEN EXISTS (SELECT FROM rewards r WHERE r.address_hash = e.hash AND r.friend_id <> @friend)
         OR @referral AND EXISTS (SELECT FROM orders o WHERE o.user_id = @payee AND lower(o.dest_address) = lower(e.dest_address)) THEN 'same_wallet' END,
  CASE WHEN @referral AND EXISTS (SELECT FROM orders o JOIN payments p ON p.order_id = o.id
         WHERE o.user_id = @payee AND p.card_last4 = e.card_last4 AND p.card_brand = e.card_brand) THEN 'same_card' END], NULL) AS signals
FROM earning e`

// payReward credits a reward. The name of its postings lets that happen once.
func (db *DB) payReward(ctx context.Context, r *Reward, now time.Time) error {
	before, until := r.Status, now.Add(time.Duration(r.RevocableSeconds)*time.Second)
	r.Status, r.RewardedAt, r.RevocableUntil, r.ClosedAt = RewardRewarded, &now, &until, &now
	if err := db.saveReward(ctx, r, before, now); err != nil {
		return err
	}
	event := map[string]string{RewardReferral: "referral_rewarded", RewardSignup: "signup_bonus_credited"}[r.Kind]
	if _, err := db.creditBalance(ctx, r.posting(event, "paid"), r.UserID, RewardPostings(r)...); err != nil {
		return err
	}
	return db.tell(ctx, r.about(), Event{Kind: event, Dedupe: "paid", Data: map[string]any{"amount": money.USD.Format(r.Amount)}})
}

func (r *Reward) posting(event, group string) StoredPosting {
	matter := string(Referral)
	return StoredPosting{Event: event, GroupKey: matter + ":" + r.ID + ":" + group, Matter: &matter, MatterID: &r.ID}
}

// RewardPostings credit a reward to its payee's balance.
func RewardPostings(r *Reward) []Posting {
	return []Posting{{From: CustomerBalance(r.UserID), To: AccountPromotions, Currency: money.USD, Amount: r.Amount}}
}

// saveReward writes a reward's row, guarded by the status it was read with.
func (db *DB) saveReward(ctx context.Context, r *Reward, before RewardStatus, now time.Time) error {
	r.UpdatedAt = now
	result := db.orm(ctx).Model(&Reward{}).Where("id = ? AND status = ?", r.ID, before).Select("*").Omit("id", "created_at").Updates(r)
	if result.Error != nil {
		return fmt.Errorf("store reward: %w", result.Error)
	}
	if result.RowsAffected != 1 {
		return Conflict("reward_moved", "The reward has changed. Refresh the page.")
	}
	return nil
}

// undone reports whether the greater part of the order's money has gone back:
// refunded, or lost to the customer's bank.
func (c *OrderChange) undone() (bool, error) {
	var lost money.Units
	err := c.tx.orm(c.ctx).Raw("SELECT coalesce(sum(withdrawn - reinstated), 0) FROM disputes WHERE order_id = ? AND status = ? AND settled = 0", c.Order.ID, DisputeLost).Row().Scan(&lost)
	if err != nil {
		return false, fmt.Errorf("sum what was charged back: %w", err)
	}
	gone := c.Order.Refunded.Add(lost)
	return gone.Add(gone).Cmp(c.Order.Total) >= 0, nil
}

// loseRewards takes back what the order earned, when the greater part of its
// money has gone back. since is when that began: a reward that was paid too long
// before is kept.
func (c *OrderChange) loseRewards(since time.Time) error {
	undone, err := c.undone()
	if err != nil || !undone {
		return err
	}
	var rows []Reward
	err = c.tx.orm(c.ctx).Raw("SELECT * FROM rewards WHERE order_id = ? AND status NOT IN ('refused', 'clawed_back') ORDER BY kind DESC FOR UPDATE", c.Order.ID).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("read rewards: %w", err)
	}
	for i := range rows {
		if err := c.tx.loseReward(c.ctx, &rows[i], since, c.Now); err != nil {
			return err
		}
	}
	return nil
}

// loseReward takes back a reward that was paid, and refuses one that was not.
func (db *DB) loseReward(ctx context.Context, r *Reward, since, now time.Time) error {
	before := r.Status
	if before != RewardRewarded {
		r.Status, r.ClosedAt = RewardRefused, &now
		if err := db.saveReward(ctx, r, before, now); err != nil {
			return err
		}
		return db.tell(ctx, r.about(), Event{Kind: "undone", Dedupe: "undone"})
	}
	if since.After(*r.RevocableUntil) {
		return nil
	}
	r.Status = RewardClawedBack
	if err := db.saveReward(ctx, r, before, now); err != nil {
		return err
	}
	owed, err := db.clawBack(ctx, r.posting("reward_taken_back", "taken_back"), r.UserID, AccountPromotions, r.Amount)
	if err != nil {
		return err
	}
	return db.tell(ctx, r.about(), Event{Kind: "reward_taken_back", Dedupe: "taken_back",
		Data: map[string]any{"amount": money.USD.Format(r.Amount), "owed": money.USD.Format(owed)}})
}

// lockReward reads a reward that nobody else can change until the transaction
// ends.
func (db *DB) lockReward(ctx context.Context, id string) (*Reward, time.Time, error) {
	return lockedRow[Reward](ctx, db, "rewards", id, "Reward")
}

// DecideReward writes down what a person decided about a reward that is held.
// Neither its payee nor their friend decides, and nothing is paid into an
// account that is closed.
func (db *DB) DecideReward(ctx context.Context, id string, in NewMatterDecision) (decision *MatterDecision, err error) {
	err = db.Tx(ctx, func(tx *DB) error {
		r, _, err := tx.lockReward(ctx, id)
		if err != nil {
			return err
		}
		own := Forbidden("own_referral", "You can't decide on your own case")
		if err := tx.anotherPerson(ctx, in.ActorID, own, r.FriendID); err != nil {
			return err
		}
		if r.Status != RewardHeld {
			return r.notAwaited()
		}
		closed, err := tx.holds(ctx, r.UserID, "closed_at IS NOT NULL")
		if err != nil {
			return err
		}
		if closed && in.Kind == RewardApprove {
			return Conflict("account_closed", "The account is closed. You can only reject this reward.")
		}
		decision, err = tx.openMatterDecision(ctx, r.about(), in)
		return err
	})
	return decision, err
}

func (r *Reward) notAwaited() error {
	return Conflict("reward_state", "This reward needs no decision: it is "+strings.ReplaceAll(string(r.Status), "_", " "))
}

// ApproveReward pays a reward that was held.
func (db *DB) ApproveReward(ctx context.Context, id, decisionID string) error {
	return db.carryReward(ctx, id, decisionID, RewardApprove, func(tx *DB, r *Reward, now time.Time) error { return tx.payReward(ctx, r, now) })
}

// RefuseReward ends a reward that was held without paying it.
func (db *DB) RefuseReward(ctx context.Context, id, decisionID string) error {
	return db.carryReward(ctx, id, decisionID, RewardRefuse, func(tx *DB, r *Reward, now time.Time) error {
		r.Status, r.ClosedAt = RewardRefused, &now
		if err := tx.saveReward(ctx, r, RewardHeld, now); err != nil {
			return err
		}
		return tx.tell(ctx, r.about(), Event{Kind: "refused", Actor: ByStaff, Dedupe: "refused"})
	})
}

func (db *DB) carryReward(ctx context.Context, id, decisionID, kind string, fn func(tx *DB, r *Reward, now time.Time) error) error {
	return db.Tx(ctx, func(tx *DB) error {
		r, now, err := tx.lockReward(ctx, id)
		if err != nil {
			return err
		}
		if _, err := tx.matterDecision(ctx, r.about(), decisionID, kind); err != nil {
			return err
		}
		if r.Status != RewardHeld {
			return r.notAwaited()
		}
		if err := fn(tx, r, now); err != nil {
			return err
		}
		return tx.settleMatterDecision(ctx, decisionID, DecisionDone)
	})
}

// PayEarnedReward pays a reward whose order was sent before its friend's
// identity was in force again, or holds it for a person.
func (db *DB) PayEarnedReward(ctx context.Context, id string) error {
	return db.Tx(ctx, func(tx *DB) error {
		r, now, err := tx.lockReward(ctx, id)
		if err != nil || r.Status != RewardActive || r.OrderID == nil {
			return err
		}
		return tx.payOrHold(ctx, r, now)
	})
}

// RewardState is where a reward stands, as its workflow may know it.
type RewardState struct {
	Status  RewardStatus `json:"status"`
	Summary string       `json:"summary"`
	Payable bool         `json:"payable,omitempty"` // earned by somebody who is verified
}

// RewardState reads where a reward stands.
func (db *DB) RewardState(ctx context.Context, id string) (RewardState, error) {
	var r Reward
	if err := db.orm(ctx).Where("id = ?", id).Take(&r).Error; err != nil {
		if isMissing(err) {
			return RewardState{}, NotFound("Reward")
		}
		return RewardState{}, fmt.Errorf("read reward: %w", err)
	}
	return RewardState{Status: r.Status, Summary: r.Reference + " · $" + money.USD.Format(r.Amount), Payable: r.Status == RewardActive && r.OrderID != nil}, nil
}
