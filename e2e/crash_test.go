package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
)

// today is the date of the database's clock.
func today(t *testing.T) string {
	t.Helper()
	db, err := models.Open(t.Context(), stack.AppDSN(), models.Options{MaxConns: 1})
	require.NoError(t, err)
	defer db.Close()
	now, err := db.Now(t.Context())
	require.NoError(t, err)
	return now.UTC().Format(time.DateOnly)
}

// A worker is killed with SIGKILL while its request hangs at the provider, just
// before and just after the provider acts. It comes back, finds out, and the
// provider counts one effect.
func TestWorkerKilledInTheMiddleOfAnOrder(t *testing.T) {
	for _, step := range []struct{ worker, provider, operation, effect string }{
		{"payments", "stripe", "capture", "stripe/capture"},
		{"exchange", "kraken", "AddOrder", "kraken/fill"},
		{"custody", "bitgo", "sendcoins", "bitgo/send"},
	} {
		for _, moment := range []string{"hold_before", "hold_after"} {
			t.Run(step.worker+" "+moment, func(t *testing.T) {
				balanceBooks(t)
				customer, staff := verified(t), admin(t)
				before := effects(t)
				o := customer.buy("BTC", "0.003", bitcoinAddress, "card")
				customer.authorise(o.ID)

				kill := func() {
					struck(t, step.operation)
					require.NoError(t, stack.Kill(step.worker))
					release(t)
					require.NoError(t, stack.Up(t.Context(), step.worker))
				}
				hang := fault{Provider: step.provider, Operation: step.operation, Code: moment, Count: 1}
				process := "/api/admin/payments/" + staff.payment(o.ID).ID + "/process"
				if step.worker == "payments" {
					arm(t, hang)
					go staff.call(http.MethodPost, process, nil, nil) // answers late, or not at all
					kill()
					customer.reaches(o.ID, "payment_approved")
				} else {
					staff.post(process, nil, nil)
					customer.reaches(o.ID, "payment_approved")
					arm(t, hang)
				}
				staff.post("/api/admin/orders/"+o.ID+"/fulfill", map[string]string{}, nil)
				if step.worker != "payments" {
					kill()
				}
				untilIn(t, 3*time.Minute, "the order to be sent", func() bool {
					now := customer.order(o.ID)
					require.NotEqual(t, "failed", now.Status)
					return now.Status == "sent"
				})
				require.Equal(t, map[string]int{"stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1},
					pick(since(t, before), "stripe/capture", "kraken/fill", "bitgo/send"))
			})
		}
	}
}

// The API dies as soon as it has answered; a new one finds everything in place.
func TestKilledAPIComesBackWithSessionsAndOrders(t *testing.T) {
	balanceBooks(t)
	customer := verified(t)
	o := customer.buy("BTC", "0.002", bitcoinAddress, "card")
	require.NoError(t, stack.Kill("api"))
	require.NoError(t, stack.Up(t.Context(), "api"))
	require.Equal(t, "pending", customer.order(o.ID).Status)
	customer.authorise(o.ID)
}

// Orders are taken while Temporal is away, and go on when it is back.
func TestOrdersAreTakenWhileTemporalIsAway(t *testing.T) {
	balanceBooks(t)
	customer := verified(t)
	require.NoError(t, stack.Down("temporal"))
	t.Cleanup(func() { _ = stack.Up(t.Context(), "temporal") })
	o := customer.buy("BTC", "0.002", bitcoinAddress, "card")
	require.Equal(t, "preparing", customer.order(o.ID).Payment.Checkout.State)
	require.NoError(t, stack.Up(t.Context(), "temporal"))
	customer.authorise(o.ID)
}
