package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"
)

// Topics a customer can have no mails about. What is about money that went
// somewhere, about a choice with a deadline, or about the safety of an account
// has no topic: it is always told.
const (
	TopicOrders    = "orders"
	TopicCards     = "gift_cards" // and vouchers
	TopicSupport   = "support"
	TopicReferrals = "referrals"
)

// Topics lists them, in the order the page shows them.
var Topics = []string{TopicOrders, TopicCards, TopicSupport, TopicReferrals}

// topicOf is the one table of mails that customers may do without.
var topicOf = map[string]string{
	"order_created":      TopicOrders,
	"payment_approved":   TopicOrders,
	"order_expired":      TopicOrders,
	"order_sent":         TopicOrders,
	"gift_card_received": TopicCards,
	"gift_card_approved": TopicCards,
	"gift_card_rejected": TopicCards,
	"gift_card_expired":  TopicCards,
	"voucher_redeemed":   TopicCards,
	"voucher_sent":       TopicCards,
	"ticket_answered":    TopicSupport,

	"referral_rewarded":     TopicReferrals,
	"signup_bonus_credited": TopicReferrals,
}

// Preferences are what a customer has chosen.
type Preferences struct {
	UserID    string         `gorm:"primaryKey"`
	Language  string         // empty until they have chosen
	Muted     pq.StringArray `gorm:"type:text[]"`
	News      bool           // whether they want to hear of what is new
	UpdatedAt time.Time      `gorm:"autoUpdateTime:false;default:clock_now()"`
}

// Languages are those the pages are in. The first is staff's, and everybody's
// who asks for none of the others.
var Languages = []string{"en", "es"}

// PreferencesOf reads a customer's choices; who has not chosen gets all mails
// but news.
func (db *DB) PreferencesOf(ctx context.Context, userID string) (*Preferences, error) {
	p := Preferences{UserID: userID}
	if err := db.orm(ctx).Where("user_id = ?", userID).Take(&p).Error; err != nil && !isMissing(err) {
		return nil, fmt.Errorf("read preferences: %w", err)
	}
	return &p, nil
}

// Choose stores a customer's choices.
func (db *DB) Choose(ctx context.Context, p Preferences) error {
	if !slices.Contains(Languages, p.Language) {
		return Invalid("language", "unknown_language", "Choose a language")
	}
	for _, topic := range p.Muted {
		if !slices.Contains(Topics, topic) {
			return Invalid("muted", "unknown_topic", "You can't turn off e-mails about this")
		}
	}
	slices.Sort(p.Muted)
	p.Muted = slices.Compact(p.Muted)
	err := db.orm(ctx).Exec(`INSERT INTO preferences (user_id, language, muted, news) VALUES (?, ?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET language = excluded.language, muted = excluded.muted, news = excluded.news, updated_at = clock_now()`,
		p.UserID, p.Language, p.Muted, p.News).Error
	if err != nil {
		return fmt.Errorf("store preferences: %w", err)
	}
	return nil
}
