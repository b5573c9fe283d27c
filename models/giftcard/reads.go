package giftcard

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// CardFilter narrows a list of gift cards.
type CardFilter = people.QueueFilter[CardStatus]

// StaffCard is a card with its customer.
type StaffCard struct {
	GiftCard     `gorm:"embedded"`
	people.Whose `gorm:"embedded"`
	FirstEmail   *string `gorm:"-"` // of the first of two people to approve it
}

// GiftCards is one page of gift cards, newest first unless the page says
// otherwise.
func GiftCards(ctx context.Context, db *store.DB, f CardFilter, p store.Page) ([]StaffCard, *store.Cursor, error) {
	open := "LEFT JOIN gift_card_decisions d ON d.card_id = gift_cards.id AND d.settled_at IS NULL"
	cards, next, err := people.QueuePage(ctx, db, "gift_cards", open, f, p, func(c StaffCard) store.Cursor { return store.Cursor{At: c.CreatedAt, ID: c.ID} })
	if err != nil {
		return nil, nil, err
	}
	return cards, next, nameFirst(ctx, db, cards)
}

// nameFirst adds who approved cards as the first of two people.
func nameFirst(ctx context.Context, db *store.DB, cards []StaffCard) error {
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
	if err := db.ORM(ctx).Table("users").Select("id", "email").Where("id IN ?", ids).Find(&people).Error; err != nil {
		return fmt.Errorf("read who approved first: %w", err)
	}
	emails := map[string]*string{}
	for i := range people {
		emails[people[i].ID] = &people[i].Email
	}
	for i := range cards {
		cards[i].FirstEmail = emails[store.Text(cards[i].FirstApprovedBy)]
	}
	return nil
}

// CountGiftCards counts a customer's cards, or all customers', without reading them.
func CountGiftCards(ctx context.Context, db *store.DB, userID string) (store.Counts[CardStatus], error) {
	return store.CountByStatus[CardStatus](ctx, db, "gift_cards", userID)
}

// CountGiftCardsFound counts all customers' cards, or those that a search finds.
func CountGiftCardsFound(ctx context.Context, db *store.DB, typed string) (store.Counts[CardStatus], error) {
	return people.CountQueue[CardStatus](ctx, db, "gift_cards", typed)
}

// CardImages reads a card's pictures, oldest first.
func CardImages(ctx context.Context, db *store.DB, cardID string) ([]CardImage, error) {
	var images []CardImage
	if err := db.ORM(ctx).Where("card_id = ?", cardID).Order("id").Find(&images).Error; err != nil {
		return nil, fmt.Errorf("read pictures: %w", err)
	}
	return images, nil
}

// CardRecord is the staff view of a card beside its timeline.
type CardRecord struct {
	Card      StaffCard
	Alike     []AlikeCard
	Checks    []casework.Check
	Decisions []CardDecision
	Postings  []ledger.StoredPosting
	Claim     *CardClaim // nil: none
}

