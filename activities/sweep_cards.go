package activities

import (
	"context"
	"errors"

	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/store"
)

// FoundCard is a gift card to start a workflow for, or to signal one of.
type FoundCard struct {
	ID      string `json:"id"`
	Summary string `json:"summary,omitempty"`
}

// findCards reads gift cards without a workflow, cards with something due,
// or whose decisions were not delivered.
func (a *Sweep) findCards(ctx context.Context, found *Found) error {
	orphans, failed := giftcard.OrphanCards(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	err := collect(&found.Cards, func(c giftcard.OrphanCard) FoundCard { return FoundCard{ID: c.ID, Summary: c.Sentence()} }, orphans, failed)
	for _, card := range orphans {
		if card.Restored {
			found.LateCards = append(found.LateCards, FoundCard{ID: card.ID})
		}
	}
	late, failed := giftcard.LateCards(ctx, a.DB, a.Grace, sweepBatch)
	err = errors.Join(err, collect(&found.LateCards, func(w store.Signal) FoundCard { return FoundCard{ID: w.Subject} }, late, failed))
	decisions, failed := giftcard.Decisions.Undelivered(ctx, a.DB, a.Grace, 10*a.Grace, sweepBatch)
	return errors.Join(err, many(&found.CardDecisions, decisions, failed))
}

// DeliverCards resends decisions about gift cards that no workflow has accepted.
func (a *Sweep) DeliverCards(ctx context.Context) (int, error) {
	return resend(ctx, a, giftcard.Decisions, func(ctx context.Context, d giftcard.CardDecision) error {
		return a.DecideCard.Deliver(ctx, d.CardID, d.Kind, d.ID)
	}, func(ctx context.Context, d giftcard.CardDecision) error {
		_, err := giftcard.RefuseCardDecision(ctx, a.DB, d.CardID, d.ID, "not_awaited")
		return err
	})
}
