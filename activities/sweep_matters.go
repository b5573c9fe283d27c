package activities

import (
	"context"
	"errors"

	"github.com/tradepost/tradepost/models"
)

// FoundMatter is a matter whose workflow is to be started, or woken.
type FoundMatter struct {
	Matter models.Matter `json:"matter"`
	ID     string        `json:"id"`
	Reason string        `json:"reason"`
}

// MatterDeliverer hands a decision to the workflow of its matter, starting that
// when it does not run. It returns once the workflow has accepted the decision,
// or ErrNotAwaited.
type MatterDeliverer interface {
	DeliverMatter(ctx context.Context, matter models.Matter, id, kind, decisionID string) error
}

// findMatters looks for matters that nobody carries, that something is due for,
// or whose decisions nobody received.
func (a *Sweep) findMatters(ctx context.Context, found *Found) error {
	strays, failed := a.DB.StrayMatters(ctx, a.Grace, a.Revive, sweepBatch)
	err := look(&found.Matters, foundMatter, strays, failed)
	unheard, failed := a.DB.UnheardVoucherHints(ctx, a.Grace, sweepBatch)
	err = errors.Join(err, look(&found.Matters, foundMatter, unheard, failed))
	resumed, failed := a.DB.ResumedVouchers(ctx, sweepBatch)
	err = errors.Join(err, look(&found.Matters, func(w models.Wake) FoundMatter {
		return FoundMatter{Matter: models.MatterVoucher, ID: w.Subject, Reason: w.Reason}
	}, resumed, failed))
	revived, failed := a.DB.RevivedVouchers(ctx, sweepBatch)
	err = errors.Join(err, look(&found.RevivedVouchers, foundWake, revived, failed))
	moves, failed := a.DB.StrayMoves(ctx, a.Grace, a.Revive, sweepBatch)
	err = errors.Join(err, look(&found.Moves, func(m models.FoundMove) FoundMove { return FoundMove(m) }, moves, failed))
	decisions, failed := a.DB.UndeliveredMatterDecisions(ctx, a.Grace, 10*a.Grace, sweepBatch)
	return errors.Join(err, many(&found.MatterDecisions, decisions, failed))
}

func foundMatter(s models.FoundMatter) FoundMatter { return FoundMatter(s) }

// DeliverMatters resends decisions about matters that no workflow has accepted.
func (a *Sweep) DeliverMatters(ctx context.Context) (int, error) {
	late, err := a.DB.UndeliveredMatterDecisions(ctx, a.Grace, 10*a.Grace, sweepBatch)
	if err != nil {
		return 0, err
	}
	return deliverAll(ctx, late, func(ctx context.Context, d models.MatterDecision) (bool, error) {
		err := a.DecideMatter.DeliverMatter(ctx, d.Matter, d.MatterID, d.Kind, d.ID)
		switch {
		case err == nil:
			return true, a.DB.MarkMatterDecisionDelivered(ctx, d.ID)
		case errors.Is(err, ErrNotAwaited):
			err = a.DB.RefuseMatterDecision(ctx, d.ID, "not_awaited")
		}
		return false, err
	})
}
