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

// Update names: the decisions about a redemption that waits.
const (
	ResumeVoucher       = voucher.VoucherResume
	RestoreVoucher      = voucher.VoucherRestore
	VoucherTransferDead = voucher.VoucherTransferDead
)

// vouchers names the activities; it is never called here.
var vouchers *activities.Vouchers

var voucherFlow = caseFlow[voucher.VoucherState]{
	kind: VoucherType, signal: CaseChanged, kinds: []string{ResumeVoucher, RestoreVoucher, VoucherTransferDead},
	view: func(at voucher.VoucherState) caseView {
		return caseView{status: string(at.Status), details: voucherDetails(at), closed: at.Closed}
	},
	// A transfer may be declared dead at any time: custody's last answer is in the row.
	awaits: func(at voucher.VoucherState, kind string) bool {
		return kind == VoucherTransferDead || slices.Contains(at.Decisions, kind)
	},
	decided: func(id, decisionID, code string) any {
		return activities.VoucherStopped{RedemptionID: id, DecisionID: decisionID, Code: code}
	},
	refuse: vouchers.RefuseVoucherDecision,
	decisions: map[string]caseStep{
		ResumeVoucher:  {"Go on from the step that stopped", vouchers.ResumeVoucher},
		RestoreVoucher: {"Restore: the voucher can be redeemed again", vouchers.RestoreVoucher},
	},
}

// Voucher executes the redemption of a voucher from its row, whatever its status, to its
// end: sent and confirmed, or restored. Histories never contain the voucher's code.
func Voucher(ctx workflow.Context, in CaseInput) error {
	run, err := openCase(ctx, &voucherFlow, in.ID)
	if err != nil {
		return err
	}
	v := &voucherRun{caseRun: run}
	return v.run(ctx, in, func(ctx workflow.Context) error { return v.load(ctx, "Read the redemption") }, v.step)
}

// voucherRun is one run, with its state of the row, and of its worker.
type voucherRun struct {
	*caseRun[voucher.VoucherState]
	timing  activities.Timing
	release int // of the worker that began this run (versions.go)
}

func (v *voucherRun) load(ctx workflow.Context, summary string) error {
	var loaded activities.VoucherLoaded
	if err := runLocal(ctx, summary, &loaded, vouchers.LoadVoucher, v.id); err != nil {
		return err
	}
	v.timing, v.release = loaded.Timing, loaded.Release
	v.enter(ctx, loaded.State)
	return nil
}

// step executes the step of the redemption's status.
func (v *voucherRun) step(ctx workflow.Context) error {
	if v.pending != nil {
		return v.decideVoucher(ctx)
	}
	if v.at.Waits {
		return v.awaitPerson(ctx)
	}
	switch v.at.Status {
	case voucher.RedemptionAccepted:
		return v.row(ctx, "Check again and reserve coin", vouchers.ReserveVoucher, v.id)
	case voucher.RedemptionFulfilling:
		buying := searching(ctx, v.timing, ExchangeQueue, v.timing.BuyBudget, "Buy at the exchange what is missing")
		return v.outside(ctx, buying, exchange.BuyForVoucher, voucher.AttentionBuy, casework.AttentionBuyUnknown)
	case voucher.RedemptionFilled:
		if !v.at.TransferOn {
			sending := searching(ctx, v.timing, CustodyQueue, v.timing.SendBudget, "Have the custodian send the coin")
			return v.outside(ctx, sending, custody.SendForVoucher, voucher.AttentionRefused, casework.AttentionSendUnknown)
		}
		return v.follow(ctx, "Follow the transfer until the network has it", casework.AttentionSendUnknown)
	case voucher.RedemptionSent:
		return v.follow(ctx, "Wait for the network's confirmation", casework.AttentionUnconfirmed)
	case voucher.RedemptionRestored:
	}
	return nil
}

// awaitPerson waits for a decision; a redemption that a switch stopped resumes when the
// switch is turned back, and one whose dead transfer confirmed is over.
func (v *voucherRun) awaitPerson(ctx workflow.Context) error {
	reads := rereadsWhenSignalled(ctx)
	goOn := func() bool { return v.at.GoesOn || v.at.Paused && v.signalled }
	err := workflow.Await(ctx, func() bool { return v.pending != nil || goOn() || reads && v.signalled })
	if err != nil || v.pending != nil {
		return err
	}
	goes := goOn()
	if v.signalled = false; !goes {
		return v.load(ctx, "Read the redemption again")
	}
	return v.row(ctx, "Go on: what was paused is resumed", vouchers.GoOnVoucher, v.id)
}

// outside runs a step at a provider.
func (v *voucherRun) outside(ctx, options workflow.Context, step any, refused, unsure string) error {
	return v.finish(ctx, workflow.ExecuteActivity(options, step, v.id), refused, unsure)
}

// follow waits for the custodian's webhook about the transfer and reads it once, or polls
// until the state changes, as an order does.
func (v *voucherRun) follow(ctx workflow.Context, summary, unsure string) error {
	gap, rareAfter, notified := v.timing.FollowFirst, eager*v.timing.FollowFirst, false
	if awaitsCustodian(v.release) {
		gap, rareAfter = unasked(v.timing), 0
		if err := rest(ctx, gap, "Look at the transfer, should the custodian be silent", func() bool { return v.signalled || v.pending != nil }); err != nil || v.pending != nil {
			return err
		}
		notified = v.signalled
	}
	looking, stop := workflow.WithCancel(following(ctx, v.timing, gap, notified, summary))
	polled := workflow.ExecuteActivity(looking, custody.FollowForVoucher, v.id, notified)
	began := workflow.Now(ctx)
	v.signalled = false
	err := workflow.Await(ctx, func() bool {
		if !notified {
			v.signalled = v.signalled && workflow.Now(ctx).Sub(began) > rareAfter
		}
		return polled.IsReady() || v.signalled && !notified || v.pending != nil
	})
	if err != nil {
		return err
	}
	if !polled.IsReady() {
		stop()
		return nil
	}
	return v.finish(ctx, polled, unsure, unsure)
}

// finish stores the result of a step at a provider. When it did not succeed within its
// budget, staff decide: because it was refused, or because its outcome is unknown.
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
	return v.row(ctx, "Ask a person: the step did not succeed", vouchers.VoucherNeedsPerson,
		activities.VoucherStopped{RedemptionID: v.id, Code: reason, Stop: stopOf(ctx, err)})
}

// decideVoucher executes the pending decision and answers it.
func (v *voucherRun) decideVoucher(ctx workflow.Context) error {
	if v.pending.kind == VoucherTransferDead {
		return v.declareDead(ctx)
	}
	return v.decide(ctx)
}

// declareDead ends a transfer that two members of staff declared dead, after one more
// lookup at the custodian.
func (v *voucherRun) declareDead(ctx workflow.Context) error {
	looking := outside(ctx, v.timing, CustodyQueue, v.timing.CaptureBudget, "See whether the custodian still calls the transfer removed, and end it")
	var at voucher.VoucherState
	err := workflow.ExecuteActivity(looking, custody.DeclareVoucherDead, activities.VoucherStopped{RedemptionID: v.id, DecisionID: v.pending.id}).Get(ctx, &at)
	f := failureOf(err)
	switch {
	case err == nil:
		v.enter(ctx, at)
		v.done()
		return nil
	case temporal.IsCanceledError(err):
		return err
	case f.class == activities.Conflict:
		return v.refuse(ctx, f.code)
	}
	return v.refuse(ctx, custodySilent)
}

func voucherDetails(at voucher.VoucherState) string {
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
	return details
}
