package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// CardDecision is what a person decided about a gift card: a row first, then an
// Update with the row's id. One is open per card at a time.
type CardDecision struct {
	ID     string `gorm:"primaryKey"`
	CardID string
	Kind   string
	// Amount is the value found on the card, or what it brought in; in cents.
	Amount  *money.Units
	ActorID string
	// FirstBy is who approved the same value before, when it takes two people.
	FirstBy *string
	// Reason is why it was rejected, or under which reference its value came in.
	Reason      string
	CreatedAt   time.Time `gorm:"default:clock_now()"`
	DeliveredAt *time.Time
	SettledAt   *time.Time
	OutcomeCode *string
}

// TableName implements GORM's Tabler.
func (CardDecision) TableName() string { return "gift_card_decisions" }

// NewCardDecision is a decision about to be taken. The caller has checked that
// the actor's role allows it.
type NewCardDecision struct {
	CardID, Kind       string
	ActorID, ActorRole string
	Amount             *money.Units
	Reason             string
	RequestID          string
	// Alone is how many cents one person lets in for a customer in a day; above it
	// a second person approves the same value too. Nil does not ask.
	Alone *money.Units
}

// OpenCardDecision writes a decision and its audit entry. It refuses with
// Conflict when the card does not wait for it, when another decision is being
// carried out, or when staff decide on their own card. An approval that is the first
// of two is noted on the card, and there is no decision yet: nil.
func (db *DB) OpenCardDecision(ctx context.Context, in NewCardDecision) (*CardDecision, error) {
	in.Reason = strings.TrimSpace(in.Reason)
	decision := &CardDecision{ID: NewID(), CardID: in.CardID, Kind: in.Kind, Amount: in.Amount, ActorID: in.ActorID, Reason: in.Reason}
	err := db.ChangeGiftCard(ctx, in.CardID, func(c *CardChange) error {
		if err := c.mayDecide(in); err != nil {
			return err
		}
		if half, err := c.halfApproved(in, decision); half || err != nil {
			return err
		}
		decision.CreatedAt = c.Now
		err := c.tx.orm(ctx).Create(decision).Error
		if violates(err, "gift_card_decisions_one_open") {
			return decisionOpen()
		}
		if err != nil {
			return fmt.Errorf("store decision: %w", err)
		}
		after := map[string]any{"decision": decision.ID}
		if in.Amount != nil {
			after["amount"] = money.USD.Format(*in.Amount)
		}
		return c.tx.Audit(ctx, AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "gift_card." + in.Kind, ObjectKind: "gift_card",
			ObjectID: c.Card.ID, Before: map[string]any{"status": c.Card.Status}, After: after, Reason: in.Reason, RequestID: in.RequestID})
	})
	if err != nil || decision.CreatedAt.IsZero() {
		return nil, err
	}
	return decision, nil
}

// halfApproved notes the first of two approvals, when it takes two. The second one
// is another person's, of the same value; another value begins anew.
func (c *CardChange) halfApproved(in NewCardDecision, decision *CardDecision) (bool, error) {
	if in.Kind != CardApprove {
		return false, nil
	}
	g := c.Card
	if g.FirstApprovedBy != nil && g.FirstValue.Cmp(*in.Amount) == 0 {
		decision.FirstBy = g.FirstApprovedBy
		refusal := Forbidden("second_person", "A second person must approve this gift card")
		return false, c.tx.anotherPerson(c.ctx, in.ActorID, refusal, *g.FirstApprovedBy)
	}
	paid, err := CardPayout(*in.Amount)
	if err != nil {
		return false, err
	}
	if err := c.tx.oneWord(c.ctx, g.UserID, paid, in.Alone); !errors.Is(err, ErrSecondPerson) {
		return false, err
	}
	g.FirstApprovedBy, g.FirstApprovedAt, g.FirstValue = &in.ActorID, &c.Now, in.Amount
	told := map[string]any{"value": money.USD.Format(*in.Amount), "paid": money.USD.Format(paid)}
	if err := c.event(Event{Kind: "approved_once", Actor: ByStaff, Internal: true, Data: told}); err != nil {
		return false, err
	}
	return true, c.tx.Audit(c.ctx, AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: "gift_card.approved_once", ObjectKind: "gift_card",
		ObjectID: g.ID, Before: map[string]any{"status": g.Status}, After: told, RequestID: in.RequestID})
}

func decisionOpen() error {
	return Conflict("decision_open", "Another decision on this gift card is in progress")
}

