package api

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol/guardtest"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// insiders is what each act of staff that moves money or coin comes to, by who does
// it: the committed table, which bars 5 and 46 are read against.
const insiders = "testdata/insiders.txt"

// oneMay is the limit of one person here, in dollars: below is an act of about $500,
// above one of about $1,000.
const oneMay = 700

// cast is who does an act.
type cast struct {
	*testServer
	v                   *visitor // the customer
	first, alias, other *visitor // alias is first, by another spelling; other agrees to what is made before
	second, boss        *visitor // who approves, and who revokes roles
	role                string   // of first
	gone                *visitor // a customer whose account is closed, where that is what the act is about
	large               bool     // of what the act itself makes
}

// spelled creates a second account whose address reaches the same mailbox, with the
// given roles or admin.
func (h *testServer) spelled(v *visitor, roles ...string) *visitor {
	h.Helper()
	if len(roles) == 0 {
		roles = []string{"admin"}
	}
	alias := h.customer(roles...)
	h.exec(`UPDATE users SET email = upper(split_part((SELECT email FROM users WHERE id = $2), '@', 1)) || '+again@Example.com' WHERE id = $1`, alias.userID, v.userID)
	return alias
}

// cast prepares the accounts an act needs, one of them in the given role; seen records
// the operations they call.
func (h *testServer) cast(a act, role string, seen *stage) *cast {
	h.Helper()
	h.price("50000") // a price is valid for a minute, and the table lasts longer
	roles := append([]string{role}, a.with...)
	c := &cast{testServer: h, role: role, v: h.rich(1_000_000), first: h.customer(role), other: h.customer("admin"), second: h.customer(roles...), boss: h.customer("admin")}
	c.alias = h.spelled(c.first, roles...)
	for _, who := range []*visitor{c.first, c.alias, c.second} {
		who.client.Transport = seen
	}
	return c
}

// stage records which operations were executed, by act.
type stage struct {
	*pact
	act    string
	played map[string][]string
}

// RoundTrip is http.RoundTripper's.
func (s *stage) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if op := s.find(r.Method, r.URL.Path); op != nil && res.StatusCode < http.StatusMultipleChoices && !slices.Contains(s.played[op.id], s.act) {
		s.played[op.id] = append(s.played[op.id], s.act)
	}
	return res, nil
}

