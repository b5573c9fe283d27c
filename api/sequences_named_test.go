package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
)

// step is one action of a named sequence, about the value that the earlier ones made.
type step struct {
	name  string
	make  func(c *cast) string
	press func(c *cast, who *visitor, id string) *answer
	agree func(c *cast, who *visitor, id string, asked *answer) *answer
	done  string
}

// stepOf is a step that is a source.
func stepOf(name string) step {
	from := sources[name]
	return step{name: name, make: func(c *cast) string { return from.make(c, false) }, press: from.press, agree: from.agree, done: from.done}
}

// leaves is a step that is an exit by the balance.
func leaves(name string) step {
	x := exits[name]
	return step{name: name, press: x.press, agree: x.agree, done: x.done, make: func(c *cast) string {
		if x.order == nil {
			return x.make(c, x.large)
		}
		return x.order(c, c.buysCoin("balance", smallCoin))
	}}
}

// chain is a named sequence over several objects, which ends with value that leaves.
var chains = map[string][]step{
	"identity, receipt, surplus, balance, order":  {stepOf("approveKyc"), ownOrder(), surplus(), leaves("fulfillOrder")},
	"identity, receipt, surplus, balance, payout": {stepOf("approveKyc"), ownOrder(), surplus(), leaves("approvePayout")},
	"rejected identity, receipt, balance, order":  {overruled(), ownOrder(), surplus(), leaves("fulfillOrder")},
	"gift card, balance, payout":                  {stepOf("approveGiftCard"), leaves("approvePayout")},
	"gift card, balance, order":                   {stepOf("approveGiftCard"), leaves("fulfillOrder")},
	"counter-offer, balance, payout":              {counterOffer(), leaves("approvePayout")},
	"counter-offer, balance, order":               {counterOffer(), leaves("fulfillOrder")},
	"receipt, refund, balance, payout":            {ownOrder(), refunded(), leaves("approvePayout")},
}

// ownOrder confirms the receipt of an order.
func ownOrder() step {
	return stepOf("confirmPayment")
}

// surplus confirms more money for the order that was paid last.
func surplus() step {
	s := stepOf("confirmPayment, a surplus")
	s.make = func(c *cast) string { return lastOrder(c, "") }
	s.press = func(c *cast, who *visitor, id string) *answer { return c.receives(who, id, "600.00") }
	return s
}

// counterOffer finds less on a gift card than its customer entered, and the customer accepts.
func counterOffer() step {
	s := stepOf("approveGiftCard")
	s.name = "approveGiftCard, for less"
	less := func(c *cast, who *visitor, id string) *answer {
		path := "/api/admin/gift-cards/" + id
		who.post(path+"/reveal", "")
		said := who.post(path+"/approve", `{"value":"690.00"}`)
		if one[string](c.testServer, `SELECT status FROM gift_cards WHERE id = $1`, id) == string(giftcard.CardOffered) {
			c.v.post("/api/gift-cards/"+id+"/accept", "").is(http.StatusOK)
		}
		return said
	}
	s.press, s.agree = less, again(less)
	return s
}

// refunded refunds the order that was paid last to the balance.
func refunded() step {
	s := stepOf("refundOrder, of one's own receipt")
	s.make = func(c *cast) string { return lastOrder(c, "") }
	return s
}

// overruled approves an identity that the provider has rejected finally.
func overruled() step {
	s := stepOf("approveKyc")
	s.name = "approveKyc, of a final rejection"
	s.make = func(c *cast) string {
		c.exec(`UPDATE kyc_records SET level = 'none', status = 'not_started' WHERE user_id = $1`, c.v.userID)
		now, err := c.db.Now(c.Context())
		require.NoError(c, err)
		review := forged
		review.ApplicantID, review.Level, review.AskedAt, review.At = c.v.userID, kyc.KYCStandard, now, now
		require.NoError(c, kyc.ApplyReview(c.Context(), c.db, c.v.userID, review, kycTerms))
		return c.v.userID
	}
	s.agree = func(c *cast, who *visitor, id string, asked *answer) *answer {
		return acts["approveKyc, rejected finally"].agree(c, who, id, asked)
	}
	return s
}

