package giftcard

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/giftcard"
)

// GiftCardCatalogue is what customers can sell, and what it pays.
type GiftCardCatalogue struct {
	Brands       []GiftCardBrand `json:"brands"`
	ExchangeRate string          `json:"exchangeRate" doc:"part of the value that is paid, such as 0.85"`
	FlatFee      string          `json:"flatFee" doc:"US dollars taken off after that"`
	MaxValue     string          `json:"maxValue" doc:"US dollars"`
	MaxImages    int             `json:"maxImages"`
	ReviewDays   int             `json:"reviewDays" doc:"days, rounded up, after which a card that nobody decided about expires"`
}

// GiftCardBrand is one brand of the catalogue.
type GiftCardBrand struct {
	Value string `json:"value" doc:"its slug"`
	Label string `json:"label"`
	Type  string `json:"type" enum:"regular,prepaid"`
}

// GiftCard is a customer's own gift card: nothing of what is printed on it.
type GiftCard struct {
	ID             string     `json:"id" format:"uuid"`
	Reference      string     `json:"reference" doc:"short public reference, such as GC-7K3M-9QWX"`
	Brand          string     `json:"brand"`
	BrandLabel     string     `json:"brandLabel"`
	CardType       string     `json:"cardType" enum:"regular,prepaid"`
	Value          string     `json:"value" doc:"US dollars, as its customer says"`
	Payout         string     `json:"payout" doc:"US dollars offered for that"`
	Status         string     `json:"status" enum:"in_review,offered,approved,rejected,declined,expired"`
	ConfirmedValue *string    `json:"confirmedValue" doc:"US dollars a reviewer found on it"`
	Paid           *string    `json:"paid" doc:"US dollars credited"`
	RejectReason   *string    `json:"rejectReason" doc:"why it was not accepted, as its customer reads it"`
	DecidedAt      *time.Time `json:"decidedAt"`
	CreatedAt      time.Time  `json:"createdAt"`
	UpdatedAt      time.Time  `json:"updatedAt"`
}

// GiftCardDetail is a gift card with its timeline and pictures.
type GiftCardDetail struct {
	GiftCard
	Events           []GiftCardEvent `json:"events"`
	Images           []string        `json:"images" doc:"addresses of its pictures, as long as they are kept"`
	ReviewDueAt      *time.Time      `json:"reviewDueAt" doc:"until when it is decided, or else expires"`
	SecretsDestroyed *time.Time      `json:"secretsDestroyedAt" doc:"when what was printed on it was destroyed"`
	Claim            *GiftCardClaim  `json:"claim" doc:"the card was found used after we paid for it"`
	Offer            *GiftCardOffer  `json:"offer" doc:"our counter-offer, while it can be accepted"`
}

// GiftCardOffer is what we offer for a card that is worth less than its customer entered.
type GiftCardOffer struct {
	Value  string    `json:"value" doc:"US dollars that a reviewer found on the card"`
	Payout string    `json:"payout" doc:"US dollars that we pay for that"`
	Until  time.Time `json:"until" doc:"when it is declined unless it was accepted"`
}

// GiftCardClaim is what a customer lost because their card was found used after we paid for it.
type GiftCardClaim struct {
	Amount         string     `json:"amount" doc:"US dollars: deducted from the balance, and the rest owed"`
	Owed           string     `json:"owed" doc:"US dollars that the balance did not cover then"`
	Reason         string     `json:"reason"`
	ClaimedAt      time.Time  `json:"claimedAt"`
	ReversedAt     *time.Time `json:"reversedAt" doc:"when the whole amount was credited again"`
	ReversalReason *string    `json:"reversalReason"`
}

// GiftCardEventKind is what an event of a gift card's timeline reports.
type GiftCardEventKind string

// Schema implements huma.SchemaProvider.
func (GiftCardEventKind) Schema(huma.Registry) *huma.Schema {
	return rest.Listed(giftcard.CardEventKinds)
}

// GiftCardEvent is one step of a gift card's timeline.
type GiftCardEvent struct {
	ID       int64             `json:"id"`
	At       time.Time         `json:"at"`
	Kind     GiftCardEventKind `json:"kind"`
	Actor    string            `json:"actor" enum:"system,customer,staff"`
	Internal bool              `json:"internal,omitempty" doc:"for staff only"`
	Data     map[string]any    `json:"data"`
}

