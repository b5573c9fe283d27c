package referral

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// A reward is promised at a sign-up: to the referrer (a referral), or to the new customer (the sign-up bonus). The
// first sent order of a verified customer earns it in the transaction that books it as sent, unless friend and payee
// may be the same person, which staff review; a refund of that order claws it back (referral_steps.go).

// Referral is the case of every reward.
const Referral casework.Kind = "referral"

// Kinds of rewards.
const (
	RewardReferral = "referral"
	RewardSignup   = "signup_bonus"
)

// RewardStatus is the state of a reward.
type RewardStatus string

// The statuses of a reward.
const (
	RewardRegistered RewardStatus = "registered" // the friend has an account
	RewardActive     RewardStatus = "active"     // and their identity is verified
	RewardHeld       RewardStatus = "held"       // earned; staff review it
	RewardRewarded   RewardStatus = "rewarded"
	RewardRefused    RewardStatus = "refused"     // earned, and not paid
	RewardClawedBack RewardStatus = "clawed_back" // paid, and clawed back
)

// RewardStatuses lists them all, for filters and generated tests.
var RewardStatuses = []RewardStatus{RewardRegistered, RewardActive, RewardHeld, RewardRewarded, RewardRefused, RewardClawedBack}

// Decisions that staff make about a held reward.
const (
	RewardApprove = "approve_reward"
	RewardRefuse  = "refuse_reward"
)

// RewardReviewers are those who decide on rewards that are held.
var RewardReviewers = []string{"compliance", "admin"}

// The timeline, the mails and the places of rewards.
var _ = casework.ListCases(&casework.CaseRules{
	Matter: Referral, Label: "reward", Page: "/balance", StaffPage: "/admin/referrals", Table: "earned_rewards",
	Events: []string{"promised", "held", "refused", "undone", "referral_rewarded", "signup_bonus_credited", "reward_taken_back"},
	Mailings: []casework.Mailing{
		{Event: "held", Kind: "reward_held", Roles: RewardReviewers},
		{Event: "referral_rewarded", Kind: "referral_rewarded"},
		{Event: "signup_bonus_credited", Kind: "signup_bonus_credited"},
		{Event: "reward_taken_back", Kind: "reward_taken_back"},
	},
})

// Reward is one promise. FriendID is whose first order earns it, UserID who is
// paid; for the sign-up bonus they are the same person.
type Reward struct {
	ID                string `gorm:"primaryKey"`
	Reference         string
	Kind              string
	UserID            string
	FriendID          string
	Amount            money.Units // cents, as promised at sign-up
	RevocableSeconds  int64
	Status            RewardStatus
	Signals           pq.StringArray `gorm:"type:text[]"`
	OrderID           *string
	AddressHash       []byte
	RewardedAt        *time.Time
	RevocableUntil    *time.Time
	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	WakeAt            *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

func (r *Reward) about() casework.About {
	return casework.About{Matter: Referral, ID: r.ID, UserID: r.UserID, Reference: r.Reference, Status: string(r.Status)}
}

// Arrival is the source of a sign-in, and what is promised to those who sign up by it. It changes nothing for
// existing accounts.
type Arrival struct {
	Code     string // of the referral link they followed, or empty
	Language string // from their browser's Accept-Language; empty for the default
	// IP is theirs, or empty where many people share one; BrowserOf the hash of
	// the session that their browser held before.
	IP        string
	BrowserOf []byte
	// Bonus and Reward are what is promised, in cents; zero is nothing.
	Bonus, Reward money.Units
	Revocable     time.Duration
}

// ReferralCode extracts a code from typed text or a link; false when there is none.
func ReferralCode(text string) (string, bool) {
	code := strings.NewReplacer("O", "0", "I", "1", "L", "1").Replace(typed.Upper(text))
	if len(code) != 8 || strings.Trim(code, store.Crockford) != "" {
		return "", false
	}
	return code, true
}

// CodeOf is a customer's referral code. Every account has one.
func CodeOf(ctx context.Context, db *store.DB, userID string) (string, error) {
	var code string
	if err := db.Row(ctx, "SELECT code FROM referral_codes WHERE user_id = $1", userID).Scan(&code); err != nil {
		return "", fmt.Errorf("read referral code: %w", err)
	}
	return code, nil
}

// PromiseRewards writes the rewards promised to a new account and to its referrer. An unknown code, or the customer's
// own, promises nothing.
func PromiseRewards(ctx context.Context, db *store.DB, friendID, friendEmail string, a Arrival) error {
	if a.Bonus.Sign() > 0 {
		if err := promiseReward(ctx, db, &Reward{Kind: RewardSignup, UserID: friendID, FriendID: friendID, Amount: a.Bonus}, a.Revocable); err != nil {
			return err
		}
	}
	code, ok := ReferralCode(a.Code)
	if !ok || a.Reward.Sign() <= 0 {
		return nil
	}
	var payee struct {
		ID, Email  string
		DisabledAt *time.Time
	}
	result := db.ORM(ctx).Raw("SELECT u.id, u.email, u.disabled_at FROM users u JOIN referral_codes c ON c.user_id = u.id WHERE c.code = ? AND u.id <> ?", code, friendID).Scan(&payee)
	if result.Error != nil {
		return fmt.Errorf("find who referred: %w", result.Error)
	}
	if result.RowsAffected == 0 || payee.DisabledAt != nil || people.SameMailbox(payee.Email, friendEmail) {
		return nil
	}
	signals, err := signUpSignals(ctx, db, payee.ID, a)
	if err != nil {
		return err
	}
	return promiseReward(ctx, db, &Reward{Kind: RewardReferral, UserID: payee.ID, FriendID: friendID, Amount: a.Reward, Signals: signals}, a.Revocable)
}

func promiseReward(ctx context.Context, db *store.DB, r *Reward, revocable time.Duration) error {
	r.ID, r.Reference, r.Status, r.RevocableSeconds = store.NewID(), store.Reference("RW-"), RewardRegistered, int64(revocable.Seconds())
	if r.Signals == nil {
		r.Signals = pq.StringArray{}
	}
	if err := db.ORM(ctx).Create(r).Error; err != nil {
		return fmt.Errorf("promise a reward: %w", err)
	}
	return casework.Append(ctx, db, r.about(), casework.Event{Kind: "promised", Dedupe: "promised"})
}

// signUpSignals are what, at sign-up, says that the friend may be the payee
// themselves: the same browser, or the same place on the network lately.
func signUpSignals(ctx context.Context, db *store.DB, payeeID string, a Arrival) (pq.StringArray, error) {
	var signals pq.StringArray
	err := db.ORM(ctx).Raw(`SELECT array_remove(ARRAY[
		CASE WHEN EXISTS (SELECT FROM sessions WHERE token_hash = decode(@browser, 'hex') AND user_id = @payee) THEN 'same_browser' END,
		CASE WHEN @ip <> '' AND EXISTS (SELECT FROM sessions WHERE user_id = @payee AND ip = @ip AND last_seen_at > clock_now() - interval '30 days') THEN 'same_network' END], NULL)`,
		map[string]any{"browser": hex.EncodeToString(a.BrowserOf), "payee": payeeID, "ip": a.IP}).Row().Scan(&signals)
	if err != nil {
		return nil, fmt.Errorf("look for signs of one person: %w", err)
	}
	return signals, nil
}
