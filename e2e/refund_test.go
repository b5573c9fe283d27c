package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The payments worker is killed while a partial refund hangs at Stripe, before it is made and after it: one refund is
// made, and the order proceeds.
func TestBar25PaymentsKilledInTheMiddleOfAPartialRefund(t *testing.T) {
	for _, moment := range []string{"hold_before", "hold_after"} {
		t.Run(moment, func(t *testing.T) {
			customer, staff := verified(t), admin(t)
			o := paid(t, customer, staff, some(t, "BTC", "0.003"))
			hang := arm(t, fault{Provider: "stripe", Operation: "refund", Match: o.ID, Code: moment, Count: 1})
			request := staff.request(http.MethodPost, "/api/admin/orders/"+o.ID+"/refund", "application/json", strings.NewReader(`{"reason": "a gesture", "amount": "12.34"}`))
			pressed := make(chan struct{})
			go func() {
				defer close(pressed)
				if response, err := staff.http.Do(request); err == nil { // done, or longer than the API waits
					_ = response.Body.Close()
				}
			}()
			kill(t, "payments", hang)
			<-pressed
			until(t, "the part to be given back", func() bool { return customer.order(o.ID).countEvents("refunded_in_part") == 1 })
			require.Equal(t, 1, effects(t, o.ID)["stripe/refund"])
			staff.decide(o.ID, "fulfill", "")
			customer.reaches(o.ID, "sent")
			require.Equal(t, once("stripe/refund"), effects(t, o.ID))
			balanced(t, o.ID)
			require.Positive(t, staff.asStaff(o.ID).Metadata.RetryCount)
		})
	}
}