// play takes the steps by turns and returns how they end: the first step that is not done, and its outcome.
func (c *cast) play(steps []step, person func(i int) *visitor, seconds func(i int) *visitor) string {
	c.Helper()
	for i, st := range steps {
		id := st.make(c)
		before := one[int](c.testServer, st.done, id)
		said := st.press(c, person(i), id)
		if one[int](c.testServer, st.done, id) > before {
			continue
		}
		if said.status >= http.StatusBadRequest {
			return "rejected " + said.text("code") + " at " + st.name
		}
		if second := seconds(i); second != nil && st.agree != nil {
			if said = st.agree(c, second, id, said); one[int](c.testServer, st.done, id) > before {
				continue
			}
			return fmt.Sprintf("not approved at %s: %s", st.name, said.body)
		}
		return "waits at " + st.name
	}
	return "done"
}

// The named sequences end before value leaves if one person takes every step, and by two people they complete.
func TestNamedSequencesNeedAnotherPerson(t *testing.T) {
	h := sequenceServer(t)
	nobody := func(int) *visitor { return nil }
	for _, name := range names(chains) {
		steps := chains[name]
		fresh := func() *cast {
			h.price("50000")
			c := &cast{testServer: h, v: h.customer(), first: h.customer("admin"), other: h.customer("admin"), boss: h.customer("admin")}
			c.alias = h.spelled(c.first)
			h.exec(`UPDATE users SET last_name = 'Canary' WHERE id = $1`, c.v.userID) // the holder of payoutOf
			return c
		}
		c := fresh()
		ended := map[string]string{byOne: c.play(steps, func(int) *visitor { return c.first }, nobody)}
		b := fresh()
		ended[byAccounts] = b.play(steps, func(i int) *visitor { return []*visitor{b.first, b.alias}[i%2] }, func(int) *visitor { return b.alias })
		a := fresh()
		ended[byTwo] = a.play(steps, func(i int) *visitor {
			return map[bool]*visitor{true: a.other, false: a.first}[i == len(steps)-1]
		}, func(int) *visitor { return a.other })
		t.Log(name, ended)
		for _, column := range []string{byOne, byAccounts} {
			outcome := ended[column]
			stopped := slices.ContainsFunc([]string{"rejected own_", "waits at ", "rejected second_person ", "not approved at "}, func(prefix string) bool { return strings.HasPrefix(outcome, prefix) })
			if !stopped {
				t.Errorf("%s by %s: %s", name, column, outcome)
			}
		}
		if ended[byTwo] != "done" {
			t.Errorf("%s by two people: %s", name, ended[byTwo])
		}
	}
}

// A first release of a risk review is of the order's terms at that time: after a requote both releases are needed again.
func TestSequenceOfRequoteAndRelease(t *testing.T) {
	h := sequenceServer(t)
	s := h.newScene("confirmPayment", sequenceCells{}, "admin")
	a, b, third := h.customer("compliance"), h.customer("compliance"), h.customer("compliance")
	id := s.buysCoin("domestic_wire", largeCoin)
	review := s.underReview(id)
	released := func(who *visitor) string {
		said := release(s.cast, who, review)
		return s.verdict(exits["releaseRisk"].act, review, 0, said)
	}
	require.Equal(t, "waits", released(a), "the first of two")
	agreed(s.cast, s.other, id, s.receives(s.first, id, "3500.00").is(http.StatusAccepted)).is(http.StatusOK)
	quote := s.v.get("/api/orders/" + id + "/requote").is(http.StatusOK).text("quoteId")
	s.v.post("/api/orders/"+id+"/requote", `{"quoteId":"`+quote+`"}`).is(http.StatusOK)
	require.Equal(t, "3500", s.total(id)[:4])
	require.Equal(t, "waits", released(b), "the first release was of another amount")
	require.Equal(t, "rejected second_person", released(b))
	require.Equal(t, "done", released(third))
}

