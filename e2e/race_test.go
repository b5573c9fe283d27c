package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// Two admins, several clicks each, at the same moment: one decision counts, is executed once and is audited once; the
// others receive the reason.
func TestBar18SimultaneousDecisionsCountOnce(t *testing.T) {
	t.Parallel()
	customer, alice, bob := verified(t), admin(t), signedIn(t, local.DemoSecondAdmin)
	o := customer.buy(some(t, "BTC", "0.005"))
	customer.authorise(o.ID)

	contest(t, o.ID, "process", "/api/admin/payments/"+alice.payment(o.ID).ID+"/process", alice, bob)
	customer.reaches(o.ID, "payment_approved")
	contest(t, o.ID, "fulfill", "/api/admin/orders/"+o.ID+"/fulfill", alice, bob)
	customer.reaches(o.ID, "sent")
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
}

// contest has each of them press a button three times at once.
func contest(t *testing.T, orderID, kind, path string, staff ...*visitor) {
	t.Helper()
	var pressed []<-chan answer
	for range 3 {
		for _, v := range staff {
			pressed = append(pressed, v.press(path))
		}
	}
	won := 0
	for _, press := range pressed {
		got := <-press
		if got.status == http.StatusOK || got.status == http.StatusAccepted {
			won++
			continue
		}
		require.Equal(t, http.StatusConflict, got.status, got.Message)
		require.NotEmpty(t, got.Message)
	}
	require.Equal(t, 1, won)
	var audited int
	require.NoError(t, database.QueryRow(t.Context(),
		"SELECT count(*) FROM audit_log WHERE object_id = $1 AND action = $2", orderID, "order."+kind).Scan(&audited))
	require.Equal(t, 1, audited)
}

// A double click on Buy: two orders with two keys cannot come from one quote; the same key gives the same answer, and
// another body for it is refused.
func TestBar19RepeatedOrderIsOneOrder(t *testing.T) {
	t.Parallel()
	customer := verified(t)
	what := some(t, "BTC", "0.002")
	quote, _ := customer.quote(what)
	body := map[string]string{"asset": what.asset, "amountAsset": what.amount, "paymentMethod": what.method, "destAddress": what.address, "quoteId": quote}
	first, second := customer.withKey("e2e-key-0001", body), customer.withKey("e2e-key-0001", body)
	require.Equal(t, http.StatusCreated, first.status, string(first.body))
	require.Equal(t, string(first.body), string(second.body))
	changed := map[string]string{"asset": what.asset, "amountAsset": "0.1", "paymentMethod": what.method, "destAddress": what.address}
	require.Equal(t, http.StatusUnprocessableEntity, customer.withKey("e2e-key-0001", changed).status)
	require.GreaterOrEqual(t, customer.withKey("e2e-key-0002", body).status, 400, "a quote is taken up once")
	var orders []order
	customer.get("/api/orders", &orders)
	require.Len(t, orders, 1)
}
