package workflows

import (
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/voucher"
)

// VoucherType is the workflow type of a redeemed voucher.
const VoucherType = "Voucher"

// Update names: what a person can decide about a redemption that waits.
const (
	ResumeVoucher       = voucher.VoucherResume
	RestoreVoucher      = voucher.VoucherRestore
	VoucherTransferDead = voucher.VoucherTransferDead
)

// vouchers names the activities; it is never called here.
var vouchers *activities.Vouchers

// Voucher carries the redemption of a voucher from its row, at whatever status
// that is, to its end: sent and confirmed, or restored. The voucher's code never
// comes here.
func Voucher(ctx workflow.Context, in CaseInput) error {
	v := &voucherRun{id: in.ID}
	var err error
	if v.decisionHandler, err = openDecisionHandler(ctx, v.awaits, ResumeVoucher, RestoreVoucher, VoucherTransferDead); err != nil {
		return err
	}
	if err := v.load(ctx, "Read the redemption"); err != nil {
		return err
	}
	for !v.at.Closed {
		if err := v.step(ctx); err != nil {
			return err
		}
		if !v.at.Closed && v.decisionHandler.tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, VoucherType, in)
		}
	}
	if v.decisionHandler.taken != nil {
		if err := v.refuse(ctx, NotAwaited); err != nil {
			return err
		}
	}
	return v.decisionHandler.close(ctx)
}

// voucher is one run: what it knows of the row.
type voucherRun struct {
	id              string
	decisionHandler *decisionHandler
	timing          activities.Timing
	release         int // of the worker that began this run (versions.go)
	at              voucher.VoucherState
	loaded          bool
}

// awaits lets decisions in while the row is not known yet, and at all times that a
// transfer is dead: the row knows best what custody said last.
func (v *voucherRun) awaits(kind string) bool {
	return !v.loaded || kind == VoucherTransferDead || slices.Contains(v.at.Decisions, kind)
}

func (v *voucherRun) load(ctx workflow.Context, summary string) error {
	var loaded activities.VoucherLoaded
	if err := runLocal(ctx, summary, &loaded, vouchers.LoadVoucher, v.id); err != nil {
		return err
	}
	v.timing, v.release, v.loaded = loaded.Timing, loaded.Release, true
	v.enter(ctx, loaded.State)
	return nil
}

// step does what the redemption's status asks for.
func (v *voucherRun) step(ctx workflow.Context) error {
	if v.decisionHandler.taken != nil {
		return v.decide(ctx)
	}
	if v.at.Waits {
		return v.stand(ctx)
	}
	switch v.at.Status {
	case voucher.RedemptionAccepted:
		return v.row(ctx, "Check again and reserve coin", vouchers.ReserveVoucher, v.id)
	case voucher.RedemptionFulfilling:
		buying := searching(ctx, v.timing, ExchangeQueue, v.timing.BuyBudget, "Buy on Kraken what is missing")
		return v.outside(ctx, buying, exchange.BuyForVoucher, voucher.AttentionBuy, casework.AttentionBuyUnknown)
	case voucher.RedemptionFilled:
		if !v.at.TransferOn {
			sending := searching(ctx, v.timing, CustodyQueue, v.timing.SendBudget, "Send the coin with BitGo")
			return v.outside(ctx, sending, custody.SendForVoucher, voucher.AttentionRefused, casework.AttentionSendUnknown)
		}
		return v.follow(ctx, "Follow the transfer until the network has it", casework.AttentionSendUnknown)
	case voucher.RedemptionSent:
		return v.follow(ctx, "Wait for the network's confirmation", casework.AttentionUnconfirmed)
	case voucher.RedemptionRestored:
	}
	return nil
}

// stand waits for a person; what a switch stopped goes on by itself when that is
// turned back, and what a dead transfer has sent is over.
func (v *voucherRun) stand(ctx workflow.Context) error {
	reads := readsWhenWoken(ctx)
	goOn := func() bool { return v.at.GoesOn || v.at.Paused && v.decisionHandler.woken }
	err := workflow.Await(ctx, func() bool { return v.decisionHandler.taken != nil || goOn() || reads && v.decisionHandler.woken })
	if err != nil || v.decisionHandler.taken != nil {
		return err
	}
	goes := goOn()
	if v.decisionHandler.woken = false; !goes {
		return v.load(ctx, "Read the redemption again")
	}
	return v.row(ctx, "Go on: what was paused is resumed", vouchers.GoOnVoucher, v.id)
}

// outside runs a step at a provider.
func (v *voucherRun) outside(ctx, options workflow.Context, step any, refused, unsure string) error {
	return v.finish(ctx, workflow.ExecuteActivity(options, step, v.id), refused, unsure)
}

