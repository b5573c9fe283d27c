package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/payout"
)

// PayoutType is the workflow type that carries payouts.
const PayoutType = "Payout"

// payouts names the activities; it is never called here.
var payouts *activities.Payouts

// payoutSteps is what carries out each decision, and how the Temporal web UI
// shows it.
var payoutSteps = map[string]struct {
	summary string
	step    any
}{
	payout.PayoutApprove: {"Approve: the transfer may be made, once enough people agree", payouts.ApprovePayout},
	payout.PayoutReject:  {"Reject: back to the balance", payouts.RejectPayout},
	payout.PayoutCancel:  {"Cancel, as its customer wants: back to the balance", payouts.CancelPayout},
	payout.PayoutConfirm: {"Book the transfer that was made", payouts.ConfirmPayout},
	payout.PayoutReturn:  {"Book the transfer that the bank sent back", payouts.ReturnPayout},
}

// payout is one run: what it knows of the row.
type payoutRun struct {
	id     string
	at     payout.PayoutState
	loaded bool
	*decisionHandler
}

// Payout carries a payout from its row, at whatever status that is, to its end:
// rejected, cancelled, returned, or paid and beyond what a bank can send back.
// The bank account never comes here.
func Payout(ctx workflow.Context, in CaseInput) error {
	p := &payoutRun{id: in.ID}
	var err error
	p.decisionHandler, err = openDecisionHandler(ctx, p.waitsFor, payout.PayoutApprove, payout.PayoutReject, payout.PayoutCancel, payout.PayoutConfirm, payout.PayoutReturn)
	if err != nil {
		return err
	}
	if err := p.row(ctx, "Read the payout", payouts.LoadPayout, p.id); err != nil {
		return err
	}
	for !p.at.Closed {
		if err := p.step(ctx); err != nil {
			return err
		}
		if !p.at.Closed && p.tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, PayoutType, in)
		}
	}
	if p.taken != nil {
		if err := p.refuse(ctx, NotAwaited); err != nil {
			return err
		}
	}
	return p.close(ctx)
}

// waitsFor reports whether the payout waits for a kind of decision, as far as
// the workflow knows.
func (p *payoutRun) waitsFor(kind string) bool {
	if !p.loaded {
		return true
	}
	if p.at.Status == payout.PayoutRequested && kind == payout.PayoutCancel {
		return true
	}
	for _, k := range payout.PayoutDecisions(p.at.Status) {
		if k == kind {
			return true
		}
	}
	return false
}

// step waits for a person, and sees to what is due meanwhile.
func (p *payoutRun) step(ctx workflow.Context) error {
	if err := rest(ctx, p.at.Wake, "A reminder, or the end of what a bank can send back", p.busy); err != nil {
		return err
	}
	if p.taken == nil {
		p.woken = false
		return p.row(ctx, "See to what is due", payouts.LatePayout, p.id)
	}
	if !p.waitsFor(p.taken.kind) {
		return p.refuse(ctx, NotAwaited) // accepted during a step
	}
	how := payoutSteps[p.taken.kind]
	err := p.row(ctx, how.summary, how.step, activities.PayoutDecided{PayoutID: p.id, DecisionID: p.taken.id})
	if err == nil {
		p.answer(string(p.at.Status), Done)
		return nil
	}
	if f := failureOf(err); f.final() {
		return p.refuse(ctx, f.code)
	}
	return err
}

// refuse settles a decision that could not be carried out, and says why.
func (p *payoutRun) refuse(ctx workflow.Context, code string) error {
	err := p.row(ctx, "Note that the decision could not be carried out", payouts.RefusePayoutDecision,
		activities.PayoutDecided{PayoutID: p.id, DecisionID: p.taken.id, Code: code})
	p.answer(string(p.at.Status), code)
	return err
}

// row runs a step that only touches the payout's row, and shows operators where
// that stands.
func (p *payoutRun) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at payout.PayoutState
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	p.at, p.loaded = at, true
	doing := map[payout.PayoutStatus]string{
		payout.PayoutRequested: "reserved; waiting for approval",
		payout.PayoutApproved:  "approved; waiting for somebody to make the transfer",
		payout.PayoutPaid:      "paid; the bank may still send it back",
		payout.PayoutRejected:  "ended: rejected",
		payout.PayoutCancelled: "ended: cancelled by its customer",
		payout.PayoutReturned:  "ended: sent back by the bank",
	}[at.Status]
	if at.Closed && at.Status == payout.PayoutPaid {
		doing = "ended: paid"
	}
	workflow.SetCurrentDetails(ctx, at.Summary+"\n\n"+doing)
	return nil
}
