package api

import (
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// askTwoFactorRecovery is for who has lost their second factor: also for a
// session that owes it.
func (s *Server) askTwoFactorRecovery(ctx context.Context, _ *nothing) (*body[TwoFactorRecovery], error) {
	recovery, err := account.AskTwoFactorRecovery(ctx, s.DB, principalOf(ctx).UserID, s.RecoveryDelay)
	if err != nil {
		return nil, err
	}
	s.startCase(ctx, account.KindTwoFactor, recovery.ID)
	return &body[TwoFactorRecovery]{*ownRecovery(recovery)}, nil
}

func ownRecovery(r *account.TwoFactorRecovery) *TwoFactorRecovery {
	if r == nil {
		return nil
	}
	return &TwoFactorRecovery{ID: r.ID, Reference: r.Reference, Status: r.Status, ReadyAt: r.ReadyAt, ExpiresAt: r.ExpiresAt, CreatedAt: r.CreatedAt}
}

// cancelTwoFactorRecovery is for whoever has the account: every session of it.
func (s *Server) cancelTwoFactorRecovery(ctx context.Context, _ *nothing) (*decided, error) {
	recovery, err := account.OpenRecovery(ctx, s.DB, principalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	if recovery == nil {
		return nil, store.NotFound("Recovery")
	}
	in := asked(ctx, casework.NewCaseDecision{Kind: account.RecoveryCancel, Own: true})
	decision, err := account.OpenRecoveryDecision(ctx, s.DB, recovery.ID, in)
	if err != nil {
		return nil, err
	}
	return s.carryOut(ctx, decision, recoveryOutcomes, "Two-factor authentication stays on.")
}

func (s *Server) listRecoveries(ctx context.Context, _ *nothing) (*body[[]AdminRecovery], error) {
	rows, err := account.Recoveries(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &body[[]AdminRecovery]{mapped(rows, func(r *account.RecoveryRow) AdminRecovery { return adminRecovery(r, who.UserID) })}, nil
}

func adminRecovery(r *account.RecoveryRow, viewer string) AdminRecovery {
	return AdminRecovery{TwoFactorRecovery: *ownRecovery(&r.TwoFactorRecovery), UserID: r.UserID, CustomerName: strings.TrimSpace(r.FirstName + " " + r.LastName),
		CustomerEmail: r.Email, VouchedBy: r.VoucherEmail, VouchedAt: r.VouchedAt, ClosedAt: r.ClosedAt, Deciding: r.DecisionKind, Actions: recoveryActions(r, viewer)}
}

// recoveryActions are the buttons that an admin has on a recovery.
func recoveryActions(r *account.RecoveryRow, viewer string) []string {
	if r.UserID == viewer || r.DecisionKind != nil {
		return []string{}
	}
	return slices.DeleteFunc(append([]string{}, account.RecoveryAwaits(r.Status)...), func(kind string) bool {
		early := r.Now.Before(r.ReadyAt) || r.VouchedBy != nil && *r.VouchedBy == viewer
		return kind == account.RecoveryCancel || kind == account.RecoveryApprove && early
	})
}

type recoveryDecisionInput struct {
	ObjectID
	Body RecoveryReason
}

// recoveryOutcomes say why a decision could not be carried out.
var recoveryOutcomes = map[string]string{
	"recovery_state": "This has changed. Refresh the page.",
	"too_early":      "You can't approve this until the waiting period is over.",
	"second_person":  "You confirmed the identity, so another admin must approve this.",
}

// decideRecovery takes an admin's decision. Lifting somebody's second factor
// needs the admin's own.
func (s *Server) decideRecovery(kind, done string) func(context.Context, *recoveryDecisionInput) (*decided, error) {
	return func(ctx context.Context, in *recoveryDecisionInput) (*decided, error) {
		if kind != account.RecoveryRefuse {
			if err := s.requireFreshCode(ctx); err != nil {
				return nil, err
			}
		}
		decision, err := account.OpenRecoveryDecision(ctx, s.DB, in.ID, asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: in.Body.Reason}))
		if err != nil {
			return nil, err
		}
		return s.carryOut(ctx, decision, recoveryOutcomes, done)
	}
}
