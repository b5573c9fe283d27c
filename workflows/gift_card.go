package workflows

import (
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/giftcard"
)

// Update names: what a person can decide about a gift card. The argument is a
// Decision and the answer an Outcome, as with orders.
const (
	ApproveCard = giftcard.CardApprove
	RejectCard  = giftcard.CardReject
	RealiseCard = giftcard.CardRealise
)

// CardInput starts a gift card's workflow.
type CardInput struct {
	CardID string `json:"cardId"`
}

// giftCards names the activities; it is never called here.
var giftCards *activities.GiftCards

// cardSteps is what carries out each decision, and how the Temporal web UI
// shows it.
var cardSteps = map[string]struct {
	summary string
	step    any
}{
	ApproveCard: {"Approve: credit what the card pays", giftCards.ApproveCard},
	RejectCard:  {"Reject: destroy what was printed on the card", giftCards.RejectCard},
	RealiseCard: {"Realise: book what the value brought in", giftCards.RealiseCard},
}

// GiftCard carries a card from its row, at whatever status that is, to its end:
// realised, rejected, or expired because nobody decided in time. What is
// printed on it never comes here.
func GiftCard(ctx workflow.Context, in CardInput) error {
	c := &giftCard{id: in.CardID, outcomes: map[string]Outcome{}}
	for _, kind := range []string{ApproveCard, RejectCard, RealiseCard} {
		err := workflow.SetUpdateHandlerWithOptions(ctx, kind,
			func(ctx workflow.Context, d Decision) (Outcome, error) { return c.take(ctx, kind, d) },
			workflow.UpdateHandlerOptions{Validator: func(d Decision) error { return c.accepts(kind, d) }, Description: "A person's decision: " + kind})
		if err != nil {
			return err
		}
	}
	workflow.GoNamed(ctx, "hear "+CardChanged, func(ctx workflow.Context) {
		for hooks := workflow.GetSignalChannel(ctx, CardChanged); ; c.woken = true {
			hooks.Receive(ctx, nil)
		}
	})
	if err := c.row(ctx, "Read the gift card", giftCards.LoadCard, c.id); err != nil {
		return err
	}
	for !c.at.Closed {
		if err := c.step(ctx); err != nil {
			return err
		}
		if !c.at.Closed && c.taken == nil && tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, GiftCardType, in)
		}
	}
	if c.taken != nil {
		if err := c.refuse(ctx, NotAwaited); err != nil {
			return err
		}
	}
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// giftCard is one run: what it knows of the row, and what it was told.
type giftCard struct {
	id       string
	at       giftcard.CardState
	loaded   bool
	woken    bool
	taken    *taken             // accepted, not yet answered
	outcomes map[string]Outcome // answers, by decision id
}

// step does what the card's status asks for: wait for a person, and see to what is
// due meanwhile. A card is received here only in a workflow that began when reading
// it did not put it before the reviewers yet.
func (c *giftCard) step(ctx workflow.Context) error {
	if c.at.Status == giftcard.CardReceived {
		return c.row(ctx, "Look whether the card was sent before", giftCards.ReviewCard, c.id)
	}
	err := rest(ctx, c.at.Wake, "A reminder, or the deadline", func() bool { return c.taken != nil || c.woken })
	if err != nil {
		return err
	}
	if c.taken == nil {
		c.woken = false
		return c.row(ctx, "See to what is due", giftCards.LateCard, c.id)
	}
	return c.decide(ctx)
}

// decide carries out what a person decided, and answers.
func (c *giftCard) decide(ctx workflow.Context) error {
	if !slices.Contains(giftcard.CardDecisions(c.at.Status), c.taken.kind) {
		return c.refuse(ctx, NotAwaited) // accepted during a step
	}
	how := cardSteps[c.taken.kind]
	err := c.row(ctx, how.summary, how.step, activities.CardDecided{CardID: c.id, DecisionID: c.taken.id})
	if err == nil {
		c.answer(Done)
		return nil
	}
	if f := failureOf(err); f.final() {
		return c.refuse(ctx, f.code)
	}
	return err
}

// accepts is the validator of every decision: one at a time, and of a kind that
// the card waits for as far as the workflow knows.
func (c *giftCard) accepts(kind string, d Decision) error {
	switch {
	case d.ID == "":
		return temporal.NewNonRetryableApplicationError("a decision needs an id", NotAwaited, nil)
	case c.taken != nil || c.loaded && c.at.Status != giftcard.CardReceived && !slices.Contains(giftcard.CardDecisions(c.at.Status), kind):
		return temporal.NewNonRetryableApplicationError("the gift card does not wait for this decision now", NotAwaited, nil)
	}
	return nil
}

// take hands an accepted decision to the workflow and waits for its answer.
func (c *giftCard) take(ctx workflow.Context, kind string, d Decision) (Outcome, error) {
	c.taken = &taken{kind, d.ID}
	err := workflow.Await(ctx, func() bool { _, answered := c.outcomes[d.ID]; return answered })
	return c.outcomes[d.ID], err
}

func (c *giftCard) answer(code string) {
	c.outcomes[c.taken.id] = Outcome{Status: string(c.at.Status), Code: code}
	c.taken = nil
}

// refuse settles a decision that could not be carried out, and says why.
func (c *giftCard) refuse(ctx workflow.Context, code string) error {
	err := c.row(ctx, "Note that the decision could not be carried out", giftCards.RefuseCardDecision,
		activities.CardDecided{CardID: c.id, DecisionID: c.taken.id, Code: code})
	c.answer(code)
	return err
}

// row runs a step that only touches the card's row, and shows operators where
// that stands.
func (c *giftCard) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at giftcard.CardState
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	c.at, c.loaded = at, true
	workflow.SetCurrentDetails(ctx, at.Summary+"\n\n"+map[giftcard.CardStatus]string{
		giftcard.CardReceived: "received; being looked at",
		giftcard.CardInReview: "waiting for a reviewer to approve or reject",
		giftcard.CardApproved: "paid; waiting for finance to record what its value brought in",
		giftcard.CardRealised: "ended: realised",
		giftcard.CardRejected: "ended: rejected",
		giftcard.CardExpired:  "ended: nobody decided in time",
	}[at.Status])
	return nil
}
