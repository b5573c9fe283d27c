package giftcard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// The steps of a gift card, each one transaction. Each is safe to run again: it
// finds its own earlier effect.

// CardPatience is how long gift cards wait for people.
type CardPatience struct {
	Review  time.Duration // until an undecided submission expires
	Remind  time.Duration // between two reminders of one that waits for a review
	Realise time.Duration // between two reminders of one that waits to be realised
	Offer   time.Duration // until a counter-offer is declined
}

// BeginGiftCard records that a card's workflow runs, and puts the card before the reviewers: the automatic checks
// run, deadlines begin, and a card that was sent before is marked.
func BeginGiftCard(ctx context.Context, db *store.DB, id string, p CardPatience) (CardState, error) {
	return stepGiftCard(ctx, db, id, func(c *CardChange) error {
		c.Card.WorkflowStartedAt = &c.Now
		if c.Card.Status != CardReceived {
			return nil
		}
		if err := c.move(CardInReview); err != nil {
			return err
		}
		due, remind := c.Now.Add(p.Review), c.Now.Add(p.Remind)
		c.Card.ReviewDueAt, c.Card.RemindAt = &due, &remind
		if err := c.event(casework.Event{Kind: "review_started", Dedupe: "review"}); err != nil {
			return err
		}
		alike, err := CardsAlike(ctx, c.tx, c.Card)
		if err != nil || len(alike) == 0 {
			return err
		}
		return c.event(casework.Event{Kind: "duplicate", Internal: true, Dedupe: "duplicate", Data: map[string]any{"of": alike[0].Reference, "count": len(alike)}})
	})
}