// act is one staff operation: its object (small or large), the call, the second
// approval, and whether its effect is there.
type act struct {
	make  func(c *cast, large bool) (id string)
	press func(c *cast, who *visitor, id string) *answer
	agree func(c *cast, who *visitor, id string, asked *answer) *answer
	done  string   // counts the effect by the thing's id
	as    []string // who does it; nil is each role that may
	with  []string // the second person's role beside the first's, where another's is needed
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
func (c *cast) failedAtSend(large bool) string { return c.failed(c.buys("balance", large)) }

// dead is why a transfer can never confirm.
const dead = `{"reason":"they wait","evidence":"its inputs were spent otherwise"}`

// removedTransfer is an order whose transfer custody calls removed.
func (c *cast) removedTransfer(large bool) string {
	id := c.buys("balance", large)
	c.exec(`UPDATE orders SET status = 'filled' WHERE id = $1`, id)
	c.exec(`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, address, amount, sequence_id, status)
		SELECT gen_random_uuid(), id, user_id, 1, asset, network, dest_address, amount, 'ord-' || id || '-send-1', 'removed' FROM orders WHERE id = $1`, id)
	return id
}

// failedAfterReceipt is one whose payment first confirmed.
func (c *cast) failedAfterReceipt(large bool) string { return c.failed(c.wired(large)) }

func (c *cast) failed(id string) string {
	c.exec(`UPDATE orders SET status = 'failed', failed_step = 'send', fulfillment_code = 'insufficient' WHERE id = $1`, id)
	return id
}

// underReview has risk stop an order; the id is its review's.
func (c *cast) underReview(id string) (review string) {
	review = store.NewID()
	c.exec(`UPDATE orders SET under_review = true, risk_score = 100, risk_reasons = '{shared_address}' WHERE id = $1`, id)
	c.exec(`INSERT INTO risk_reviews (id, order_id, user_id, address_key, score, reasons) VALUES ($1, $2, $3, 'x', 100, '{shared_address}')`, review, id, c.v.userID)
	return review
}

func (c *cast) total(id string) string {
	return one[string](c.testServer, `SELECT to_char(total / 100, 'FM999999990.00') FROM orders WHERE id = $1`, id)
}

// wired is an order paid by wire, confirmed by first.
func (c *cast) wired(large bool) string {
	id := c.buys("domestic_wire", large)
	if asked := c.first.confirm(id, c.total(id), "W-"+id); asked.status == http.StatusAccepted {
		agreed(c, c.other, id, asked).is(http.StatusOK)
	}
	return id
}

// transferred is a payout that two others approved and made.
func (c *cast) transferred(large bool) string {
	id := c.approvedPayout(large)
	transfer(c, c.other, id).is(http.StatusOK)
	return id
}

func on(path, body string) func(c *cast, who *visitor, id string) *answer {
	return func(c *cast, who *visitor, id string) *answer {
		return who.post(strings.Replace(path, "{id}", id, 1), c.naming(begins[path], id, strings.ReplaceAll(body, "{id}", id)))
	}
}

// begins are the operations that a first and a second approval share, with the kind of the approval.
var begins = map[string]casework.ApprovalKind{"/api/admin/risk/reviews/{id}/release": risk.KindRelease, "/api/admin/payouts/{id}/approve": payout.KindApproval}

// naming adds to the body of an approval the version of the first one, as the page shows it, where one waits. Other
// operations have no kind.
func (h *testServer) naming(kind casework.ApprovalKind, id, body string) string {
	if kind == "" {
		return body
	}
	row, err := casework.WaitingApproval(h.Context(), h.db, kind, id)
	require.NoError(h, err)
	if row == nil {
		return body
	}
	version := `{"version":"` + row.Version() + `"`
	if body == "" {
		return version + "}"
	}
	return strings.Replace(body, "{", version+",", 1)
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
	return who.confirm(id, c.total(id), fmt.Sprint("W-", id, one[int](c.testServer, `SELECT count(*) FROM receipts WHERE order_id = $1`, id)))
}

func decisionsOf(kind string) string {
	return `SELECT count(*) FROM decisions WHERE kind = '` + kind + `' AND order_id = $1`
}

var (
	release = on("/api/admin/risk/reviews/{id}/release", `{"reason":"a namesake"}`)
	payOut  = on("/api/admin/payouts/{id}/approve", "")
	fulfil  = on("/api/admin/orders/{id}/fulfill", "{}")
	retry   = on("/api/admin/orders/{id}/retry", "{}")
	amend   = on("/api/admin/orders/{id}/amend-address", `{"reason":"asked","destAddress":"`+elsewhere+`"}`)
)

// lessCoin offers all but $120 of an order back, with less coin.
func lessCoin(c *cast, who *visitor, id string) *answer {
	refund := one[string](c.testServer, `SELECT to_char(total / 100 - 120, 'FM999999990.00') FROM orders WHERE id = $1`, id)
	return who.post("/api/admin/orders/"+id+"/refund", `{"reason":"too much","amount":"`+refund+`","coin":"less"}`)
}

// markSent states a transaction of its own for each order: a transaction is evidence once.
func markSent(_ *cast, who *visitor, id string) *answer {
	txid := strings.ReplaceAll(id, "-", "")
	return who.post("/api/admin/orders/"+id+"/mark-sent", `{"reason":"by hand","txid":"`+txid+`"}`)
}

// acts are the operations that move money or coin by a person's decision. The name is the
// operation's, and which of its cases it is.
var acts = map[string]act{
	"confirmPayment": {done: `SELECT count(*) FROM receipts WHERE order_id = $1`, press: confirmed, agree: agreed,
		make: func(c *cast, large bool) string { return c.buys("domestic_wire", large) }},
	"confirmPayment, a surplus": {done: `SELECT count(*) - 1 FROM receipts WHERE order_id = $1`, press: confirmed, agree: agreed,
		make: func(c *cast, large bool) string {
			id := c.wired(large)
			c.exec(`UPDATE decisions SET created_at = created_at - interval '2 days' WHERE order_id = $1`, id) // another day's
			guardtest.Age(c.Context(), c.T, c.dbs.Owner, "2 days", id)
			return id
		}},
	"fulfillOrder, of a receipt":      {done: decisionsOf("fulfill"), press: fulfil, agree: again(fulfil), make: (*cast).wired},
	"retryOrder, of a receipt":        {done: decisionsOf("retry"), press: retry, agree: again(retry), make: (*cast).failedAfterReceipt},
	"amendOrderAddress":               {done: decisionsOf("amend_address"), press: amend, agree: agreed, make: (*cast).failedAtSend},
	"markOrderSent":                   {done: decisionsOf("mark_sent"), press: markSent, agree: agreed, make: (*cast).failedAtSend},
	"declareTransferDead":             {done: decisionsOf("transfer_dead"), press: on("/api/admin/orders/{id}/transfer-dead", dead), agree: agreed, make: (*cast).removedTransfer},
	"refundOrder":                     {done: decisionsOf("refund"), press: on("/api/admin/orders/{id}/refund", `{"reason":"a gesture"}`), agree: agreed, make: func(c *cast, large bool) string { return c.buys("balance", large) }},
	"amendOrderAddress, of a receipt": {done: decisionsOf("amend_address"), press: amend, agree: again(amend), make: (*cast).failedAfterReceipt},
	"markOrderSent, of a receipt":     {done: decisionsOf("mark_sent"), press: markSent, agree: again(markSent), make: (*cast).failedAfterReceipt},
	"refundOrder, with less coin": {done: `SELECT count(*) FROM coin_offers WHERE order_id = $1`, press: lessCoin, agree: agreed,
		make: func(c *cast, large bool) string { return c.buys("balance", large) }},
	"releaseRisk": {done: `SELECT count(*) FROM risk_reviews WHERE id = $1 AND outcome = 'released'`, press: release, agree: again(release),
		make: func(c *cast, large bool) string { return c.underReview(c.buys("balance", large)) }},
	"releaseRisk, of a receipt": {done: `SELECT count(*) FROM risk_reviews WHERE id = $1 AND outcome = 'released'`, press: release, agree: again(release), as: []string{"admin"},
		make: func(c *cast, large bool) string { return c.underReview(c.wired(large)) }},
	"refuseRisk": {done: `SELECT count(*) FROM risk_reviews v JOIN decisions d ON d.order_id = v.order_id AND d.kind = 'refund' WHERE v.id = $1`, with: []string{"finance"},
		press: on("/api/admin/risk/reviews/{id}/refuse", `{"reason":"looks like theft"}`),
		make:  func(c *cast, large bool) string { return c.underReview(c.buys("balance", large)) },
		agree: func(c *cast, who *visitor, id string, asked *answer) *answer {
			return agreed(c, who, one[string](c.testServer, `SELECT order_id::text FROM risk_reviews WHERE id = $1`, id), asked)
		}},
	"approveGiftCard": {done: `SELECT count(*) FROM gift_cards WHERE id = $1 AND paid IS NOT NULL`, press: valued, agree: again(valued),
		make: func(c *cast, large bool) string {
			value := map[bool]string{false: "600", true: "1200"}[large]
			id := c.v.sell(but(regularCard, "value", value, "cardCode", "CANARY-"+store.NewID()[24:]), nil).is(http.StatusCreated).text("id")
			c.review(id)
			return id
		}},
	"approvePayout": {done: `SELECT count(*) FROM payouts WHERE id = $1 AND status = 'approved'`, press: payOut, agree: again(payOut),
		make: func(c *cast, large bool) string {
			return c.v.paysOut(payoutOf(map[bool]string{false: "500", true: "1000"}[large]))
		}},
	"resolveBreak": {done: `SELECT count(*) FROM reconciliation_breaks WHERE id = $1 AND closed_at IS NOT NULL`,
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/reconciliation/breaks/"+id+"/resolve", booking(ledger.AccountEquity, c.difference(id), "ours"))
		},
		agree: func(c *cast, who *visitor, id string, _ *answer) *answer {
			return who.post("/api/admin/reconciliation/breaks/"+id+"/approve", approving(ledger.AccountEquity, c.difference(id)))
		},
		make: func(c *cast, large bool) string {
			return c.broken("stripe", "charge:"+store.NewID(), "USD", map[bool]int64{false: 500_00, true: 1000_00}[large])
		}},
}

