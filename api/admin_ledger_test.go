package api

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	auditapi "github.com/tradepost/tradepost/api/audit"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
)

// csvOf reads an export.
func (v *visitor) csvOf(path string) [][]string {
	v.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(v.get(path).is(http.StatusOK).body))).ReadAll()
	require.NoError(v, err)
	return rows
}

// Every posting leads to what it was for; an account's balance before and after
// a period is what its postings say; the trial balance sums to zero; and each is
// exported as it is shown.
func TestTheLedgerIsReadAsItWasBooked(t *testing.T) {
	h := open(t)
	v, finance, support := h.customer(), h.customer("finance"), h.customer("support")
	order, other := v.order("card"), v.order("card")
	post := func(group, event, from, to, amount, about string) {
		h.exec(`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount, order_id) VALUES ($1, 1, $2, $3, $4, 'USD', $5, $6)`, group, event, from, to, amount, about)
	}
	post("a", "captured", ledger.AccountPrepaid, ledger.AccountClearing, "10000", order)
	middle := one[time.Time](h, `SELECT clock_now()`)
	post("b", "captured", ledger.AccountPrepaid, ledger.AccountClearing, "2500", other)
	post("c", "refunded", ledger.CustomerBalance(v.userID), ledger.AccountPrepaid, "700", order)

	list := func(query string) (rows []ledgerapi.BookedPosting) {
		finance.walk("/api/admin/ledger/postings?limit=2&"+query, func(a *answer) []string {
			var some []ledgerapi.BookedPosting
			a.read(&some)
			rows = append(rows, some...)
			return nil
		})
		return rows
	}
	groups := func(query string) string {
		var names []string
		for _, p := range list(query) {
			names = append(names, p.Group)
		}
		return strings.Join(names, " ")
	}
	at := url.QueryEscape(middle.UTC().Format(time.RFC3339Nano))
	for query, want := range map[string]string{
		"": "c b a", "event=captured": "b a", "account=stripe_clearing": "b a", "account=prepaid_orders": "c b a", "account=prepaid_orders&event=refunded": "c", "account=prepaid_orders&currency=USD": "c b a",
		"currency=BTC": "", "object=" + order: "c a", "object=" + order + "&account=stripe_clearing": "a", "from=" + at: "c b", "to=" + at: "a", "account=stripe_clearing&from=" + at: "b",
		"account=" + ledger.CustomerBalance(v.userID): "c", "account=equity": "", "from=2020-01-01&to=2020-12-31": "", "to=2199-12-31": "c b a",
	} {
		require.Equal(t, want, groups(query), query)
		require.Len(t, finance.csvOf("/api/admin/ledger/postings/export?"+query), len(strings.Fields(want))+1, query)
	}
	rows := finance.csvOf("/api/admin/ledger/postings/export?object=" + order + "&event=captured")
	require.Equal(t, []string{"ID", "At", "Event", "Debit", "Credit", "Currency", "Amount", "Object", "Object ID",
		"Group", "Bank reference", "Value date"}, rows[0], "a file for machines begins with no mark")
	require.Equal(t, []string{ledger.AccountClearing, ledger.AccountPrepaid}, rows[1][3:5], "the sides of the page")
	require.Equal(t, []string{"order", order, "refunded"}, []string{*list("")[0].ObjectKind, *list("")[0].ObjectID, list("")[0].Event})

	for query, want := range map[string][2]string{
		"account=stripe_clearing": {"0.00", "125.00"}, "account=stripe_clearing&to=" + at: {"0.00", "100.00"}, "account=stripe_clearing&from=" + at: {"100.00", "125.00"},
		"account=prepaid_orders&from=" + at: {"-100.00", "-118.00"}, "account=" + ledger.CustomerBalance(v.userID) + "&from=" + at: {"0.00", "-7.00"}, "account=wallet:bitcoin&currency=BTC": {"0", "0"},
	} {
		var account ledgerapi.LedgerAccount
		finance.get("/api/admin/ledger/account?" + query).is(http.StatusOK).read(&account)
		require.Equal(t, want, [2]string{account.Opening, account.Closing}, query)
	}
	finance.get("/api/admin/ledger/account?account=nothing").is(http.StatusNotFound)

	for moment, want := range map[string]string{"": "customers:balance -7.00 prepaid_orders -118.00 stripe_clearing 125.00", "?at=" + at: "prepaid_orders -100.00 stripe_clearing 100.00", "?at=2020-01-01": "",
		"?at=2199-01-01": "customers:balance -7.00 prepaid_orders -118.00 stripe_clearing 125.00"} {
		var books ledgerapi.LedgerStatement
		finance.get("/api/admin/ledger" + moment).is(http.StatusOK).read(&books)
		require.True(t, books.Balanced)
		var lines []string
		for _, b := range books.Balances {
			lines = append(lines, b.Account+" "+b.Balance)
		}
		require.Equal(t, want, strings.Join(lines, " "), moment)
		for _, sum := range books.Sums {
			require.Equal(t, "0.00", sum.Sum, moment)
		}
		exported := finance.csvOf("/api/admin/ledger/export" + moment)
		require.Len(t, exported, len(books.Balances)+1)
		for i, b := range books.Balances {
			require.Equal(t, []string{b.Account, b.Balance}, []string{exported[i+1][1], exported[i+1][4]}, "a figure stays one, also with a sign")
			debit, credit := b.Balance, ""
			if amount, negative := strings.CutPrefix(b.Balance, "-"); negative {
				debit, credit = "", amount
			}
			require.Equal(t, []string{debit, credit}, exported[i+1][5:7], "as the page shows it")
		}
	}
	var words ledgerapi.LedgerWords
	finance.get("/api/admin/ledger/words").is(http.StatusOK).read(&words)
	require.Equal(t, []string{"captured", "refunded"}, words.Events)
	for query, field := range map[string]string{"from=now": "from", "to=2026-02-30": "to", "from=2026-02-02&to=2026-01-01": "to", "account=customers:balance": "account", "object=1": "object", "cursor=x": "cursor"} {
		require.Contains(t, string(finance.get("/api/admin/ledger/postings?"+query).is(http.StatusUnprocessableEntity).body), `"`+field+`"`, query)
	}
	support.get("/api/admin/ledger").is(http.StatusForbidden)

	post("d", "sent", ledger.AccountFees, "wallet:bitcoin", "1", order)
	h.exec(`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount) VALUES ('e', 1, 'sent', 'wallet:bitcoin', 'fees_earned', 'BTC', 5)`)
	var books ledgerapi.LedgerStatement
	finance.get("/api/admin/ledger").is(http.StatusOK).read(&books)
	require.False(t, books.Balanced, "a wallet below zero is told")
	var balances []string
	for _, b := range books.Balances {
		if b.Wrong {
			balances = append(balances, b.Account+" "+b.Balance+" "+b.Currency)
		}
	}
	require.Equal(t, []string{"wallet:bitcoin -" + money.BTC.Format(money.FromInt(5)) + " BTC"}, balances)
}

