package api

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
	supportapi "github.com/tradepost/tradepost/api/support"
	"github.com/tradepost/tradepost/models/reporting"
)

// many copies an order often, each a minute older than the one before, every
// third of them failed.
func (h *testServer) many(orderID string, copies int) {
	h.Helper()
	h.exec(`INSERT INTO orders (id, reference, user_id, asset, network, amount, dest_address, payment_method, status, resolution, unit_price,
			base_price, payment_fee, volume_discount, total, payment_due_at, created_at, updated_at)
		SELECT gen_random_uuid(), 'TP-' || n, user_id, asset, network, amount, dest_address, payment_method,
			CASE WHEN n % 3 = 0 THEN 'failed' ELSE status END, CASE WHEN n % 3 = 0 THEN 'cancelled' END, unit_price,
			base_price, payment_fee, volume_discount, total, payment_due_at, created_at - n * interval '1 minute', created_at
		FROM orders, generate_series(1, $2::int) n WHERE id = $1`, orderID, copies)
	h.exec(`INSERT INTO payments (id, order_id, user_id, payment_method, amount, due_at, created_at)
		SELECT gen_random_uuid(), o.id, o.user_id, o.payment_method, o.total, o.payment_due_at, o.created_at FROM orders o
		WHERE NOT EXISTS (SELECT FROM payments p WHERE p.order_id = o.id)`)
}

var nextPage = regexp.MustCompile(`<([^>]+)>; rel="next"`)

// walk reads every page of a list and counts the ids it met.
func (v *visitor) walk(path string, ids func(*answer) []string) map[string]int {
	v.Helper()
	met := map[string]int{}
	for pages := 0; path != ""; pages++ {
		require.Less(v, pages, 50, "the list does not end")
		page := v.get(path).is(http.StatusOK)
		for _, id := range ids(page) {
			met[id]++
		}
		path = ""
		if next := nextPage.FindStringSubmatch(page.header.Get("Link")); next != nil {
			path = next[1]
		}
	}
	return met
}

