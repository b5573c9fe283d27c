package temporalx

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/workflows"
)

// StartGiftCard starts a gift card's workflow unless it runs.
func (c *Client) StartGiftCard(ctx context.Context, card *giftcard.GiftCard) error {
	_, err := c.ExecuteWorkflow(ctx, executionOptions(workflows.GiftCardID(card.ID), card.Sentence()), workflows.GiftCardType, workflows.CardInput{CardID: card.ID})
	return err
}

// DecideGiftCard delivers a decision to a gift card's workflow, starting that from its row
// when it does not run, and waits for the outcome. decided is false when its execution
// outlasts that time.
func (c *Client) DecideGiftCard(ctx context.Context, cardID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error) {
	start := executionOptions(workflows.GiftCardID(cardID), "A gift card")
	return c.decide(ctx, start, workflows.GiftCardType, workflows.CardInput{CardID: cardID}, kind, decisionID, wait)
}

// SignalGiftCard has a gift card's workflow read its row again. A workflow that does not run is no error.
func (c *Client) SignalGiftCard(ctx context.Context, cardID, reason string) error {
	return c.signal(ctx, workflows.GiftCardID(cardID), workflows.CardChanged, reason)
}
