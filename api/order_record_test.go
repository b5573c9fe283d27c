package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// Staff read who decided what about an order, why, and what came of it, and how
// its money was booked; a customer reads none of it.
func TestStaffReadTheRecordBehindAnOrder(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.order("zelle")
	payment := one[string](h, `SELECT id::text FROM payments WHERE order_id = $1`, id)
	admin.post("/api/admin/payments/"+payment+"/reject", `{"reason":"no such transfer"}`)
	require.NoError(t, order.ChangeOrder(t.Context(), h.db, id, func(c *order.OrderChange) error {
		return c.Post("receipt_confirmed", "received", order.ReceiptPostings(c.Order)...)
	}))

	var detail orderapi.AdminOrderDetail
	admin.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
	require.Len(t, detail.Decisions, 1)
	require.Equal(t, [...]string{"reject", "no such transfer"}, [...]string{detail.Decisions[0].Kind, detail.Decisions[0].Reason})
	require.Contains(t, detail.Decisions[0].Actor, "@")
	require.Empty(t, detail.Purchases)
	require.Len(t, detail.Postings, 1)
	booked := detail.Postings[0]
	require.Equal(t, [...]string{ledger.AccountPrepaid, ledger.AccountBank, detail.Total, string(money.USD)},
		[...]string{booked.From, booked.To, booked.Amount, booked.Currency})
	require.NotContains(t, string(v.get("/api/orders/"+id).is(http.StatusOK).body), "no such transfer")
}

// Staff see each mail that was written about an order, whom it went to without
// the whole address, and whether it went out.
func TestStaffSeeTheMailsOfAnOrder(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.order("zelle")
	address := one[string](h, `SELECT u.email FROM users u JOIN orders o ON o.user_id = u.id WHERE o.id = $1`, id)

	var detail orderapi.AdminOrderDetail
	admin.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
	require.Len(t, detail.Mails, 1)
	mail := detail.Mails[0]
	require.Equal(t, orderapi.MailKind("order_created"), mail.Kind)
	require.NotEmpty(t, mail.ID)
	require.Equal(t, orderapi.MaskedEmail(address), mail.To)
	require.NotEqual(t, address, mail.To)
	require.Nil(t, mail.SentAt)

	sent := one[string](h, `UPDATE mails SET sent_at = clock_now(), attempts = 1 WHERE order_id = $1 RETURNING id::text`, id)
	admin.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
	require.Equal(t, sent, detail.Mails[0].ID)
	require.NotNil(t, detail.Mails[0].SentAt)
}
