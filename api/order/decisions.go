package order

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// Decisions writes decisions about orders and delivers them to the workflows.
type Decisions struct {
	*dualcontrolapi.Limits
	DB         *store.DB
	Workflows  Workflows
	Log        *slog.Logger
	Background *sync.WaitGroup // what continues after an answer
}

// SignalOrders has the workflows of orders read their rows again. What fails here the
// sweep repeats.
func (d *Decisions) SignalOrders(ctx context.Context, ids []string) {
	for _, id := range ids {
		if err := d.Workflows.Signal(ctx, id, workflows.OrderChanged, "money"); err != nil {
			d.Log.WarnContext(ctx, "an order is not told yet that its money changed; the sweep will", "order", id, "error", err)
		}
	}
}

// aloneOf is the limit of one person that a kind of decision counts towards.
func (d *Decisions) aloneOf(kind string) money.Units {
	if kind == order.DecisionConfirmReceipt {
		return d.CreditAlone()
	}
	return d.RefundAlone()
}

// Propose writes a proposal that a second person has to approve; nothing moves.
func (d *Decisions) Propose(ctx context.Context, in order.NewProposal) (*caseworkapi.Decided, error) {
	who := rest.PrincipalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, rest.ActorRole(who), rest.RequestID(ctx)
	proposal, err := order.Propose(ctx, d.DB, in)
	if err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: proposal.ID, State: "proposed", Status: string(proposal.OrderStatus),
		Message: proposalRequested[in.Kind]}}, nil
}

// decide writes a decision, delivers it to the workflow, and waits for a while. The row is
// authoritative: when Temporal cannot be reached, the sweep delivers it later.
//
// A decision that needs a second person is proposed instead.
func (d *Decisions) decide(ctx context.Context, in order.NewDecision, done string) (*caseworkapi.Decided, error) {
	who := rest.PrincipalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, rest.ActorRole(who), rest.RequestID(ctx)
	alone := d.aloneOf(in.Kind)
	in.Alone, in.StaffAlone = &alone, d.StaffAlone()
	decision, err := order.OpenDecision(ctx, d.DB, in)
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		wish, _ := in.Data.(order.RefundWish)
		return d.Propose(ctx, order.NewProposal{OrderID: in.OrderID, Kind: in.Kind, To: wish.To, Data: in.Data, Reason: in.Reason})
	}
	if err != nil {
		return nil, err
	}
	return d.ExecuteDecision(ctx, decision, done)
}

// bookedByTheRow are decisions that are executed once their row is resolved, also where the
// order then needs review: the answer says what was booked.
var bookedByTheRow = []string{order.DecisionKeepOrder, order.DecisionRequote, order.DecisionTransferDead}

// ExecuteDecision delivers a written decision to the order's workflow, or to one of its own.
func (d *Decisions) ExecuteDecision(ctx context.Context, decision *order.Decision, done string) (*caseworkapi.Decided, error) {
	beside, err := order.BookedBeside(ctx, d.DB, decision)
	if err != nil {
		return nil, err
	}
	if beside {
		outcome, resolved, err := d.Workflows.BookReceipt(ctx, decision.OrderID, decision.ID, caseworkapi.DecisionWait)
		return caseworkapi.Answer(ctx, d.Log, decision.ID, caseworkapi.Result{Outcome: outcome, Resolved: resolved, Err: err}, nil, done)
	}
	outcome, resolved, err := d.Workflows.Decide(ctx, decision.OrderID, decision.Kind, decision.ID, caseworkapi.DecisionWait)
	if err == nil && resolved && !outcome.OK() && slices.Contains(bookedByTheRow, decision.Kind) {
		booked, err := order.DecisionDone(ctx, d.DB, decision.ID)
		if err != nil {
			return nil, err
		}
		if booked {
			outcome.Code = workflows.Done
		}
	}
	return caseworkapi.Answer(ctx, d.Log, decision.ID, caseworkapi.Result{Outcome: outcome, Resolved: resolved, Err: err}, nil, done)
}

// startOrder starts the order's workflow beside the answer, which does not wait
// for Temporal. What fails here, or dies with us, the sweeper starts.
func (d *Decisions) startOrder(ctx context.Context, order *order.Order) {
	d.Background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		// The workflow's first step records that it runs.
		if err := d.Workflows.StartOrder(ctx, order); err != nil {
			d.Log.WarnContext(ctx, "order workflow not started yet; the sweeper will", "order", order.ID, "error", err)
		}
	})
}
