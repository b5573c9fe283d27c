package api

import (
	"context"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

type newTreasuryMoveInput struct {
	Body NewTreasuryMove
}

// proposeTreasuryMove writes down what a second person has to approve; nothing
// moves.
func (s *Server) proposeTreasuryMove(ctx context.Context, in *newTreasuryMoveInput) (*body[TreasuryMove], error) {
	asset := money.Currency(in.Body.Asset)
	amount, err := asset.Parse(in.Body.Amount)
	if err != nil {
		return nil, store.Invalid("amount", "bad_amount", "Enter an amount")
	}
	who := principalOf(ctx)
	move, err := treasury.ProposeMove(ctx, s.DB, treasury.NewMove{Wallet: treasury.Wallet{Asset: asset, Network: in.Body.Network}, Amount: amount, Reason: in.Body.Reason,
		ActorID: who.UserID, ActorRole: actorRole(who), RequestID: requestID(ctx)}, s.Treasury.Limits)
	if err != nil {
		return nil, err
	}
	return s.moveNow(ctx, move.ID)
}

func (s *Server) moveNow(ctx context.Context, id string) (*body[TreasuryMove], error) {
	known, err := treasury.ReadKnownMove(ctx, s.DB, id)
	if err != nil {
		return nil, err
	}
	return &body[TreasuryMove]{s.treasuryMove(known, principalOf(ctx))}, nil
}

// decideMove carries a decision about a move out, and has its workflow go on with
// it. What cannot be told to the workflow now the sweep tells it later.
func (s *Server) decideMove(ctx context.Context, in treasury.MoveDecision) (*body[TreasuryMove], error) {
	who := principalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, actorRole(who), requestID(ctx)
	move, err := treasury.DecideMove(ctx, s.DB, in)
	if err != nil {
		return nil, err
	}
	if !move.Status.Over() || in.Kind == treasury.MoveGiveUp { // a workflow waits for it, or begins
		s.background.Go(func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := s.Workflows.CarryMove(ctx, move.ID, in.Kind); err != nil {
				s.Log.WarnContext(ctx, "the move's workflow was not told yet; the sweeper will", "move", move.ID, "error", err)
			}
		})
	}
	return s.moveNow(ctx, in.ID)
}

// approveTreasuryMove has the coin sent: who does it gives a fresh code, since a
// session alone must not be enough for that.
func (s *Server) approveTreasuryMove(ctx context.Context, in *ObjectID) (*body[TreasuryMove], error) {
	if err := s.mayDecideMove(ctx, in.ID, treasury.MoveApprove); err != nil {
		return nil, err
	}
	return s.decideMove(ctx, treasury.MoveDecision{ID: in.ID, Kind: treasury.MoveApprove})
}

// mayDecideMove looks whether somebody could decide about a move before their code
// is used up.
func (s *Server) mayDecideMove(ctx context.Context, id, kind string) error {
	move, err := treasury.ReadMove(ctx, s.DB, id)
	if err != nil {
		return err
	}
	for _, could := range treasury.MoveDecisions(move, principalOf(ctx).UserID) {
		if could == kind {
			return s.requireFreshCode(ctx)
		}
	}
	return nil // the decision itself is refused, and says why
}

type treasuryMoveReasonInput struct {
	ObjectID
	Body TreasuryMoveReason
}

func (s *Server) rejectTreasuryMove(ctx context.Context, in *treasuryMoveReasonInput) (*body[TreasuryMove], error) {
	return s.decideMove(ctx, treasury.MoveDecision{ID: in.ID, Kind: treasury.MoveReject, Reason: in.Body.Reason})
}

func (s *Server) withdrawTreasuryMove(ctx context.Context, in *treasuryMoveReasonInput) (*body[TreasuryMove], error) {
	return s.decideMove(ctx, treasury.MoveDecision{ID: in.ID, Kind: treasury.MoveWithdraw, Reason: in.Body.Reason})
}

type treasuryMoveResolutionInput struct {
	ObjectID
	Body TreasuryMoveResolution
}

// resolveTreasuryMove says what became of a withdrawal that left no trace, or of
// another amount than was asked for.
func (s *Server) resolveTreasuryMove(ctx context.Context, in *treasuryMoveResolutionInput) (*body[TreasuryMove], error) {
	decision := treasury.MoveDecision{ID: in.ID, Kind: in.Body.Outcome, Reason: strings.TrimSpace(in.Body.Reason), Reference: strings.TrimSpace(in.Body.Reference)}
	if decision.Reason != "" && (decision.Reference != "" || decision.Kind != treasury.MoveAdopt) {
		if err := s.mayDecideMove(ctx, in.ID, decision.Kind); err != nil {
			return nil, err
		}
	}
	return s.decideMove(ctx, decision)
}
