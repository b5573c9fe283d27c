package giftcard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// CardDecision is a decision about a gift card. Its reason is why it was rejected, or the reference of its proceeds.
type CardDecision struct {
	casework.Decision `gorm:"embedded"`
	CardID            string
	// Amount is the value found on the card, or its proceeds; in cents.
	Amount *money.Units
	// FirstBy is who approved the same value before, when two people are needed.
	FirstBy *string
}

// Decisions are the decisions about gift cards.
var Decisions = &casework.Decisions[CardDecision]{Table: "gift_card_decisions", Subject: "card_id", OneOpen: "gift_card_decisions_one_open"}

// TableName implements GORM's Tabler.
func (CardDecision) TableName() string { return "gift_card_decisions" }

// NewCardDecision is a decision about to be made. The caller has checked that
// the actor's role allows it.
type NewCardDecision struct {
	CardID, Kind       string
	ActorID, ActorRole string
	Amount             *money.Units
	Reason             string
	RequestID          string
	// Seen is the version of the first approval that this one completes; empty where it is not checked.
	Seen string
	// Alone is how many cents one person credits to a customer in a day; above it a second person approves the same
	// value too. Nil is no limit.
	Alone *money.Units
	// StaffAlone is how many cents may rest on the actor's statement alone in a day, over all customers. Nil is no limit.
	StaffAlone *money.Units
}

// OpenCardDecision writes a decision and its audit entry. It refuses with Conflict when the card does not wait for
// it, when another decision is being executed, or when staff decide on their own card. An approval that is the first
// of two is noted on the card, and there is no decision yet: nil.
func OpenCardDecision(ctx context.Context, db *store.DB, in NewCardDecision) (*CardDecision, error) {
	in.Reason = strings.TrimSpace(in.Reason)
	decision := &CardDecision{Decision: casework.Decision{ID: store.NewID(), Kind: in.Kind, ActorID: in.ActorID, Reason: in.Reason}, CardID: in.CardID, Amount: in.Amount}
	err := ChangeGiftCard(ctx, db, in.CardID, func(c *CardChange) error {
		if err := store.FirstError(c.mayDecide(in), casework.CheckApproval(ctx, c.tx, KindApproval, in.CardID, in.Seen)); err != nil {
			return err
		}
		if half, err := c.approvedOnce(in, decision); half || err != nil {
			return err
		}
		decision.CreatedAt = c.Now
		if err := Decisions.Store(ctx, c.tx, decision, decisionOpen()); err != nil {
			return err
		}
		if err := c.attest(decision); err != nil {
			return err
		}
		if OfCustomer(in.Kind) {
			return nil // the audit log is of what staff do
		}
		after := map[string]any{"decision": decision.ID}
		if in.Amount != nil {
			after["amount"] = money.USD.Format(*in.Amount)
		}
		return audit.Audit(ctx, c.tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "gift_card." + in.Kind, ObjectKind: "gift_card",
			ObjectID: c.Card.ID, Before: map[string]any{"status": c.Card.Status}, After: after, Reason: in.Reason, RequestID: in.RequestID})
	})
	if err != nil || decision.CreatedAt.IsZero() {
		return nil, err
	}
	return decision, nil
}

// approvedOnce records the first of two approvals, when two are needed. The second one is another person's, of the
// same value; another value begins again.
func (c *CardChange) approvedOnce(in NewCardDecision, decision *CardDecision) (bool, error) {
	if in.Kind != CardApprove {
		return false, nil
	}
	g := c.Card
	if g.FirstApprovedBy != nil && g.FirstValue.Cmp(*in.Amount) == 0 {
		decision.FirstBy = g.FirstApprovedBy
		return false, dualcontrol.CheckRelease(c.ctx, c.tx, dualcontrol.Release{Action: dualcontrol.ValueCard, Actors: []string{in.ActorID}, First: *g.FirstApprovedBy})
	}
	paid, err := pricing.CardPayout(*in.Amount)
	if err != nil {
		return false, err
	}
	err = dualcontrol.CheckIntake(c.ctx, c.tx, dualcontrol.Intake{Kind: dualcontrol.CardValue, Actor: in.ActorID, Customer: g.UserID, Amount: paid,
		Limit: in.Alone, StaffLimit: in.StaffAlone})
	if !errors.Is(err, dualcontrol.ErrSecondPerson) {
		return false, err
	}
	g.FirstApprovedBy, g.FirstApprovedAt, g.FirstValue = &in.ActorID, &c.Now, in.Amount
	data := map[string]any{"value": money.USD.Format(*in.Amount), "paid": money.USD.Format(paid)}
	if err := c.event(casework.Event{Kind: "approved_once", Actor: casework.ByStaff, Internal: true, Data: data}); err != nil {
		return false, err
	}
	return true, audit.Audit(c.ctx, c.tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "gift_card.approved_once", ObjectKind: "gift_card",
		ObjectID: g.ID, Before: map[string]any{"status": g.Status}, After: data, RequestID: in.RequestID})
}

// attest notes who stated the value that a decision pays for.
func (c *CardChange) attest(d *CardDecision) error {
	if d.Kind != CardApprove {
		return nil
	}
	paid, err := pricing.CardPayout(*d.Amount)
	if err != nil {
		return err
	}
	a := dualcontrol.Attestation{Kind: dualcontrol.CardValue, By: d.ActorID, Customer: c.Card.UserID, Subject: dualcontrol.Ref{Kind: "gift_card", ID: c.Card.ID}, Amount: &paid,
		Source: dualcontrol.Ref{Kind: Decisions.Table, ID: d.ID}}
	if d.FirstBy != nil {
		a.By, a.Second = *d.FirstBy, d.ActorID
	}
	return dualcontrol.Attest(c.ctx, c.tx, a)
}