// AdminGiftCard is a gift card as staff see it: nothing of what is printed on it
// but by a reveal.
type AdminGiftCard struct {
	ID              string                `json:"id" format:"uuid"`
	Reference       string                `json:"reference"`
	UserID          string                `json:"userId" format:"uuid"`
	CustomerName    string                `json:"customerName"`
	CustomerEmail   string                `json:"customerEmail"`
	Brand           string                `json:"brand" doc:"its name"`
	CardType        string                `json:"cardType" enum:"regular,prepaid"`
	Value           string                `json:"value"`
	Payout          string                `json:"payout"`
	Status          string                `json:"status" enum:"received,in_review,offered,approved,realised,rejected,declined,expired"`
	ConfirmedValue  *string               `json:"confirmedValue"`
	Paid            *string               `json:"paid"`
	RejectReason    *string               `json:"rejectReason"`
	ReviewDueAt     *time.Time            `json:"reviewDueAt"`
	OfferUntil      *time.Time            `json:"offerUntil" doc:"until when its customer can accept the counter-offer"`
	DecidedAt       *time.Time            `json:"decidedAt"`
	FirstApprovedBy *string               `json:"firstApprovedBy" doc:"who approved it as the first of two people; another one approves the same value"`
	FirstValue      *string               `json:"firstValue" doc:"what they found on it"`
	TwoAbove        string                `json:"twoAbove" doc:"US dollars of a customer and day above which a credit needs a second person"`
	Decision        *caseworkapi.Decision `json:"decision" doc:"one that is being carried out"`
	Actions         []string              `json:"actions" doc:"what the signed-in person can do: reveal, approve, reject, realise, claim, reverse_claim"`
	WorkflowURL     *string               `json:"workflowUrl"`
	CreatedAt       time.Time             `json:"createdAt"`
	UpdatedAt       time.Time             `json:"updatedAt"`
}

// AdminGiftCardDetail is a gift card with all its records.
type AdminGiftCardDetail struct {
	AdminGiftCard
	Events            []GiftCardEvent             `json:"events"`
	Decisions         []caseworkapi.TakenDecision `json:"decisions"`
	Postings          []ledgerapi.LedgerPosting   `json:"postings" doc:"empty for who may not read the ledger"`
	Alike             []AlikeGiftCard             `json:"alike" doc:"other submissions of the same card"`
	Checks            []GiftCardCheck             `json:"checks" doc:"what the house can tell by itself"`
	Images            int                         `json:"images" doc:"pictures that are kept"`
	SecretsDestroyed  *time.Time                  `json:"secretsDestroyedAt"`
	RealisedAmount    *string                     `json:"realisedAmount"`
	RealisedReference *string                     `json:"realisedReference"`
	RealisedAt        *time.Time                  `json:"realisedAt"`
	Claim             *GiftCardClaim              `json:"claim" doc:"the card was found used after we paid for it"`
	TakenBack         *string                     `json:"takenBack" doc:"US dollars of the proceeds that the buyer took back"`
	Lost              *string                     `json:"lost" doc:"US dollars that we lost so far: the most to claim"`

	Proposal *payoutapi.OpenMoneyProposal `json:"proposal" doc:"a claim, or its reversal, that waits for approval"`
}

// AlikeGiftCard is another submission of the same card.
type AlikeGiftCard struct {
	ID           string     `json:"id" format:"uuid"`
	Reference    string     `json:"reference"`
	Status       string     `json:"status" enum:"received,in_review,offered,approved,realised,rejected,declined,expired"`
	SameCustomer bool       `json:"sameCustomer"`
	Holds        bool       `json:"holds" doc:"it keeps this one from being approved"`
	CreatedAt    time.Time  `json:"createdAt"`
	CustomerID   string     `json:"customerId" format:"uuid"`
	CustomerName string     `json:"customerName" doc:"their e-mail address where they gave no name"`
	Value        string     `json:"value" doc:"US dollars, as its customer says"`
	Paid         *string    `json:"paid" doc:"US dollars credited"`
	Decider      string     `json:"decider" doc:"e-mail address of who decided; empty before"`
	DecidedAt    *time.Time `json:"decidedAt"`
	RejectReason *string    `json:"rejectReason"`
}

// GiftCardCheck is a check of a card that the platform makes by itself.
type GiftCardCheck struct {
	Name   string `json:"name" enum:"form,duplicate,account,identity,age,refused_before,paid_before,pace,pictures"`
	Result string `json:"result" enum:"pass,warn,fail" doc:"what fails keeps it from being approved"`
	Count  int    `json:"count" doc:"of cards, days or pictures, where something is counted"`
}

// GiftCardsSummary counts the gift cards that the search finds, by status.
type GiftCardsSummary struct {
	Total           int            `json:"total"`
	ByStatus        map[string]int `json:"byStatus"`
	WaitingValue    string         `json:"waitingValue" doc:"US dollars of the cards that wait for a decision"`
	MatchingFilters int            `json:"matchingFilters"`
}

// GiftCardSecrets are what is printed on a card, for the reviewer who requested them.
type GiftCardSecrets struct {
	CardCode       string   `json:"cardCode"`
	PIN            string   `json:"pin,omitempty"`
	ExpirationDate string   `json:"expirationDate,omitempty"`
	SecurityCode   string   `json:"securityCode,omitempty" doc:"until the decision"`
	Images         []string `json:"images" doc:"addresses of its pictures, for a quarter of an hour"`
}

// GiftCardApproval approves a card for the value that was found on it.
type GiftCardApproval struct {
	Value   string `json:"value" maxLength:"20" doc:"US dollars"`
	Version string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: the first approval that was shown; required once another person has approved, else 409"`
}

// GiftCardRejection is why a card is not accepted; its customer reads it.
type GiftCardRejection struct {
	Reason string `json:"reason" maxLength:"500"`
}

// GiftCardRealisation records what a card's value brought in.
type GiftCardRealisation struct {
	Amount    string `json:"amount" maxLength:"20" doc:"US dollars"`
	Reference string `json:"reference" maxLength:"100" doc:"of the sale, or at the bank; zero proceeds need none"`
}
