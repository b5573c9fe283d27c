package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// CardStatus is where a gift card that a customer sells us stands.
type CardStatus string

// The statuses, in the order a good card passes them.
const (
	CardReceived CardStatus = "received"  // written down, not looked at yet
	CardInReview CardStatus = "in_review" // a person decides
	CardApproved CardStatus = "approved"  // paid for, its value not realised yet
	CardRealised CardStatus = "realised"
	CardRejected CardStatus = "rejected"
	CardExpired  CardStatus = "expired" // nobody decided in time
)

// CardStatuses lists them all, for filters and generated tests.
var CardStatuses = []CardStatus{CardReceived, CardInReview, CardApproved, CardRealised, CardRejected, CardExpired}

// Waits reports whether cards of a status are a queue that staff work off: the
// oldest first.
func (s CardStatus) Waits() bool { return s == CardInReview || s == CardApproved }

// cardTransitions is the one table of what a gift card's status may become.
var cardTransitions = map[CardStatus][]CardStatus{
	CardReceived: {CardInReview},
	CardInReview: {CardApproved, CardRejected, CardExpired},
	CardApproved: {CardRealised},
}

// Decisions people take about a gift card.
const (
	CardApprove = "approve" // it holds this much: pay for it
	CardReject  = "reject"  // it does not, or must not be taken
	CardRealise = "realise" // its value came in, or what of it did
)

// CardDecisions is what can be decided about a card of a status.
func CardDecisions(status CardStatus) []string {
	switch status {
	case CardInReview:
		return []string{CardApprove, CardReject}
	case CardApproved:
		return []string{CardRealise}
	case CardReceived, CardRealised, CardRejected, CardExpired:
	}
	return []string{}
}

// CardEventKinds lists every kind of event that a card's story can hold; the
// contract carries it.
var CardEventKinds = []string{"submitted", "review_started", "duplicate", "review_late", "approved_once", "approved", "rejected", "expired",
	"realisation_late", "realised", "revealed", "secrets_destroyed"}

// GiftCard is a card a customer sells us. Amounts are US cents. What is printed
// on the card is sealed, and gone at the end.
type GiftCard struct {
	ID         string `gorm:"primaryKey"`
	Reference  string
	UserID     string
	Brand      string
	BrandLabel string
	CardType   string
	Status     CardStatus

	Value          money.Units // what its customer says it holds
	Payout         money.Units // and is offered for it
	ConfirmedValue *money.Units
	Paid           *money.Units
	RejectReason   *string

	Fingerprint        []byte
	SealedCode         []byte
	SealedPIN          []byte `gorm:"column:sealed_pin"`
	SealedExpiry       []byte
	SealedSecurityCode []byte
	SecretsDestroyedAt *time.Time

	// FirstApprovedBy is the first of two people to approve it, and FirstValue what
	// they found on it.
	FirstApprovedBy *string
	FirstApprovedAt *time.Time
	FirstValue      *money.Units

	ReviewDueAt *time.Time
	RemindAt    *time.Time
	Reminders   int
	DecidedBy   *string
	DecidedAt   *time.Time

	RealisedAmount    *money.Units
	RealisedReference *string
	RealisedBy        *string
	RealisedAt        *time.Time

	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	CreatedAt         time.Time `gorm:"default:clock_now()"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
	ClosedAt          *time.Time
}

// Sentence is the card in one line, for workflow summaries: nothing personal.
func (g *GiftCard) Sentence() string {
	return fmt.Sprintf("%s · %s for $%s", g.Reference, g.BrandLabel, money.USD.Format(g.Value))
}

// What a card pays (SPEC §9): 85 % of its value less five dollars.
const (
	CardRatePercent = 85
	CardFlatFee     = 500 // cents
)

// MaxCardValue bounds what one card may hold, in cents.
const MaxCardValue = 200_000

// CardPayout is what a card of this value pays, rounded down to the cent; a
// value that would pay nothing is refused.
func CardPayout(value money.Units) (money.Units, error) {
	switch {
	case value.Sign() <= 0:
		return money.Units{}, Invalid("value", "invalid_amount", "Enter the value of the card")
	case value.Cmp(money.FromInt(MaxCardValue)) > 0:
		return money.Units{}, Invalid("value", "above_maximum", "The maximum is "+money.Dollars(money.FromInt(MaxCardValue))+" per card")
	}
	payout := percentOf(value, cardRate, money.Down).Sub(money.FromInt(CardFlatFee))
	if payout.Sign() <= 0 {
		return money.Units{}, Invalid("value", "below_minimum", "The value is too low to cover our fee. Send a card with a higher value.")
	}
	return payout, nil
}

// GiftCard reads one card; NotFound when there is none.
func (db *DB) GiftCard(ctx context.Context, id string) (*GiftCard, error) {
	return rowByID[GiftCard](ctx, db, id, "Gift card")
}

// GiftCardOf reads a customer's own card; NotFound when it is not theirs.
func (db *DB) GiftCardOf(ctx context.Context, userID, id string) (*GiftCard, error) {
	card, err := db.GiftCard(ctx, id)
	if err == nil && card.UserID != userID {
		return nil, NotFound("Gift card")
	}
	return card, err
}

// canCardMove reports whether a card may go from one status to another.
func canCardMove(from, to CardStatus) bool { return slices.Contains(cardTransitions[from], to) }
