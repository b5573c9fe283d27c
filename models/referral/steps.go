package referral

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// EarnReward records which order earned a reward, and pays it unless a check fails.
func EarnReward(ctx context.Context, db *store.DB, r *Reward, orderID string, now time.Time) error {
	var earned struct {
		Hash    []byte
		Signals pq.StringArray `gorm:"type:text[]"`
	}
	err := db.ORM(ctx).Raw(earningSQL, map[string]any{"order": orderID, "friend": r.FriendID, "payee": r.UserID, "referral": r.Kind == RewardReferral}).Scan(&earned).Error
	if err != nil {
		return fmt.Errorf("look for signs of one person: %w", err)
	}
	r.OrderID, r.AddressHash, r.Signals = &orderID, earned.Hash, append(r.Signals, earned.Signals...)
	if r.Status == RewardRegistered { // an identity that was withdrawn meanwhile; a later approval pays
		return saveReward(ctx, db, r, RewardRegistered, now)
	}
	return payOrHold(ctx, db, r, now)
}

// payOrHold pays what was earned, unless a check fails: then staff review it.
func payOrHold(ctx context.Context, db *store.DB, r *Reward, now time.Time) error {
	restricted, err := holds(ctx, db, r.UserID, "disabled_at IS NOT NULL OR frozen_at IS NOT NULL")
	if err != nil {
		return err
	}
	if restricted {
		r.Signals = append(r.Signals, "account_restricted")
	}
	if len(r.Signals) == 0 {
		return payReward(ctx, db, r, now)
	}
	r.Status = RewardHeld
	if err := saveReward(ctx, db, r, RewardActive, now); err != nil {
		return err
	}
	return casework.Append(ctx, db, r.about(), casework.Event{Kind: "held", Internal: true, Dedupe: "held"})
}

// holds reports whether a condition holds of an account.
func holds(ctx context.Context, db *store.DB, userID, condition string) (yes bool, err error) {
	if err := db.ORM(ctx).Raw("SELECT EXISTS (SELECT FROM users WHERE id = ? AND ("+condition+"))", userID).Row().Scan(&yes); err != nil {
		return false, fmt.Errorf("look at the payee's account: %w", err)
	}
	return yes, nil
}

// earningSQL reads the address of an order's coin, as a hash, and the signs that its customer may be the payee, or
// the earner of an earlier reward: the same wallet, the same card.
const earningSQL = `
WITH earning AS (SELECT o.*, sha256(convert_to(lower(o.dest_address), 'UTF8')) AS hash, p.card_brand, p.card_last4
                   FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.id = @order)
SELECT hash, array_remove(ARRAY[
  CASE WHEN EXISTS (SELECT FROM rewards r WHERE r.address_hash = e.hash AND r.friend_id <> @friend)
         OR @referral AND EXISTS (SELECT FROM orders o WHERE o.user_id = @payee AND lower(o.dest_address) = lower(e.dest_address)) THEN 'same_wallet' END,
  CASE WHEN @referral AND EXISTS (SELECT FROM orders o JOIN payments p ON p.order_id = o.id
         WHERE o.user_id = @payee AND p.card_last4 = e.card_last4 AND p.card_brand = e.card_brand) THEN 'same_card' END], NULL) AS signals
FROM earning e`

// payReward credits a reward. The name of its postings makes that happen once.
func payReward(ctx context.Context, db *store.DB, r *Reward, now time.Time) error {
	before, until := r.Status, now.Add(time.Duration(r.RevocableSeconds)*time.Second)
	r.Status, r.RewardedAt, r.RevocableUntil, r.ClosedAt = RewardRewarded, &now, &until, &now
	if err := saveReward(ctx, db, r, before, now); err != nil {
		return err
	}
	return creditReward(ctx, db, r)
}