// ReadCardRecord reads all of it.
func ReadCardRecord(ctx context.Context, db *store.DB, id string) (CardRecord, error) {
	card, err := ReadGiftCard(ctx, db, id)
	if err != nil {
		return CardRecord{}, err
	}
	staff := []StaffCard{{GiftCard: *card}}
	if err := nameFirst(ctx, db, staff); err != nil {
		return CardRecord{}, err
	}
	record := CardRecord{Card: staff[0]}
	if record.Alike, err = alikeCards(ctx, db, card); err != nil {
		return CardRecord{}, err
	}
	if record.Checks, err = CardChecks(ctx, db, card, record.Alike); err != nil {
		return CardRecord{}, err
	}
	if record.Decisions, err = Decisions.List(ctx, db, id); err != nil {
		return CardRecord{}, err
	}
	if record.Postings, err = ledger.PostingsOf(ctx, db, ledger.OfGiftCard, id); err != nil {
		return CardRecord{}, err
	}
	if record.Claim, err = ReadClaim(ctx, db, id); err != nil {
		return CardRecord{}, err
	}
	err = db.ORM(ctx).Table("users").Select("email, first_name, last_name").Where("id = ?", card.UserID).
		Row().Scan(&record.Card.Email, &record.Card.FirstName, &record.Card.LastName)
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

// RevealTime is how long a reviewer may view a card's pictures after a reveal.
const RevealTime = 15 * time.Minute

// RevealGiftCard shows what is printed on a card to a reviewer, and records the reveal, in one transaction: no
// record, no reveal. No reviewer is shown their own card.
func RevealGiftCard(ctx context.Context, db *store.DB, keys *secret.Keys, id string, who store.Actor) (plain CardSecrets, images []CardImage, err error) {
	err = ChangeGiftCard(ctx, db, id, func(c *CardChange) error {
		own := store.Forbidden("own_card", "You can't review your own gift card")
		if err := people.Another(ctx, c.tx, who.ActorID, own, c.Card.UserID); err != nil {
			return err
		}
		if c.Card.SecretsDestroyedAt != nil {
			return store.Conflict("secrets_destroyed", "The details of this card were deleted")
		}
		var err error
		if plain, err = c.Card.open(keys); err != nil {
			return err
		}
		if images, err = CardImages(ctx, c.tx, id); err != nil {
			return err
		}
		if err := c.event(casework.Event{Kind: "revealed", Actor: casework.ByStaff, Internal: true}); err != nil {
			return err
		}
		return audit.Audit(ctx, c.tx, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: "gift_card.reveal", ObjectKind: "gift_card", ObjectID: id, RequestID: who.RequestID})
	})
	if err != nil {
		return CardSecrets{}, nil, err
	}
	return plain, images, nil
}

// revealedBy reports whether a reviewer has revealed the card.
func revealedBy(ctx context.Context, db *store.DB, cardID, reviewer string) (revealed bool, err error) {
	err = db.ORM(ctx).Raw("SELECT EXISTS (SELECT FROM audit_log WHERE object_kind = 'gift_card' AND object_id = ? AND action = 'gift_card.reveal' AND actor_id = ?)",
		cardID, reviewer).Row().Scan(&revealed)
	if err != nil {
		return false, fmt.Errorf("read whether the card was revealed: %w", err)
	}
	return revealed, nil
}

// CardImageFor finds a picture by its key: for its owner, and, when staff is
// set, for who revealed the card a moment ago. A purged one is not there.
func CardImageFor(ctx context.Context, db *store.DB, key, userID string, staff bool) (*CardImage, error) {
	var image CardImage
	result := db.ORM(ctx).Raw(`SELECT * FROM gift_card_images i WHERE file_key = ? AND purged_at IS NULL AND (user_id = ? OR ? AND EXISTS (
		SELECT FROM audit_log a WHERE a.object_kind = 'gift_card' AND a.object_id = CAST(i.card_id AS text) AND a.action = 'gift_card.reveal'
		   AND a.actor_id = ? AND a.at > clock_now() - CAST(? AS interval)))`, key, userID, staff, userID, store.Seconds(RevealTime)).Scan(&image)
	if result.Error != nil {
		return nil, fmt.Errorf("read picture: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, store.NotFound("File")
	}
	return &image, nil
}

// CardImagesToErase lists purged pictures whose bytes still lie in the bucket.
func CardImagesToErase(ctx context.Context, db *store.DB, limit int) (keys []string, err error) {
	err = db.ORM(ctx).Model(&CardImage{}).Where("purged_at IS NOT NULL AND erased_at IS NULL").Order("purged_at").Limit(limit).Pluck("file_key", &keys).Error
	if err != nil {
		return nil, fmt.Errorf("read pictures to erase: %w", err)
	}
	return keys, nil
}

// MarkCardImageErased records that a picture's bytes are deleted.
func MarkCardImageErased(ctx context.Context, db *store.DB, key string) error {
	err := db.ORM(ctx).Exec("UPDATE gift_card_images SET erased_at = clock_now() WHERE file_key = ? AND erased_at IS NULL", key).Error
	if err != nil {
		return fmt.Errorf("mark picture erased: %w", err)
	}
	return nil
}
