package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	reconciliationapi "github.com/tradepost/tradepost/api/reconciliation"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/reporting"
)

// broken makes an effect that is in the statement and not in the ledger, and finds it: a
// break.
func (h *testServer) broken(holder, key, currency string, reported int64) (id string) {
	h.Helper()
	h.exec(`INSERT INTO statement_lines (holder, id, currency, amount, kind, key, at, state, settled, network)
		VALUES ($1, $2, $3, $4, split_part($2, ':', 1), $2, clock_now() - interval '1 day', 'told', true, CASE WHEN $1 = 'bitgo' THEN 'bitcoin' END)`, holder, key, currency, reported)
	h.exec(`INSERT INTO reconciled_effects (holder, key, currency, told, network, last_at)
		VALUES ($1, $2, $3, $4, CASE WHEN $1 = 'bitgo' THEN 'bitcoin' END, clock_now() - interval '1 day')`, holder, key, currency, reported)
	h.exec(`INSERT INTO polls (name, read_to, polled_at) VALUES ('statement ' || $1::text, clock_now(), clock_now()) ON CONFLICT DO NOTHING`, holder)
	h.compared()
	return one[string](h, `SELECT id::text FROM reconciliation_breaks WHERE holder = $1 AND key = $2 AND closed_at IS NULL`, holder, key)
}

// compared runs the comparison as the workflow does.
func (h *testServer) compared() {
	h.Helper()
	for {
		did, err := reconciliation.Reconcile(h.Context(), h.db, 0)
		require.NoError(h, err)
		if !did.More {
			return
		}
	}
}

func booking(account, difference, reason string) string {
	return fmt.Sprintf(`{"account":%q,"difference":%q,"reason":%q}`, account, difference, reason)
}

func approving(account, difference string) string {
	return fmt.Sprintf(`{"account":%q,"difference":%q}`, account, difference)
}

// A break is booked by one person up to the limit, by two above it, once; the
// ledger then agrees with the statement.
func TestABreakIsBookedOnceByWhoMay(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 200; d.Places.Stripe = "https://dashboard.example.com/" })
	first, second, support := h.customer("finance"), h.customer("admin"), h.customer("support")
	support.get("/api/admin/reconciliation/breaks").refused(http.StatusForbidden, "forbidden")
	small, large := h.broken("stripe", "charge:pi_1", "USD", 19_999), h.broken("stripe", "other:txn_1", "USD", -20_001)
	var list []reconciliationapi.ReconciliationBreak
	first.get("/api/admin/reconciliation/breaks?holder=stripe").is(http.StatusOK).read(&list)
	require.Len(t, list, 2)
	require.Equal(t, "unknown_payment", string(list[0].Cause))
	require.Equal(t, "https://dashboard.example.com/pi_1", *list[0].URL)
	require.Equal(t, []string{"resolve"}, list[0].Actions)

	path := "/api/admin/reconciliation/breaks/"
	support.post(path+small+"/resolve", booking("equity", "199.99", "why")).refused(http.StatusForbidden, "forbidden")
	for body, field := range map[string]string{booking("equity", "199.99", " "): "reason", booking("stripe_clearing", "199.99", "why"): "account",
		booking("customer:x:balance", "199.99", "why"): "account"} {
		require.Equal(t, field, first.post(path+small+"/resolve", body).is(http.StatusUnprocessableEntity).text("field"))
	}
	first.post(path+small+"/resolve", booking("unallocated_receipts", "199.98", "why")).refused(http.StatusConflict, "difference_moved")
	first.post(path+small+"/resolve", booking("unallocated_receipts", "199.99", "a customer without an order")).is(http.StatusOK)
	second.post(path+small+"/resolve", booking("unallocated_receipts", "199.99", "again")).refused(http.StatusConflict, "break_closed")

	require.Contains(t, string(first.post(path+large+"/resolve", booking("provider_fees", "-200.01", "an adjustment")).is(http.StatusOK).body), `"waiting":true`)
	first.post(path+large+"/resolve", booking("provider_fees", "-200.01", "an adjustment")).refused(http.StatusConflict, "already_proposed")
	first.post(path+large+"/approve", approving("provider_fees", "-200.01")).refused(http.StatusForbidden, "own_proposal")
	second.post(path+large+"/reject", `{"reason":"which one?"}`).is(http.StatusOK)
	first.post(path+large+"/approve", approving("provider_fees", "-200.01")).refused(http.StatusConflict, "not_proposed")
	first.post(path+large+"/resolve", booking("provider_fees", "-200.01", "an adjustment of May")).is(http.StatusOK)
	second.post(path+large+"/approve", approving("provider_fees", "-200.01")).is(http.StatusOK)

	h.compared()
	require.Zero(t, one[int](h, `SELECT count(*) FROM reconciled_effects WHERE booked <> told`))
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM postings WHERE event = 'reconciled'`))
	require.Equal(t, -2, one[int](h, `SELECT sum(CASE WHEN to_account = 'stripe_clearing' THEN amount ELSE -amount END)::int FROM postings WHERE event = 'reconciled'`))
	require.Equal(t, 5, one[int](h, `SELECT count(*) FROM audit_log WHERE object_kind = 'break'`))
	var detail reconciliationapi.BreakDetail
	first.get(path + large).is(http.StatusOK).read(&detail)
	require.Equal(t, "booked", *detail.Outcome)
	require.Len(t, detail.ToldLines, 1)
	require.Len(t, detail.BookedLines, 0)
	var summary reconciliationapi.ReconciliationSummary
	first.get("/api/admin/reconciliation").is(http.StatusOK).read(&summary)
	require.Equal(t, 2, summary.Holders[0].Booked)
	require.Zero(t, summary.Holders[0].Open)
}

// Bar 5: two people book what both have seen: neither another amount than was
// proposed, nor to another account than the second one read.
func TestBar05BothPeopleBookTheSameBreak(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 200 })
	first, second := h.customer("finance"), h.customer("admin")
	id := h.broken("stripe", "other:txn_1", "USD", -20_001)
	path := "/api/admin/reconciliation/breaks/" + id
	first.post(path+"/resolve", booking("provider_fees", "-200.01", "an adjustment")).is(http.StatusOK)

	h.exec(`UPDATE reconciled_effects SET told = told - 900000`)
	second.post(path+"/approve", approving("provider_fees", "-9200.01")).refused(http.StatusConflict, "difference_moved")
	first.post(path+"/reject", `{"reason":"it has grown"}`).is(http.StatusOK)
	first.post(path+"/resolve", booking("goodwill", "-9200.01", "an adjustment")).is(http.StatusOK)
	second.post(path+"/approve", approving("provider_fees", "-9200.01")).refused(http.StatusConflict, "proposal_moved")
	require.Zero(t, one[int](h, `SELECT count(*) FROM postings WHERE event = 'reconciled'`))
	second.post(path+"/approve", approving("goodwill", "-9200.01")).is(http.StatusOK)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM postings WHERE event = 'reconciled' AND amount = 920001`))
}

