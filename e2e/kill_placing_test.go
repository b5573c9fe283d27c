package e2e

import (
	"context"
	"net/http"
)

// unplacedScenario is money without a sender's name: proposed for a customer's balance, refused, proposed again and
// approved by another admin.
var unplacedScenario = caseScenario{name: "money that nobody could place", drive: func(ctx context.Context, b *buyer) error {
	return steps(ctx, b.opensUnplaced, b.proposesCredit, b.refusesCredit, b.proposesCredit, b.agreesToCredit)
}}

// placing is where the money that came for the customer stands, and its open
// proposal; empty when there is none.
func (b *buyer) placing(ctx context.Context) (id, status, proposal string) {
	_ = database.QueryRow(ctx, `SELECT u.id, u.status, coalesce(p.id::text, '') FROM unplaced_money u
		LEFT JOIN money_proposals p ON p.subject_id = u.id AND p.status = 'open' WHERE u.bank_reference = $1`, "UNPLACED-"+b.id).Scan(&id, &status, &proposal) // none yet
	return id, status, proposal
}

func (b *buyer) opensUnplaced(ctx context.Context) error {
	return insist(ctx, "money that nobody could place", func() bool { _, at, _ := b.placing(ctx); return at == "open" }, func() {
		came := map[string]string{"amount": "75.00", "bankReference": "UNPLACED-" + b.id, "receivedOn": b.today(ctx), "rail": "zelle"}
		b.staff.try(ctx, http.MethodPost, "/api/admin/money/unplaced", "", came, nil)
	})
}

func (b *buyer) proposesCredit(ctx context.Context) error {
	return insist(ctx, "a proposal to credit it", func() bool { _, _, open := b.placing(ctx); return open != "" }, func() {
		id, _, _ := b.placing(ctx)
		b.staff.try(ctx, http.MethodPost, "/api/admin/money/unplaced/"+id+"/credit", "", map[string]string{"customer": b.id, "reason": "theirs"}, nil)
	})
}

func (b *buyer) refusesCredit(ctx context.Context) error {
	const refused = `SELECT FROM money_proposals p JOIN unplaced_money u ON u.id = p.subject_id
		WHERE u.bank_reference = 'UNPLACED-' || $1::text AND p.status = 'rejected'`
	return insist(ctx, "the proposal to be refused", func() bool { return b.holds(ctx, refused) }, func() {
		_, _, open := b.placing(ctx)
		b.second.try(ctx, http.MethodPost, "/api/admin/money/proposals/"+open+"/reject", "", map[string]string{"reason": "whose is it?"}, nil)
	})
}

func (b *buyer) agreesToCredit(ctx context.Context) error {
	return insist(ctx, "the money on the balance", func() bool { _, at, _ := b.placing(ctx); return at == "credited" }, func() {
		_, _, open := b.placing(ctx)
		b.second.try(ctx, http.MethodPost, "/api/admin/money/proposals/"+open+"/approve", "", struct{}{}, nil)
	})
}
