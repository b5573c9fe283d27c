package giftcard

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"
	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// maxOpenCards bounds the cards of one customer that wait for our decision, or for the customer's own.
const maxOpenCards = 25

// MaxCardImages bounds the pictures of one card.
const MaxCardImages = 6

// Sealed columns of a card, and the domain of its fingerprint. They are part of
// every stored value: never change one.
const (
	cardTable       = "gift_cards"
	cardFingerprint = "gift_cards.code"
)

// CardImage is a picture of a gift card. The bytes lie sealed under FileKey in
// the bucket.
type CardImage struct {
	ID          string `gorm:"primaryKey"`
	CardID      string
	UserID      string
	FileKey     string
	ContentType string
	Size        int
	CreatedAt   time.Time `gorm:"default:clock_now()"`
	PurgedAt    *time.Time
	ErasedAt    *time.Time
	SealedWith  []byte // the key, as secret.Keys has it; nil: not known
}

// TableName implements GORM's Tabler.
func (CardImage) TableName() string { return "gift_card_images" }

// CardImageFiles are the pictures of gift cards.
var CardImageFiles = store.SealedFiles{Table: "gift_card_images", Kept: "purged_at IS NULL"}

// File is the picture in the bucket.
func (i *CardImage) File() store.SealedFile { return CardImageFiles.File(i.ID, i.FileKey, false) }

// NewGiftCard is a card about to be recorded; its pictures are stored.
type NewGiftCard struct {
	UserID string
	Offer  CardOffer
	Images []CardImage
}

// SubmitGiftCard writes a card, its pictures and its first event. What is printed on it is sealed here. Cards with
// the same number share a fingerprint, also one made with an earlier key: the later ones are reviewed.
func SubmitGiftCard(ctx context.Context, db *store.DB, keys *secret.Keys, in NewGiftCard) (*GiftCard, error) {
	prints, err := keys.Indexes(cardFingerprint, []byte(strings.ToUpper(in.Offer.Secrets.Code)))
	if err != nil {
		return nil, err
	}
	card := &GiftCard{ID: store.NewID(), UserID: in.UserID, Brand: in.Offer.Brand.Value, BrandLabel: in.Offer.Brand.Label, CardType: in.Offer.Brand.Type,
		Status: CardReceived, Value: in.Offer.Value, Payout: in.Offer.Payout, Fingerprint: prints[0]}
	if err := card.seal(keys, in.Offer.Secrets); err != nil {
		return nil, err
	}
	err = db.Tx(ctx, func(tx *store.DB) error {
		if err := maySell(ctx, tx, in.UserID); err != nil {
			return err
		}
		if err := tx.LockKey(ctx, "gift card:"+hex.EncodeToString(prints[0])); err != nil {
			return fmt.Errorf("lock fingerprint: %w", err)
		}
		var earlier struct{ Fingerprint []byte }
		result := tx.ORM(ctx).Raw("SELECT fingerprint FROM gift_cards WHERE fingerprint = ANY(?) LIMIT 1", pq.ByteaArray(prints)).Scan(&earlier)
		if result.Error != nil {
			return fmt.Errorf("look for the same card: %w", result.Error)
		}
		if result.RowsAffected > 0 {
			card.Fingerprint = earlier.Fingerprint
		}
		return insertCard(ctx, tx, card, in.Images)
	})
	return card, err
}

// maySell refuses customers who must not sell, under a lock per customer.
func maySell(ctx context.Context, db *store.DB, userID string) error {
	if err := ledger.LockCustomer(ctx, db, userID); err != nil {
		return err
	}
	terms, _, err := kyc.ReadTerms(ctx, db, userID)
	if err != nil {
		return err
	}
	if err := terms.MayBegin(); err != nil {
		return err
	}
	if terms.Disabled || terms.Frozen {
		return store.Forbidden("account_frozen", "You can't sell gift cards right now. Contact support.")
	}
	var open int64
	undecided := []CardStatus{CardReceived, CardInReview, CardOffered}
	err = db.ORM(ctx).Model(&GiftCard{}).Where("user_id = ? AND status IN ?", userID, undecided).Count(&open).Error
	if err != nil {
		return fmt.Errorf("count gift cards: %w", err)
	}
	if open >= maxOpenCards {
		return store.Conflict("too_many_cards",
			fmt.Sprintf("%d of your cards are still open. Wait for a decision or answer our offers first.", open))
	}
	return nil
}

