package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models"
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
	models.PayoutApprove: {"Approve: the transfer may be made, once enough people agree", payouts.ApprovePayout},
	models.PayoutReject:  {"Reject: back to the balance", payouts.RejectPayout},
	models.PayoutCancel:  {"Cancel, as its customer wants: back to the balance", payouts.CancelPayout},
	models.PayoutConfirm: {"Book the transfer that was made", payouts.ConfirmPayout},
	models.PayoutReturn:  {"Book the transfer that the bank sent back", payouts.ReturnPayout},
}

// payout is one run: what it knows of the row.
type payout struct {
	id     string
	at     models.PayoutState
	loaded bool
	*desk
}

// Payout carries a payout from its row, at whatever status that is, to its end:
// rejected, cancelled, returned, or paid and beyond what a bank can send back.
// The bank account never comes here.
func Payout(ctx workflow.Context, in MatterInput) error {
	p := &payout{id: in.ID}
	var err error
	p.desk, err = openDesk(ctx, p.waitsFor, models.PayoutApprove, models.PayoutReject, models.PayoutCancel, models.PayoutConfirm, models.PayoutReturn)
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
func (p *payout) waitsFor(kind string) bool {
	if !p.loaded {
		return true
	}
	if p.at.Status == models.PayoutRequested && kind == models.PayoutCancel {
		return true
	}
	for _, k := range models.PayoutDecisions(p.at.Status) {
		if k == kind {
			return true
		}
	}
	return false
}

// step waits for a person, and sees to what is due meanwhile.
func (p *payout) step(ctx workflow.Context) error {
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
func (p *payout) refuse(ctx workflow.Context, code string) error {
	err := p.row(ctx, "Note that the decision could not be carried out", payouts.RefusePayoutDecision,
		activities.PayoutDecided{PayoutID: p.id, DecisionID: p.taken.id, Code: code})
	p.answer(string(p.at.Status), code)
	return err
}

// row runs a step that only touches the payout's row, and shows operators where
// that stands.
func (p *payout) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at models.PayoutState
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	p.at, p.loaded = at, true
	doing := map[models.PayoutStatus]string{
		models.PayoutRequested: "reserved; waiting for approval",
		models.PayoutApproved:  "approved; waiting for somebody to make the transfer",
		models.PayoutPaid:      "paid; the bank may still send it back",
		models.PayoutRejected:  "ended: rejected",
		models.PayoutCancelled: "ended: cancelled by its customer",
		models.PayoutReturned:  "ended: sent back by the bank",
	}[at.Status]
	if at.Closed && at.Status == models.PayoutPaid {
		doing = "ended: paid"
	}
	workflow.SetCurrentDetails(ctx, at.Summary+"\n\n"+doing)
	return nil
}
