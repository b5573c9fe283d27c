package e2e

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// kill waits until a request hangs at the provider and kills the worker that made it; only then the provider continues.
func kill(t *testing.T, worker, hang string) {
	t.Helper()
	struck(t, hang)
	before := stack.Pid(worker)
	require.NoError(t, stack.Kill(worker))
	until(t, "another process of "+worker, func() bool { pid := stack.Pid(worker); return pid != 0 && pid != before })
	release(t, hang)
	require.NoError(t, stack.Up(t.Context(), worker))
}

// Temporal is away: the order is accepted all the same. Then the API dies before it could start a workflow. Both come
// back, and the order proceeds, once.
func TestBar26And31OrderPlacedWhileTemporalIsAway(t *testing.T) {
	customer, staff := verified(t), admin(t)
	require.NoError(t, stack.Down("temporal"))
	t.Cleanup(func() { require.NoError(t, stack.Up(context.WithoutCancel(t.Context()), "temporal")) })
	o := customer.buy(some(t, "BTC", "0.002"))
	require.Equal(t, "preparing", customer.order(o.ID).Payment.Checkout.State)
	require.NoError(t, stack.Kill("api"))
	require.NoError(t, stack.Up(t.Context(), "temporal"))
	require.NoError(t, stack.Up(t.Context(), "api"))

	require.Equal(t, "pending", customer.order(o.ID).Status, "session and order outlive the process")
	customer.authorise(o.ID)
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	customer.reaches(o.ID, "sent")
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
	c, err := client.DialContext(t.Context(), client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	require.NoError(t, err)
	defer c.Close()
	runs, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowId = 'order/" + o.ID + "'"})
	require.NoError(t, err)
	require.Len(t, runs.GetExecutions(), 1, "one workflow carried the order")
}

// Core, which executes the workflows, dies between two steps of an order; so does the API. Nothing is lost and nothing
// is done twice.
func TestBar25CoreAndAPIKilledBetweenSteps(t *testing.T) {
	customer, staff := verified(t), admin(t)
	o := customer.buy(some(t, "ETH", "0.06"))
	for _, part := range []string{"core", "api"} {
		require.NoError(t, stack.Kill(part))
		require.NoError(t, stack.Up(t.Context(), part))
	}
	customer.authorise(o.ID)
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	decided := staff.press("/api/admin/orders/" + o.ID + "/fulfill")
	require.NoError(t, stack.Kill("core"))
	status := (<-decided).status
	require.Contains(t, []int{http.StatusOK, http.StatusAccepted}, status)
	until(t, "the order to be sent", func() bool { return customer.order(o.ID).Status == "sent" })
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
}

// Core dies while the mail server accepts a mail, before it is stored and after it: the mail arrives, and the mailbox
// shows it once. SMTP cannot report that the first one was accepted, so it may be delivered twice: as the same mail.
func TestMailIsShownOnceAlthoughCoreDiesWhileItIsSent(t *testing.T) {
	for _, moment := range []string{"hold_before", "hold_after"} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			customer := verified(t)
			until(t, "what their identity was told by mail to be out of the way", func() bool {
				var waiting int
				require.NoError(t, database.QueryRow(t.Context(), `SELECT count(*) FROM mails m JOIN users u ON u.id = m.user_id
					WHERE u.email = $1 AND m.sent_at IS NULL`, customer.mail).Scan(&waiting))
				return waiting == 0
			})
			hang := arm(t, fault{Provider: "mailbox", Operation: "deliver", Match: customer.mail, Code: moment, Count: 1})
			o := customer.buy(some(t, "BTC", "0.002"))
			kill(t, "core", hang)
			until(t, "the mail to be marked as sent", func() bool {
				var sent int
				require.NoError(t, database.QueryRow(t.Context(), "SELECT count(*) FROM mails WHERE order_id = $1 AND sent_at IS NOT NULL AND attempts = 2", o.ID).Scan(&sent))
				return sent == 1
			})
			type mail struct {
				Subject, Text string
				Deliveries    int
			}
			var mails []mail
			control(t, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(customer.mail), nil, &mails)
			mails = slices.DeleteFunc(mails, func(m mail) bool { return !strings.Contains(m.Text, o.ID) })
			require.Len(t, mails, 1)
			require.Equal(t, 2, mails[0].Deliveries)
		})
	}
}
