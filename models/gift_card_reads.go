package models

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/internal/secret"
)

// CardFilter narrows a list of gift cards.
type CardFilter = QueueFilter[CardStatus]

// StaffCard is a card with whose it is.
type StaffCard struct {
	GiftCard   `gorm:"embedded"`
	Whose      `gorm:"embedded"`
	FirstEmail *string `gorm:"-"` // of the first of two people to approve it
}

// GiftCards is one page of gift cards, newest first unless the page says
// otherwise.
func (db *DB) GiftCards(ctx context.Context, f CardFilter, p Page) ([]StaffCard, *Cursor, error) {
	open := "LEFT JOIN gift_card_decisions d ON d.card_id = gift_cards.id AND d.settled_at IS NULL"
	cards, next, err := queuePage(ctx, db, "gift_cards", open, f, p, func(c StaffCard) Cursor { return Cursor{At: c.CreatedAt, ID: c.ID} })
	if err != nil {
		return nil, nil, err
	}
	return cards, next, db.nameFirst(ctx, cards)
}

// nameFirst adds who approved cards as the first of two people.
func (db *DB) nameFirst(ctx context.Context, cards []StaffCard) error {
	var ids []string
	for i := range cards {
		if first := cards[i].FirstApprovedBy; first != nil {
			ids = append(ids, *first)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var people []struct{ ID, Email string }
	if err := db.orm(ctx).Table("users").Select("id", "email").Where("id IN ?", ids).Find(&people).Error; err != nil {
		return fmt.Errorf("read who approved first: %w", err)
	}
	emails := map[string]*string{}
	for i := range people {
		emails[people[i].ID] = &people[i].Email
	}
	for i := range cards {
		cards[i].FirstEmail = emails[text(cards[i].FirstApprovedBy)]
	}
	return nil
}

// CountGiftCards counts a customer's cards, or everybody's, without reading
// them.
func (db *DB) CountGiftCards(ctx context.Context, userID string) (Counts[CardStatus], error) {
	return countByStatus[CardStatus](ctx, db, "gift_cards", userID)
}

// CountGiftCardsFound counts everybody's cards, or those that a search finds.
func (db *DB) CountGiftCardsFound(ctx context.Context, typed string) (Counts[CardStatus], error) {
	return countQueue[CardStatus](ctx, db, "gift_cards", typed)
}

// CardEvents reads a card's story from its beginning.
func (db *DB) CardEvents(ctx context.Context, cardID string) ([]GiftCardEvent, error) {
	var events []GiftCardEvent
	if err := db.orm(ctx).Where("card_id = ?", cardID).Order("id").Find(&events).Error; err != nil {
		return nil, fmt.Errorf("read gift card events: %w", err)
	}
	return events, nil
}

// CardImages reads a card's pictures, oldest first.
func (db *DB) CardImages(ctx context.Context, cardID string) ([]CardImage, error) {
	var images []CardImage
	if err := db.orm(ctx).Where("card_id = ?", cardID).Order("id").Find(&images).Error; err != nil {
		return nil, fmt.Errorf("read pictures: %w", err)
	}
	return images, nil
}

// TakenCardDecision is a decision with who took it.
type TakenCardDecision struct {
	CardDecision `gorm:"embedded"`
	ActorEmail   string
}

// CardRecord is what staff see behind a card beside its story.
type CardRecord struct {
	Card      StaffCard
	Alike     []AlikeCard
	Checks    []Check
	Decisions []TakenCardDecision
	Postings  []StoredPosting
}

// CardRecord reads all of it.
func (db *DB) CardRecord(ctx context.Context, id string) (CardRecord, error) {
	card, err := db.GiftCard(ctx, id)
	if err != nil {
		return CardRecord{}, err
	}
	staff := []StaffCard{{GiftCard: *card}}
	if err := db.nameFirst(ctx, staff); err != nil {
		return CardRecord{}, err
	}
	record := CardRecord{Card: staff[0]}
	if record.Alike, err = db.alikeCards(ctx, card); err != nil {
		return CardRecord{}, err
	}
	if record.Checks, err = db.CardChecks(ctx, card, record.Alike); err != nil {
		return CardRecord{}, err
	}
	err = firstError(
		db.orm(ctx).Table("users").Select("email, first_name, last_name").Where("id = ?", card.UserID).
			Row().Scan(&record.Card.Email, &record.Card.FirstName, &record.Card.LastName),
		db.orm(ctx).Table("gift_card_decisions d").Select("d.*, u.email AS actor_email").Joins("JOIN users u ON u.id = d.actor_id").
			Where("d.card_id = ?", id).Order("d.created_at, d.id").Scan(&record.Decisions).Error,
		db.orm(ctx).Where("gift_card_id = ?", id).Order("id").Find(&record.Postings).Error,
	)
	if err != nil {
		return CardRecord{}, fmt.Errorf("read the gift card's record: %w", err)
	}
	for i := range record.Decisions {
		if d := &record.Decisions[i]; d.SettledAt == nil {
			record.Card.DecisionID, record.Card.DecisionKind, record.Card.DecisionAt = &d.ID, &d.Kind, &d.CreatedAt
		}
	}
	return record, nil
}

// Viewer is a member of staff who is shown what is printed on a card.
type Viewer struct{ ID, Role, RequestID string }

// RevealTime is how long a reviewer may look at a card's pictures after a
// reveal.
const RevealTime = 15 * time.Minute

// RevealGiftCard shows what is printed on a card to a reviewer, and writes down
// that it did, in one transaction: no record, no reveal. Nobody is shown their
// own card as a reviewer.
func (db *DB) RevealGiftCard(ctx context.Context, keys *secret.Keys, id string, who Viewer) (plain CardSecrets, images []CardImage, err error) {
	err = db.ChangeGiftCard(ctx, id, func(c *CardChange) error {
		if c.Card.UserID == who.ID {
			return Forbidden("own_card", "You can't review your own gift card")
		}
		if c.Card.SecretsDestroyedAt != nil {
			return Conflict("secrets_destroyed", "The details of this card were deleted")
		}
		var err error
		if plain, err = c.Card.open(keys); err != nil {
			return err
		}
		if images, err = c.tx.CardImages(ctx, id); err != nil {
			return err
		}
		if err := c.event(Event{Kind: "revealed", Actor: ByStaff, Internal: true}); err != nil {
			return err
		}
		return c.tx.Audit(ctx, AuditEntry{ActorID: who.ID, ActorRole: who.Role, Action: "gift_card.reveal", ObjectKind: "gift_card", ObjectID: id, RequestID: who.RequestID})
	})
	if err != nil {
		return CardSecrets{}, nil, err
	}
	return plain, images, nil
}

// CardImageFor finds a picture by its key: for its owner, and, when staff is
// set, for who revealed the card a moment ago. A purged one is not there.
func (db *DB) CardImageFor(ctx context.Context, key, userID string, staff bool) (*CardImage, error) {
	var image CardImage
	result := db.orm(ctx).Raw(`SELECT * FROM gift_card_images i WHERE file_key = ? AND purged_at IS NULL AND (user_id = ? OR ? AND EXISTS (
		SELECT FROM audit_log a WHERE a.object_kind = 'gift_card' AND a.object_id = CAST(i.card_id AS text) AND a.action = 'gift_card.reveal'
		   AND a.actor_id = ? AND a.at > clock_now() - CAST(? AS interval)))`, key, userID, staff, userID, seconds(RevealTime)).Scan(&image)
	if result.Error != nil {
		return nil, fmt.Errorf("read picture: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, NotFound("File")
	}
	return &image, nil
}

// CardImagesToErase lists purged pictures whose bytes still lie in the bucket.
func (db *DB) CardImagesToErase(ctx context.Context, limit int) (keys []string, err error) {
	err = db.orm(ctx).Model(&CardImage{}).Where("purged_at IS NOT NULL AND erased_at IS NULL").Order("purged_at").Limit(limit).Pluck("file_key", &keys).Error
	if err != nil {
		return nil, fmt.Errorf("read pictures to erase: %w", err)
	}
	return keys, nil
}

// MarkCardImageErased notes that a picture's bytes are gone.
func (db *DB) MarkCardImageErased(ctx context.Context, key string) error {
	err := db.orm(ctx).Exec("UPDATE gift_card_images SET erased_at = clock_now() WHERE file_key = ? AND erased_at IS NULL", key).Error
	if err != nil {
		return fmt.Errorf("mark picture erased: %w", err)
	}
	return nil
}
