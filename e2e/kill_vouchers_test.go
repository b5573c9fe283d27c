package e2e

import (
	"context"
	"net/http"
)

// voucherWithProblem is a voucher whose coin the custodian will not send until an admin has acted: given up once,
// redeemed again, resumed. The process is killed only in the steps that a good voucher does not have, and at the
// refusal: a worker that dies with it must send again, and then a refusal proves nothing any more
// (activities/custody.go, send).
var voucherWithProblem = caseScenario{name: "a voucher in trouble",
	alone: "custody", only: []string{"RecordVoucherAttempt", "VoucherNeedsPerson", "OpenVoucherDecision", "RestoreVoucher", "ResumeVoucher"},
	drive: func(ctx context.Context, b *buyer) error {
		code, err := b.voucher(ctx)
		if err != nil {
			return err
		}
		problem := fault{Provider: "bitgo", Operation: "sendcoins", Match: b.what.address, Code: "insufficient", Count: -1}
		var armed fault
		if err := ask(ctx, http.MethodPost, "/control/faults", problem, &armed); err != nil {
			return err
		}
		lift := func(ctx context.Context) error {
			return ask(ctx, http.MethodDelete, "/control/faults/"+armed.ID, nil, nil)
		}
		return steps(ctx, b.redeem(code, "first", stopped), b.seesTo("restore", "SELECT FROM voucher_redemptions WHERE user_id = $1 AND status = 'restored'"),
			b.redeem(code, "second", stopped), lift, b.seesTo("resume", arrived))
	}}

// Where a customer's redemption is to get.
const (
	arrived = "SELECT FROM voucher_redemptions WHERE user_id = $1 AND confirmed_at IS NOT NULL"
	stopped = "SELECT FROM voucher_redemptions WHERE user_id = $1 AND closed_at IS NULL AND attention_reason = 'transfer_refused'"
)

// redeems has staff make a voucher, and redeems it, until its coin has arrived.
func (b *buyer) redeems(ctx context.Context) error {
	code, err := b.voucher(ctx)
	if err != nil {
		return err
	}
	return b.redeem(code, "only", arrived)(ctx)
}

// voucher has staff make one, and gives its code.
func (b *buyer) voucher(ctx context.Context) (string, error) {
	var made struct{ Code string }
	err := insist(ctx, "a voucher", func() bool { return made.Code != "" }, func() {
		b.staff.try(ctx, http.MethodPost, "/api/admin/vouchers", "voucher-for-"+b.id, map[string]string{"amount": "0.0005", "currency": "BTC"}, &made)
	})
	return made.Code, err
}

// redeem has the customer redeem a code, under one key a time, until there is
// what they wait for.
func (b *buyer) redeem(code, time, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "a redemption that is there: "+there, func() bool { return b.holds(ctx, there) }, func() {
			b.customer.try(ctx, http.MethodPost, "/api/vouchers/redeem", "redeem-"+time+"-of-"+b.id,
				map[string]string{"code": code, "cryptoType": "BTC", "walletAddress": b.what.address}, nil)
		})
	}
}

// seesTo has staff decide about the redemption until there is what that is for.
func (b *buyer) seesTo(kind, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "a redemption after "+kind, func() bool { return b.holds(ctx, there) }, func() {
			var id string
			_ = database.QueryRow(ctx, "SELECT voucher_id FROM voucher_redemptions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1", b.id).Scan(&id) // as long as there is one
			b.staff.try(ctx, http.MethodPost, "/api/admin/vouchers/"+id+"/"+kind, "", reason("the custodian was called"), nil)
		})
	}
}
