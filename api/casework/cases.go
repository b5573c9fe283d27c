package casework

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// Cases passes cases to their workflows.
type Cases struct {
	Workflows  Workflows
	Log        *slog.Logger
	Background *sync.WaitGroup // what continues after an answer
}

// StartCase starts a case's workflow beside the answer. A start that fails, or dies with
// the process, is repeated by the sweep: the workflow itself records that it runs.
func (c *Cases) StartCase(ctx context.Context, caseKind casework.Kind, id string) {
	c.Background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := c.Workflows.StartCase(ctx, caseKind, id); err != nil {
			c.Log.WarnContext(ctx, "workflow not started yet; the sweeper will", "matter", caseKind, "id", id, "error", err)
		}
	})
}

// CustomerEvents are those of a timeline that its customer sees.
func CustomerEvents[V any](events []casework.StoredEvent, view func(*casework.StoredEvent) V) []V {
	return rest.Mapped(slices.DeleteFunc(events, func(e casework.StoredEvent) bool { return e.Internal }), view)
}

// Asked adds the actor of a decision about a case.
func Asked(ctx context.Context, in casework.NewCaseDecision) casework.NewCaseDecision {
	who := rest.PrincipalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, rest.ActorRole(who), rest.RequestID(ctx)
	return in
}

// Execute has a case's workflow execute a decision whose row is written.
func (c *Cases) Execute(ctx context.Context, decision *casework.CaseDecision, outcomes map[string]string, done string) (*Decided, error) {
	outcome, resolved, err := c.Workflows.DecideCase(ctx, decision.Matter, decision.MatterID, decision.Kind, decision.ID, DecisionWait)
	return Answer(ctx, c.Log, decision.ID, Result{outcome, resolved, err}, outcomes, done)
}

// Result is what a workflow answered within DecisionWait to a decision.
type Result struct {
	Outcome  workflows.Outcome
	Resolved bool // false: it is still being executed
	Err      error
}

// Answer returns the outcome of a decision whose row is written. The row is authoritative:
// one that was not delivered is delivered later by the sweep.
//
// Outcomes are messages for failed decisions, by code, in addition to outcomeTexts.
func Answer(ctx context.Context, log *slog.Logger, id string, r Result, outcomes map[string]string, done string) (*Decided, error) {
	if r.Err != nil {
		log.WarnContext(ctx, "decision not delivered yet; the sweeper will", "decision", id, "error", r.Err)
	}
	if r.Err != nil || !r.Resolved {
		return &Decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: id, State: "working", Message: "This is taking longer than usual. The page will show when it is done."}}, nil
	}
	if !r.Outcome.OK() {
		text, known := outcomes[r.Outcome.Code]
		if !known {
			text = OutcomeText(r.Outcome)
		}
		return nil, store.Conflict(r.Outcome.Code, text)
	}
	return &Decided{Status: http.StatusOK, Body: Outcome{DecisionID: id, State: "done", Status: r.Outcome.Status, Message: done}}, nil
}
