package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/mailqueue"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// credit books something on a customer's balance, as the workflows do.
func (h *testServer) credit(orderID, userID, event string, cents int64) {
	h.Helper()
	require.NoError(h, order.ChangeOrder(h.Context(), h.db, orderID, func(c *order.OrderChange) error {
		return c.Post(event, event, ledger.Posting{From: ledger.CustomerBalance(userID), To: ledger.AccountPromotions, Currency: money.USD, Amount: money.FromInt(cents)})
	}))
}

func TestBalanceShowsItsOwnerWhatEachChangeWasFor(t *testing.T) {
	h := open(t)
	v, stranger := h.customer(), h.customer()
	id := v.order("domestic_wire")
	h.credit(id, v.userID, "bonus_credited", 750)
	h.credit(id, v.userID, "refunded", 10050)

	var first, second ledgerapi.Balance
	page := v.get("/api/balance?limit=1").is(http.StatusOK)
	page.read(&first)
	require.Equal(t, "108.00", first.Balance)
	require.Equal(t, "0.00", first.Receivable)
	require.Len(t, first.Entries, 1)
	require.Equal(t, "refund", first.Entries[0].Kind)
	require.Equal(t, "100.50", first.Entries[0].Amount)
	require.Equal(t, "108.00", first.Entries[0].BalanceAfter)
	require.Equal(t, id, *first.Entries[0].OrderID)
	require.NotEmpty(t, *first.Entries[0].Reference)

	next := nextPage.FindStringSubmatch(page.header.Get("Link"))
	require.NotNil(t, next)
	v.get(next[1]).is(http.StatusOK).read(&second)
	require.Equal(t, "7.50", second.Entries[0].BalanceAfter)
	require.Equal(t, "bonus", second.Entries[0].Kind)

	var other ledgerapi.Balance
	stranger.get("/api/balance").is(http.StatusOK).read(&other)
	require.Equal(t, ledgerapi.Balance{Balance: "0.00", Receivable: "0.00", Reserved: "0.00", MinPayout: "10.00", Entries: []ledgerapi.BalanceEntry{}}, other)
	v.get("/api/balance?cursor=nonsense").refused(http.StatusUnprocessableEntity, "bad_cursor")
}

func TestBalanceBuysCoinAtOnce(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	h.credit(v.order("domestic_wire"), v.userID, "bonus_credited", 60_000)
	order := v.post("/api/orders", strings.Replace(newOrder, `"card"`, `"balance"`, 1)).is(http.StatusCreated)
	require.Equal(t, "payment_approved", order.text("status"))
	require.Contains(t, string(v.get("/api/limits").is(http.StatusOK).body), `{"method":"balance"`, "the page offers it")
	total, err := money.USD.Parse(order.text("quoteFiat"))
	require.NoError(t, err)
	var after ledgerapi.Balance
	v.get("/api/balance").is(http.StatusOK).read(&after)
	require.Equal(t, money.USD.Format(money.FromInt(60_000).Sub(total)), after.Balance)
	require.Equal(t, "purchase", after.Entries[0].Kind)
	require.Equal(t, "-"+money.USD.Format(total), after.Entries[0].Amount)
	v.post("/api/orders", strings.Replace(newOrder, `"card"`, `"balance"`, 1)).refused(http.StatusUnprocessableEntity, "insufficient_balance")
	v.post("/api/orders/"+order.text("id")+"/cancel", "").is(http.StatusConflict)
	var detail orderapi.AdminOrderDetail
	admin.get("/api/admin/orders/" + order.text("id")).is(http.StatusOK).read(&detail)
	require.Contains(t, detail.Actions, "fulfill")
	_, err = mailqueue.ClaimMail(t.Context(), h.db, time.Second, "") // of the wire order
	require.NoError(t, err)
	mail, err := mailqueue.ClaimMail(t.Context(), h.db, time.Second, "")
	require.NoError(t, err)
	require.Equal(t, "payment_approved", mail.Kind, "nobody is asked to pay for what is paid")
}
