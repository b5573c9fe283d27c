package voucher

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

type newBatchInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per batch; a repeat returns the same batch"`
	Body NewVoucherBatch
}

// GenerateVoucherBatch makes all vouchers of a batch in one transaction. Their codes are in no answer: the export has them.
func (h *Handlers) GenerateVoucherBatch(ctx context.Context, in *newBatchInput) (*rest.Body[MadeVoucherBatch], error) {
	currency := money.Currency(in.Body.Currency)
	if err := voucher.CheckCurrency(h.Vouchers.Limits.Offer, currency); err != nil {
		return nil, err
	}
	amount, err := currency.Parse(strings.TrimSpace(in.Body.Amount))
	if err != nil {
		return nil, store.Invalid("amount", "invalid_amount", "Please enter a valid amount")
	}
	canonical, err := json.Marshal(in.Body)
	if err != nil {
		return nil, err
	}
	sum, who := sha256.Sum256(canonical), rest.Viewer(ctx)
	intent := store.IdempotencyKey{UserID: who.ActorID, Key: in.Key, Route: "generateVoucherBatch", BodyHash: sum[:]}
	answer, _, err := h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		one := voucher.NewVoucher{Actor: who, Amount: amount, Currency: currency, ExpiresAt: in.Body.ExpiresAt, Limits: h.Vouchers.Limits}
		made, err := voucher.MakeBatch(ctx, tx, h.Vault, voucher.NewBatch{NewVoucher: one, Quantity: in.Body.Quantity, Purpose: in.Body.Purpose})
		if err != nil {
			return store.Answer{}, err
		}
		text, err := json.Marshal(MadeVoucherBatch{ID: made.ID, Quantity: made.Quantity, Amount: currency.Format(amount), Currency: VoucherCurrency(currency),
			Total: money.USD.Format(made.Value), Status: string(made.Status), ExpiresAt: made.ExpiresAt, CreatedAt: made.CreatedAt})
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err != nil {
		return nil, err
	}
	var out MadeVoucherBatch
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, fmt.Errorf("read a stored batch: %w", err)
	}
	return &rest.Body[MadeVoucherBatch]{Body: out}, nil
}

// ListVoucherBatches answers GET /api/admin/voucher-batches.
func (h *Handlers) ListVoucherBatches(ctx context.Context, in *rest.Paging) (*rest.Page[AdminVoucherBatch], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	rows, next, total, err := voucher.VoucherBatches(ctx, h.DB, wanted)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(b *voucher.StaffBatch) AdminVoucherBatch { return h.adminVoucherBatch(b, who) }
	return &rest.Page[AdminVoucherBatch]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: total, Body: rest.Mapped(rows, view)}, nil
}

// GetVoucherBatch answers GET /api/admin/voucher-batches/{id}.
func (h *Handlers) GetVoucherBatch(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminVoucherBatch], error) {
	batch, err := voucher.ReadStaffBatch(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[AdminVoucherBatch]{Body: h.adminVoucherBatch(batch, rest.PrincipalOf(ctx))}, nil
}

// adminVoucherBatch is a batch as staff see it, with the buttons they have on it.
func (h *Handlers) adminVoucherBatch(b *voucher.StaffBatch, who *account.Principal) AdminVoucherBatch {
	view := AdminVoucherBatch{ID: b.ID, CreatedBy: b.MakerEmail, CreatedAt: b.CreatedAt, Purpose: b.Purpose, ApprovedBy: b.ApproverEmail, ApprovedAt: b.ApprovedAt,
		AskedBy: b.AskerEmail, AskedAt: b.AskedAt, AskedWhy: b.AskedWhy, VoidedBy: b.VoiderEmail, VoidedAt: b.VoidedAt, VoidReason: b.VoidReason,
		Total: b.Counts.Total, ByStatus: map[string]int{}, Values: map[string]string{}, Actions: []string{}}
	for _, status := range voucher.VoucherStatuses {
		view.ByStatus[string(status)], view.Values[string(status)] = b.Counts.ByStatus[status], money.USD.Format(b.Counts.Sums[status])
	}
	if !h.Policy.Allows(rest.RolesOf(who), policy.Configure) {
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

// ApproveVouchers is the second admin's approval of a batch.
func (h *Handlers) ApproveVouchers(ctx context.Context, in *rest.ApprovalInput) (*rest.Body[VouchersApproved], error) {
	n, err := voucher.ApproveVouchers(ctx, h.DB, in.ID, rest.Approver(ctx, "", in.Version()))
	if err != nil {
		return nil, err
	}
	return &rest.Body[VouchersApproved]{Body: VouchersApproved{Approved: n}}, nil
}

type voidBatchInput struct {
	rest.ObjectID
	Body VoucherVoid
}

// VoidVoucherBatch voids the unredeemed vouchers of a batch; above the amount that an admin
// creates alone, another one has to approve.
func (h *Handlers) VoidVoucherBatch(ctx context.Context, in *voidBatchInput) (*rest.Body[BatchVoided], error) {
	out, err := voucher.VoidBatch(ctx, h.DB, in.ID, in.Body.Reason, h.Vouchers.Limits.Alone, rest.Viewer(ctx))
	return batchVoided(out), err
}

// AgreeToVoidBatch answers POST /api/admin/voucher-batches/{id}/void/agree.
func (h *Handlers) AgreeToVoidBatch(ctx context.Context, in *rest.ApprovalInput) (*rest.Body[BatchVoided], error) {
	out, err := voucher.AgreeToVoid(ctx, h.DB, in.ID, true, rest.Approver(ctx, "", in.Version()))
	return batchVoided(out), err
}

// RefuseToVoidBatch answers POST /api/admin/voucher-batches/{id}/void/refuse.
func (h *Handlers) RefuseToVoidBatch(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminVoucherBatch], error) {
	if _, err := voucher.AgreeToVoid(ctx, h.DB, in.ID, false, rest.Viewer(ctx)); err != nil {
		return nil, err
	}
	return h.GetVoucherBatch(ctx, in)
}

// batchVoided is the result of voiding a batch, and its remainder.
func batchVoided(v voucher.VoidedBatch) *rest.Body[BatchVoided] {
	out := BatchVoided{State: "voided", Voided: v.Voided, Left: v.Left, Value: money.USD.Format(v.Value)}
	switch {
	case v.Asked:
		out.State, out.Message = "asked", "Another admin must agree. Nothing was voided."
	case v.Left > 0:
		out.Message = fmt.Sprintf("%d voided; %d were redeemed or had ended, and are left as they are.", v.Voided, v.Left)
	default:
		out.Message = fmt.Sprintf("%d voided.", v.Voided)
	}
	return &rest.Body[BatchVoided]{Body: out}
}
