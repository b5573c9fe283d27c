package api

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/workflows"
)

// insiders is what each act of staff that moves money or coin comes to, by who does
// it: the committed table, which BAR 5 and 46 are read against.
const insiders = "testdata/insiders.txt"

// oneMay is the limit of one person here, in dollars: below is an act of about $500,
// above one of about $1,000.
const oneMay = 700

// cast is who does an act.
type cast struct {
	*house
	v                   *visitor // the customer
	first, alias, other *visitor // alias is first, by another spelling; other agrees to what is made before
	second, boss        *visitor // who agrees, and who takes roles away
}

// spelled gives somebody another account whose address reaches the same mailbox.
func (h *house) spelled(v *visitor) *visitor {
	h.Helper()
	alias := h.customer("admin")
	h.exec(`UPDATE users SET email = upper(split_part((SELECT email FROM users WHERE id = $2), '@', 1)) || '+again@Example.com' WHERE id = $1`, alias.userID, v.userID)
	return alias
}

func (h *house) cast() *cast {
	h.Helper()
	c := &cast{house: h, v: h.rich(1_000_000), first: h.customer("admin"), other: h.customer("admin"), second: h.customer("admin"), boss: h.customer("admin")}
	c.alias = h.spelled(c.first)
	return c
}

// act is one act on one thing: made small or large, done by somebody, agreed to by
// somebody else, and whether its effect is there.
type act struct {
	make  func(c *cast, large bool) (id string)
	press func(c *cast, who *visitor, id string) *answer
	agree func(c *cast, who *visitor, id string, asked *answer) *answer
	done  string // counts the effect by the thing's id
}

func (c *cast) buys(method string, large bool) string {
	c.Helper()
	order := strings.Replace(newOrder, `"card"`, `"`+method+`"`, 1)
	if large {
		order = strings.Replace(order, `"0.01"`, `"0.02"`, 1)
	}
	return c.v.post("/api/orders", order).is(http.StatusCreated).text("id")
}

// failedAtSend is a paid order whose coin could not be sent.
func (c *cast) failedAtSend(large bool) string {
	id := c.buys("balance", large)
	c.exec(`UPDATE orders SET status = 'failed', failed_step = 'send', fulfillment_code = 'insufficient' WHERE id = $1`, id)
	return id
}

func (c *cast) total(id string) string {
	return one[string](c.house, `SELECT to_char(total / 100, 'FM999999990.00') FROM orders WHERE id = $1`, id)
}

// wired is an order that was paid by wire, on the word of first.
func (c *cast) wired(large bool) string {
	id := c.buys("domestic_wire", large)
	if asked := c.first.confirm(id, c.total(id), "W-"+id); asked.status == http.StatusAccepted {
		agreed(c, c.other, id, asked).is(http.StatusOK)
	}
	return id
}

// transferred is a payout that two others approved and made.
func (c *cast) transferred(large bool) string {
	id := c.v.post("/api/payouts", payoutOf(map[bool]string{false: "500", true: "1000"}[large])).is(http.StatusCreated).text("id")
	for _, who := range []*visitor{c.other, c.boss} {
		who.post("/api/admin/payouts/"+id+"/approve", "")
	}
	c.other.post("/api/admin/payouts/"+id+"/confirm", `{"reference":"P-`+id+`"}`).is(http.StatusOK)
	return id
}

func on(path, body string) func(c *cast, who *visitor, id string) *answer {
	return func(_ *cast, who *visitor, id string) *answer {
		return who.post(strings.Replace(path, "{id}", id, 1), body)
	}
}

func agreed(_ *cast, who *visitor, id string, asked *answer) *answer {
	return who.post("/api/admin/orders/"+id+"/proposal/approve", `{"proposalId":"`+asked.text("decisionId")+`"}`)
}

// again is agreeing by pressing the same.
func again(press func(c *cast, who *visitor, id string) *answer) func(*cast, *visitor, string, *answer) *answer {
	return func(c *cast, who *visitor, id string, _ *answer) *answer { return press(c, who, id) }
}

const elsewhere = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"