func valued(c *cast, who *visitor, id string) *answer {
	value := one[string](c.testServer, `SELECT to_char(value / 100, 'FM9990.00') FROM gift_cards WHERE id = $1`, id)
	who.post("/api/admin/gift-cards/"+id+"/reveal", "")
	return who.post("/api/admin/gift-cards/"+id+"/approve", c.naming(giftcard.KindApproval, id, `{"value":"`+value+`"}`))
}

func (c *cast) difference(id string) string {
	return one[string](c.testServer, `SELECT to_char((told - booked) / 100, 'FM999990.00') FROM reconciliation_breaks WHERE id = $1`, id)
}

// others are the acts of staff about money or coin that move none, with the reason. One
// marked MovesMoney cannot be listed here: it is tested.
var others = map[string]string{
	"addMoneyDocument": "keeps a picture", "rejectMoney": "nothing is booked", "rejectPayment": "lets in nothing, and nothing leaves", "rejectProposal": "nothing moves",
	"contestDispute": "the bank decides", "holdOrder": "stops", "rejectGiftCard": "nothing is credited", "revealGiftCard": "shows, with a fresh code",
	"revealPayout": "shows, with a fresh code", "rejectPayout": "gives the customer their own balance back", "rejectTreasuryMove": "nothing moves",
	"withdrawCoinOffer":    "nothing is booked: the order keeps all its coin",
	"withdrawTreasuryMove": "nothing moves", "resolveTreasuryMove": "says what became of a move that two people decided, with a fresh code", "rejectBreak": "nothing is booked",
	"endBreak": "nothing is booked: a line that did not settle is not waited for any more", "reconcileNow": "compares",
	"changeRiskRule": "a rule, with a fresh code", "importAddressList": "a list, with a fresh code", "freezeCustomer": "stops", "signCustomerOut": "a session",
	"rejectKyc": "an identity", "rejectKycProposal": "nothing is granted", "revokeKyc": "an identity", "holdKyc": "an identity", "askKycAgain": "an identity",
	"refuseReward": "nothing is credited", "exportVouchers": "shows, with a fresh code; who did redeems none", "refuseToVoidBatch": "nothing moves",
	"setCustomerTier": "a price", "releaseCustomerTier": "a price", "changeMethodPricing": "a price, with a fresh code", "previewMethodPricing": "a price",
	"addLocationPricing": "a price, with a fresh code", "changeLocationPricing": "a price, with a fresh code", "removeLocationPricing": "a price, with a fresh code",
}