// ApproveGiftCard credits what the card pays, in one transaction with its status. A card that is worth less than its
// customer entered is a counter-offer instead: nothing is credited before they accept it.
func ApproveGiftCard(ctx context.Context, db *store.DB, id, decisionID string, p CardPatience) (CardState, error) {
	return stepGiftCard(ctx, db, id, func(c *CardChange) error {
		decision, err := Decisions.Current(ctx, c.tx, id, decisionID, CardApprove)
		if err != nil {
			return err
		}
		if err := c.mayApprove(decision.Amount); err != nil {
			return err
		}
		g := c.Card
		g.ConfirmedValue, g.DecidedBy, g.DecidedAt = decision.Amount, &decision.ActorID, &c.Now
		if decision.Amount.Cmp(g.Value) < 0 {
			err = c.offer(p)
		} else {
			err = c.pay(casework.ByStaff, p)
		}
		if err != nil {
			return err
		}
		return Decisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

// pay credits what the value that was found pays. The security code is deleted now: realising the value does not need
// it.
func (c *CardChange) pay(by casework.Actor, p CardPatience) error {
	g := c.Card
	paid, err := pricing.CardPayout(*g.ConfirmedValue)
	if err != nil {
		return err
	}
	if err := c.move(CardApproved); err != nil {
		return err
	}
	remind := c.Now.Add(p.Realise)
	g.Paid, g.RemindAt, g.OfferUntil, g.SealedSecurityCode = &paid, &remind, nil, nil
	about := ledger.About(ledger.OfGiftCard, g.ID, "gift_card_paid", "paid")
	if _, err = ledger.CreditBalance(c.ctx, c.tx, about, g.UserID, CardPaidPostings(g.UserID, paid)...); err != nil {
		return err
	}
	return c.event(casework.Event{Kind: "approved", Actor: by, Dedupe: "decided",
		Data: map[string]any{"value": money.USD.Format(*g.ConfirmedValue), "paid": money.USD.Format(paid)}})
}

// RejectGiftCard ends a card with a reason that its customer reads. An open counter-offer for it ends too.
func RejectGiftCard(ctx context.Context, db *store.DB, id, decisionID string) (CardState, error) {
	return stepGiftCard(ctx, db, id, func(c *CardChange) error {
		decision, err := Decisions.Current(ctx, c.tx, id, decisionID, CardReject)
		if err != nil {
			return err
		}
		if err := c.move(CardRejected); err != nil {
			return err
		}
		if err := c.endOffer(); err != nil {
			return err
		}
		c.Card.RejectReason, c.Card.DecidedBy, c.Card.DecidedAt = &decision.Reason, &decision.ActorID, &c.Now
		if err := c.event(casework.Event{Kind: "rejected", Actor: casework.ByStaff, Dedupe: "decided"}); err != nil {
			return err
		}
		if err := c.close(); err != nil {
			return err
		}
		return Decisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

// RealiseGiftCard books the proceeds of the card's value, and ends it.
func RealiseGiftCard(ctx context.Context, db *store.DB, id, decisionID string) (CardState, error) {
	return stepGiftCard(ctx, db, id, func(c *CardChange) error {
		decision, err := Decisions.Current(ctx, c.tx, id, decisionID, CardRealise)
		if err != nil {
			return err
		}
		if err := c.checkProceeds(decision.Amount, decision.Reason); err != nil {
			return err
		}
		if err := c.realise(*decision.Amount, optional(decision.Reason), decision.ActorID); err != nil {
			return err
		}
		return Decisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

// realise books the proceeds of the card, in cents, and closes it. The reference may be nil if they
// are zero.
func (c *CardChange) realise(proceeds money.Units, reference *string, by string) error {
	if err := c.move(CardRealised); err != nil {
		return err
	}
	g := c.Card
	g.RealisedAmount, g.RealisedReference, g.RealisedBy, g.RealisedAt = &proceeds, reference, &by, &c.Now
	about := ledger.About(ledger.OfGiftCard, g.ID, "gift_card_realised", "realised")
	if err := ledger.PostAbout(c.ctx, c.tx, about, CardRealisedPostings(*g.Paid, proceeds)); err != nil {
		return err
	}
	if err := c.event(casework.Event{Kind: "realised", Actor: casework.ByStaff, Internal: true, Dedupe: "realised",
		Data: map[string]any{"amount": money.USD.Format(proceeds)}}); err != nil {
		return err
	}
	return c.close()
}

// LateGiftCard does what is due: an undecided submission expires at its deadline, a counter-offer is declined at its
// end, and staff are reminded. It does nothing before its time, or while a decision is being executed.
func LateGiftCard(ctx context.Context, db *store.DB, id string, p CardPatience) (CardState, error) {
	return stepGiftCard(ctx, db, id, func(c *CardChange) error {
		open, err := Decisions.Open(ctx, c.tx, id)
		if err != nil || open != nil {
			return err
		}
		g := c.Card
		switch {
		case g.Status == CardInReview && !c.Now.Before(*g.ReviewDueAt):
			if err := c.move(CardExpired); err != nil {
				return err
			}
			if err := c.event(casework.Event{Kind: "expired", Dedupe: "decided"}); err != nil {
				return err
			}
			return c.close()
		case g.Status == CardOffered:
			if c.Now.Before(*g.OfferUntil) {
				return nil
			}
			return c.decline(casework.BySystem)
		case g.RemindAt == nil || c.Now.Before(*g.RemindAt):
			return nil
		case g.Status == CardInReview:
			return c.remind("review_late", p.Remind)
		case g.Status == CardApproved:
			return c.remind("realisation_late", p.Realise)
		}
		return nil
	})
}

func (c *CardChange) remind(kind string, every time.Duration) error {
	next := c.Now.Add(every)
	c.Card.RemindAt = &next
	c.Card.Reminders++
	return c.event(casework.Event{Kind: kind, Internal: true, Dedupe: fmt.Sprintf("reminder:%d", c.Card.Reminders)})
}

// CardState is a card as its workflow reads it.
type CardState struct {
	Status  CardStatus    `json:"status"`
	Summary string        `json:"summary"`
	Closed  bool          `json:"closed,omitempty"`
	Wake    time.Duration `json:"wake,omitempty"` // until something is due; zero: nothing will be
}

// stepGiftCard is ChangeGiftCard for a step, and returns the card's state after it.
func stepGiftCard(ctx context.Context, db *store.DB, id string, fn func(c *CardChange) error) (state CardState, err error) {
	err = ChangeGiftCard(ctx, db, id, func(c *CardChange) error {
		if err := fn(c); err != nil && !errors.Is(err, casework.ErrDecisionExecuted) {
			return err
		}
		state = c.Card.state(c.Now)
		return nil
	})
	return state, err
}

func (g *GiftCard) state(now time.Time) CardState {
	state := CardState{Status: g.Status, Summary: g.Sentence(), Closed: g.ClosedAt != nil}
	due := g.RemindAt
	if g.Status == CardInReview && due != nil && g.ReviewDueAt.Before(*due) {
		due = g.ReviewDueAt
	}
	if g.Status == CardOffered {
		due = g.OfferUntil
	}
	if due != nil {
		state.Wake = max(due.Sub(now), time.Second)
	}
	return state
}

// WithdrawFirstApprovals withdraws a person's first approvals of gift cards, and gives the cards.
func WithdrawFirstApprovals(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE gift_cards SET first_approved_by = NULL, first_approved_at = NULL, first_value = NULL, updated_at = clock_now() WHERE first_approved_by = ? AND status = 'in_review' RETURNING id`, by)
}
