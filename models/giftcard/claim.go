package giftcard

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// CardClaim is a claim on a customer for a card that was found used after we paid for it. A card is claimed at most
// once. Amounts are US cents.
type CardClaim struct {
	CardID    string `gorm:"primaryKey"`
	UserID    string
	Amount    money.Units // what the customer lost by it: from the balance, and the rest owed
	Owed      money.Units // the part that the balance did not cover
	Reason    string      // the customer reads it
	CreatedAt time.Time   `gorm:"default:clock_now()"`

	// TakenBack is the part of the proceeds that the card's buyer took back, under BankReference.
	TakenBack     money.Units
	BankReference *string

	// The reversal credits the whole amount. Returned is what the buyer paid after the claim: with the proceeds that they
	// did not take back, at most the card's approved value.
	ReversedAt        *time.Time
	ReversalReason    *string
	Returned          *money.Units
	ReturnedReference *string
}

// TableName implements GORM's Tabler.
func (CardClaim) TableName() string { return "gift_card_claims" }

// NewCardClaim is a claim, or the reversal of a claim, about to be booked. Two people decide it.
type NewCardClaim struct {
	CardID string
	// Amount is what is claimed. A reversal has none: it credits the whole claim.
	Amount money.Units
	// Moved is what the card's buyer took back of the proceeds, or what they paid after the claim; zero is nothing.
	// BankReference is the bank's reference of it.
	Moved         money.Units
	BankReference string
	Reason        string // the customer reads it
	By            store.Actor
}