// movers are the permissions of staff that money or coin can move by.
var movers = []string{"decide_payments", "decide_orders", "review_customers", "configure"}

// outcomeOf is the code of an act's outcome.
func (c *cast) outcomeOf(a act, id string, answered *answer) string {
	switch {
	case one[int](c.testServer, a.done, id) > 0:
		return "done"
	case answered.status >= http.StatusBadRequest:
		return "refused " + answered.text("code")
	}
	return "waits"
}

// The columns of the table in which nothing may come to pass.
const (
	alone     = "one person, above"
	twice     = "one person twice, above"
	spellings = "one person under two spellings, above"
	demoted   = "the first demoted since, above"
	split     = "split into two below"
	shared    = "split over two spellings"
	two       = "two people, above"
	below     = "one person, below"
)

// cases are the columns of the table.
var cases = []struct {
	name string
	play func(c *cast, a act) string
}{
	{below, func(c *cast, a act) string {
		id := a.make(c, false)
		return c.outcomeOf(a, id, a.press(c, c.first, id))
	}},
	{alone, func(c *cast, a act) string {
		id := a.make(c, true)
		return c.outcomeOf(a, id, a.press(c, c.first, id))
	}},
	{two, func(c *cast, a act) string {
		id := a.make(c, true)
		return c.outcomeOf(a, id, a.agree(c, c.second, id, a.press(c, c.first, id)))
	}},
	{twice, func(c *cast, a act) string {
		id := a.make(c, true)
		return c.outcomeOf(a, id, a.agree(c, c.first, id, a.press(c, c.first, id)))
	}},
	{spellings, func(c *cast, a act) string {
		id := a.make(c, true)
		return c.outcomeOf(a, id, a.agree(c, c.alias, id, a.press(c, c.first, id)))
	}},
	{demoted, func(c *cast, a act) string {
		id := a.make(c, true)
		asked := a.press(c, c.first, id)
		c.boss.post("/api/admin/team/"+c.first.userID+"/take", `{"roles":["`+c.role+`"],"reason":"not to be trusted"}`).is(http.StatusOK)
		return c.outcomeOf(a, id, a.agree(c, c.second, id, asked))
	}},
	{split, func(c *cast, a act) string {
		id := a.make(c, false)
		a.press(c, c.first, id)
		id = a.make(c, false)
		return c.outcomeOf(a, id, a.press(c, c.first, id))
	}},
	{shared, func(c *cast, a act) string {
		id := a.make(c, false)
		a.press(c, c.first, id)
		id = a.make(c, false)
		return c.outcomeOf(a, id, a.press(c, c.alias, id))
	}},
}