func insertCard(ctx context.Context, db *store.DB, card *GiftCard, images []CardImage) error {
	now, err := db.Now(ctx)
	if err != nil {
		return err
	}
	card.CreatedAt, card.UpdatedAt = now, now
	for {
		card.Reference = store.Reference("GC-")
		result := db.ORM(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(card)
		if result.Error != nil {
			return fmt.Errorf("store gift card: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			break
		}
	}
	for _, image := range images {
		image.CardID, image.UserID, image.CreatedAt = card.ID, card.UserID, now
		if err := db.ORM(ctx).Create(&image).Error; err != nil {
			return fmt.Errorf("store picture: %w", err)
		}
	}
	c := &CardChange{Card: card, Now: now, ctx: ctx, tx: db, was: *card}
	return c.event(casework.Event{Kind: "submitted", Actor: casework.ByCustomer, Dedupe: "submitted", Data: map[string]any{
		"brand": card.BrandLabel, "value": money.USD.Format(card.Value), "payout": money.USD.Format(card.Payout)}})
}

// sealed lists the card's sealed columns.
func (g *GiftCard) sealed() map[string]*[]byte {
	return map[string]*[]byte{"code": &g.SealedCode, "pin": &g.SealedPIN, "expiry": &g.SealedExpiry, "security_code": &g.SealedSecurityCode}
}

// seal encrypts what is printed on the card, each value for its own column.
func (g *GiftCard) seal(keys *secret.Keys, plain CardSecrets) error {
	values := map[string]string{"code": plain.Code, "pin": plain.PIN, "expiry": plain.Expiry, "security_code": plain.SecurityCode}
	for column, into := range g.sealed() {
		if values[column] == "" {
			continue
		}
		sealed, err := keys.Seal(secret.Place{Table: cardTable, Column: column, ID: g.ID}, []byte(values[column]))
		if err != nil {
			return err
		}
		*into = sealed
	}
	return nil
}

// open decrypts what is left of it.
func (g *GiftCard) open(keys *secret.Keys) (CardSecrets, error) {
	values := map[string]string{}
	for column, from := range g.sealed() {
		if len(*from) == 0 {
			continue
		}
		plain, err := keys.Open(secret.Place{Table: cardTable, Column: column, ID: g.ID}, *from)
		if err != nil {
			return CardSecrets{}, fmt.Errorf("open %s of gift card %s: %w", column, g.ID, err)
		}
		values[column] = string(plain)
	}
	return CardSecrets{Code: values["code"], PIN: values["pin"], Expiry: values["expiry"], SecurityCode: values["security_code"]}, nil
}

// ResealGiftCards seals with the current key what an earlier one sealed. The
// earlier one is still needed: for pictures, and to know a card again whose number
// was destroyed. It returns how many cards it changed.
func ResealGiftCards(ctx context.Context, db *store.DB, keys *secret.Keys) (changed int, err error) {
	after := ""
	for {
		var ids []string
		query := db.ORM(ctx).Model(&GiftCard{}).Where("secrets_destroyed_at IS NULL")
		if after != "" {
			query = query.Where("id > ?", after)
		}
		if err := query.Order("id").Limit(store.ResealBatch).Pluck("id", &ids).Error; err != nil {
			return changed, fmt.Errorf("find sealed gift cards: %w", err)
		}
		for _, id := range ids {
			did, err := resealGiftCard(ctx, db, keys, id)
			if err != nil {
				return changed, err
			}
			if after = id; did {
				changed++
			}
		}
		if len(ids) < store.ResealBatch {
			return changed, nil
		}
	}
}

func resealGiftCard(ctx context.Context, db *store.DB, keys *secret.Keys, id string) (did bool, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		var g GiftCard
		err := tx.ORM(ctx).Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ? AND secrets_destroyed_at IS NULL", id).Take(&g).Error
		if store.IsMissing(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read gift card: %w", err)
		}
		for _, column := range g.sealed() {
			did = did || len(*column) > 0 && keys.Stale(*column)
		}
		if !did {
			return nil
		}
		plain, err := g.open(keys)
		if err != nil {
			return err
		}
		if err := g.seal(keys, plain); err != nil {
			return err
		}
		return tx.ORM(ctx).Model(&g).Select("sealed_code", "sealed_pin", "sealed_expiry", "sealed_security_code").Updates(&g).Error
	})
	return did, err
}
