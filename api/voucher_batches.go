package api

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/voucher"
)

func (s *Server) listVoucherBatches(ctx context.Context, in *Paging) (*page[AdminVoucherBatch], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	rows, next, total, err := voucher.VoucherBatches(ctx, s.DB, wanted)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(b *voucher.StaffBatch) AdminVoucherBatch { return s.adminVoucherBatch(b, who) }
	return &page[AdminVoucherBatch]{Link: linkTo(ctx, next, wanted.Limit), Total: total, Body: mapped(rows, view)}, nil
}

func (s *Server) getVoucherBatch(ctx context.Context, in *ObjectID) (*body[AdminVoucherBatch], error) {
	batch, err := voucher.ReadStaffBatch(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &body[AdminVoucherBatch]{s.adminVoucherBatch(batch, principalOf(ctx))}, nil
}

// adminVoucherBatch is a batch as staff see it, with the buttons they have on it.
func (s *Server) adminVoucherBatch(b *voucher.StaffBatch, who *account.Principal) AdminVoucherBatch {
	view := AdminVoucherBatch{ID: b.ID, CreatedBy: b.MakerEmail, CreatedAt: b.CreatedAt, ApprovedBy: b.ApproverEmail, ApprovedAt: b.ApprovedAt,
		AskedBy: b.AskerEmail, AskedAt: b.AskedAt, AskedWhy: b.AskedWhy, VoidedBy: b.VoiderEmail, VoidedAt: b.VoidedAt, VoidReason: b.VoidReason,
		Total: b.Counts.Total, ByStatus: map[string]int{}, Values: map[string]string{}, Actions: []string{}}
	for _, status := range voucher.VoucherStatuses {
		view.ByStatus[string(status)], view.Values[string(status)] = b.Counts.ByStatus[status], money.USD.Format(b.Counts.Sums[status])
	}
	if !s.policy.allows(rolesOf(who), configure) {
		return view
	}
	awaiting, active := b.Counts.ByStatus[voucher.VoucherAwaiting], b.Counts.ByStatus[voucher.VoucherActive]
	if awaiting > 0 && b.CreatedBy != who.UserID {
		view.Actions = append(view.Actions, "approve")
	}
	switch {
	case b.AskedBy == nil && awaiting+active > 0:
		view.Actions = append(view.Actions, "void")
	case b.AskedBy != nil && *b.AskedBy != who.UserID:
		view.Actions = append(view.Actions, "agree", "refuse")
	case b.AskedBy != nil:
		view.Actions = append(view.Actions, "refuse")
	}
	return view
}

// approveVouchers is the second admin's word on a batch.
func (s *Server) approveVouchers(ctx context.Context, in *ObjectID) (*body[VouchersApproved], error) {
	n, err := voucher.ApproveVouchers(ctx, s.DB, in.ID, viewer(ctx))
	if err != nil {
		return nil, err
	}
	return &body[VouchersApproved]{VouchersApproved{Approved: n}}, nil
}

type voidBatchInput struct {
	ObjectID
	Body VoucherVoid
}

// voidVoucherBatch ends what nobody has redeemed of a batch; above what an admin
// makes alone, another one has to agree.
func (s *Server) voidVoucherBatch(ctx context.Context, in *voidBatchInput) (*body[BatchVoided], error) {
	out, err := voucher.VoidBatch(ctx, s.DB, in.ID, in.Body.Reason, s.Vouchers.Limits.Alone, viewer(ctx))
	return batchVoided(out), err
}

func (s *Server) agreeToVoidBatch(ctx context.Context, in *ObjectID) (*body[BatchVoided], error) {
	out, err := voucher.AgreeToVoid(ctx, s.DB, in.ID, true, viewer(ctx))
	return batchVoided(out), err
}

func (s *Server) refuseToVoidBatch(ctx context.Context, in *ObjectID) (*body[AdminVoucherBatch], error) {
	if _, err := voucher.AgreeToVoid(ctx, s.DB, in.ID, false, viewer(ctx)); err != nil {
		return nil, err
	}
	return s.getVoucherBatch(ctx, in)
}

// batchVoided says what became of a batch, and what was left.
func batchVoided(v voucher.VoidedBatch) *body[BatchVoided] {
	out := BatchVoided{State: "voided", Voided: v.Voided, Left: v.Left, Value: money.USD.Format(v.Value)}
	switch {
	case v.Asked:
		out.State, out.Message = "asked", "Another admin must agree. Nothing was voided."
	case v.Left > 0:
		out.Message = fmt.Sprintf("%d voided; %d were redeemed or had ended, and are left as they are.", v.Voided, v.Left)
	default:
		out.Message = fmt.Sprintf("%d voided.", v.Voided)
	}
	return &body[BatchVoided]{out}
}