// However many people book a break at the same moment, one does.
func TestBar18ABreakIsBookedOnceByManyAtOnce(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 1_000_000 })
	a, b := h.customer("finance"), h.customer("admin")
	for n := range rounds {
		id := h.broken("bitgo", fmt.Sprintf("receipt:tx%d", n), "BTC", 700)
		path := "/api/admin/reconciliation/breaks/" + id + "/resolve"
		h.exec(`UPDATE markets SET ask = 60000, priced_at = clock_now() WHERE asset = 'BTC'`)
		won := contest(t, 20, func() *answer { return a.post(path, booking("equity", "0.000007", "found")) },
			func() *answer { return b.post(path, booking("trading_difference", "0.000007", "found")) })
		require.Equal(t, 1, won[0]+won[1])
		require.Equal(t, 1, one[int](h, `SELECT count(*) FROM postings WHERE group_key = 'break:' || $1::text`, id))
	}
}

// A break shows its timeline: what the same effect did before and after, who proposed and
// decided what, why, and that it was seen again.
func TestABreakShowsItsTimeline(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 200 })
	first, second, v := h.customer("finance"), h.customer("admin"), h.customer()
	order := v.order("card")
	h.exec(`UPDATE payments SET stripe_payment_intent_id = 'pi_story' WHERE order_id = $1`, order)
	id := h.broken("stripe", "charge:pi_story", "USD", 30_000)
	path := "/api/admin/reconciliation/breaks/"
	read := func(id string) (d reconciliationapi.BreakDetail, lines []string) {
		first.get(path + id).is(http.StatusOK).read(&d)
		for _, e := range d.Story {
			lines = append(lines, string(e.Kind)+" "+rest.Word(e.Amount)+" "+rest.Word(e.Account)+" "+rest.Word(e.Reason))
		}
		return d, lines
	}
	detail, lines := read(id)
	require.Equal(t, []string{"found   "}, lines)
	require.Equal(t, []string{"order", order, v.userID}, []string{*detail.ObjectKind, *detail.ObjectID, *detail.CustomerID})

	h.compared()
	first.post(path+id+"/resolve", booking("unallocated_receipts", "300.00", "nobody's")).is(http.StatusOK)
	second.post(path+id+"/reject", `{"reason":"whose is it?"}`).is(http.StatusOK)
	first.post(path+id+"/resolve", booking("equity", "300.00", "the company's")).is(http.StatusOK)
	second.post(path+id+"/approve", approving("equity", "300.00")).is(http.StatusOK)
	detail, lines = read(id)
	require.Equal(t, []string{"found   ", "proposed 300.00 unallocated_receipts nobody's", "rejected   whose is it?", "proposed 300.00 equity the company's", "approved 300.00 equity the company's"}, lines)
	require.Equal(t, one[string](h, `SELECT email FROM users WHERE id = $1`, second.userID), *detail.Story[4].Actor)

	h.compared()
	h.exec(`UPDATE reconciled_effects SET told = told + 5 WHERE key = 'charge:pi_story'`)
	h.advance("11 minutes")
	h.exec(`UPDATE polls SET read_to = clock_now()`)
	h.compared()
	again := one[string](h, `SELECT id::text FROM reconciliation_breaks WHERE closed_at IS NULL`)
	h.compared()
	_, lines = read(again)
	require.Equal(t, []string{"earlier   ", "found   ", "still 0.05  "}, lines)
	h.exec(`UPDATE reconciled_effects SET told = told - 5 WHERE key = 'charge:pi_story'`)
	h.compared()
	_, lines = read(again)
	require.Equal(t, []string{"earlier   ", "found   ", "agreed   "}, lines)
	detail, _ = read(id)
	require.Equal(t, []any{"again", again}, []any{string(detail.Story[5].Kind), *detail.Story[5].Other})
}