func confirmed(c *cast, who *visitor, id string) *answer {
	return who.confirm(id, c.total(id), fmt.Sprint("W-", id, one[int](c.house, `SELECT count(*) FROM receipts WHERE order_id = $1`, id)))
}

func decisionsOf(kind string) string {
	return `SELECT count(*) FROM decisions WHERE kind = '` + kind + `' AND order_id = $1`
}

var (
	release = on("/api/admin/risk/reviews/{id}/release", `{"reason":"a namesake"}`)
	payOut  = on("/api/admin/payouts/{id}/approve", "")
	fulfil  = on("/api/admin/orders/{id}/fulfill", "{}")
)

// acts are the operations that move money or coin by somebody's word. The name is
// the operation's, and which of its cases it is.
var acts = map[string]act{
	"confirmPayment": {done: `SELECT count(*) FROM receipts WHERE order_id = $1`, press: confirmed, agree: agreed,
		make: func(c *cast, large bool) string { return c.buys("domestic_wire", large) }},
	"confirmPayment, a surplus": {done: `SELECT count(*) - 1 FROM receipts WHERE order_id = $1`, press: confirmed, agree: agreed,
		make: func(c *cast, large bool) string {
			id := c.wired(large)
			c.exec(`UPDATE decisions SET created_at = created_at - interval '2 days' WHERE order_id = $1`, id) // another day's
			return id
		}},
	"fulfillOrder, of a receipt": {done: decisionsOf("fulfill"), press: fulfil, agree: again(fulfil), make: (*cast).wired},
	"retryOrder, of a receipt": {done: decisionsOf("retry"), press: on("/api/admin/orders/{id}/retry", "{}"), agree: again(on("/api/admin/orders/{id}/retry", "{}")),
		make: func(c *cast, large bool) string {
			id := c.wired(large)
			c.exec(`UPDATE orders SET status = 'failed', failed_step = 'send', fulfillment_code = 'insufficient' WHERE id = $1`, id)
			return id
		}},
	"amendOrderAddress": {done: decisionsOf("amend_address"), press: on("/api/admin/orders/{id}/amend-address", `{"reason":"asked","destAddress":"`+elsewhere+`"}`),
		agree: agreed, make: (*cast).failedAtSend},
	"markOrderSent": {done: decisionsOf("mark_sent"), press: on("/api/admin/orders/{id}/mark-sent", `{"reason":"by hand","txid":"abc"}`), agree: agreed, make: (*cast).failedAtSend},
	"refundOrder":   {done: decisionsOf("refund"), press: on("/api/admin/orders/{id}/refund", `{"reason":"a gesture"}`), agree: agreed, make: func(c *cast, large bool) string { return c.buys("balance", large) }},
	"releaseRisk": {done: `SELECT count(*) FROM risk_reviews WHERE id = $1 AND outcome = 'released'`, press: release, agree: again(release),
		make: func(c *cast, large bool) string {
			id := c.buys("balance", large)
			review := models.NewID()
			c.exec(`UPDATE orders SET under_review = true, risk_score = 100, risk_reasons = '{shared_address}' WHERE id = $1`, id)
			c.exec(`INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons) VALUES ($1, $2, $3, 'x', 100, '{shared_address}')`, review, id, c.v.userID)
			return review
		}},
	"approveGiftCard": {done: `SELECT count(*) FROM gift_cards WHERE id = $1 AND paid IS NOT NULL`, press: valued, agree: again(valued),
		make: func(c *cast, large bool) string {
			value := map[bool]string{false: "600", true: "1200"}[large]
			id := c.v.sell(but(regularCard, "value", value, "cardCode", "CANARY-"+models.NewID()[24:]), nil).is(http.StatusCreated).text("id")
			c.review(id)
			return id
		}},
	"approvePayout": {done: `SELECT count(*) FROM payouts WHERE id = $1 AND status = 'approved'`, press: payOut, agree: again(payOut),
		make: func(c *cast, large bool) string {
			return c.v.post("/api/payouts", payoutOf(map[bool]string{false: "500", true: "1000"}[large])).is(http.StatusCreated).text("id")
		}},
	"resolveBreak": {done: `SELECT count(*) FROM reconciliation_breaks WHERE id = $1 AND closed_at IS NOT NULL`,
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/reconciliation/breaks/"+id+"/resolve", booking(models.AccountEquity, c.difference(id), "ours"))
		},
		agree: func(c *cast, who *visitor, id string, _ *answer) *answer {
			return who.post("/api/admin/reconciliation/breaks/"+id+"/approve", approving(models.AccountEquity, c.difference(id)))
		},
		make: func(c *cast, large bool) string {
			return c.broken("stripe", "charge:"+models.NewID(), "USD", map[bool]int64{false: 500_00, true: 1000_00}[large])
		}},
}