// creditReward books a reward that is paid, once each time that it is.
func creditReward(ctx context.Context, db *store.DB, r *Reward) error {
	group, err := again(ctx, db, r, "paid")
	if err != nil {
		return err
	}
	event := map[string]string{RewardReferral: "referral_rewarded", RewardSignup: "signup_bonus_credited"}[r.Kind]
	about := ledger.About(string(Referral), r.ID, event, group)
	if _, err := ledger.CreditBalance(ctx, db, about, r.UserID, RewardPostings(r)...); err != nil {
		return err
	}
	data := map[string]any{"amount": money.USD.Format(r.Amount)}
	return casework.Append(ctx, db, r.about(), casework.Event{Kind: event, Dedupe: group, Data: data})
}

// RewardPostings credit a reward to its payee's balance.
func RewardPostings(r *Reward) []ledger.Posting {
	return []ledger.Posting{{From: ledger.CustomerBalance(r.UserID), To: ledger.AccountPromotions, Currency: money.USD, Amount: r.Amount}}
}

// saveReward writes a reward's row, guarded by the status it was read with.
func saveReward(ctx context.Context, db *store.DB, r *Reward, before RewardStatus, now time.Time) error {
	r.UpdatedAt = now
	result := db.ORM(ctx).Model(&Reward{}).Where("id = ? AND status = ?", r.ID, before).Select("*").Omit("id", "created_at").Updates(r)
	if result.Error != nil {
		return fmt.Errorf("store reward: %w", result.Error)
	}
	if result.RowsAffected != 1 {
		return store.Conflict("reward_moved", "The reward has changed. Refresh the page.")
	}
	return nil
}

// LoseReward claws back a reward that was paid, and refuses one that was not.
func LoseReward(ctx context.Context, db *store.DB, r *Reward, since, now time.Time) error {
	before := r.Status
	if before != RewardRewarded {
		r.Status, r.ClosedAt = RewardRefused, &now
		if err := saveReward(ctx, db, r, before, now); err != nil {
			return err
		}
		return casework.Append(ctx, db, r.about(), casework.Event{Kind: "undone", Dedupe: "undone"})
	}
	if since.After(*r.RevocableUntil) {
		return nil
	}
	group, err := again(ctx, db, r, "taken_back")
	if err != nil {
		return err
	}
	r.Status = RewardClawedBack
	if err := saveReward(ctx, db, r, before, now); err != nil {
		return err
	}
	about := ledger.About(string(Referral), r.ID, "reward_taken_back", group)
	owed, err := ledger.ClawBack(ctx, db, about, r.UserID, ledger.AccountPromotions, r.Amount)
	if err != nil {
		return err
	}
	return casework.Append(ctx, db, r.about(), casework.Event{Kind: "reward_taken_back", Dedupe: group,
		Data: map[string]any{"amount": money.USD.Format(r.Amount), "owed": money.USD.Format(owed)}})
}

// RegainReward pays a reward again that was clawed back, because the money of its order is here again. Until when it
// can be clawed back does not change.
func RegainReward(ctx context.Context, db *store.DB, r *Reward, now time.Time) error {
	r.Status = RewardRewarded
	if err := saveReward(ctx, db, r, RewardClawedBack, now); err != nil {
		return err
	}
	return creditReward(ctx, db, r)
}

// again returns the name of an effect on a reward that happens each time the reward was clawed back.
func again(ctx context.Context, db *store.DB, r *Reward, name string) (string, error) {
	var times int
	err := db.Row(ctx, `SELECT count(*) FROM matter_events
		WHERE matter = $1 AND matter_id = $2 AND kind = 'reward_taken_back'`, string(Referral), r.ID).Scan(&times)
	if err != nil {
		return "", fmt.Errorf("count claw-backs of a reward: %w", err)
	}
	if times > 0 {
		name = fmt.Sprintf("%s:%d", name, times+1)
	}
	return name, nil
}

// lockReward reads a reward, locked until the transaction ends.
func lockReward(ctx context.Context, db *store.DB, id string) (*Reward, time.Time, error) {
	return store.LockedRow[Reward](ctx, db, "rewards", id, "Reward")
}

