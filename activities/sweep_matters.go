package activities

import (
	"context"
	"errors"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/models/voucher"
)

// FoundMatter is a matter whose workflow is to be started, or woken.
type FoundMatter struct {
	Matter casework.Matter `json:"matter"`
	ID     string          `json:"id"`
	Reason string          `json:"reason"`
}

// MatterDeliverer hands a decision to the workflow of its matter, starting that
// when it does not run. It returns once the workflow has accepted the decision,
// or ErrNotAwaited.
type MatterDeliverer interface {
	DeliverMatter(ctx context.Context, matter casework.Matter, id, kind, decisionID string) error
}

// findMatters looks for matters that nobody carries, that something is due for,
// or whose decisions nobody received.
func (a *Sweep) findMatters(ctx context.Context, found *Found) error {
	strays, failed := casework.StrayMatters(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	err := look(&found.Matters, foundMatter, strays, failed)
	unheard, failed := voucher.UnheardVoucherHints(ctx, a.DB, a.Grace, sweepBatch)
	err = errors.Join(err, look(&found.Matters, foundMatter, unheard, failed))
	resumed, failed := voucher.ResumedVouchers(ctx, a.DB, sweepBatch)
	err = errors.Join(err, look(&found.Matters, func(w store.Wake) FoundMatter {
		return FoundMatter{Matter: voucher.MatterVoucher, ID: w.Subject, Reason: w.Reason}
	}, resumed, failed))
	revived, failed := correction.RevivedVouchers(ctx, a.DB, sweepBatch)
	err = errors.Join(err, look(&found.RevivedVouchers, foundWake, revived, failed))
	moves, failed := treasury.StrayMoves(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	err = errors.Join(err, look(&found.Moves, func(m treasury.FoundMove) FoundMove { return FoundMove(m) }, moves, failed))
	decisions, failed := casework.UndeliveredMatterDecisions(ctx, a.DB, a.Grace, 10*a.Grace, sweepBatch)
	return errors.Join(err, many(&found.MatterDecisions, decisions, failed))
}

func foundMatter(s casework.FoundMatter) FoundMatter { return FoundMatter(s) }

// DeliverMatters resends decisions about matters that no workflow has accepted.
func (a *Sweep) DeliverMatters(ctx context.Context) (int, error) {
	late, err := casework.UndeliveredMatterDecisions(ctx, a.DB, a.Grace, 10*a.Grace, sweepBatch)
	if err != nil {
		return 0, err
	}
	return deliverAll(ctx, late, func(ctx context.Context, d casework.MatterDecision) (bool, error) {
		err := a.DecideMatter.DeliverMatter(ctx, d.Matter, d.MatterID, d.Kind, d.ID)
		switch {
		case err == nil:
			return true, casework.MarkMatterDecisionDelivered(ctx, a.DB, d.ID)
		case errors.Is(err, ErrNotAwaited):
			err = casework.RefuseMatterDecision(ctx, a.DB, d.ID, "not_awaited")
		}
		return false, err
	})
}
