package giftcard

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// cardManyInDay is how many cards sent within a day are reviewed more closely.
const cardManyInDay = 5

// cardFigures is what the checks are made of.
type cardFigures struct {
	Barred, Verified bool
	AccountAge       float64 // seconds, when the card was sent
	Refused, Paid    int     // other cards of its customer
	InDay, Images    int
}

// CardChecks runs the automatic checks of a card.
func CardChecks(ctx context.Context, db *store.DB, card *GiftCard, alike []AlikeCard) ([]casework.Check, error) {
	var f cardFigures
	err := db.ORM(ctx).Raw(`SELECT `+casework.AccountFacts+`,
		extract(epoch FROM g.created_at - u.created_at) AS account_age,
		(SELECT count(*) FROM (SELECT FROM gift_cards o WHERE o.user_id = g.user_id AND o.status = 'rejected' AND o.id <> g.id LIMIT 100) x) AS refused,
		(SELECT count(*) FROM (SELECT FROM gift_cards o WHERE o.user_id = g.user_id AND o.status IN ('approved', 'realised') AND o.id <> g.id LIMIT 100) x) AS paid,
		(SELECT count(*) FROM gift_cards o WHERE o.user_id = g.user_id AND o.created_at > g.created_at - interval '1 day' AND o.created_at <= g.created_at) AS in_day,
		(SELECT count(*) FROM gift_card_images i WHERE i.card_id = g.id) AS images
		FROM gift_cards g JOIN users u ON u.id = g.user_id LEFT JOIN kyc_records k ON k.user_id = u.id WHERE g.id = ?`, card.ID).Scan(&f).Error
	if err != nil {
		return nil, fmt.Errorf("read what is known of a gift card: %w", err)
	}
	holding := 0
	for i := range alike {
		if alike[i].Holds(card) {
			holding++
		}
	}
	days := int(f.AccountAge / (24 * time.Hour).Seconds())
	return []casework.Check{
		{Name: "form", Result: casework.CheckPass, N: 0}, // or it could not have been sent (CardForm.Check)
		{Name: "duplicate", Result: casework.Worst(holding > 0, len(alike) > 0), N: len(alike)},
		{Name: "account", Result: casework.Worst(f.Barred, false), N: 0},
		{Name: "identity", Result: casework.Worst(false, !f.Verified), N: 0},
		{Name: "age", Result: casework.Worst(false, days < casework.YoungDays), N: max(days, 0)},
		{Name: "refused_before", Result: casework.Worst(false, f.Refused > 0), N: f.Refused},
		{Name: "paid_before", Result: casework.CheckPass, N: f.Paid},
		{Name: "pace", Result: casework.Worst(false, f.InDay >= cardManyInDay), N: f.InDay},
		{Name: "pictures", Result: casework.Worst(false, f.Images == 0), N: f.Images},
	}, nil
}

// AlikeCard is another submission of the same card, with its customer and its decider.
type AlikeCard struct {
	GiftCard     `gorm:"embedded"`
	Email        string
	FirstName    string
	LastName     string
	DeciderEmail string
}

// Name is its customer's display name for staff.
func (a *AlikeCard) Name() string {
	return people.PersonName(a.FirstName, a.LastName, a.Email)
}

// alikeCards reads CardsAlike with people's names.
func alikeCards(ctx context.Context, db *store.DB, card *GiftCard) ([]AlikeCard, error) {
	var rows []AlikeCard
	err := db.ORM(ctx).Table("gift_cards").Select("gift_cards.*, u.email, u.first_name, u.last_name, coalesce(d.email, '') AS decider_email").
		Joins("JOIN users u ON u.id = gift_cards.user_id").Joins("LEFT JOIN users d ON d.id = gift_cards.decided_by").
		Where("gift_cards.fingerprint = ? AND gift_cards.id <> ?", card.Fingerprint, card.ID).Order("gift_cards.created_at").Limit(20).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read submissions of the same card: %w", err)
	}
	return rows, nil
}
