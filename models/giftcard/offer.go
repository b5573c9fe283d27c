package giftcard

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// OfferTime is how long a counter-offer can be accepted.
const OfferTime = 72 * time.Hour

// mayAnswer returns an error unless the card's own customer answers a counter-offer.
func (c *CardChange) mayAnswer(in NewCardDecision) error {
	if in.ActorID != c.Card.UserID {
		return store.NotFound("Gift card")
	}
	open, err := Decisions.Open(c.ctx, c.tx, c.Card.ID)
	switch {
	case err != nil:
		return err
	case open != nil && !OfCustomer(open.Kind):
		return store.Conflict("decision_open", "A decision on this card is in progress. Refresh the page.")
	case open != nil:
		return store.Conflict("decision_open", "Your answer is being processed. Refresh the page.")
	case c.Card.Status != CardOffered:
		return store.Conflict("card_state", "This offer has ended. Refresh the page.")
	case in.Kind == CardAccept && !c.Now.Before(*c.Card.OfferUntil):
		return store.Conflict("offer_ended", "This offer has ended. Refresh the page.")
	}
	return nil
}

// offer asks the customer whether they accept less than they were offered. Without an answer it is declined.
func (c *CardChange) offer(p CardPatience) error {
	g := c.Card
	paid, err := pricing.CardPayout(*g.ConfirmedValue)
	if err != nil {
		return err
	}
	if err := c.move(CardOffered); err != nil {
		return err
	}
	until := c.Now.Add(p.Offer)
	g.OfferUntil, g.RemindAt = &until, nil
	return c.event(casework.Event{Kind: "offered", Actor: casework.ByStaff, Dedupe: "offered", Data: map[string]any{
		"value": money.USD.Format(*g.ConfirmedValue), "payout": money.USD.Format(paid), "until": until.UTC().Format(time.RFC3339)}})
}

// AcceptGiftCard executes that a customer accepts a counter-offer: it credits what was offered.
func AcceptGiftCard(ctx context.Context, db *store.DB, id, decisionID string, p CardPatience) (CardState, error) {
	return stepGiftCard(ctx, db, id, func(c *CardChange) error {
		decision, err := Decisions.Current(ctx, c.tx, id, decisionID, CardAccept)
		if err != nil {
			return err
		}
		if err := c.mayApprove(c.Card.ConfirmedValue); err != nil {
			return err
		}
		if err := c.pay(casework.ByCustomer, p); err != nil {
			return err
		}
		if err := c.eachStatement(dualcontrol.CreditedLater); err != nil {
			return err
		}
		return Decisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

// DeclineGiftCard executes that a customer declines a counter-offer, and destroys what was printed on the card.
func DeclineGiftCard(ctx context.Context, db *store.DB, id, decisionID string) (CardState, error) {
	return stepGiftCard(ctx, db, id, func(c *CardChange) error {
		decision, err := Decisions.Current(ctx, c.tx, id, decisionID, CardDecline)
		if err != nil {
			return err
		}
		if err := c.decline(casework.ByCustomer); err != nil {
			return err
		}
		return Decisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

// decline ends a card whose counter-offer was declined, or was not accepted in time.
func (c *CardChange) decline(by casework.Actor) error {
	if err := c.move(CardDeclined); err != nil {
		return err
	}
	if err := c.endOffer(); err != nil {
		return err
	}
	if err := c.event(casework.Event{Kind: "declined", Actor: by, Dedupe: "decided"}); err != nil {
		return err
	}
	return c.close()
}

// endOffer ends a counter-offer that was not accepted, if the card has one: it withdraws what staff stated about the
// card's value.
func (c *CardChange) endOffer() error {
	if c.Card.OfferUntil == nil {
		return nil
	}
	c.Card.OfferUntil = nil
	return c.eachStatement(dualcontrol.Withdraw)
}

// eachStatement runs fn on each source of what staff stated about the card's value.
func (c *CardChange) eachStatement(fn func(ctx context.Context, tx *store.DB, source dualcontrol.Ref) error) error {
	decisions, err := Decisions.List(c.ctx, c.tx, c.Card.ID)
	if err != nil {
		return err
	}
	for i := range decisions {
		if decisions[i].Kind != CardApprove {
			continue
		}
		if err := fn(c.ctx, c.tx, dualcontrol.Ref{Kind: Decisions.Table, ID: decisions[i].ID}); err != nil {
			return err
		}
	}
	return nil
}
