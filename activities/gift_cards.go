package activities

import (
	"context"
	"errors"
	"time"

	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/store"
)

// CardTiming is how long gift cards wait for staff.
type CardTiming struct {
	Review  time.Duration `name:"gift-card-review" env:"GIFT_CARD_REVIEW" default:"336h" help:"How long a gift card waits for a decision before it expires."`
	Remind  time.Duration `name:"gift-card-reminder" env:"GIFT_CARD_REMINDER" default:"24h" help:"How often reviewers are reminded of a gift card that waits."`
	Realise time.Duration `name:"gift-card-realise-reminder" env:"GIFT_CARD_REALISE_REMINDER" default:"168h" help:"How often finance is reminded of a gift card that was paid for and not realised."`
}

// Wrong names what cannot be worked with, or is nil.
func (t *CardTiming) Wrong() error {
	if t.Review <= 0 || t.Remind <= 0 || t.Realise <= 0 {
		return errors.New("GIFT_CARD_REVIEW, GIFT_CARD_REMINDER and GIFT_CARD_REALISE_REMINDER must be above zero")
	}
	return nil
}

func (t *CardTiming) patience() giftcard.CardPatience {
	return giftcard.CardPatience{Review: t.Review, Remind: t.Remind, Realise: t.Realise, Offer: giftcard.OfferTime}
}

// GiftCards are the steps of a gift card. They touch Postgres alone, hold no
// key, and never see what is printed on a card.
type GiftCards struct {
	DB     *store.DB
	Timing CardTiming
}

// CardDecided names a gift card and the decision that a step executes. Code is why that
// failed.
type CardDecided struct {
	CardID     string `json:"cardId"`
	DecisionID string `json:"decisionId"`
	Code       string `json:"code,omitempty"`
}

// LoadCard reads the card's state and records that its workflow runs. One that was just
// submitted is compared with other submissions, and queued for the reviewers, in the same
// transaction.
func (a *GiftCards) LoadCard(ctx context.Context, cardID string) (giftcard.CardState, error) {
	return giftcard.BeginGiftCard(ctx, a.DB, cardID, a.Timing.patience())
}

// ReviewCard is the step of workflows that began when LoadCard only read.
func (a *GiftCards) ReviewCard(ctx context.Context, cardID string) (giftcard.CardState, error) {
	return a.LoadCard(ctx, cardID)
}

// ApproveCard credits what the card pays, or offers less for a card that is worth less.
func (a *GiftCards) ApproveCard(ctx context.Context, in CardDecided) (giftcard.CardState, error) {
	return giftcard.ApproveGiftCard(ctx, a.DB, in.CardID, in.DecisionID, a.Timing.patience())
}

// AcceptCard credits what the customer was offered and accepts.
func (a *GiftCards) AcceptCard(ctx context.Context, in CardDecided) (giftcard.CardState, error) {
	return giftcard.AcceptGiftCard(ctx, a.DB, in.CardID, in.DecisionID, a.Timing.patience())
}

// DeclineCard ends a card whose customer declines what they were offered, and destroys what was printed on it.
func (a *GiftCards) DeclineCard(ctx context.Context, in CardDecided) (giftcard.CardState, error) {
	return giftcard.DeclineGiftCard(ctx, a.DB, in.CardID, in.DecisionID)
}

// RejectCard ends the card with a reason, and destroys what was printed on it.
func (a *GiftCards) RejectCard(ctx context.Context, in CardDecided) (giftcard.CardState, error) {
	return giftcard.RejectGiftCard(ctx, a.DB, in.CardID, in.DecisionID)
}

// RealiseCard books what the card's value brought in.
func (a *GiftCards) RealiseCard(ctx context.Context, in CardDecided) (giftcard.CardState, error) {
	return giftcard.RealiseGiftCard(ctx, a.DB, in.CardID, in.DecisionID)
}

// RefuseCardDecision refuses a decision that could not be executed.
func (a *GiftCards) RefuseCardDecision(ctx context.Context, in CardDecided) (giftcard.CardState, error) {
	return giftcard.RefuseCardDecision(ctx, a.DB, in.CardID, in.DecisionID, in.Code)
}

// LateCard reminds who should act, and ends a card that no reviewer decided on or whose counter-offer was not accepted.
func (a *GiftCards) LateCard(ctx context.Context, cardID string) (giftcard.CardState, error) {
	return giftcard.LateGiftCard(ctx, a.DB, cardID, a.Timing.patience())
}