// ClaimCard books that a card was found used after we paid for it. It debits the customer's balance; the rest becomes
// a debt to us, which later credits pay, and the customer's payouts wait until then. A card without proceeds yet is
// closed: nothing came in for it. The claim is at most what we lost on the card. It runs in the caller's transaction.
func ClaimCard(ctx context.Context, tx *store.DB, in NewCardClaim) error {
	return ChangeGiftCard(ctx, tx, in.CardID, func(c *CardChange) error {
		in.Reason, in.BankReference = strings.TrimSpace(in.Reason), typed.Reference(in.BankReference)
		if err := c.checkClaim(in); err != nil {
			return err
		}
		g := c.Card
		if g.Status == CardApproved {
			if err := c.realise(money.Units{}, nil, in.By.ActorID); err != nil {
				return err
			}
		}
		about := ledger.About(ledger.OfGiftCard, g.ID, "proceeds_taken_back", "taken_back")
		taken := ledger.Posting{From: ledger.AccountBank, To: ledger.AccountTrading, Currency: money.USD, Amount: in.Moved}
		if err := ledger.PostAbout(ctx, tx, about, []ledger.Posting{taken}); err != nil {
			return err
		}
		about = ledger.About(ledger.OfGiftCard, g.ID, "gift_card_claimed", "claimed")
		owed, err := ledger.ClawBack(ctx, tx, about, g.UserID, ledger.AccountTrading, in.Amount)
		if err != nil {
			return err
		}
		claim := CardClaim{CardID: g.ID, UserID: g.UserID, Amount: in.Amount, Owed: owed, Reason: in.Reason, CreatedAt: c.Now,
			TakenBack: in.Moved, BankReference: optional(in.BankReference)}
		if err := storeClaim(ctx, tx, &claim); err != nil {
			return err
		}
		return c.event(casework.Event{Kind: "claimed", Actor: casework.ByStaff, Dedupe: "claimed",
			Data: map[string]any{"amount": money.USD.Format(in.Amount), "owed": money.USD.Format(owed)}})
	})
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func storeClaim(ctx context.Context, tx *store.DB, claim *CardClaim) error {
	err := tx.ORM(ctx).Create(claim).Error
	if store.Violates(err, "gift_card_claims_pkey") {
		return errClaimed
	}
	if err != nil {
		return fmt.Errorf("store claim: %w", err)
	}
	return nil
}

var errClaimed = store.Conflict("already_claimed", "This gift card was already claimed from its customer")

// checkClaim returns an error unless the card was paid for, nobody is deciding about it, and the claim is at most our
// loss.
func (c *CardChange) checkClaim(in NewCardClaim) error {
	if err := c.checkOthersCard(in.By.ActorID); err != nil {
		return err
	}
	claim, err := ReadClaim(c.ctx, c.tx, c.Card.ID)
	if err != nil {
		return err
	}
	open, err := Decisions.Open(c.ctx, c.tx, c.Card.ID)
	if err != nil {
		return err
	}
	g := c.Card
	switch {
	case claim != nil:
		return errClaimed
	case g.Paid == nil:
		return store.Conflict("card_state", "Only a gift card that we paid for can be claimed")
	case open != nil:
		return decisionOpen()
	case in.Reason == "":
		return store.Invalid("reason", "required", "Enter a reason. The customer sees it.")
	}
	if err := c.checkMoved("takenBack", in, g.proceeds(), ledger.MoneyOut); err != nil {
		return err
	}
	switch loss := *g.Lost(in.Moved); {
	case loss.Sign() <= 0:
		return store.Conflict("no_loss", "The proceeds cover what we paid for this card, so there is nothing to claim")
	case in.Amount.Sign() <= 0 || in.Amount.Cmp(loss) > 0:
		return store.Invalid("amount", "above_loss", "Enter at most what we lost on this card: "+money.Dollars(loss))
	}
	return nil
}

// worth is the approved value of the card in cents, the most that can come in for it. It is the value that its customer
// entered if none was approved.
func (g *GiftCard) worth() money.Units {
	if g.ConfirmedValue == nil {
		return g.Value
	}
	return *g.ConfirmedValue
}

// proceeds are the cents that came in for the card; zero before that is known.
func (g *GiftCard) proceeds() money.Units {
	if g.RealisedAmount == nil {
		return money.Units{}
	}
	return *g.RealisedAmount
}

// Lost is how many cents we paid for the card beyond its proceeds, of which its buyer took a part back; negative is a
// gain. It is nil for a card that we did not pay for.
func (g *GiftCard) Lost(takenBack money.Units) *money.Units {
	if g.Paid == nil {
		return nil
	}
	lost := g.Paid.Sub(g.proceeds()).Add(takenBack)
	return &lost
}

// checkMoved returns an error if more than most moved between us and the card's buyer, or if it moved under a bank
// reference that is missing or was used. The bank may repeat the reference of the card's own proceeds.
func (c *CardChange) checkMoved(field string, in NewCardClaim, most money.Units, way ledger.Direction) error {
	switch {
	case in.Moved.Sign() < 0 || in.Moved.Cmp(most) > 0:
		return store.Invalid(field, "above_proceeds", "Enter at most "+money.Dollars(most))
	case in.Moved.IsZero() && in.BankReference != "":
		return store.Invalid("bankReference", "without_amount", "Enter the amount that belongs to this bank reference")
	case in.Moved.IsZero():
		return nil
	case in.BankReference == "":
		return store.Invalid("bankReference", "required", "Enter the bank's reference")
	}
	return ledger.FreeReference(c.ctx, c.tx, way, in.BankReference, c.Card.ID)
}

// checkOthersCard returns an error if a member of staff decides on their own card.
func (c *CardChange) checkOthersCard(actor string) error {
	own := store.Forbidden("own_card", "You can't decide on your own gift card")
	return people.Another(c.ctx, c.tx, actor, own, c.Card.UserID)
}

// ReverseClaim credits a claim to its customer again: the card's buyer paid after all, or the customer's objection is
// right. It pays what the customer owes us first. A claim is reversed once, and the card is not claimed again. It runs
// in the caller's transaction and returns the claim.
func ReverseClaim(ctx context.Context, tx *store.DB, in NewCardClaim) (claim *CardClaim, err error) {
	err = ChangeGiftCard(ctx, tx, in.CardID, func(c *CardChange) error {
		in.Reason, in.BankReference = strings.TrimSpace(in.Reason), typed.Reference(in.BankReference)
		if claim, err = c.checkReversal(in); err != nil {
			return err
		}
		g := c.Card
		about := ledger.About(ledger.OfGiftCard, g.ID, "proceeds_returned", "returned")
		paid := ledger.Posting{From: ledger.AccountTrading, To: ledger.AccountBank, Currency: money.USD, Amount: in.Moved}
		if err := ledger.PostAbout(ctx, tx, about, []ledger.Posting{paid}); err != nil {
			return err
		}
		about = ledger.About(ledger.OfGiftCard, g.ID, "gift_card_claim_reversed", "claim_reversed")
		credit := ledger.Posting{From: ledger.CustomerBalance(g.UserID), To: ledger.AccountTrading, Currency: money.USD,
			Amount: claim.Amount}
		if _, err := ledger.CreditBalance(ctx, tx, about, g.UserID, credit); err != nil {
			return err
		}
		claim.ReversedAt, claim.ReversalReason = &c.Now, &in.Reason
		claim.Returned, claim.ReturnedReference = &in.Moved, optional(in.BankReference)
		changed := []string{"reversed_at", "reversal_reason", "returned", "returned_reference"}
		err := tx.ORM(ctx).Select(changed).Updates(claim).Error
		if err != nil {
			return fmt.Errorf("store claim: %w", err)
		}
		return c.event(casework.Event{Kind: "claim_reversed", Actor: casework.ByStaff, Dedupe: "claim_reversed",
			Data: map[string]any{"amount": money.USD.Format(claim.Amount)}})
	})
	return claim, err
}

// checkReversal returns the claim of the card, or an error if it cannot be reversed.
func (c *CardChange) checkReversal(in NewCardClaim) (*CardClaim, error) {
	if err := c.checkOthersCard(in.By.ActorID); err != nil {
		return nil, err
	}
	claim, err := ReadClaim(c.ctx, c.tx, c.Card.ID)
	switch {
	case err != nil:
		return nil, err
	case claim == nil:
		return nil, store.Conflict("not_claimed", "This gift card was not claimed from its customer")
	case claim.ReversedAt != nil:
		return nil, store.Conflict("claim_reversed", "This claim was already reversed")
	case in.Reason == "":
		return nil, store.Invalid("reason", "required", "Enter a reason. The customer sees it.")
	}
	kept := c.Card.proceeds().Sub(claim.TakenBack)
	return claim, c.checkMoved("paidAgain", in, c.Card.worth().Sub(kept), ledger.MoneyIn)
}

// ReadClaim reads the claim of a card; nil if there is none.
func ReadClaim(ctx context.Context, db *store.DB, cardID string) (*CardClaim, error) {
	var claim CardClaim
	err := db.ORM(ctx).Where("card_id = ?", cardID).Take(&claim).Error
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read claim: %w", err)
	}
	return &claim, nil
}