func decisionOpen() error {
	return store.Conflict("decision_open", "Another decision on this gift card is in progress")
}

func (c *CardChange) mayDecide(in NewCardDecision) error {
	if OfCustomer(in.Kind) {
		return c.mayAnswer(in)
	}
	own := dualcontrol.Release{Action: dualcontrol.ValueCard, Actors: []string{in.ActorID}, Customer: c.Card.UserID}
	if err := dualcontrol.CheckRelease(c.ctx, c.tx, own); err != nil {
		return err
	}
	open, err := Decisions.Open(c.ctx, c.tx, c.Card.ID)
	if err != nil {
		return err
	}
	if open != nil {
		return decisionOpen()
	}
	if !slices.Contains(CardDecisions(c.Card.Status), in.Kind) {
		return store.Conflict("card_state", "The gift card doesn't allow this: it is "+strings.ReplaceAll(string(c.Card.Status), "_", " "))
	}
	switch in.Kind {
	case CardApprove:
		if err := c.mayApprove(in.Amount); err != nil {
			return err
		}
		return c.revealedTo(in.ActorID)
	case CardReject:
		if in.Reason == "" {
			return store.Invalid("reason", "required", "Enter a reason. The customer sees it.")
		}
	case CardRealise:
		return c.checkProceeds(in.Amount, in.Reason)
	}
	return nil
}

// checkProceeds returns an error unless the proceeds are at most the value that was approved, under a new reference. Zero
// proceeds need none.
func (c *CardChange) checkProceeds(amount *money.Units, reference string) error {
	switch value := c.Card.worth(); {
	case amount == nil || amount.Sign() < 0:
		return store.Invalid("amount", "invalid_amount", "Enter the amount received")
	case amount.Cmp(value) > 0:
		return store.Invalid("amount", "above_value",
			"Enter at most the approved value of the card: "+money.Dollars(value))
	case amount.IsZero() && reference == "":
		return nil
	case reference == "":
		return store.Invalid("reference", "required", "Enter the reference of the proceeds")
	}
	return ledger.FreeReference(c.ctx, c.tx, reference, "")
}

// mayApprove checks again what is approved: a value that pays something and is no more than its customer said, of an
// account in good standing, of a card that was not paid for already.
func (c *CardChange) mayApprove(value *money.Units) error {
	if value == nil {
		return store.Invalid("value", "invalid_amount", "Enter the value you found on the card")
	}
	if _, err := pricing.CardPayout(*value); err != nil {
		return err
	}
	if value.Cmp(c.Card.Value) > 0 {
		return store.Invalid("value", "above_claim", "Enter at most the value the customer entered: "+money.Dollars(c.Card.Value))
	}
	terms, _, err := kyc.ReadTerms(c.ctx, c.tx, c.Card.UserID)
	if err != nil {
		return err
	}
	if terms.Disabled || terms.Frozen {
		return store.Conflict("account_frozen", "The customer's account is frozen")
	}
	return c.noDuplicate()
}

// revealedTo refuses a reviewer who has not revealed the card: the value they enter would be the customer's claim.
func (c *CardChange) revealedTo(reviewer string) error {
	revealed, err := revealedBy(c.ctx, c.tx, c.Card.ID, reviewer)
	if err != nil {
		return err
	}
	if !revealed {
		return store.Conflict("not_revealed", "Open the gift card and reveal it before you approve it")
	}
	return nil
}

// noDuplicate refuses a card that was paid for under another submission, or
// that an earlier one still waits to be decided about.
func (c *CardChange) noDuplicate() error {
	alike, err := CardsAlike(c.ctx, c.tx, c.Card)
	if err != nil {
		return err
	}
	for i := range alike {
		if alike[i].Holds(c.Card) {
			return store.Conflict("duplicate", "The same card was submitted as "+alike[i].Reference+". Decide on that one first; a card is paid for once.")
		}
	}
	return nil
}

// Holds reports whether this card keeps a later one with the same number from
// being approved.
func (g *GiftCard) Holds(later *GiftCard) bool {
	switch g.Status {
	case CardOffered, CardApproved, CardRealised:
		return true
	case CardReceived, CardInReview:
		return g.CreatedAt.Before(later.CreatedAt) || g.CreatedAt.Equal(later.CreatedAt) && g.ID < later.ID
	case CardRejected, CardDeclined, CardExpired:
	}
	return false
}

// CardsAlike reads other submissions of the same card, oldest first.
func CardsAlike(ctx context.Context, db *store.DB, card *GiftCard) ([]GiftCard, error) {
	var cards []GiftCard
	err := db.ORM(ctx).Where("fingerprint = ? AND id <> ?", card.Fingerprint, card.ID).Order("created_at").Limit(20).Find(&cards).Error
	if err != nil {
		return nil, fmt.Errorf("read submissions of the same card: %w", err)
	}
	return cards, nil
}

// RefuseCardDecision resolves a decision that could not be executed, so that another can be made.
func RefuseCardDecision(ctx context.Context, db *store.DB, cardID, id, code string) (CardState, error) {
	return stepGiftCard(ctx, db, cardID, func(c *CardChange) error { return Decisions.Resolve(ctx, c.tx, id, code) })
}
