package e2e

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// payoutScenario is a payout that is requested, cancelled, requested again, paid, and returned by the bank.
var payoutScenario = caseScenario{name: "a payout", customer: withBalance, drive: func(ctx context.Context, b *buyer) error {
	return steps(ctx, b.asksPayout("first", "20"), b.cancelsPayout, b.asksPayout("second", "21"), b.confirms("payouts", "requested"), b.paysOut("reject", map[string]string{"reason": "no"}, "rejected"),
		b.asksPayout("third", "22"), b.confirms("payouts", "requested"), b.paysOut("approve", struct{}{}, "approved"),
		b.paysOut("confirm", map[string]string{"reference": "W-" + b.id}, "paid"), b.paysOut("return", map[string]string{"reason": "closed"}, "returned"))
}}

// withBalance is a verified customer who has sold a gift card, which we have sold
// on.
func withBalance(t *testing.T) *visitor {
	t.Helper()
	b := &buyer{customer: known(t), staff: admin(t)}
	require.NoError(t, database.QueryRow(t.Context(), "SELECT id FROM users WHERE email = $1", b.customer.mail).Scan(&b.id))
	require.NoError(t, steps(t.Context(), b.sellsCard("good"), b.judges("approve", map[string]string{"value": "40"}, "approved"),
		b.judges("realise", map[string]string{"amount": "39", "reference": "sale for " + b.id}, "realised")))
	return b.customer
}

// asksPayout requests an amount under one key, until it is recorded.
func (b *buyer) asksPayout(name, amount string) func(context.Context) error {
	return func(ctx context.Context) error {
		wanted := map[string]string{"amount": amount, "accountKind": "us", "accountHolder": "Casey Lin", "routingNumber": "021000021", "accountNumber": "990011226789"}
		there := func() bool { return b.payoutAt(ctx, amount) != "" }
		return insist(ctx, "a payout that is asked for", there, func() {
			b.customer.try(ctx, http.MethodPost, "/api/payouts", name+"-payout-of-"+b.id, wanted, nil)
		})
	}
}

// confirms follows the mailed links of the customer's newest request in a table, until it is there.
func (b *buyer) confirms(table, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "a request that is confirmed", func() bool { _, at := b.where(ctx, table); return at == there }, func() {
			id, _ := b.where(ctx, table)
			var mails []struct{ Links []string }
			if ask(ctx, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(b.customer.mail), nil, &mails) != nil {
				return
			}
			for _, mail := range mails {
				for _, link := range mail.Links {
					if _, token, found := strings.Cut(link, "#confirm="); found {
						b.customer.try(ctx, http.MethodPost, "/api/confirmations/"+id, "", map[string]string{"token": token}, nil)
					}
				}
			}
		})
	}
}

// payoutAt is where the customer's payout of an amount stands.
func (b *buyer) payoutAt(ctx context.Context, amount string) (status string) {
	_ = database.QueryRow(ctx, "SELECT status FROM payouts WHERE user_id = $1 AND amount = 100 * $2::numeric", b.id, amount).Scan(&status) // none yet
	return status
}

func (b *buyer) cancelsPayout(ctx context.Context) error {
	return insist(ctx, "a payout that is cancelled", func() bool { _, at := b.where(ctx, "payouts"); return at == "cancelled" }, func() {
		id, _ := b.where(ctx, "payouts")
		b.customer.try(ctx, http.MethodPost, "/api/payouts/"+id+"/cancel", "", struct{}{}, nil)
	})
}

// paysOut has staff decide about the newest payout until it stands where that
// leads.
func (b *buyer) paysOut(kind string, body any, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "a payout that is "+there, func() bool { _, at := b.where(ctx, "payouts"); return at == there }, func() {
			id, _ := b.where(ctx, "payouts")
			who := []*visitor{b.staff}
			// The staff member credited the balance, and the account holder differs: two other people must approve.
			if kind == "approve" {
				who = []*visitor{b.second, b.third}
			}
			for _, v := range who {
				if version := v.sees(ctx, id); version != "" {
					body = map[string]string{"version": version}
				}
				v.try(ctx, http.MethodPost, "/api/admin/payouts/"+id+"/"+kind, "", body, nil)
			}
		})
	}
}

// sees is the version of what waits for a second person under an id, as its page shows it; empty where nothing waits.
func (v *visitor) sees(ctx context.Context, id string) string {
	var rows []struct{ Version string }
	v.try(ctx, http.MethodGet, "/api/admin/approvals?about="+id, "", struct{}{}, &rows)
	if len(rows) == 0 {
		return ""
	}
	return rows[0].Version
}
