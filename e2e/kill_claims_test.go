package e2e

import (
	"context"
	"net/http"
)

// claimScenario is a gift card that is found used after it was paid for: one admin proposes to claim it from its
// customer, and another approves; then the claim is reversed in the same way.
var claimScenario = caseScenario{name: "a gift card that was used", drive: func(ctx context.Context, b *buyer) error {
	return steps(ctx, b.sellsCard("used"), b.judges("approve", map[string]string{"value": "40"}, "approved"),
		b.proposesAboutCard("claim", map[string]string{"amount": "29.00", "reason": "it was empty"}),
		b.agreesAboutCard("created_at"), b.proposesAboutCard("reverse-claim", map[string]string{"reason": "our mistake"}),
		b.agreesAboutCard("reversed_at"))
}}

// cardProposal is the open proposal about the customer's newest gift card; empty if there is none.
func (b *buyer) cardProposal(ctx context.Context) (proposal string) {
	id, _ := b.where(ctx, "gift_cards")
	const open = "SELECT id FROM money_proposals WHERE subject_id = $1 AND status = 'open'"
	_ = database.QueryRow(ctx, open, id).Scan(&proposal) // none yet
	return proposal
}

func (b *buyer) proposesAboutCard(act string, body any) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "a proposal to "+act, func() bool { return b.cardProposal(ctx) != "" }, func() {
			id, _ := b.where(ctx, "gift_cards")
			b.staff.try(ctx, http.MethodPost, "/api/admin/money/gift-cards/"+id+"/"+act, "", body, nil)
		})
	}
}

// agreesAboutCard has another admin approve the proposal until the claim has a time in a column.
func (b *buyer) agreesAboutCard(column string) func(context.Context) error {
	return func(ctx context.Context) error {
		booked := func() bool {
			var there bool
			claim := "SELECT " + column + " IS NOT NULL FROM gift_card_claims WHERE user_id = $1"
			_ = database.QueryRow(ctx, claim, b.id).Scan(&there) // none yet
			return there
		}
		return insist(ctx, "the approval of what was proposed", booked, func() {
			b.second.try(ctx, http.MethodPost, "/api/admin/money/proposals/"+b.cardProposal(ctx)+"/approve", "", struct{}{}, nil)
		})
	}
}

// answers has the customer answer the counter-offer for their newest gift card, until it is where that leads.
func (b *buyer) answers(answer, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		at := func() bool { _, now := b.where(ctx, "gift_cards"); return now == there }
		return insist(ctx, "a counter-offer that is answered", at, func() {
			id, _ := b.where(ctx, "gift_cards")
			b.customer.try(ctx, http.MethodPost, "/api/gift-cards/"+id+"/"+answer, "", struct{}{}, nil)
		})
	}
}

// offerEnds lets the time of the counter-offer end, until it is declined.
func (b *buyer) offerEnds(ctx context.Context) error {
	ended := func() bool { _, at := b.where(ctx, "gift_cards"); return at == "declined" }
	return insist(ctx, "a counter-offer that ends", ended, func() {
		_, _ = database.Exec(ctx, `UPDATE gift_cards SET offer_until = clock_now() - interval '1 minute'
			WHERE user_id = $1 AND status = 'offered'`, b.id) // again, in a moment
	})
}

// recallScenario is money credited to a customer that its bank takes back and then reinstates; two admins book each.
var recallScenario = caseScenario{name: "a credit that is recalled", drive: func(ctx context.Context, b *buyer) error {
	return steps(ctx, b.opensUnplaced, b.proposesCredit, b.agreesToCredit, b.proposesRecall,
		b.agreesToRecall("created_at"), b.proposesReinstatement, b.agreesToRecall("reinstated_at"))
}}

// recall is the customer's recall; empty if there is none.
func (b *buyer) recall(ctx context.Context) (id string) {
	_ = database.QueryRow(ctx, "SELECT id FROM recalls WHERE user_id = $1", b.id).Scan(&id) // none yet
	return id
}

// recallProposal is the open proposal about the customer's money or its recall; empty if there is none.
func (b *buyer) recallProposal(ctx context.Context) (id string) {
	const open = `SELECT id FROM money_proposals WHERE status = 'open' AND subject_id IN
		(SELECT id FROM unplaced_money WHERE user_id = $1 UNION SELECT id FROM recalls WHERE user_id = $1)`
	_ = database.QueryRow(ctx, open, b.id).Scan(&id) // none yet
	return id
}

func (b *buyer) proposesRecall(ctx context.Context) error {
	path := func() string { id, _, _ := b.placing(ctx); return "/api/admin/money/unplaced/" + id + "/return" }
	return b.proposesOfBank(ctx, path, map[string]string{"amount": "50.00", "bankReference": "RECALL-" + b.id,
		"returnedOn": b.today(ctx), "code": "R10", "reason": "the bank says so"})
}

func (b *buyer) proposesReinstatement(ctx context.Context) error {
	path := func() string { return "/api/admin/money/returns/" + b.recall(ctx) + "/reinstate" }
	return b.proposesOfBank(ctx, path, map[string]string{
		"bankReference": "AGAIN-" + b.id, "reinstatedOn": b.today(ctx), "reason": "the bank says so"})
}

// proposesOfBank proposes to book what the bank did until the proposal is open.
func (b *buyer) proposesOfBank(ctx context.Context, path func() string, body any) error {
	return insist(ctx, "a proposal of what the bank did", func() bool { return b.recallProposal(ctx) != "" }, func() {
		b.staff.try(ctx, http.MethodPost, path(), "", body, nil)
	})
}

// agreesToRecall has another admin approve the open proposal until the recall has a time in a column.
func (b *buyer) agreesToRecall(column string) func(context.Context) error {
	return func(ctx context.Context) error {
		booked := func() bool {
			var there bool
			recall := "SELECT " + column + " IS NOT NULL FROM recalls WHERE user_id = $1"
			_ = database.QueryRow(ctx, recall, b.id).Scan(&there) // none yet
			return there
		}
		return insist(ctx, "the recall to be booked", booked, func() {
			path := "/api/admin/money/proposals/" + b.recallProposal(ctx) + "/approve"
			b.second.try(ctx, http.MethodPost, path, "", struct{}{}, nil)
		})
	}
}
