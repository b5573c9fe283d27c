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
)

// Cases has cases carried on by their workflows.
type Cases struct {
	Workflows  Workflows
	Log        *slog.Logger
	Background *sync.WaitGroup // what goes on after an answer
}

// StartCase starts a case's workflow beside the answer. What fails here, or
// dies with us, the sweeper starts: the workflow itself notes that it runs.
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

// Asked fills in who takes a decision about a case.
func Asked(ctx context.Context, in casework.NewCaseDecision) casework.NewCaseDecision {
	who := rest.PrincipalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, rest.ActorRole(who), rest.RequestID(ctx)
	return in
}

// CarryOut has a case's workflow carry out a decision whose row is written,
// and waits for a while. The row is what counts: when Temporal cannot be
// reached, the sweeper delivers it later. Outcomes say why one could not be
// carried out, by its code, beyond what outcomeTexts says.
func (c *Cases) CarryOut(ctx context.Context, decision *casework.CaseDecision, outcomes map[string]string, done string) (*Decided, error) {
	answer := Outcome{DecisionID: decision.ID, State: "working", Message: "This is taking longer than usual. The page will show when it is done."}
	outcome, settled, err := c.Workflows.DecideCase(ctx, decision.Matter, decision.MatterID, decision.Kind, decision.ID, DecisionWait)
	if err != nil {
		c.Log.WarnContext(ctx, "decision not delivered yet; the sweeper will", "decision", decision.ID, "error", err)
	}
	if err != nil || !settled {
		return &Decided{Status: http.StatusAccepted, Body: answer}, nil
	}
	if !outcome.OK() {
		text, known := outcomes[outcome.Code]
		if !known {
			text = OutcomeText(outcome)
		}
		return nil, store.Conflict(outcome.Code, text)
	}
	answer.State, answer.Status, answer.Message = "done", outcome.Status, done
	return &Decided{Status: http.StatusOK, Body: answer}, nil
}
