package e2e

import (
	"context"
	"net/http"
)

// proposed reports whether a refund of the order waits for a second admin, or has been approved.
func proposed(o order) bool { return hasEvent("proposed")(o) }

// standing is the order's open proposal; empty when there is none.
func (b *buyer) standing(ctx context.Context) string {
	var id string
	if database.QueryRow(ctx, "SELECT id FROM order_proposals WHERE order_id = $1 AND status = 'open'", b.id).Scan(&id) != nil {
		return ""
	}
	return id
}

// proposesAndWithdraws proposes a refund and withdraws it.
func (b *buyer) proposesAndWithdraws(ctx context.Context) error {
	if err := b.press(ctx, "refund", reason("the wrong one"), proposed); err != nil {
		return err
	}
	return insist(ctx, "the proposal to be withdrawn", func() bool { return hasEvent("proposal_decided")(b.now(ctx)) }, func() {
		body := map[string]string{"proposalId": b.standing(ctx), "reason": "the wrong one"}
		b.staff.try(ctx, http.MethodPost, "/api/admin/orders/"+b.id+"/proposal/reject", "", body, nil)
	})
}

// proposesAgain repeats the proposal of a refund.
func (b *buyer) proposesAgain(ctx context.Context) error {
	return insist(ctx, "another proposal", func() bool { return b.standing(ctx) != "" }, func() {
		b.staff.try(ctx, http.MethodPost, "/api/admin/orders/"+b.id+"/refund", "", reason("charged twice"), nil)
	})
}

// agrees has the second admin approve, until the money is refunded.
func (b *buyer) agrees(ctx context.Context) error {
	return b.approvedBy(ctx, b.second, "the refund", resolved("refunded"))
}

// approvedBy has an admin approve a proposal, until the order has that status.
func (b *buyer) approvedBy(ctx context.Context, who *visitor, what string, there func(order) bool) error {
	return insist(ctx, what, func() bool { return there(b.now(ctx)) }, func() {
		who.try(ctx, http.MethodPost, "/api/admin/orders/"+b.id+"/proposal/approve", "", map[string]string{"proposalId": b.standing(ctx)}, nil)
	})
}

// proposesReceipt records that far more money came than the order costs: more than one admin may confirm, and than is
// credited.
func (b *buyer) proposesReceipt(ctx context.Context) error {
	receipt := map[string]string{"amount": "150000.00", "receivedOn": b.today(ctx), "bankReference": "WIRE-" + b.what.address}
	return b.pressAs(ctx, b.second, "payment confirm", receipt, proposed)
}

func (b *buyer) receiptAgreed(ctx context.Context) error {
	return b.approvedBy(ctx, b.third, "the receipt", hasEvent("surplus_returning"))
}

// proposesDead proposes that the order's transfer, which custody calls removed, is declared dead.
func (b *buyer) proposesDead(ctx context.Context) error {
	return b.press(ctx, "transfer-dead", map[string]string{"reason": "they wait", "evidence": "its inputs were spent otherwise"}, proposed)
}

func (b *buyer) deadAgreed(ctx context.Context) error {
	return b.approvedBy(ctx, b.second, "the transfer to be dead", hasEvent("transfer_dead"))
}
