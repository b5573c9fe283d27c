package activities

import (
	"context"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// Vouchers are the steps of a redeemed voucher that only touch Postgres. Each is
// safe to run again: it finds its own earlier effect. None sees a code.
type Vouchers struct {
	DB          *store.DB
	Timing      Timing
	SlippageBPS int64
}

// VoucherLoaded is what a workflow learns when it begins.
type VoucherLoaded struct {
	State   voucher.VoucherState `json:"state"`
	Timing  Timing               `json:"timing"`
	Release int                  `json:"release,omitempty"` // what the worker that read this can do
}

// VoucherStopped is a step that did not succeed, or a decision that could not be executed;
// Code is the reason.
type VoucherStopped struct {
	RedemptionID string `json:"redemptionId"`
	DecisionID   string `json:"decisionId,omitempty"`
	Code         string `json:"code,omitempty"`
	// Stop identifies what stopped a step, if one did.
	Stop execution.Stop `json:"stop,omitempty"`
}

// LoadVoucher reads the redemption's state and records that its workflow runs. One that was
// just accepted is promised coin of the float, in the same transaction.
func (a *Vouchers) LoadVoucher(ctx context.Context, redemptionID string) (VoucherLoaded, error) {
	state, err := voucher.BeginVoucher(ctx, a.DB, redemptionID, a.SlippageBPS)
	return VoucherLoaded{State: state, Timing: a.Timing, Release: Release}, err
}

// ReserveVoucher promises the redemption coin of the float: one that was resumed,
// or whose workflow began when LoadVoucher only read.
func (a *Vouchers) ReserveVoucher(ctx context.Context, redemptionID string) (voucher.VoucherState, error) {
	return voucher.ReserveVoucher(ctx, a.DB, redemptionID, a.SlippageBPS)
}

// GoOnVoucher resumes a redemption that waited for a switch.
func (a *Vouchers) GoOnVoucher(ctx context.Context, redemptionID string) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, redemptionID, voucher.GoOnVoucher(ctx, a.DB, redemptionID))
}

// VoucherNeedsPerson marks the redemption as waiting for staff.
func (a *Vouchers) VoucherNeedsPerson(ctx context.Context, in VoucherStopped) (voucher.VoucherState, error) {
	err := voucher.VoucherNeedsPerson(ctx, a.DB, in.RedemptionID, in.Code, in.Stop)
	return afterVoucher(ctx, a.DB, in.RedemptionID, err)
}

// ResumeVoucher resumes at the step that stopped.
func (a *Vouchers) ResumeVoucher(ctx context.Context, in VoucherStopped) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, in.RedemptionID, voucher.ResumeVoucher(ctx, a.DB, in.RedemptionID, in.DecisionID))
}

// RestoreVoucher gives the redemption up and makes the voucher redeemable again.
func (a *Vouchers) RestoreVoucher(ctx context.Context, in VoucherStopped) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, in.RedemptionID, voucher.RestoreVoucher(ctx, a.DB, in.RedemptionID, in.DecisionID))
}

// RefuseVoucherDecision refuses a decision that could not be executed.
func (a *Vouchers) RefuseVoucherDecision(ctx context.Context, in VoucherStopped) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, in.RedemptionID, casework.CaseDecisions.Resolve(ctx, a.DB, in.DecisionID, in.Code))
}