// DecideReward records what a person decided about a reward that is held. Neither its payee nor their friend decides,
// and nothing is paid into an account that is closed.
func DecideReward(ctx context.Context, db *store.DB, id string, in casework.NewCaseDecision) (decision *casework.CaseDecision, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		r, _, err := lockReward(ctx, tx, id)
		if err != nil {
			return err
		}
		own := store.Forbidden("own_referral", "You can't decide on your own case")
		if err := people.Another(ctx, tx, in.ActorID, own, r.FriendID); err != nil {
			return err
		}
		if r.Status != RewardHeld {
			return r.notAwaited()
		}
		closed, err := holds(ctx, tx, r.UserID, "closed_at IS NOT NULL")
		if err != nil {
			return err
		}
		if closed && in.Kind == RewardApprove {
			return store.Conflict("account_closed", "The account is closed. You can only reject this reward.")
		}
		decision, err = casework.StoreCaseDecision(ctx, tx, r.about(), in)
		return err
	})
	return decision, err
}

func (r *Reward) notAwaited() error {
	return store.Conflict("reward_state", "This reward needs no decision: it is "+strings.ReplaceAll(string(r.Status), "_", " "))
}

// ApproveReward pays a reward that was held.
func ApproveReward(ctx context.Context, db *store.DB, id, decisionID string) error {
	return executeReward(ctx, db, id, decisionID, RewardApprove, func(tx *store.DB, r *Reward, now time.Time) error { return payReward(ctx, tx, r, now) })
}

// RefuseReward ends a reward that was held without paying it.
func RefuseReward(ctx context.Context, db *store.DB, id, decisionID string) error {
	return executeReward(ctx, db, id, decisionID, RewardRefuse, func(tx *store.DB, r *Reward, now time.Time) error {
		r.Status, r.ClosedAt = RewardRefused, &now
		if err := saveReward(ctx, tx, r, RewardHeld, now); err != nil {
			return err
		}
		return casework.Append(ctx, tx, r.about(), casework.Event{Kind: "refused", Actor: casework.ByStaff, Dedupe: "refused"})
	})
}

func executeReward(ctx context.Context, db *store.DB, id, decisionID, kind string, fn func(tx *store.DB, r *Reward, now time.Time) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		r, now, err := lockReward(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := casework.CaseDecisions.Of(Referral).Current(ctx, tx, id, decisionID, kind); err != nil {
			return err
		}
		if r.Status != RewardHeld {
			return r.notAwaited()
		}
		if err := fn(tx, r, now); err != nil {
			return err
		}
		return casework.CaseDecisions.Resolve(ctx, tx, decisionID, casework.DecisionDone)
	})
}

// PayEarnedReward pays a reward whose order was sent before its friend's
// identity was in force again, or holds it for a person.
func PayEarnedReward(ctx context.Context, db *store.DB, id string) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		r, now, err := lockReward(ctx, tx, id)
		if err != nil || r.Status != RewardActive || r.OrderID == nil {
			return err
		}
		return payOrHold(ctx, tx, r, now)
	})
}

// RewardState is a reward as its workflow reads it.
type RewardState struct {
	Status  RewardStatus `json:"status"`
	Summary string       `json:"summary"`
	Payable bool         `json:"payable,omitempty"` // earned by a verified customer
}

// ReadRewardState reads the state of a reward.
func ReadRewardState(ctx context.Context, db *store.DB, id string) (RewardState, error) {
	var r Reward
	if err := db.ORM(ctx).Where("id = ?", id).Take(&r).Error; err != nil {
		if store.IsMissing(err) {
			return RewardState{}, store.NotFound("Reward")
		}
		return RewardState{}, fmt.Errorf("read reward: %w", err)
	}
	return RewardState{Status: r.Status, Summary: r.Reference + " · $" + money.USD.Format(r.Amount), Payable: r.Status == RewardActive && r.OrderID != nil}, nil
}
