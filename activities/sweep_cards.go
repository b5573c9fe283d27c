package activities

import (
	"context"
	"errors"

	"github.com/tradepost/tradepost/models"
)

// FoundCard is a gift card to start a workflow for, or to wake one of.
type FoundCard struct {
	ID      string `json:"id"`
	Summary string `json:"summary,omitempty"`
}

// findCards looks for gift cards that nobody carries, that something is due for,
// or whose decisions nobody received.
func (a *Sweep) findCards(ctx context.Context, found *Found) error {
	strays, failed := a.DB.StrayCards(ctx, a.Grace, a.Revive, sweepBatch)
	err := look(&found.Cards, func(c models.StrayCard) FoundCard { return FoundCard{ID: c.ID, Summary: c.Sentence()} }, strays, failed)
	for _, card := range strays {
		if card.Restored {
			found.LateCards = append(found.LateCards, FoundCard{ID: card.ID})
		}
	}
	late, failed := a.DB.LateCards(ctx, a.Grace, sweepBatch)
	err = errors.Join(err, look(&found.LateCards, func(w models.Wake) FoundCard { return FoundCard{ID: w.Subject} }, late, failed))
	decisions, failed := a.DB.UndeliveredCardDecisions(ctx, a.Grace, 10*a.Grace, sweepBatch)
	return errors.Join(err, many(&found.CardDecisions, decisions, failed))
}

// DeliverCards resends decisions about gift cards that no workflow has accepted.
func (a *Sweep) DeliverCards(ctx context.Context) (int, error) {
	late, err := a.DB.UndeliveredCardDecisions(ctx, a.Grace, 10*a.Grace, sweepBatch)
	if err != nil {
		return 0, err
	}
	return deliverAll(ctx, late, func(ctx context.Context, d models.CardDecision) (bool, error) {
		err := a.DecideCard.Deliver(ctx, d.CardID, d.Kind, d.ID)
		switch {
		case err == nil:
			return true, a.DB.MarkCardDecisionDelivered(ctx, d.ID)
		case errors.Is(err, ErrNotAwaited):
			_, err = a.DB.RefuseCardDecision(ctx, d.CardID, d.ID, "not_awaited")
		}
		return false, err
	})
}