// moneyActs are about money outside the balance of an order: each is proposed by one
// person and approved by another, whatever its amount.
func init() {
	receipt := func(c *cast, large bool) string {
		return one[string](c.house, `SELECT id::text FROM receipts WHERE order_id = $1`, c.wired(large))
	}
	unplaced := func(c *cast, large bool) string {
		amount := map[bool]string{false: "500.00", true: "1000.00"}[large]
		return c.other.post("/api/admin/money/unplaced", `{"amount":"`+amount+`","bankReference":"U-`+models.NewID()+`","receivedOn":"2026-11-20","rail":"zelle","sender":"A. N. OTHER"}`).is(http.StatusCreated).text("id")
	}
	approve := func(_ *cast, who *visitor, _ string, asked *answer) *answer {
		return who.post("/api/admin/money/proposals/"+asked.text("id")+"/approve", `{}`)
	}
	acts["returnPayout"] = act{done: `SELECT count(*) FROM payouts WHERE id = $1 AND status = 'returned'`, make: (*cast).transferred,
		press: on("/api/admin/payouts/{id}/return", `{"reason":"account closed"}`),
		agree: func(_ *cast, who *visitor, _ string, asked *answer) *answer {
			return who.post("/api/admin/money/proposals/"+asked.text("decisionId")+"/approve", `{}`)
		}}
	acts["reverseReceipt"] = act{done: `SELECT count(*) FROM receipts WHERE id = $1 AND reversed_at IS NOT NULL`, make: receipt, agree: approve,
		press: on("/api/admin/money/receipts/{id}/reverse", `{"reason":"another customer's"}`)}
	acts["returnReceipt"] = act{done: `SELECT count(*) FROM receipt_returns WHERE receipt_id = $1`, make: receipt, agree: approve,
		press: func(c *cast, who *visitor, id string) *answer {
			day := one[string](c.house, `SELECT received_on::text FROM receipts WHERE id = $1`, id)
			return who.post("/api/admin/money/receipts/"+id+"/return", `{"amount":"400.00","bankReference":"R-`+models.NewID()+`","returnedOn":"`+day+`","code":"R10","reason":"the bank says so"}`)
		}}
	acts["creditMoney"] = act{done: `SELECT count(*) FROM unplaced_money WHERE id = $1 AND status = 'credited'`, make: unplaced, agree: approve,
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/money/unplaced/"+id+"/credit", `{"customer":"`+c.v.userID+`","reason":"theirs"}`)
		}}
	acts["sendBackMoney"] = act{done: `SELECT count(*) FROM unplaced_money WHERE id = $1 AND status = 'sent_back'`, make: unplaced, agree: approve,
		press: func(_ *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/money/unplaced/"+id+"/send-back", `{"bankReference":"B-`+models.NewID()+`","sentOn":"2026-11-21","reason":"to its sender"}`)
		}}
	payBack := func(_ *cast, who *visitor, id string) *answer {
		return who.post("/api/admin/closed-credits/"+id+"/pay-back", `{"reference":"C-`+id+`","reason":"to where it came from"}`)
	}
	acts["payBackClosedCredit"] = act{done: `SELECT count(*) FROM stranded_credits WHERE id = $1 AND paid_at IS NOT NULL`, press: payBack, agree: again(payBack),
		make: func(c *cast, large bool) string {
			gone := c.rich(1_000_000)
			payout := gone.post("/api/payouts", payoutOf(map[bool]string{false: "500", true: "1000"}[large])).is(http.StatusCreated).text("id")
			c.exec(`UPDATE users SET closed_at = clock_now() WHERE id = $1`, gone.userID)
			c.other.post("/api/admin/payouts/"+payout+"/reject", `{"reason":"gone"}`).is(http.StatusOK)
			return one[string](c.house, `SELECT id::text FROM stranded_credits WHERE user_id = $1`, gone.userID)
		}}
}

