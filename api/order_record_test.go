package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// Staff read who decided what about an order, why, and what came of it, and how
// its money was booked; a customer reads none of it.
func TestStaffReadTheRecordBehindAnOrder(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.order("zelle")
	payment := one[string](h, `SELECT id::text FROM payments WHERE order_id = $1`, id)
	admin.post("/api/admin/payments/"+payment+"/reject", `{"reason":"no such transfer"}`)
	require.NoError(t, h.db.ChangeOrder(t.Context(), id, func(c *models.OrderChange) error {
		return c.Post("receipt_confirmed", "received", models.ReceiptPostings(c.Order)...)
	}))

	var detail AdminOrderDetail
	admin.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
	require.Len(t, detail.Decisions, 1)
	require.Equal(t, [...]string{"reject", "no such transfer"}, [...]string{detail.Decisions[0].Kind, detail.Decisions[0].Reason})
	require.Contains(t, detail.Decisions[0].Actor, "@")
	require.Empty(t, detail.Purchases)
	require.Len(t, detail.Postings, 1)
	booked := detail.Postings[0]
	require.Equal(t, [...]string{models.AccountPrepaid, models.AccountBank, detail.Total, string(money.USD)},
		[...]string{booked.From, booked.To, booked.Amount, booked.Currency})
	require.NotContains(t, string(v.get("/api/orders/"+id).is(http.StatusOK).body), "no such transfer")
}
