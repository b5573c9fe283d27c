package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// Topics lists them, in the order the page shows them.
var Topics = []string{casework.TopicOrders, casework.TopicCards, casework.TopicSupport, casework.TopicReferrals, casework.TopicApprovals}

// Preferences are what a customer has chosen.
type Preferences struct {
	UserID    string         `gorm:"primaryKey"`
	Language  string         // empty until they have chosen
	Muted     pq.StringArray `gorm:"type:text[]"`
	News      bool           // consents to mails about new features
	UpdatedAt time.Time      `gorm:"autoUpdateTime:false;default:clock_now()"`
}

// Languages are the languages of the pages. The first is staff's, and the default of a customer who requests none of
// the others.
var Languages = []string{"en", "es"}

// PreferencesOf reads a customer's choices; without a stored choice, every mail but news is sent.
func PreferencesOf(ctx context.Context, db *store.DB, userID string) (*Preferences, error) {
	p := Preferences{UserID: userID}
	if err := db.ORM(ctx).Where("user_id = ?", userID).Take(&p).Error; err != nil && !store.IsMissing(err) {
		return nil, fmt.Errorf("read preferences: %w", err)
	}
	return &p, nil
}

// beginIn sets the account's language at sign-up; empty is no choice.
func beginIn(ctx context.Context, db *store.DB, userID, language string) error {
	if language == "" {
		return nil
	}
	return Choose(ctx, db, Preferences{UserID: userID, Language: language, Muted: pq.StringArray{}})
}

// Choose stores a customer's choices.
func Choose(ctx context.Context, db *store.DB, p Preferences) error {
	if !slices.Contains(Languages, p.Language) {
		return store.Invalid("language", "unknown_language", "Choose a language")
	}
	for _, topic := range p.Muted {
		if !slices.Contains(Topics, topic) {
			return store.Invalid("muted", "unknown_topic", "You can't turn off e-mails about this")
		}
	}
	slices.Sort(p.Muted)
	p.Muted = slices.Compact(p.Muted)
	err := db.ORM(ctx).Exec(`INSERT INTO preferences (user_id, language, muted, news) VALUES (?, ?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET language = excluded.language, muted = excluded.muted, news = excluded.news, updated_at = clock_now()`,
		p.UserID, p.Language, p.Muted, p.News).Error
	if err != nil {
		return fmt.Errorf("store preferences: %w", err)
	}
	return nil
}