func valued(c *cast, who *visitor, id string) *answer {
	value := one[string](c.house, `SELECT to_char(value / 100, 'FM9990.00') FROM gift_cards WHERE id = $1`, id)
	return who.post("/api/admin/gift-cards/"+id+"/approve", `{"value":"`+value+`"}`)
}

func (c *cast) difference(id string) string {
	return one[string](c.house, `SELECT to_char((told - booked) / 100, 'FM999990.00') FROM reconciliation_breaks WHERE id = $1`, id)
}

// others are the acts of staff that have no row of their own, and why.
var others = map[string]string{
	"openUnplaced": "writes down what the bank shows; every way out takes two", "placeMoney": "proposes, and confirms a receipt by two people as confirmPayment does",
	"reinstateReturn": "proposes, as returnReceipt", "proposeJournal": "proposes, with a document", "addMoneyDocument": "keeps a picture",
	"approveMoney": "always another person than who proposed, with a fresh code", "rejectMoney": "nothing is booked",
	"processPayment": "captures what a card's bank holds: the processor's word", "rejectPayment": "lets in nothing, and nothing leaves",
	"approveProposal": "the second person of the rows above", "rejectProposal": "nothing moves",
	"contestDispute": "the bank decides", "acceptDispute": "what the bank has taken already",
	"holdOrder": "stops", "resumeOrder": "takes a hold back; the coin needs fulfillOrder", "rejectGiftCard": "nothing is credited",
	"realiseGiftCard": "books on our own accounts what a card brought in", "revealGiftCard": "shows, with a fresh code", "revealPayout": "shows, with a fresh code",
	"rejectPayout": "gives the customer their own balance back", "confirmPayout": "books what two people approved",
	"proposeTreasuryMove": "proposes; between our own wallets", "approveTreasuryMove": "always another person than who proposed",
	"rejectTreasuryMove": "nothing moves", "withdrawTreasuryMove": "nothing moves", "resolveTreasuryMove": "another person than who proposed, with a fresh code",
	"approveBreak": "the second person of resolveBreak", "rejectBreak": "nothing is booked", "endBreak": "nothing is booked: a line that did not settle is not waited for any more", "reconcileNow": "compares",
	"refuseRisk": "gives back: a refund above the limit is proposed as refundOrder's", "changeRiskRule": "a rule, with audit", "importAddressList": "a list, with audit",
	"freezeCustomer": "stops", "unfreezeCustomer": "lets go on what others decided; an order on one's own word stays", "signCustomerOut": "a session",
	"approveKyc": "an identity", "rejectKyc": "an identity", "revokeKyc": "an identity", "holdKyc": "an identity", "releaseKyc": "an identity", "askKycAgain": "an identity",
	"approveReward": "one person: a reward of a fixed, small sum, neither party of it", "refuseReward": "nothing is credited",
	"generateVoucher": "above VOUCHER_ALONE a day another admin approves", "approveVouchers": "another admin than who made them",
	"exportVouchers": "shows, with a fresh code; who did redeems none", "voidVoucher": "takes back", "voidVoucherBatch": "above VOUCHER_ALONE another admin agrees",
	"agreeToVoidBatch": "the other admin", "refuseToVoidBatch": "nothing moves", "resumeVoucher": "retries what its customer redeemed", "restoreVoucher": "gives the customer their voucher back",
	"setCustomerTier": "a price", "releaseCustomerTier": "a price", "changeMethodPricing": "a price", "previewMethodPricing": "a price", "addLocationPricing": "a price",
	"changeLocationPricing": "a price", "removeLocationPricing": "a price", "turnSwitch": "stops, or lets go on what others decided",
}

