package api

import (
	"context"
	"net/http"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// startCase starts a case's workflow beside the answer. What fails here, or
// dies with us, the sweeper starts: the workflow itself notes that it runs.
func (s *Server) startCase(ctx context.Context, caseKind casework.Kind, id string) {
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := s.Workflows.StartCase(ctx, caseKind, id); err != nil {
			s.Log.WarnContext(ctx, "workflow not started yet; the sweeper will", "matter", caseKind, "id", id, "error", err)
		}
	})
}

// asked fills in who takes a decision about a case.
func asked(ctx context.Context, in casework.NewCaseDecision) casework.NewCaseDecision {
	who := principalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, actorRole(who), requestID(ctx)
	return in
}

// carryOut has a case's workflow carry out a decision whose row is written,
// and waits for a while. The row is what counts: when Temporal cannot be
// reached, the sweeper delivers it later. Outcomes say why one could not be
// carried out, by its code, beyond what outcomeTexts says.
func (s *Server) carryOut(ctx context.Context, decision *casework.CaseDecision, outcomes map[string]string, done string) (*decided, error) {
	answer := Outcome{DecisionID: decision.ID, State: "working", Message: "This is taking longer than usual. The page will show when it is done."}
	outcome, settled, err := s.Workflows.DecideCase(ctx, decision.Matter, decision.MatterID, decision.Kind, decision.ID, decisionWait)
	if err != nil {
		s.Log.WarnContext(ctx, "decision not delivered yet; the sweeper will", "decision", decision.ID, "error", err)
	}
	if err != nil || !settled {
		return &decided{Status: http.StatusAccepted, Body: answer}, nil
	}
	if !outcome.OK() {
		text, known := outcomes[outcome.Code]
		if !known {
			text = outcomeText(outcome)
		}
		return nil, store.Conflict(outcome.Code, text)
	}
	answer.State, answer.Status, answer.Message = "done", outcome.Status, done
	return &decided{Status: http.StatusOK, Body: answer}, nil
}