// openActs starts a platform for the acts: the limits of one person are low, and the fake workflow confirms receipts
// at once.
func openActs(t *testing.T) *testServer {
	h := openVault(t, unscaled, func(d *Dependencies) {
		d.RefundTwoAbove, d.CreditTwoAbove, d.PayoutTwoAbove, d.Vouchers.Limits.Alone = oneMay, oneMay, oneMay, money.FromInt(oneMay*100)
	})
	settled := h.flows.outcome
	h.flows.outcome = func(orderID, kind, id string) (workflows.Outcome, bool, error) {
		if kind != workflows.ConfirmReceipt {
			return settled(orderID, kind, id)
		}
		require.NoError(h, order.ConfirmReceipt(h.Context(), h.db, orderID, id, surplusTerms))
		return workflows.Outcome{Code: workflows.Done}, true, nil
	}
	return h
}

func TestBar46EveryActThatMovesMoneyByWhoDoesIt(t *testing.T) {
	h := openActs(t)
	contract, err := contracted()
	require.NoError(t, err)
	played := &stage{pact: contract, played: map[string][]string{}}
	cells := map[string]map[string]map[string]string{} // act, role, column
	for _, name := range names(acts) {
		played.act, cells[name] = name, map[string]map[string]string{}
		for _, role := range h.rolesFor(name) {
			cells[name][role] = map[string]string{}
			for _, column := range cases {
				cells[name][role][column.name] = column.play(h.cast(acts[name], role, played), acts[name])
			}
		}
	}
	table := tableOf(t, cells, played.played)
	if *update {
		require.NoError(t, os.WriteFile(insiders, []byte(table), 0o600))
	}
	committed, err := os.ReadFile(insiders)
	require.NoError(t, err)
	holds(t, cells)
	require.Equal(t, string(committed), table)
}

// rolesFor are the roles that may do an act, by the policy.
func (h *testServer) rolesFor(name string) []string {
	h.Helper()
	if as := acts[name].as; as != nil {
		return as
	}
	id, _, _ := strings.Cut(name, ",")
	all := operations(h.T)
	i := slices.IndexFunc(all, func(op operation) bool { return op.id == id })
	require.GreaterOrEqual(h, i, 0, "%s is no call", name)
	roles := slices.DeleteFunc([]string{"admin", "compliance", "finance", "support"}, func(role string) bool {
		return !h.server.policy.Allows([]string{role}, policy.Permission(all[i].permission))
	})
	require.NotEmpty(h, roles, name)
	return roles
}

// tableOf writes the table, with a row for every call of staff near money: played, or
// with its reason.
func tableOf(t *testing.T, cells map[string]map[string]map[string]string, played map[string][]string) string {
	t.Helper()
	rows, marks := map[string]string{}, callsThatAsk(t)
	for name, byRole := range cells {
		rows[name] = rowOf(byRole)
	}
	for _, op := range operations(t) {
		if op.method == http.MethodGet || strings.HasPrefix(op.id, "list") || !slices.Contains(movers, op.permission) {
			continue
		}
		require.True(t, len(played[op.id]) > 0 || others[op.id] != "", "%s moves money or coin, or says why not: it is done in acts, or stands in others", op.id)
		require.False(t, marks[op.id].money && others[op.id] != "", "%s carries the mark movesMoney: it is to be played", op.id)
		switch {
		case others[op.id] != "":
			rows[op.id] = "  " + others[op.id] + "\n"
		case !slices.ContainsFunc(names(cells), func(name string) bool { first, _, _ := strings.Cut(name, ","); return first == op.id }):
			rows[op.id] = "  in " + strings.Join(played[op.id], "; ") + "\n"
		}
	}
	for name := range others {
		require.Contains(t, rows, name, "%s is no act any more", name)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "# What each act of staff comes to, by who does it; one person may $%d, below is about $500, above about $1,000.\n"+
		"# Observed by TestBar46EveryActThatMovesMoneyByWhoDoesIt; -update writes it anew, within what the test itself holds.\n", oneMay)
	for _, name := range names(rows) {
		fmt.Fprintf(&table, "%s\n%s", name, rows[name])
	}
	return table.String()
}

// rowOf is an act's part of the table: roles that fare alike stand together.
func rowOf(byRole map[string]map[string]string) string {
	alike := map[string][]string{}
	for _, role := range names(byRole) {
		var lines strings.Builder
		for _, column := range cases {
			fmt.Fprintf(&lines, "    %s: %s\n", column.name, byRole[role][column.name])
		}
		alike[lines.String()] = append(alike[lines.String()], role)
	}
	var parts []string
	for lines, roles := range alike {
		parts = append(parts, "  as "+strings.Join(roles, ", ")+"\n"+lines)
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

func names[V any](m map[string]V) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
