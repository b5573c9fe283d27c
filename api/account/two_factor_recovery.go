package account

import (
	"context"
	"slices"
	"strings"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// AskTwoFactorRecovery is for who has lost their second factor: also for a
// session that owes it.
func (h *Handlers) AskTwoFactorRecovery(ctx context.Context, _ *rest.Nothing) (*rest.Body[TwoFactorRecovery], error) {
	recovery, err := account.AskTwoFactorRecovery(ctx, h.DB, rest.PrincipalOf(ctx).UserID, h.RecoveryDelay)
	if err != nil {
		return nil, err
	}
	h.StartCase(ctx, account.KindTwoFactor, recovery.ID)
	return &rest.Body[TwoFactorRecovery]{Body: *ownRecovery(recovery)}, nil
}

func ownRecovery(r *account.TwoFactorRecovery) *TwoFactorRecovery {
	if r == nil {
		return nil
	}
	return &TwoFactorRecovery{ID: r.ID, Reference: r.Reference, Status: r.Status, ReadyAt: r.ReadyAt, ExpiresAt: r.ExpiresAt, CreatedAt: r.CreatedAt}
}

// CancelTwoFactorRecovery cancels the caller's recovery; every session of the account may.
func (h *Handlers) CancelTwoFactorRecovery(ctx context.Context, _ *rest.Nothing) (*caseworkapi.Decided, error) {
	recovery, err := account.OpenRecovery(ctx, h.DB, rest.PrincipalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	if recovery == nil {
		return nil, store.NotFound("Recovery")
	}
	in := caseworkapi.Asked(ctx, casework.NewCaseDecision{Kind: account.RecoveryCancel, Own: true})
	decision, err := account.OpenRecoveryDecision(ctx, h.DB, recovery.ID, in)
	if err != nil {
		return nil, err
	}
	return h.Execute(ctx, decision, recoveryOutcomes, "Two-factor authentication stays on.")
}

// ListRecoveries answers GET /api/admin/recoveries.
func (h *Handlers) ListRecoveries(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]AdminRecovery], error) {
	rows, err := account.Recoveries(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	return &rest.Body[[]AdminRecovery]{Body: rest.Mapped(rows, func(r *account.RecoveryRow) AdminRecovery { return adminRecovery(r, who.UserID) })}, nil
}

func adminRecovery(r *account.RecoveryRow, viewer string) AdminRecovery {
	return AdminRecovery{TwoFactorRecovery: *ownRecovery(&r.TwoFactorRecovery), UserID: r.UserID, CustomerName: strings.TrimSpace(r.FirstName + " " + r.LastName),
		CustomerEmail: r.Email, VouchedBy: r.VoucherEmail, VouchedHow: r.VouchReason, VouchedAt: r.VouchedAt, ClosedAt: r.ClosedAt, Deciding: r.DecisionKind, Actions: recoveryActions(r, viewer)}
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
	rest.ObjectID
	Body RecoveryReason
}

// recoveryOutcomes are the messages for decisions that could not be executed.
var recoveryOutcomes = map[string]string{
	"recovery_state": "This has changed. Refresh the page.",
	"too_early":      "You can't approve this until the waiting period is over.",
	"second_person":  "You confirmed the identity, so another admin must approve this.",
}

// DecideRecovery records an admin's decision. Lifting a second factor
// needs the admin's own.
func (h *Handlers) DecideRecovery(kind, done string) func(context.Context, *recoveryDecisionInput) (*caseworkapi.Decided, error) {
	return func(ctx context.Context, in *recoveryDecisionInput) (*caseworkapi.Decided, error) {
		if kind != account.RecoveryRefuse {
			if err := h.RequireFreshCode(ctx); err != nil {
				return nil, err
			}
		}
		decision, err := account.OpenRecoveryDecision(ctx, h.DB, in.ID, caseworkapi.Asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: in.Body.Reason, Seen: in.Body.Version}))
		if err != nil {
			return nil, err
		}
		return h.Execute(ctx, decision, recoveryOutcomes, done)
	}
}
