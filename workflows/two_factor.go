package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/account"
)

// RecoveryType is the type of the workflow that carries a recovery; its id is
// CaseID's.
const RecoveryType = "two_factor_recovery"

// twoFactor names the activities; it is never called here.
var twoFactor *activities.TwoFactor

// recoverySteps says in the Temporal web UI what carries out each decision.
var recoverySteps = map[string]string{
	account.RecoveryVouch:   "Note that an admin has made sure who asks",
	account.RecoveryApprove: "Lift the second factor and end every session",
	account.RecoveryRefuse:  "Refuse to lift the second factor",
	account.RecoveryCancel:  "Stop: whoever has the account does not want it lifted",
}

// TwoFactorRecovery carries the lifting of a lost second factor from its row, at
// whatever status that is, to its end: through a delay in which it can be
// stopped, and past two admins.
func TwoFactorRecovery(ctx workflow.Context, in CaseInput) error {
	r := &recovery{id: in.ID}
	handler, err := openDecisionHandler(ctx, r.awaits, account.RecoveryDecisions...)
	if err != nil {
		return err
	}
	r.decisionHandler = handler
	if err := r.row(ctx, "Read the recovery", twoFactor.LoadRecovery, r.id); err != nil {
		return err
	}
	for !r.at.Closed {
		if err := r.step(ctx); err != nil {
			return err
		}
		if !r.at.Closed && handler.tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, RecoveryType, in)
		}
	}
	if handler.taken != nil {
		if err := r.refuse(ctx, NotAwaited); err != nil {
			return err
		}
	}
	return handler.close(ctx)
}

// recovery is one run: what it knows of the row, and its decision handler.
type recovery struct {
	id              string
	at              account.RecoveryState
	loaded          bool
	decisionHandler *decisionHandler
}

func (r *recovery) awaits(kind string) bool {
	return !r.loaded || slices.Contains(account.RecoveryAwaits(r.at.Status), kind)
}

// step waits for a person or the next deadline, and sees to either.
func (r *recovery) step(ctx workflow.Context) error {
	_, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: r.at.Wake, TimerOptions: workflow.TimerOptions{Summary: "The end of the delay, or of its time"}}, r.decisionHandler.busy)
	if err != nil {
		return err
	}
	if r.decisionHandler.taken == nil {
		r.decisionHandler.woken = false
		return r.row(ctx, "See to what is due", twoFactor.LateRecovery, r.id)
	}
	return r.decide(ctx)
}

// decide carries out what a person decided, and answers.
func (r *recovery) decide(ctx workflow.Context) error {
	if !r.awaits(r.decisionHandler.taken.kind) {
		return r.refuse(ctx, NotAwaited) // accepted during a step
	}
	err := r.row(ctx, recoverySteps[r.decisionHandler.taken.kind], twoFactor.DecideRecovery, activities.CaseDecided{ID: r.id, DecisionID: r.decisionHandler.taken.id})
	if err == nil {
		r.decisionHandler.answer(r.at.Status, Done)
		return nil
	}
	if f := failureOf(err); f.final() {
		return r.refuse(ctx, f.code)
	}
	return err
}

// refuse settles a decision that could not be carried out, and says why.
func (r *recovery) refuse(ctx workflow.Context, code string) error {
	err := r.row(ctx, "Note that the decision could not be carried out", twoFactor.RefuseRecoveryDecision,
		activities.CaseDecided{ID: r.id, DecisionID: r.decisionHandler.taken.id, Code: code})
	r.decisionHandler.answer(r.at.Status, code)
	return err
}

// row runs a step that only touches the recovery's row, and shows operators
// where that stands.
func (r *recovery) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at account.RecoveryState
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	r.at, r.loaded = at, true
	workflow.SetCurrentDetails(ctx, "A lost second factor, "+at.Reference+"\n\n"+map[string]string{
		account.RecoveryAsked:     "waiting for an admin to make sure who asks",
		account.RecoveryVouched:   "vouched for; another admin approves once the delay is over",
		account.RecoveryDone:      "ended: the factor was lifted",
		account.RecoveryCancelled: "ended: whoever has the account stopped it",
		account.RecoveryRefused:   "ended: refused",
		account.RecoveryExpired:   "ended: nobody approved it in time",
	}[at.Status])
	return nil
}