// What is approved of a batch of vouchers is what was seen: vouchers that its maker adds meanwhile are not approved.
func TestSequenceOfChangedVoucherBatch(t *testing.T) {
	h := sequenceServer(t)
	maker, approver := h.customer("admin"), h.customer("admin")
	batch := newName(nil, false)
	add := func() { made("2000").press(nil, maker, batch).is(http.StatusCreated) }
	add()
	version := func() string {
		found := approver.get("/api/admin/approvals")
		if found.status == http.StatusNotFound {
			return ""
		}
		var rows []struct{ ID, Version string }
		found.is(http.StatusOK).read(&rows)
		i := slices.IndexFunc(rows, func(r struct{ ID, Version string }) bool { return r.ID == batch })
		require.GreaterOrEqual(t, i, 0, "the batch waits")
		return rows[i].Version
	}
	approve := func(seen string) *answer {
		body, err := json.Marshal(map[string]string{"version": seen})
		require.NoError(t, err)
		return approver.post("/api/admin/voucher-batches/"+batch+"/approve", map[bool]string{true: "", false: string(body)}[seen == ""])
	}
	seen := version()
	add()
	approve(seen).refused(http.StatusConflict, "proposal_changed")
	require.Zero(t, one[int](h, sources["generateVoucher"].done, batch))
	approve(version()).is(http.StatusOK)
	require.Equal(t, 2, one[int](h, sources["generateVoucher"].done, batch))
}

// staffPerDay is the dollars that may rest on one person's statement in a day, over all customers.
const staffPerDay = 5000

// limited are the actions that count toward the sum of a person and day, each of at least $500 here.
var limited = map[string]act{
	"receipt":         sources["confirmPayment"].act,
	"surplus":         sources["confirmPayment, a surplus"].act,
	"gift card":       sources["approveGiftCard"].act,
	"returned payout": sources["returnPayout"].act,
	"refund":          sources["refundOrder, of another's receipt"].act,
	"marked sent": {done: decisionsOf("mark_sent"), press: markSent,
		make: func(c *cast, _ bool) string { return c.failed(c.buysCoin("balance", smallCoin)) }},
	"voucher": made(smallDollars),
	"break": {done: `SELECT count(*) FROM reconciliation_breaks WHERE id = $1 AND closed_at IS NOT NULL`,
		make: func(c *cast, _ bool) string { return c.broken("stripe", "charge:"+newName(c, false), "USD", 500_00) },
		press: func(c *cast, who *visitor, id string) *answer {
			return who.post("/api/admin/reconciliation/breaks/"+id+"/resolve", booking(ledger.AccountEquity, c.difference(id), "ours"))
		}},
}

// One member of staff and many customers: a person's statements of a day are limited over all of them and over all kinds, and
// above the limit each becomes a proposal.
func TestSequenceOfManyCustomersIsLimited(t *testing.T) {
	h := sequenceServer(t, func(d *Dependencies) {
		most := money.FromInt(staffPerDay * 100)
		d.StaffAlonePerDay, d.Vouchers.Limits.StaffAlone = staffPerDay, &most
	})
	first := h.customer("admin")
	alias := h.spelled(first)
	var wrong []string
	outcome := func(kind string, who *visitor) string {
		s := h.newScene("confirmPayment", sequenceCells{})
		id := limited[kind].make(s.cast, false)
		return s.verdict(limited[kind], id, one[int](h, limited[kind].done, id), limited[kind].press(s.cast, who, id))
	}
	expect := func(when, kind string, who *visitor, wanted string) {
		if got := outcome(kind, who); got != wanted {
			wrong = append(wrong, fmt.Sprintf("%s, %s: %q, not %q", kind, when, got, wanted))
		}
	}
	for _, kind := range names(limited) { // about $4,200
		expect("within the limit", kind, first, "done")
	}
	for outcomes := 0; outcomes < 3 && outcome("receipt", first) == "done"; outcomes++ { // until $5,000 are reached
		require.Less(t, outcomes, 2, "twelve statements of $500 and more by one person")
	}
	for _, kind := range names(limited) {
		expect("above the limit", kind, first, "waits")
		expect("above the limit, under another account", kind, alias, "waits")
		expect("by another person", kind, h.customer("admin"), "done")
	}
	h.later("25 hours")
	for _, who := range []*visitor{first, alias} {
		who.enter()
	}
	expect("a day later", "receipt", alias, "done")
	require.Empty(t, strings.Join(wrong, "\n"))
}

