package workflows

import (
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/voucher"
)

// desk takes people's decisions about one matter, one at a time: as Updates
// whose id is the decision's row. Whoever owns the desk waits until taken is
// set, carries it out, and answers.
type desk struct {
	// awaits reports whether the matter waits for this kind, as far as the
	// workflow knows.
	awaits   func(kind string) bool
	taken    *taken             // accepted, not yet answered
	woken    bool               // something beside the workflow changed, or is due
	outcomes map[string]Outcome // answers, by decision id
}

// MatterInput starts a matter's workflow.
type MatterInput struct {
	ID string `json:"id"`
}

// MatterChanged is the signal that something beside the workflow changed a
// matter's row, or is due for it. It carries a Hint.
const MatterChanged = "matter_changed"

// matterTypes are the workflow types that carry matters.
var matterTypes = map[casework.Matter]string{privacy.DataExportMatter: DataExportType, privacy.ClosureMatter: AccountClosureType, account.MatterTwoFactor: RecoveryType, kyc.MatterKYC: KYCType,
	payout.MatterPayout: PayoutType, voucher.MatterVoucher: VoucherType, referral.Referral: ReferralType}

// MatterType is the workflow type that carries a matter.
func MatterType(matter casework.Matter) string { return matterTypes[matter] }

// MatterID is the workflow id of a matter.
func MatterID(matter casework.Matter, id string) string { return string(matter) + "/" + id }

// ParseMatterID gives the id of a matter out of its workflow's.
func ParseMatterID(matter casework.Matter, workflowID string) (id string, ok bool) {
	return strings.CutPrefix(workflowID, string(matter)+"/")
}

// openDesk begins to take decisions of the kinds, and hints.
func openDesk(ctx workflow.Context, awaits func(kind string) bool, kinds ...string) (*desk, error) {
	d := &desk{awaits: awaits, outcomes: map[string]Outcome{}}
	for _, kind := range kinds {
		err := workflow.SetUpdateHandlerWithOptions(ctx, kind,
			func(ctx workflow.Context, decision Decision) (Outcome, error) { return d.take(ctx, kind, decision) },
			workflow.UpdateHandlerOptions{Validator: func(decision Decision) error { return d.accepts(kind, decision) }, Description: "A person's decision: " + kind})
		if err != nil {
			return nil, err
		}
	}
	workflow.GoNamed(ctx, "hear "+MatterChanged, func(ctx workflow.Context) {
		for hints := workflow.GetSignalChannel(ctx, MatterChanged); ; d.woken = true {
			hints.Receive(ctx, nil)
		}
	})
	return d, nil
}

// accepts is the validator of every decision.
func (d *desk) accepts(kind string, decision Decision) error {
	switch {
	case decision.ID == "":
		return temporal.NewNonRetryableApplicationError("a decision needs an id", NotAwaited, nil)
	case d.taken != nil || !d.awaits(kind):
		return temporal.NewNonRetryableApplicationError("this decision is not waited for now", NotAwaited, nil)
	}
	return nil
}

// take hands an accepted decision to the workflow and waits for its answer.
func (d *desk) take(ctx workflow.Context, kind string, decision Decision) (Outcome, error) {
	d.taken = &taken{kind, decision.ID}
	err := workflow.Await(ctx, func() bool { _, answered := d.outcomes[decision.ID]; return answered })
	return d.outcomes[decision.ID], err
}

// answer ends the decision that was taken: with Done, or why it could not be
// carried out. Status is where the matter stands then.
func (d *desk) answer(status, code string) {
	d.outcomes[d.taken.id] = Outcome{Status: status, Code: code}
	d.taken = nil
}

// busy reports whether there is something to do before the next deadline.
func (d *desk) busy() bool { return d.taken != nil || d.woken }

// tooLong reports whether the history has grown so long that the workflow should go
// on in a new run. Decisions in flight are answered first.
func (d *desk) tooLong(ctx workflow.Context) bool { return d.taken == nil && tooLong(ctx) }

func tooLong(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
}

// close waits until everybody has their answer. What was taken and not carried
// out is answered by the caller before.
func (d *desk) close(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}