// follow waits until the custodian tells of the transfer and looks at it once, or has
// it looked at until there is news, as an order does.
func (v *voucherRun) follow(ctx workflow.Context, summary, unsure string) error {
	gap, rareAfter, told := v.timing.FollowFirst, eager*v.timing.FollowFirst, false
	if awaitsCustodian(v.release) {
		gap, rareAfter = unasked(v.timing), 0
		if err := rest(ctx, gap, "Look at the transfer, should the custodian be silent", func() bool { return v.decisionHandler.woken || v.decisionHandler.taken != nil }); err != nil || v.decisionHandler.taken != nil {
			return err
		}
		told = v.decisionHandler.woken
	}
	looking, stop := workflow.WithCancel(following(ctx, v.timing, gap, told, summary))
	look := workflow.ExecuteActivity(looking, custody.FollowForVoucher, v.id, told)
	began := workflow.Now(ctx)
	v.decisionHandler.woken = false
	err := workflow.Await(ctx, func() bool {
		if !told {
			v.decisionHandler.woken = v.decisionHandler.woken && workflow.Now(ctx).Sub(began) > rareAfter
		}
		return look.IsReady() || v.decisionHandler.woken && !told || v.decisionHandler.taken != nil
	})
	if err != nil {
		return err
	}
	if !look.IsReady() {
		stop()
		return nil
	}
	return v.finish(ctx, look, unsure, unsure)
}

// finish takes over what a step at a provider came to. When it did not succeed
// within its budget, a person is asked: because it was refused, or because
// nobody knows what became of it.
func (v *voucherRun) finish(ctx workflow.Context, step workflow.Future, refused, unsure string) error {
	var at voucher.VoucherState
	err := step.Get(ctx, &at)
	if err == nil {
		v.enter(ctx, at)
		return nil
	}
	if temporal.IsCanceledError(err) {
		return err
	}
	reason := unsure
	switch f := failureOf(err); {
	case f.class == activities.Refused && f.code == "invalid_address":
		reason = casework.AttentionAddress
	case f.class == activities.Refused || f.class == activities.Retry:
		reason = refused
	case f.class == activities.Conflict:
		reason = casework.AttentionInternal
	}
	return v.row(ctx, "Ask a person: the step did not succeed", vouchers.VoucherNeedsPerson, activities.VoucherStopped{RedemptionID: v.id, Code: reason})
}

// voucherSteps is what carries out each decision.
var voucherSteps = map[string]struct {
	summary string
	step    any
}{
	ResumeVoucher:  {"Go on from the step that stopped", vouchers.ResumeVoucher},
	RestoreVoucher: {"Restore: the voucher can be redeemed again", vouchers.RestoreVoucher},
}

// decide carries out what a person decided, and answers.
func (v *voucherRun) decide(ctx workflow.Context) error {
	if v.decisionHandler.taken.kind == VoucherTransferDead {
		return v.declareDead(ctx)
	}
	if !slices.Contains(v.at.Decisions, v.decisionHandler.taken.kind) {
		return v.refuse(ctx, NotAwaited) // accepted before the row was known
	}
	how := voucherSteps[v.decisionHandler.taken.kind]
	err := v.row(ctx, how.summary, how.step, activities.VoucherStopped{RedemptionID: v.id, DecisionID: v.decisionHandler.taken.id})
	if err == nil {
		v.decisionHandler.answer(string(v.at.Status), Done)
		return nil
	}
	if f := failureOf(err); f.final() {
		return v.refuse(ctx, f.code)
	}
	return err
}

// declareDead ends a transfer that two people call dead, after one more look at BitGo.
func (v *voucherRun) declareDead(ctx workflow.Context) error {
	looking := outside(ctx, v.timing, CustodyQueue, v.timing.CaptureBudget, "See whether BitGo still calls the transfer removed, and end it")
	var at voucher.VoucherState
	err := workflow.ExecuteActivity(looking, custody.DeclareVoucherDead, activities.VoucherStopped{RedemptionID: v.id, DecisionID: v.decisionHandler.taken.id}).Get(ctx, &at)
	f := failureOf(err)
	switch {
	case err == nil:
		v.enter(ctx, at)
		v.decisionHandler.answer(string(at.Status), Done)
		return nil
	case temporal.IsCanceledError(err):
		return err
	case f.class == activities.Conflict:
		return v.refuse(ctx, f.code)
	}
	return v.refuse(ctx, custodySilent)
}

// refuse settles a decision that could not be carried out, and says why.
func (v *voucherRun) refuse(ctx workflow.Context, code string) error {
	err := v.row(ctx, "Note that the decision could not be carried out", vouchers.RefuseVoucherDecision,
		activities.VoucherStopped{RedemptionID: v.id, DecisionID: v.decisionHandler.taken.id, Code: code})
	v.decisionHandler.answer(string(v.at.Status), code)
	return err
}

// row runs a step that only touches the redemption's row.
func (v *voucherRun) row(ctx workflow.Context, summary string, step any, args ...any) error {
	var at voucher.VoucherState
	if err := runLocal(ctx, summary, &at, step, args...); err != nil {
		return err
	}
	v.enter(ctx, at)
	return nil
}

// enter takes over where the row stands, and shows it to operators.
func (v *voucherRun) enter(ctx workflow.Context, at voucher.VoucherState) {
	v.at = at
	details := at.Summary + "\n\n" + map[voucher.RedemptionStatus]string{
		voucher.RedemptionAccepted:   "accepted; coin is to be reserved",
		voucher.RedemptionFulfilling: "coin reserved; what is missing is being bought",
		voucher.RedemptionFilled:     "nothing is missing; being sent",
		voucher.RedemptionSent:       "sent",
		voucher.RedemptionRestored:   "ended: given up, the voucher can be redeemed again",
	}[at.Status]
	if at.Attention != "" {
		details += "\n\nwaits for a person: " + at.Attention
	}
	workflow.SetCurrentDetails(ctx, details)
}