func (c *CardChange) mayDecide(in NewCardDecision) error {
	own := Forbidden("own_card", "You can't decide on your own gift card")
	if err := c.tx.anotherPerson(c.ctx, in.ActorID, own, c.Card.UserID); err != nil {
		return err
	}
	open, err := c.tx.openCardDecision(c.ctx, c.Card.ID)
	if err != nil {
		return err
	}
	if open != nil {
		return decisionOpen()
	}
	if !slices.Contains(CardDecisions(c.Card.Status), in.Kind) {
		return Conflict("card_state", "The gift card doesn't allow this: it is "+strings.ReplaceAll(string(c.Card.Status), "_", " "))
	}
	switch in.Kind {
	case CardApprove:
		return c.mayApprove(in.Amount)
	case CardReject:
		if in.Reason == "" {
			return Invalid("reason", "required", "Enter a reason. The customer sees it.")
		}
	case CardRealise:
		switch {
		case in.Amount == nil || in.Amount.Sign() < 0:
			return Invalid("amount", "invalid_amount", "Enter the amount received")
		case in.Reason == "":
			return Invalid("reference", "required", "Enter the reference of the proceeds")
		}
	}
	return nil
}

// mayApprove looks once more at what is approved: a value that pays something
// and is no more than its customer said, of an account in good standing, and no
// card that was or may be paid for already.
func (c *CardChange) mayApprove(value *money.Units) error {
	if value == nil {
		return Invalid("value", "invalid_amount", "Enter the value you found on the card")
	}
	if _, err := CardPayout(*value); err != nil {
		return err
	}
	if value.Cmp(c.Card.Value) > 0 {
		return Invalid("value", "above_claim", "Enter at most the value the customer entered: "+money.Dollars(c.Card.Value))
	}
	terms, _, err := c.tx.customerTerms(c.ctx, c.Card.UserID)
	if err != nil {
		return err
	}
	if terms.Disabled || terms.Frozen {
		return Conflict("account_frozen", "The customer's account is frozen")
	}
	return c.noDuplicate()
}

// noDuplicate refuses a card that was paid for under another submission, or
// that an earlier one still waits to be decided about.
func (c *CardChange) noDuplicate() error {
	alike, err := c.tx.CardsAlike(c.ctx, c.Card)
	if err != nil {
		return err
	}
	for i := range alike {
		if alike[i].Holds(c.Card) {
			return Conflict("duplicate", "The same card was submitted as "+alike[i].Reference+". Decide on that one first; a card is paid for once.")
		}
	}
	return nil
}

// Holds reports whether this card keeps a later one with the same number from
// being approved.
func (g *GiftCard) Holds(later *GiftCard) bool {
	switch g.Status {
	case CardApproved, CardRealised:
		return true
	case CardReceived, CardInReview:
		return g.CreatedAt.Before(later.CreatedAt) || g.CreatedAt.Equal(later.CreatedAt) && g.ID < later.ID
	case CardRejected, CardExpired:
	}
	return false
}

// CardsAlike reads other submissions of the same card, oldest first.
func (db *DB) CardsAlike(ctx context.Context, card *GiftCard) ([]GiftCard, error) {
	var cards []GiftCard
	err := db.orm(ctx).Where("fingerprint = ? AND id <> ?", card.Fingerprint, card.ID).Order("created_at").Limit(20).Find(&cards).Error
	if err != nil {
		return nil, fmt.Errorf("read submissions of the same card: %w", err)
	}
	return cards, nil
}

// openCardDecision reads the decision that is being carried out, or nil.
func (db *DB) openCardDecision(ctx context.Context, cardID string) (*CardDecision, error) {
	var decision CardDecision
	err := db.orm(ctx).Where("card_id = ? AND settled_at IS NULL", cardID).Take(&decision).Error
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read open decision: %w", err)
	}
	return &decision, nil
}

// decision locks in what is to be carried out now: it is open, and of its kind.
func (c *CardChange) decision(id, kind string) (*CardDecision, error) {
	open, err := c.tx.openCardDecision(c.ctx, c.Card.ID)
	if err != nil {
		return nil, err
	}
	if open == nil || open.ID != id {
		return nil, Conflict("decision_settled", "This decision is no longer open. Refresh the page.")
	}
	if open.Kind != kind {
		return nil, Conflict("decision_kind", "This decision is about something else. Refresh the page.")
	}
	return open, nil
}

func (db *DB) settleCardDecision(ctx context.Context, id, code string) error {
	err := db.orm(ctx).Exec(`UPDATE gift_card_decisions SET settled_at = clock_now(), delivered_at = coalesce(delivered_at, clock_now()), outcome_code = ?
		WHERE id = ? AND settled_at IS NULL`, code, id).Error
	if err != nil {
		return fmt.Errorf("settle decision: %w", err)
	}
	return nil
}

// RefuseCardDecision settles a decision that could not be carried out, so that
// another can be taken.
func (db *DB) RefuseCardDecision(ctx context.Context, cardID, id, code string) (CardState, error) {
	return db.stepGiftCard(ctx, cardID, func(c *CardChange) error { return c.tx.settleCardDecision(ctx, id, code) })
}

// MarkCardDecisionDelivered notes that a workflow accepted a decision.
func (db *DB) MarkCardDecisionDelivered(ctx context.Context, id string) error {
	err := db.orm(ctx).Exec("UPDATE gift_card_decisions SET delivered_at = clock_now() WHERE id = ? AND settled_at IS NULL", id).Error
	if err != nil {
		return fmt.Errorf("note delivery of decision: %w", err)
	}
	return nil
}
