package giftcard

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// CardStatus is the state of a gift card that a customer sells us.
type CardStatus string

// The statuses, in the order a good card passes them.
const (
	CardReceived CardStatus = "received"  // recorded, not reviewed yet
	CardInReview CardStatus = "in_review" // a person decides
	CardOffered  CardStatus = "offered"   // found to be worth less; its customer accepts our counter-offer or declines
	CardApproved CardStatus = "approved"  // paid for, its value not realised yet
	CardRealised CardStatus = "realised"
	CardRejected CardStatus = "rejected"
	CardDeclined CardStatus = "declined" // the counter-offer was declined, or not accepted in time
	CardExpired  CardStatus = "expired"  // not decided on in time
)

// CardStatuses lists them all, for filters and generated tests.
var CardStatuses = []CardStatus{CardReceived, CardInReview, CardOffered, CardApproved, CardRealised, CardRejected, CardDeclined,
	CardExpired}

// Waits reports whether cards of a status are a queue that staff work off: the
// oldest first.
func (s CardStatus) Waits() bool { return s == CardInReview || s == CardApproved }

// cardTransitions is the one table of what a gift card's status may become.
var cardTransitions = map[CardStatus][]CardStatus{
	CardReceived: {CardInReview},
	CardInReview: {CardOffered, CardApproved, CardRejected, CardExpired},
	CardOffered:  {CardApproved, CardRejected, CardDeclined},
	CardApproved: {CardRealised},
}

// Decisions about a gift card. Its customer accepts or declines a counter-offer; staff make all others.
const (
	CardApprove = "approve" // it holds this much: pay for it, or offer to
	CardReject  = "reject"  // the card is invalid, or must not be accepted
	CardRealise = "realise" // its value was realised, or a part of it
	CardAccept  = "accept"
	CardDecline = "decline"
)

// CardDecisionKinds lists them all.
var CardDecisionKinds = []string{CardApprove, CardReject, CardRealise, CardAccept, CardDecline}

// OfCustomer reports whether a card's customer makes a kind of decision, and nobody else.
func OfCustomer(kind string) bool { return kind == CardAccept || kind == CardDecline }

// CardDecisions is what can be decided about a card of a status.
func CardDecisions(status CardStatus) []string {
	switch status {
	case CardInReview:
		return []string{CardApprove, CardReject}
	case CardOffered:
		return []string{CardAccept, CardDecline, CardReject}
	case CardApproved:
		return []string{CardRealise}
	case CardReceived, CardRealised, CardRejected, CardDeclined, CardExpired:
	}
	return []string{}
}

// CardEventKinds lists every kind of event that a card's timeline can hold; the contract contains it.
var CardEventKinds = []string{"submitted", "review_started", "duplicate", "review_late", "approved_once", "offered", "approved", "rejected", "declined", "expired",
	"realisation_late", "realised", "claimed", "claim_reversed", "revealed", "secrets_destroyed"}

// GiftCard is a card a customer sells us. Amounts are US cents. What is printed on the card is sealed, and deleted at
// the end.
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

	// OfferUntil is when the counter-offer is declined, unless its customer has accepted it.
	OfferUntil *time.Time

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

// ReadGiftCard reads one card; NotFound when there is none.
func ReadGiftCard(ctx context.Context, db *store.DB, id string) (*GiftCard, error) {
	return store.RowByID[GiftCard](ctx, db, id, "Gift card")
}

// GiftCardOf reads a customer's own card; NotFound when it is not theirs.
func GiftCardOf(ctx context.Context, db *store.DB, userID, id string) (*GiftCard, error) {
	card, err := ReadGiftCard(ctx, db, id)
	if err == nil && card.UserID != userID {
		return nil, store.NotFound("Gift card")
	}
	return card, err
}

// canCardMove reports whether a card may move from one status to another.
func canCardMove(from, to CardStatus) bool { return slices.Contains(cardTransitions[from], to) }
