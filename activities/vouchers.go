package activities

import (
	"context"

	"github.com/tradepost/tradepost/models"
)

// Vouchers are the steps of a redeemed voucher that only touch Postgres. Each is
// safe to run again: it finds its own earlier effect. None sees a code.
type Vouchers struct {
	DB          *models.DB
	Timing      Timing
	SlippageBPS int64
}

// VoucherLoaded is what a workflow learns when it begins.
type VoucherLoaded struct {
	State   models.VoucherState `json:"state"`
	Timing  Timing              `json:"timing"`
	Release int                 `json:"release,omitempty"` // what the worker that read this can do
}

// VoucherStopped is a step that did not succeed, or a decision that could not be
// carried out; Code says why.
type VoucherStopped struct {
	RedemptionID string `json:"redemptionId"`
	DecisionID   string `json:"decisionId,omitempty"`
	Code         string `json:"code,omitempty"`
}

func afterVoucher(ctx context.Context, db *models.DB, redemptionID string, err error) (models.VoucherState, error) {
	if err != nil {
		return models.VoucherState{}, err
	}
	return db.VoucherState(ctx, redemptionID)
}

func (a *Vouchers) then(ctx context.Context, redemptionID string, err error) (models.VoucherState, error) {
	return afterVoucher(ctx, a.DB, redemptionID, err)
}

// LoadVoucher reads where the redemption stands and notes that its workflow runs.
// One that was just accepted is promised coin of the float, in the same
// transaction.
func (a *Vouchers) LoadVoucher(ctx context.Context, redemptionID string) (VoucherLoaded, error) {
	state, err := a.DB.BeginVoucher(ctx, redemptionID, a.SlippageBPS)
	return VoucherLoaded{State: state, Timing: a.Timing, Release: Release}, err
}

// ReserveVoucher promises the redemption coin of the float: one that was resumed,
// or whose workflow began when LoadVoucher only read.
func (a *Vouchers) ReserveVoucher(ctx context.Context, redemptionID string) (models.VoucherState, error) {
	return a.DB.ReserveVoucher(ctx, redemptionID, a.SlippageBPS)
}

// GoOnVoucher takes up a redemption again that waited for a switch.
func (a *Vouchers) GoOnVoucher(ctx context.Context, redemptionID string) (models.VoucherState, error) {
	return a.then(ctx, redemptionID, a.DB.GoOnVoucher(ctx, redemptionID))
}

// VoucherNeedsPerson marks the redemption as waiting for a person.
func (a *Vouchers) VoucherNeedsPerson(ctx context.Context, in VoucherStopped) (models.VoucherState, error) {
	return a.then(ctx, in.RedemptionID, a.DB.VoucherNeedsPerson(ctx, in.RedemptionID, in.Code))
}

// ResumeVoucher goes on from the step that stopped.
func (a *Vouchers) ResumeVoucher(ctx context.Context, in VoucherStopped) (models.VoucherState, error) {
	return a.then(ctx, in.RedemptionID, a.DB.ResumeVoucher(ctx, in.RedemptionID, in.DecisionID))
}

// RestoreVoucher gives the redemption up and makes the voucher redeemable again.
func (a *Vouchers) RestoreVoucher(ctx context.Context, in VoucherStopped) (models.VoucherState, error) {
	return a.then(ctx, in.RedemptionID, a.DB.RestoreVoucher(ctx, in.RedemptionID, in.DecisionID))
}

// RefuseVoucherDecision settles a decision that could not be carried out.
func (a *Vouchers) RefuseVoucherDecision(ctx context.Context, in VoucherStopped) (models.VoucherState, error) {
	return a.then(ctx, in.RedemptionID, a.DB.RefuseMatterDecision(ctx, in.DecisionID, in.Code))
}