// The audit log describes what staff did: who, what, to what, what changed, and why; by
// every filter, and in its export, of which no cell is executable.
func TestTheAuditLogIsReadInWords(t *testing.T) {
	h := open(t)
	v, compliance, admin := h.customer(), h.customer("compliance"), h.customer("admin")
	compliance.post("/api/admin/customers/"+v.userID+"/freeze", `{"reason":"=HYPERLINK(1)"}`).is(http.StatusOK)
	made := admin.generate("50", "USD")
	admin.unsafe(http.MethodPatch, "/api/admin/customers/"+v.userID+"/tier", `{"volumeTier":"gold","version":1,"reason":"loyal"}`)
	require.NoError(t, audit.Audit(t.Context(), h.db, audit.AuditEntry{ActorRole: "system", Action: "test.nested", ObjectKind: "thing", ObjectID: "7",
		Before: map[string]any{"a": map[string]any{"b": 1}, "same": "x"}, After: map[string]any{"a": map[string]any{"b": json.Number("12345678901234567890")}, "same": "x", "list": []int{1, 2}}}))
	list := func(query string) (rows []auditapi.AuditEntry) {
		compliance.get("/api/admin/audit?" + query).is(http.StatusOK).read(&rows)
		return rows
	}
	actions := func(query string) string {
		var words []string
		for _, e := range list(query) {
			words = append(words, e.Action)
		}
		return strings.Join(words, " ")
	}
	all := actions("")
	require.Contains(t, all, "customer.frozen")
	today := time.Now().UTC().Format(time.DateOnly)
	for query, want := range map[string]string{
		"actor=system": "test.nested", "action=customer.frozen": "customer.frozen", "kind=thing": "test.nested", "object=" + v.userID + "&actor=" + compliance.userID: "customer.frozen",
		"actor=" + compliance.userID + "&kind=thing": "", "to=2020-01-01": "", "action=test.nested&from=" + today: "test.nested",
	} {
		require.Equal(t, want, actions(query), query)
	}
	frozen := list("action=customer.frozen")[0]
	yes, no, name := "true", "false", "Ada"
	require.Equal(t, auditapi.AuditEntry{ID: frozen.ID, At: frozen.At, ActorID: &compliance.userID, ActorName: &name, ActorRole: "compliance", Action: "customer.frozen", ObjectKind: "user", ObjectID: v.userID, ObjectName: &name,
		Changes: []auditapi.AuditChange{{Field: "frozen", Before: &no, After: &yes}}, Reason: "=HYPERLINK(1)", RequestID: frozen.RequestID}, frozen)
	require.Equal(t, one[string](h, `SELECT reference FROM vouchers WHERE id = $1`, made.ID), *list("object=" + made.ID)[0].ObjectName)
	// People are found by e-mail or name, objects by reference.
	email := one[string](h, `SELECT email FROM users WHERE id = $1`, compliance.userID)
	reference := one[string](h, `SELECT reference FROM vouchers WHERE id = $1`, made.ID)
	for query, want := range map[string]string{
		"actor=" + url.QueryEscape(email): "customer.frozen", "actor=" + url.QueryEscape(strings.ToUpper(email[:len(email)-4])): "customer.frozen",
		"actor=nobody@example.org": "", "object=" + strings.ToLower(reference): "voucher.generate", "object=TP-0000-0000": "",
	} {
		require.Equal(t, want, actions(query), query)
	}
	was, is, listed := "1", "12345678901234567890", "1, 2"
	require.Equal(t, []auditapi.AuditChange{{Field: "a.b", Before: &was, After: &is}, {Field: "list", Before: nil, After: &listed}}, list("kind=thing")[0].Changes)

	met := compliance.walk("/api/admin/audit?limit=1", func(a *answer) (ids []string) {
		var rows []auditapi.AuditEntry
		a.read(&rows)
		for _, row := range rows {
			ids = append(ids, strconv.FormatInt(row.ID, 10))
		}
		return ids
	})
	require.Len(t, met, len(strings.Fields(all)))
	exported := compliance.csvOf("/api/admin/audit/export?action=customer.frozen")
	require.Equal(t, []string{"'=HYPERLINK(1)", compliance.userID, `{"frozen": false}`}, []string{exported[1][9], exported[1][2], exported[1][7]})
	require.Equal(t, "audit.exported", list("")[0].Action, "that it was taken is in it")
	newest := list("")[0].ID
	require.Eventually(t, func() bool { // entries that are not final yet are left to the next export
		seal, err := audit.LastSeal(t.Context(), h.db)
		return err == nil && seal.ThroughID == newest || audit.SealAudit(t.Context(), h.db, audit.Sealing{}) != nil
	}, settledWait, settledPoll)
	var summary auditapi.AuditSummary
	compliance.get("/api/admin/audit/summary").is(http.StatusOK).read(&summary)
	require.Contains(t, summary.Actions, "customer.frozen")
	require.Contains(t, summary.Kinds, "thing")
	require.Equal(t, fmt.Sprint(list("")[0].ID), fmt.Sprint(summary.SealedTo))
	require.Len(t, summary.Seal, 64)
	for query, field := range map[string]string{"from=x": "from", "cursor=x": "cursor"} {
		require.Contains(t, string(compliance.get("/api/admin/audit?"+query).is(http.StatusUnprocessableEntity).body), `"`+field+`"`, query)
	}
	for _, role := range []string{"support", "finance"} {
		h.customer(role).get("/api/admin/audit").is(http.StatusForbidden)
	}
}

// The line of a confirmed receipt says what came. The log holds the id of its decision, and what a decision says of a
// person can be erased.
func TestTheAuditLogSaysWhatAReceiptWas(t *testing.T) {
	h := open(t)
	wire := h.customer().order("domestic_wire")
	payment := one[string](h, `SELECT id::text FROM payments WHERE order_id = $1`, wire)
	today := one[string](h, `SELECT to_char(clock_now(), 'YYYY-MM-DD')`)
	h.customer("admin").post("/api/admin/payments/"+payment+"/confirm",
		`{"amount":"12.34","receivedOn":"`+today+`","bankReference":"B-7"}`)
	var lines []auditapi.AuditEntry
	found := h.customer("compliance").get("/api/admin/audit?action=order.confirm_receipt&object=" + wire)
	found.is(http.StatusOK).read(&lines)
	require.Len(t, lines, 1)
	told := map[string]string{}
	for _, change := range lines[0].Changes {
		if change.After != nil {
			told[change.Field] = *change.After
		}
	}
	require.Subset(t, told, map[string]string{"amount": "12.34", "bank_reference": "B-7", "received_on": today})
}
