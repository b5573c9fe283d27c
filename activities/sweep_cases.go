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

// OrphanCase is a case whose workflow is to be started, or signalled.
type OrphanCase struct {
	Matter casework.Kind `json:"matter"`
	ID     string        `json:"id"`
	Reason string        `json:"reason"`
}

// CaseDeliverer hands a decision to the workflow of its case, starting that
// when it does not run. It returns once the workflow has accepted the decision,
// or ErrNotAwaited.
type CaseDeliverer interface {
	DeliverCaseDecision(ctx context.Context, caseKind casework.Kind, id, kind, decisionID string) error
}

// findOrphanCases reads cases without a workflow, cases with something due,
// or whose decisions were not delivered.
func (a *Sweep) findOrphanCases(ctx context.Context, found *Found) error {
	orphans, failed := casework.OrphanCases(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	err := collect(&found.Matters, orphanCase, orphans, failed)
	unheard, failed := voucher.UnhandledVoucherSignals(ctx, a.DB, a.Grace, sweepBatch)
	err = errors.Join(err, collect(&found.Matters, orphanCase, unheard, failed))
	resumed, failed := voucher.ResumedVouchers(ctx, a.DB, sweepBatch)
	err = errors.Join(err, collect(&found.Matters, func(w store.Signal) OrphanCase {
		return OrphanCase{Matter: voucher.KindVoucher, ID: w.Subject, Reason: w.Reason}
	}, resumed, failed))
	revived, failed := correction.RevivedVouchers(ctx, a.DB, sweepBatch)
	err = errors.Join(err, collect(&found.RevivedVouchers, pendingSignal, revived, failed))
	moves, failed := treasury.OrphanMoves(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	err = errors.Join(err, collect(&found.Moves, func(m treasury.FoundMove) FoundMove { return FoundMove(m) }, moves, failed))
	decisions, failed := casework.CaseDecisions.Undelivered(ctx, a.DB, a.Grace, 10*a.Grace, sweepBatch)
	return errors.Join(err, many(&found.MatterDecisions, decisions, failed))
}

func orphanCase(s casework.OrphanCase) OrphanCase { return OrphanCase(s) }

// DeliverMatters resends decisions about cases that no workflow has accepted.
func (a *Sweep) DeliverMatters(ctx context.Context) (int, error) {
	return resend(ctx, a, casework.CaseDecisions, func(ctx context.Context, d casework.CaseDecision) error {
		return a.DecideMatter.DeliverCaseDecision(ctx, d.Matter, d.MatterID, d.Kind, d.ID)
	}, func(ctx context.Context, d casework.CaseDecision) error {
		return casework.CaseDecisions.Resolve(ctx, a.DB, d.ID, "not_awaited")
	})
}