// creditedSQL counts what staff credited to customers, or to orders, from outside of customers' accounts.
const creditedSQL = `SELECT count(*) FROM postings WHERE (from_account LIKE 'customer:%:balance' OR from_account = 'prepaid_orders') AND to_account NOT LIKE 'customer:%'`

// releasedSQL counts what lets value leave.
const releasedSQL = `SELECT (SELECT count(*) FROM decisions WHERE kind IN ('fulfill', 'retry', 'amend_address', 'mark_sent'))
	+ (SELECT count(*) FROM payouts WHERE status IN ('approved', 'paid', 'returned')) + (SELECT count(*) FROM risk_reviews WHERE outcome = 'released')
	+ (SELECT count(*) FROM stranded_credits WHERE paid_at IS NOT NULL) + (SELECT count(*) FROM matter_decisions WHERE kind = 'resume')
	+ (SELECT count(*) FROM vouchers WHERE approved_by IS NOT NULL) + (SELECT count(*) FROM voucher_redemptions)`

// uncredited are the insiders' acts that credit a customer or an order, and are no source, with the reason.
var uncredited = map[string]string{
	"reinstateReturn":      "the bank reinstated a receipt that was attested before; always two people",
	"refuseRisk":           "a refund, as refundOrder: of the receipt that was attested before",
	"reverseGiftCardClaim": "credits what its claim debited, of a value that was attested before; always two people",
}

// unreleased are the insiders' acts that let value leave, and are no exit, with the reason.
var unreleased = map[string]string{}

// Every act of staff that credits a customer or an order is a source of the sequences, and every one that lets value leave
// is an exit.
func TestSequencesCoverEveryAct(t *testing.T) {
	h := sequenceServer(t)
	is := func(op string, in []string) bool {
		return slices.ContainsFunc(in, func(name string) bool { id, _, _ := strings.Cut(name, ","); return id == op })
	}
	found := map[string]bool{}
	for _, name := range names(acts) {
		a := acts[name]
		roles := h.rolesFor(name)
		c := h.cast(a, roles[0], &stage{pact: nil, played: map[string][]string{}})
		for _, who := range []*visitor{c.first, c.alias, c.second} {
			who.client.Transport = http.DefaultTransport
		}
		id := a.make(c, false)
		credited, left := one[int](h, creditedSQL), one[int](h, releasedSQL)
		asked := a.press(c, c.first, id)
		if c.outcomeOf(a, id, asked) != "done" {
			a.agree(c, c.second, id, asked)
		}
		op, _, _ := strings.Cut(name, ",")
		if one[int](h, creditedSQL) > credited {
			found[op] = true
			if !is(op, names(sources)) && uncredited[op] == "" {
				t.Errorf("%s credits a customer or an order: add it to the sources of the sequences, or a reason to uncredited", name)
			}
		}
		if one[int](h, releasedSQL) > left {
			found[op] = true
			if !is(op, names(exits)) && unreleased[op] == "" {
				t.Errorf("%s lets value leave: add it to the exits of the sequences, or a reason to unreleased", name)
			}
		}
	}
	for _, reasons := range []map[string]string{uncredited, unreleased} {
		for op := range reasons {
			if !found[op] {
				t.Errorf("%s has a reason, and neither credits nor releases", op)
			}
		}
	}
}
