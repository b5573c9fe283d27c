package correction

import (
	"context"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// ClaimCard is a claim on the customer of a gift card that was found used after we paid for it.
type ClaimCard struct {
	CardID        string      `json:"cardId"`
	Amount        money.Units `json:"amount"`    // cents
	TakenBack     money.Units `json:"takenBack"` // cents of the proceeds that the card's buyer took back
	BankReference string      `json:"bankReference,omitempty"`
	Said          string      `json:"said"` // the reason that the customer reads
}

func (*ClaimCard) kind() string { return "claim_card" }

func (a *ClaimCard) subject() string { return a.CardID }

func (*ClaimCard) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *ClaimCard) execute(c *moneyChange) error {
	err := giftcard.ClaimCard(c.ctx, c.tx, giftcard.NewCardClaim{CardID: a.CardID, Amount: a.Amount, Moved: a.TakenBack,
		BankReference: a.BankReference, Reason: a.Said, By: c.by})
	c.done.Card = a.CardID
	return err
}

// ReverseCardClaim credits a claim to its customer again, with what the card's buyer paid again.
type ReverseCardClaim struct {
	CardID        string      `json:"cardId"`
	Returned      money.Units `json:"paidAgain"` // cents
	BankReference string      `json:"bankReference,omitempty"`
	Said          string      `json:"said"` // the reason that the customer reads
}

func (*ReverseCardClaim) kind() string { return "reverse_card_claim" }

func (a *ReverseCardClaim) subject() string { return a.CardID }

func (*ReverseCardClaim) stops(context.Context, *store.DB) (string, error) { return "", nil }

func (a *ReverseCardClaim) execute(c *moneyChange) error {
	claim, err := giftcard.ReverseClaim(c.ctx, c.tx, giftcard.NewCardClaim{CardID: a.CardID, Moved: a.Returned,
		BankReference: a.BankReference, Reason: a.Said, By: c.by})
	if err != nil {
		return err
	}
	card := dualcontrol.Ref{Kind: "gift_card", ID: claim.CardID}
	return c.attest(dualcontrol.Credit, claim.UserID, card, claim.Amount)
}
