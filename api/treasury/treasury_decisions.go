package treasury

import (
	"context"
	"strings"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

type newTreasuryMoveInput struct {
	Body NewTreasuryMove
}

// ProposeTreasuryMove writes a proposal that a second person has to approve; nothing moves.
func (h *Handlers) ProposeTreasuryMove(ctx context.Context, in *newTreasuryMoveInput) (*rest.Body[TreasuryMove], error) {
	asset := money.Currency(in.Body.Asset)
	amount, err := asset.Parse(in.Body.Amount)
	if err != nil {
		return nil, store.Invalid("amount", "bad_amount", "Enter an amount")
	}
	who := rest.PrincipalOf(ctx)
	move, err := treasury.ProposeMove(ctx, h.DB, treasury.NewMove{Wallet: treasury.Wallet{Asset: asset, Network: string(in.Body.Network)}, Amount: amount, Reason: in.Body.Reason,
		ActorID: who.UserID, ActorRole: rest.ActorRole(who), RequestID: rest.RequestID(ctx)}, h.Treasury.Limits)
	if err != nil {
		return nil, err
	}
	return h.moveNow(ctx, move.ID)
}

func (h *Handlers) moveNow(ctx context.Context, id string) (*rest.Body[TreasuryMove], error) {
	known, err := treasury.ReadKnownMove(ctx, h.DB, id)
	if err != nil {
		return nil, err
	}
	return &rest.Body[TreasuryMove]{Body: h.treasuryMove(known, rest.PrincipalOf(ctx))}, nil
}

// decideMove writes a decision about a move, and signals its workflow. The sweep repeats a
// signal that could not be sent.
func (h *Handlers) decideMove(ctx context.Context, in treasury.MoveDecision) (*rest.Body[TreasuryMove], error) {
	who := rest.PrincipalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, rest.ActorRole(who), rest.RequestID(ctx)
	move, err := treasury.DecideMove(ctx, h.DB, in)
	if err != nil {
		return nil, err
	}
	if !move.Status.Over() || in.Kind == treasury.MoveGiveUp { // a workflow waits for it, or begins
		h.Background.Go(func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := h.Workflows.RunMove(ctx, move.ID, in.Kind); err != nil {
				h.Log.WarnContext(ctx, "the move's workflow was not told yet; the sweeper will", "move", move.ID, "error", err)
			}
		})
	}
	return h.moveNow(ctx, in.ID)
}

// ApproveTreasuryMove has the coin sent: who does it gives a fresh code, since a
// session alone must not be enough for that.
func (h *Handlers) ApproveTreasuryMove(ctx context.Context, in *rest.ApprovalInput) (*rest.Body[TreasuryMove], error) {
	if err := h.mayDecideMove(ctx, in.ID, treasury.MoveApprove); err != nil {
		return nil, err
	}
	return h.decideMove(ctx, treasury.MoveDecision{ID: in.ID, Kind: treasury.MoveApprove, Seen: in.Version()})
}

// mayDecideMove checks whether the caller could decide about a move before their code is
// used up.
func (h *Handlers) mayDecideMove(ctx context.Context, id, kind string) error {
	move, err := treasury.ReadMove(ctx, h.DB, id)
	if err != nil {
		return err
	}
	for _, could := range treasury.MoveDecisions(move, rest.PrincipalOf(ctx).UserID) {
		if could == kind {
			return h.RequireFreshCode(ctx)
		}
	}
	return nil // the decision itself is refused, with the reason
}

type treasuryMoveReasonInput struct {
	rest.ObjectID
	Body TreasuryMoveReason
}

// RejectTreasuryMove answers POST /api/admin/treasury/moves/{id}/reject.
func (h *Handlers) RejectTreasuryMove(ctx context.Context, in *treasuryMoveReasonInput) (*rest.Body[TreasuryMove], error) {
	return h.decideMove(ctx, treasury.MoveDecision{ID: in.ID, Kind: treasury.MoveReject, Reason: in.Body.Reason})
}

// WithdrawTreasuryMove answers POST /api/admin/treasury/moves/{id}/withdraw.
func (h *Handlers) WithdrawTreasuryMove(ctx context.Context, in *treasuryMoveReasonInput) (*rest.Body[TreasuryMove], error) {
	return h.decideMove(ctx, treasury.MoveDecision{ID: in.ID, Kind: treasury.MoveWithdraw, Reason: in.Body.Reason})
}

type treasuryMoveResolutionInput struct {
	rest.ObjectID
	Body TreasuryMoveResolution
}

// ResolveTreasuryMove records the outcome of a withdrawal that was not found, or whose
// amount differs from the request.
func (h *Handlers) ResolveTreasuryMove(ctx context.Context, in *treasuryMoveResolutionInput) (*rest.Body[TreasuryMove], error) {
	decision := treasury.MoveDecision{ID: in.ID, Kind: in.Body.Outcome, Reason: strings.TrimSpace(in.Body.Reason), Reference: strings.TrimSpace(in.Body.Reference)}
	if decision.Reason != "" && (decision.Reference != "" || decision.Kind != treasury.MoveAdopt) {
		if err := h.mayDecideMove(ctx, in.ID, decision.Kind); err != nil {
			return nil, err
		}
	}
	return h.decideMove(ctx, decision)
}