func orderIDs(a *answer) (ids []string) {
	var rows []struct{ ID string }
	a.read(&rows)
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

func paymentIDs(a *answer) (ids []string) {
	var list struct{ Payments []struct{ ID string } }
	a.read(&list)
	for _, row := range list.Payments {
		ids = append(ids, row.ID)
	}
	return ids
}

func TestListsAreWalkedOnceAndCountedWhole(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	const copies = 149
	h.many(v.order("domestic_wire"), copies)
	for path, ids := range map[string]func(*answer) []string{
		"/api/orders": orderIDs, "/api/transactions": orderIDs, "/api/admin/orders": orderIDs, "/api/admin/payments/pending": paymentIDs,
	} {
		who := v
		if strings.Contains(path, "/admin/") {
			who = admin
		}
		met := who.walk(path, ids)
		require.Len(t, met, copies+1, path)
		for id, times := range met {
			require.Equal(t, 1, times, "%s in %s", id, path)
		}
		require.Equal(t, "150", who.get(path).header.Get("X-Total-Count"), path)
	}
	var orders orderapi.OrdersSummary
	v.get("/api/orders/summary").is(http.StatusOK).read(&orders)
	require.Equal(t, 150, orders.Total)
	require.Equal(t, map[string]int{"pending": 101, "failed": 49}, filled(orders.ByStatus))
	require.Equal(t, "49", admin.get("/api/admin/orders?status=failed").is(http.StatusOK).header.Get("X-Total-Count"))
	require.Len(t, admin.walk("/api/admin/orders?status=failed", orderIDs), 49)
}

// What the queue of failed orders counts is what its page lists.
func TestFailedOrdersThatCanBeRetriedAreListedAlone(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	waits, ended := v.order("domestic_wire"), v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'failed', failed_step = 'buy' WHERE id IN ($1, $2)`, waits, ended)
	h.exec(`UPDATE orders SET resolution = 'refunded', closed_at = clock_now() WHERE id = $1`, ended)
	alert := reporting.Alert{Kind: reporting.AlertQueue, Subject: "failed"}
	require.Equal(t, []string{waits}, orderIDs(admin.get("/api"+alert.Page()).is(http.StatusOK)))
}

// A list leaves out columns that it does not show; what it shows of an order is
// what the order's own page says.
func TestListsSayOfAnOrderWhatItsPageSays(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	for _, state := range []string{
		`status = 'pending'`, `attention_reason = 'money_short', attention_since = now(), choice_reason = 'money_short'`,
		`attention_reason = 'price_moved', attention_since = now(), choice_reason = 'price_moved', status = 'payment_approved', paid_at = now()`,
		`attention_reason = NULL, attention_since = NULL, choice_reason = NULL, status = 'failed', failed_step = 'buy', fulfillment_code = 'exchange_refused', retry_count = 2`,
		`resolution = 'refunded', refunded = total`, `status = 'sent', resolution = NULL, txid = 'abc', sent_at = now(), confirmed_at = now()`,
	} {
		h.exec(`UPDATE orders SET `+state+` WHERE id = $1`, id)
		var listed []orderapi.Order
		v.get("/api/orders").is(http.StatusOK).read(&listed)
		var detail orderapi.OrderDetail
		v.get("/api/orders/" + id).is(http.StatusOK).read(&detail)
		require.Equal(t, detail.Order, listed[0], state)
		var history []reportingapi.Transaction
		v.get("/api/transactions").is(http.StatusOK).read(&history)
		if listed[0].Status == "sent" {
			require.NotNil(t, history[0].Resolution, "all its money went back")
			require.Equal(t, history[0].Resolution, listed[0].Metadata.AfterSent)
		}
	}
}

// The same order has the same status everywhere: an authorised card on lists, receipt,
// history, files and the back office, until it is accepted.
func TestAnAuthorisedOrderSaysSoEverywhere(t *testing.T) {
	h := open(t)
	v, finance := h.customer(), h.customer("admin")
	id := v.order("card")
	v.asks(`{"subject":"transaction","message":"Where is my coin?","orderId":"` + id + `"}`)
	said := func() map[string]bool {
		var orders []orderapi.Order
		v.get("/api/orders").is(http.StatusOK).read(&orders)
		var detail orderapi.OrderDetail
		v.get("/api/orders/" + id).is(http.StatusOK).read(&detail)
		var receipt orderapi.OrderReceipt
		v.get("/api/orders/" + id + "/receipt").is(http.StatusOK).read(&receipt)
		var history []reportingapi.Transaction
		v.get("/api/transactions").is(http.StatusOK).read(&history)
		var queue []orderapi.AdminOrder
		finance.get("/api/admin/orders?q=" + id).is(http.StatusOK).read(&queue)
		var staff orderapi.AdminOrderDetail
		finance.get("/api/admin/orders/" + id).is(http.StatusOK).read(&staff)
		var book []reportingapi.AdminTransaction
		finance.get("/api/admin/transactions?q=" + id).is(http.StatusOK).read(&book)
		var tickets []supportapi.AdminTicket
		finance.get("/api/admin/support/tickets").is(http.StatusOK).read(&tickets)
		var ticket supportapi.AdminTicketDetail
		finance.get("/api/admin/support/tickets/" + tickets[0].ID).is(http.StatusOK).read(&ticket)
		var hits []reportingapi.SearchHit
		finance.get("/api/admin/search?q=" + id).is(http.StatusOK).read(&hits)
		file := string(v.get("/api/transactions/export").is(http.StatusOK).body)
		books := string(finance.get("/api/admin/transactions/export?q=" + id).is(http.StatusOK).body)
		return map[string]bool{"orders": orders[0].Authorised, "order": detail.Authorised, "receipt": receipt.Authorised, "history": history[0].Authorised,
			"queue": queue[0].Authorised, "staff": staff.Authorised, "book": book[0].Status == "authorised", "ticket": ticket.Customer.Orders[0].Authorised,
			"search": hits[0].Status == "authorised", "file": strings.Contains(file, ",authorised,"), "books": strings.Contains(books, ",authorised,")}
	}
	everywhere := func(want bool) map[string]bool {
		words := said()
		for place := range words {
			words[place] = want
		}
		return words
	}
	require.Equal(t, everywhere(false), said())
	h.authorise(id)
	require.Equal(t, everywhere(true), said())
	require.Equal(t, map[string]int{id: 1}, v.walk("/api/orders?status=authorised", orderIDs))
	h.exec(`UPDATE orders SET status = 'payment_approved', paid_at = clock_now() WHERE id = $1`, id)
	require.Equal(t, everywhere(false), said())
}

// What was declined, cancelled or refunded has ended, and has not failed.
func TestAFailedOrderIsOneThatHasNotEnded(t *testing.T) {
	h := open(t)
	v := h.customer()
	failed := v.order("domestic_wire")
	h.exec(`UPDATE orders SET status = 'failed', paid_at = clock_now(), failed_step = 'buy', fulfillment_code = 'exchange_refused' WHERE id = $1`, failed)
	code := func(id string) *string {
		var order orderapi.OrderDetail
		v.get("/api/orders/" + id).is(http.StatusOK).read(&order)
		return order.Metadata.FulfillmentCode
	}
	require.Equal(t, "exchange_refused", *code(failed))
	for _, end := range []string{"declined", "cancelled", "expired", "refunded"} {
		id := v.order("domestic_wire")
		h.exec(`UPDATE orders SET status = 'failed', resolution = $2, closed_at = clock_now() WHERE id = $1`, id, end)
		require.Nil(t, code(id), "nothing of it was ever fulfilled")
		require.Equal(t, map[string]int{id: 1}, v.walk("/api/orders?status="+end, orderIDs), end)
		require.Equal(t, "1", v.get("/api/orders?limit=1&status="+end).header.Get("X-Total-Count"), end)
	}
	for _, path := range []string{"/api/orders?status=failed", "/api/transactions?status=failed"} {
		require.Equal(t, map[string]int{failed: 1}, v.walk(path, orderIDs), path)
		require.Equal(t, "1", v.get(path).header.Get("X-Total-Count"), path)
	}
	require.Len(t, v.walk("/api/orders?status=all", orderIDs), 5)
	var n reportingapi.TransactionsSummary
	v.get("/api/transactions/summary?status=failed").is(http.StatusOK).read(&n)
	require.Equal(t, 1, n.Matching)
}

// filled leaves out what counts nothing.
func filled(counts map[string]int) map[string]int {
	out := map[string]int{}
	for name, n := range counts {
		if n > 0 {
			out[name] = n
		}
	}
	return out
}

func TestBar38ExportedCellsRunNothing(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	for _, cell := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\tx"} {
		h.exec(`UPDATE orders SET dest_address = $2 WHERE id = $1`, id, cell)
		export := v.get("/api/transactions/export").is(http.StatusOK)
		require.Contains(t, export.header.Get("Content-Disposition"), "attachment")
		rows, err := csv.NewReader(strings.NewReader(string(export.body))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"\ufeffOrder ID", "Date", "Crypto", "Amount", "USD Amount", "Payment Method", "Status", "Wallet Address"}, rows[0])
		require.Equal(t, "'"+cell, rows[1][7])
	}
	spanish := string(v.get("/api/transactions/export", "Accept-Language", "es").is(http.StatusOK).body)
	require.True(t, strings.HasPrefix(spanish, "\ufeffID de la orden,Fecha,Criptomoneda,Monto,Monto en USD,Método de pago,Estado,Dirección de la billetera\n"), spanish)
}

func TestLackOfOurOwnFundsIsNotShownToTheCustomer(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("card")
	h.exec(`UPDATE orders SET status = 'failed', failed_step = 'buy', fulfillment_code = 'insufficient_funds', paid_at = clock_now() WHERE id = $1`, id)
	h.exec(`INSERT INTO order_events (order_id, kind, status, data) VALUES ($1, 'failed', 'failed', '{"step":"buy","code":"insufficient_funds"}')`, id)
	shown := string(v.get("/api/orders/" + id).is(http.StatusOK).body)
	require.NotContains(t, shown, "insufficient_funds")
	require.Contains(t, shown, "exchange_refused")
}
