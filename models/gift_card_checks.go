package models

import (
	"context"
	"fmt"
	"time"
)

// cardManyInDay is how many cards sent within a day are looked at more closely.
const cardManyInDay = 5

// cardFigures is what the checks are made of.
type cardFigures struct {
	Barred, Verified bool
	AccountAge       float64 // seconds, when the card was sent
	Refused, Paid    int     // other cards of its customer
	InDay, Images    int
}

// CardChecks looks at everything that can be told of a card without a person.
func (db *DB) CardChecks(ctx context.Context, card *GiftCard, alike []AlikeCard) ([]Check, error) {
	var f cardFigures
	err := db.orm(ctx).Raw(`SELECT `+accountFacts+`,
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
	return []Check{
		{"form", CheckPass, 0}, // or it could not have been sent (CardForm.Check)
		{"duplicate", worst(holding > 0, len(alike) > 0), len(alike)},
		{"account", worst(f.Barred, false), 0},
		{"identity", worst(false, !f.Verified), 0},
		{"age", worst(false, days < youngDays), max(days, 0)},
		{"refused_before", worst(false, f.Refused > 0), f.Refused},
		{"paid_before", CheckPass, f.Paid},
		{"pace", worst(false, f.InDay >= cardManyInDay), f.InDay},
		{"pictures", worst(false, f.Images == 0), f.Images},
	}, nil
}

// AlikeCard is another submission of the same card, with whose it is and who
// decided about it.
type AlikeCard struct {
	GiftCard     `gorm:"embedded"`
	Email        string
	FirstName    string
	LastName     string
	DeciderEmail string
}

// Name is what staff call whose it is.
func (a *AlikeCard) Name() string {
	return personName(a.FirstName, a.LastName, a.Email)
}

// alikeCards reads CardsAlike with people's names.
func (db *DB) alikeCards(ctx context.Context, card *GiftCard) ([]AlikeCard, error) {
	var rows []AlikeCard
	err := db.orm(ctx).Table("gift_cards").Select("gift_cards.*, u.email, u.first_name, u.last_name, coalesce(d.email, '') AS decider_email").
		Joins("JOIN users u ON u.id = gift_cards.user_id").Joins("LEFT JOIN users d ON d.id = gift_cards.decided_by").
		Where("gift_cards.fingerprint = ? AND gift_cards.id <> ?", card.Fingerprint, card.ID).Order("gift_cards.created_at").Limit(20).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read submissions of the same card: %w", err)
	}
	return rows, nil
}