// movers are the permissions of staff that money or coin can move by.
var movers = []string{"decide_payments", "decide_orders", "review_customers", "configure"}

// outcomeOf says in a word what an act came to.
func (c *cast) outcomeOf(a act, id string, answered *answer) string {
	switch {
	case one[int](c.house, a.done, id) > 0:
		return "done"
	case answered.status >= http.StatusBadRequest:
		return "refused " + answered.text("code")
	}
	return "waits"
}

// cases are the columns of the table.
var cases = []struct {
	name string
	play func(c *cast, a act) string
}{
	{"one person, below", func(c *cast, a act) string {
		id := a.make(c, false)
		return c.outcomeOf(a, id, a.press(c, c.first, id))
	}},
	{"one person, above", func(c *cast, a act) string {
		id := a.make(c, true)
		return c.outcomeOf(a, id, a.press(c, c.first, id))
	}},
	{"two people, above", func(c *cast, a act) string {
		id := a.make(c, true)
		return c.outcomeOf(a, id, a.agree(c, c.second, id, a.press(c, c.first, id)))
	}},
	{"one person under two spellings, above", func(c *cast, a act) string {
		id := a.make(c, true)
		return c.outcomeOf(a, id, a.agree(c, c.alias, id, a.press(c, c.first, id)))
	}},
	{"the first demoted since, above", func(c *cast, a act) string {
		id := a.make(c, true)
		asked := a.press(c, c.first, id)
		c.boss.post("/api/admin/team/"+c.first.userID+"/take", `{"roles":["admin"],"reason":"not to be trusted"}`).is(http.StatusOK)
		return c.outcomeOf(a, id, a.agree(c, c.second, id, asked))
	}},
	{"split into two below", func(c *cast, a act) string {
		id := a.make(c, false)
		a.press(c, c.first, id)
		id = a.make(c, false)
		return c.outcomeOf(a, id, a.press(c, c.first, id))
	}},
}

func TestBar46EveryActThatMovesMoneyByWhoDoesIt(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove, d.CreditTwoAbove, d.PayoutTwoAbove = oneMay, oneMay, oneMay })
	settled := h.flows.outcome
	h.flows.outcome = func(orderID, kind, id string) (workflows.Outcome, bool, error) {
		if kind != workflows.ConfirmReceipt {
			return settled(orderID, kind, id)
		}
		require.NoError(h, h.db.ConfirmReceipt(h.Context(), orderID, id))
		return workflows.Outcome{Code: workflows.Done}, true, nil
	}
	rows := map[string]string{}
	for name, a := range acts {
		for _, column := range cases {
			rows[name] += fmt.Sprintf("  %s: %s\n", column.name, column.play(h.cast(), a))
		}
	}
	for _, op := range operations(t) {
		if op.method == http.MethodGet || strings.HasPrefix(op.id, "list") || !slices.Contains(movers, op.permission) {
			continue
		}
		covered := slices.ContainsFunc(names(acts), func(name string) bool { first, _, _ := strings.Cut(name, ","); return first == op.id })
		require.NotEqual(t, covered, others[op.id] != "", "%s moves money or coin, or says why not: a row in acts, or in others", op.id)
		if !covered {
			rows[op.id] = "  " + others[op.id] + "\n"
		}
	}
	for name := range others {
		require.Contains(t, rows, name, "%s is no act any more", name)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "# What each act of staff comes to, by who does it; one person may $%d, below is about $500, above about $1,000.\n"+
		"# Observed by TestBar46EveryActThatMovesMoneyByWhoDoesIt; -update writes it anew.\n", oneMay)
	for _, name := range names(rows) {
		fmt.Fprintf(&table, "%s\n%s", name, rows[name])
	}
	if *update {
		require.NoError(t, os.WriteFile(insiders, []byte(table.String()), 0o600))
	}
	committed, err := os.ReadFile(insiders)
	require.NoError(t, err)
	require.Equal(t, string(committed), table.String())
}

func names[V any](m map[string]V) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
