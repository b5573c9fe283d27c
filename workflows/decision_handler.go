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

// decisionHandler takes people's decisions about one case, one at a time: as Updates
// whose id is the decision's row. Whoever owns the decision handler waits until taken is
// set, carries it out, and answers.
type decisionHandler struct {
	// awaits reports whether the case waits for this kind, as far as the
	// workflow knows.
	awaits   func(kind string) bool
	taken    *taken             // accepted, not yet answered
	woken    bool               // something beside the workflow changed, or is due
	outcomes map[string]Outcome // answers, by decision id
}

// CaseInput starts a case's workflow.
type CaseInput struct {
	ID string `json:"id"`
}

// CaseChanged is the signal that something beside the workflow changed a
// case's row, or is due for it. It carries a Hint.
const CaseChanged = "matter_changed"

// caseTypes are the workflow types that carry cases.
var caseTypes = map[casework.Kind]string{privacy.KindDataExport: DataExportType, privacy.KindClosure: AccountClosureType, account.KindTwoFactor: RecoveryType, kyc.KindKYC: KYCType,
	payout.KindPayout: PayoutType, voucher.KindVoucher: VoucherType, referral.Referral: ReferralType}

// CaseType is the workflow type that carries a case.
func CaseType(caseKind casework.Kind) string { return caseTypes[caseKind] }

// CaseID is the workflow id of a case.
func CaseID(caseKind casework.Kind, id string) string { return string(caseKind) + "/" + id }

// ParseCaseID gives the id of a case out of its workflow's.
func ParseCaseID(caseKind casework.Kind, workflowID string) (id string, ok bool) {
	return strings.CutPrefix(workflowID, string(caseKind)+"/")
}

// openDecisionHandler begins to take decisions of the kinds, and webhook signals.
func openDecisionHandler(ctx workflow.Context, awaits func(kind string) bool, kinds ...string) (*decisionHandler, error) {
	d := &decisionHandler{awaits: awaits, outcomes: map[string]Outcome{}}
	for _, kind := range kinds {
		err := workflow.SetUpdateHandlerWithOptions(ctx, kind,
			func(ctx workflow.Context, decision Decision) (Outcome, error) { return d.take(ctx, kind, decision) },
			workflow.UpdateHandlerOptions{Validator: func(decision Decision) error { return d.accepts(kind, decision) }, Description: "A person's decision: " + kind})
		if err != nil {
			return nil, err
		}
	}
	workflow.GoNamed(ctx, "hear "+CaseChanged, func(ctx workflow.Context) {
		for hooks := workflow.GetSignalChannel(ctx, CaseChanged); ; d.woken = true {
			hooks.Receive(ctx, nil)
		}
	})
	return d, nil
}

// accepts is the validator of every decision.
func (d *decisionHandler) accepts(kind string, decision Decision) error {
	switch {
	case decision.ID == "":
		return temporal.NewNonRetryableApplicationError("a decision needs an id", NotAwaited, nil)
	case d.taken != nil || !d.awaits(kind):
		return temporal.NewNonRetryableApplicationError("this decision is not waited for now", NotAwaited, nil)
	}
	return nil
}

// take hands an accepted decision to the workflow and waits for its answer.
func (d *decisionHandler) take(ctx workflow.Context, kind string, decision Decision) (Outcome, error) {
	d.taken = &taken{kind, decision.ID}
	err := workflow.Await(ctx, func() bool { _, answered := d.outcomes[decision.ID]; return answered })
	return d.outcomes[decision.ID], err
}

// answer ends the decision that was taken: with Done, or why it could not be
// carried out. Status is where the case stands then.
func (d *decisionHandler) answer(status, code string) {
	d.outcomes[d.taken.id] = Outcome{Status: status, Code: code}
	d.taken = nil
}

// busy reports whether there is something to do before the next deadline.
func (d *decisionHandler) busy() bool { return d.taken != nil || d.woken }

// tooLong reports whether the history has grown so long that the workflow should go
// on in a new run. Decisions in flight are answered first.
func (d *decisionHandler) tooLong(ctx workflow.Context) bool { return d.taken == nil && tooLong(ctx) }

func tooLong(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
}

// close waits until everybody has their answer. What was taken and not carried
// out is answered by the caller before.
func (d *decisionHandler) close(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}