// An alert of one break alone leads to it, one of several to their list.
func TestAnAlertLeadsToItsBreak(t *testing.T) {
	h := open(t)
	page := func() string {
		require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, reporting.AlertLimits{Breaks: time.Minute}, true))
		alerts, err := reporting.OpenAlerts(t.Context(), h.db)
		require.NoError(t, err)
		require.Len(t, alerts, 1)
		return alerts[0].Page()
	}
	first := h.broken("stripe", "charge:pi_1", "USD", 100)
	h.advance("2 minutes")
	require.Equal(t, "/admin/reconciliation/"+first, page())
	h.broken("stripe", "charge:pi_2", "USD", 100)
	h.advance("2 minutes")
	require.Equal(t, "/admin/reconciliation?holder=stripe", page())
}

// A break leads to its effect: to the custodian's page of its line, or to the transaction's at an explorer.
func TestBreakLeadsToItsEffect(t *testing.T) {
	linksOf := func(t *testing.T, custody string) (receipt, transfer *string) {
		t.Helper()
		h := open(t, unscaled, func(d *Dependencies) { d.Places.Custody = custody })
		finance := h.customer("finance")
		linkOf := func(key string) *string {
			t.Helper()
			var detail reconciliationapi.BreakDetail
			path := "/api/admin/reconciliation/breaks/" + h.broken("bitgo", key, "BTC", 123457)
			finance.get(path).is(http.StatusOK).read(&detail)
			return detail.URL
		}
		return linkOf("receipt:ab12"), linkOf("transfer:sequence")
	}
	t.Run("custodian", func(t *testing.T) {
		receipt, transfer := linksOf(t, "https://custody.example.com/")
		require.Equal(t, "https://custody.example.com/receipt:ab12", *receipt)
		require.Equal(t, "https://custody.example.com/transfer:sequence", *transfer)
	})
	t.Run("explorer", func(t *testing.T) {
		receipt, transfer := linksOf(t, "")
		require.Equal(t, "https://explorer.example.com/ab12", *receipt)
		require.Nil(t, transfer)
	})
}

// Coin is not borne by accounts that hold dollars alone, and a comparison can be
// asked for.
func TestCoinIsNotBookedToDollarAccounts(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.RefundTwoAbove = 200 })
	finance := h.customer("finance")
	id := h.broken("kraken", "deposit:F1", "BTC", 700)
	var detail reconciliationapi.BreakDetail
	finance.get("/api/admin/reconciliation/breaks/" + id).is(http.StatusOK).read(&detail)
	require.NotContains(t, detail.Accounts, "goodwill")
	refused := finance.post("/api/admin/reconciliation/breaks/"+id+"/resolve", booking("goodwill", "0.000007", "why"))
	require.Equal(t, "account", refused.is(http.StatusUnprocessableEntity).text("field"))
	finance.post("/api/admin/reconciliation/run", "{}").is(http.StatusOK)
	require.Equal(t, []string{"reconciliation"}, h.flows.seen(&h.flows.started))
}
