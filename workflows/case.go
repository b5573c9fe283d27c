package workflows

import (
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/voucher"
)

// CaseInput starts a case's workflow.
type CaseInput struct {
	ID string `json:"id"`
}

// CaseChanged is the signal that a case's row changed beside the workflow, or that a step
// is due for it. It contains a WebhookSignal.
const CaseChanged = "matter_changed"

// caseTypes are the workflow types of the kinds of cases.
var caseTypes = map[casework.Kind]string{privacy.KindDataExport: DataExportType, privacy.KindClosure: AccountClosureType, account.KindTwoFactor: RecoveryType, kyc.KindKYC: KYCType,
	payout.KindPayout: PayoutType, voucher.KindVoucher: VoucherType, referral.Referral: ReferralType}

// CaseType is the workflow type of a kind of case.
func CaseType(caseKind casework.Kind) string { return caseTypes[caseKind] }

// CaseID is the workflow id of a case.
func CaseID(caseKind casework.Kind, id string) string { return string(caseKind) + "/" + id }

// ParseCaseID gives the id of a case out of its workflow's.
func ParseCaseID(caseKind casework.Kind, workflowID string) (id string, ok bool) {
	return strings.CutPrefix(workflowID, string(caseKind)+"/")
}

// caseStep is an activity with its summary for the Temporal web UI.
type caseStep struct {
	summary string
	step    any
}

// caseFlow is how the workflow of one kind of case runs. S is its state of the row.
type caseFlow[S any] struct {
	kind   string   // its workflow type
	signal string   // sent when the row changed beside the workflow
	kinds  []string // of decisions

	view func(at S) caseView
	// awaits reports whether the case waits for a kind of decision.
	awaits func(at S, kind string) bool
	// decided is the argument of the steps that execute or refuse a decision.
	decided func(id, decisionID, code string) any

	load, due caseStep // each has the case's id as its argument
	timer     string   // what due waits for, for the Temporal web UI
	refuse    any
	decisions map[string]caseStep
}

// caseView is the common part of every case's state. Without a wake no step will be due.
type caseView struct {
	status, details string
	closed          bool
	timeout         time.Duration
}

// caseRun is one run of a case's workflow.
type caseRun[S any] struct {
	*decisionHandler
	flow      *caseFlow[S]
	id        string
	at        S
	loaded    bool
	signalled bool // the row changed beside the workflow, or a step is due
}

// openCase begins to accept the decisions about a case and its signals.
func openCase[S any](ctx workflow.Context, flow *caseFlow[S], id string) (*caseRun[S], error) {
	c := &caseRun[S]{flow: flow, id: id}
	handler, err := openDecisionHandler(ctx, c.waitsFor, flow.kinds...)
	if err != nil {
		return nil, err
	}
	c.decisionHandler = handler
	if flow.signal != "" {
		onSignal(ctx, flow.signal, func(WebhookSignal) { c.signalled = true })
	}
	return c, nil
}

// waitsFor reports whether a decision may be accepted: any may before the row is read.
func (c *caseRun[S]) waitsFor(kind string) bool { return !c.loaded || c.flow.awaits(c.at, kind) }

func (c *caseRun[S]) view() caseView { return c.flow.view(c.at) }

// busy reports whether a step is to be executed before the next deadline.
func (c *caseRun[S]) busy() bool { return c.pending != nil || c.signalled }

// run executes the case from its row, whatever its status, to its end, and continues in a
// new run with the same input when the history has grown long.
func (c *caseRun[S]) run(ctx workflow.Context, in any, load, step func(workflow.Context) error) error {
	if err := load(ctx); err != nil {
		return err
	}
	for !c.view().closed {
		if err := step(ctx); err != nil {
			return err
		}
		if !c.view().closed && c.tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, c.flow.kind, in)
		}
	}
	return c.end(ctx)
}

// end refuses a decision that arrived too late, if any.
func (c *caseRun[S]) end(ctx workflow.Context) error {
	if c.pending != nil {
		if err := c.refuse(ctx, NotAwaited); err != nil {
			return err
		}
	}
	return c.drain(ctx)
}

func (c *caseRun[S]) load(ctx workflow.Context) error {
	return c.row(ctx, c.flow.load.summary, c.flow.load.step, c.id)
}

// wait waits for a decision, a signal or what is due, and handles it.
func (c *caseRun[S]) wait(ctx workflow.Context) error {
	if err := rest(ctx, c.view().timeout, c.flow.timer, c.busy); err != nil {
		return err
	}
	if c.pending != nil {
		return c.decide(ctx)
	}
	c.signalled = false
	return c.row(ctx, c.flow.due.summary, c.flow.due.step, c.id)
}

// decide executes the pending decision and answers it. One that was accepted before the row
// ruled it out is refused.
func (c *caseRun[S]) decide(ctx workflow.Context) error {
	if !c.waitsFor(c.pending.kind) {
		return c.refuse(ctx, NotAwaited)
	}
	return c.execute(ctx, c.flow.decisions[c.pending.kind])
}

func (c *caseRun[S]) execute(ctx workflow.Context, how caseStep) error {
	err := c.row(ctx, how.summary, how.step, c.flow.decided(c.id, c.pending.id, ""))
	if err == nil {
		c.done()
		return nil
	}
	if f := failureOf(err); f.final() {
		return c.refuse(ctx, f.code)
	}
	return err
}

// done answers the pending decision: it was executed.
func (c *caseRun[S]) done() { c.answer(c.pending, c.view().status, Done) }

// refuse resolves the pending decision, which could not be executed, with the reason.
func (c *caseRun[S]) refuse(ctx workflow.Context, code string) error {
	err := c.row(ctx, "Note that the decision could not be carried out", c.flow.refuse, c.flow.decided(c.id, c.pending.id, code))
	c.answer(c.pending, c.view().status, code)
	return err
}

// row runs a step that only touches the case's row.
func (c *caseRun[S]) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at S
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	c.enter(ctx, at)
	return nil
}

// enter stores the row's state, and shows it to operators.
func (c *caseRun[S]) enter(ctx workflow.Context, at S) {
	c.at, c.loaded = at, true
	if details := c.view().details; details != "" {
		workflow.SetCurrentDetails(ctx, details)
	}
}
