package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// The main scenario of the product, as its pages execute it: sign up, verify, price, order, pay by card, process,
// fulfil, sent. Every reader sees the same; each provider acted once; and an operator can read it.
func TestCardOrderReachesTheCustomersWallet(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	received := customer.listen()
	what := some(t, "BTC", "0.01")
	o := customer.buy(what)
	require.Regexp(t, `^TP-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`, o.Reference)
	customer.authorise(o.ID)

	p := staff.payment(o.ID)
	require.Equal(t, "visa 4242", strings.ToLower(p.CardBrand)+" "+p.CardLast4)
	require.Equal(t, o.Reference, p.TradeHash)
	require.NotEmpty(t, p.CustomerSubmittedAt)
	require.True(t, strings.HasPrefix(p.StripePaymentIntentID, "pi_"), p.StripePaymentIntentID)
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	sent := customer.reaches(o.ID, "sent")

	require.Equal(t, "completed", sent.LegacyStatus)
	require.NotEmpty(t, sent.TxID)
	seen := staff.asStaff(o.ID)
	require.NotEmpty(t, seen.KrakenOrderID)
	require.NotEmpty(t, seen.BitGoTransferID)
	until(t, "the network's confirmation", func() bool { return customer.order(o.ID).countEvents("confirmed") == 1 })
	for _, kind := range []string{"created", "checkout_ready", "authorised", "captured", "reserved", "filled", "sent"} {
		require.Equal(t, 1, sent.countEvents(kind), kind)
	}
	require.Equal(t, once(), effects(t, o.ID))
	require.GreaterOrEqual(t, received.received(o.ID), 7, "the stream told of the order as it happened")
	balanced(t, o.ID)
	agrees(t, customer, sent)
	operatorReads(t, customer, sent, what.address)
}

// agrees checks that the lists say of an order what its page says.
func agrees(t *testing.T, customer *visitor, sent order) {
	t.Helper()
	var orders []order
	customer.get("/api/orders", &orders)
	require.Len(t, orders, 1)
	require.Equal(t, [...]string{"sent", "completed", sent.TxID}, [...]string{orders[0].Status, orders[0].LegacyStatus, orders[0].TxID})
	var withdrawals []struct{ OrderID, TxID, Status string }
	customer.get("/api/withdrawals", &withdrawals)
	require.Len(t, withdrawals, 1)
	require.Equal(t, [...]string{sent.ID, sent.TxID, "completed"}, [...]string{withdrawals[0].OrderID, withdrawals[0].TxID, withdrawals[0].Status})
	var transactions []struct{ OrderID, Status, FiatAmount string }
	customer.get("/api/transactions", &transactions)
	require.Len(t, transactions, 1)
	require.Equal(t, [...]string{sent.ID, "completed", sent.QuoteFiat},
		[...]string{transactions[0].OrderID, transactions[0].Status, transactions[0].FiatAmount})
	var summary struct {
		Total, Completed int
		TotalSpent       string
	}
	customer.get("/api/orders/summary", &summary)
	require.Equal(t, 1, summary.Total)
	require.Equal(t, 1, summary.Completed)
	require.Equal(t, sent.QuoteFiat, summary.TotalSpent)
}

// operatorReads finds an order in Temporal by its type, status and asset; and
// nothing personal, no card and no address of a payment page, in its history,
// its customer's verification, or any process's log.
func operatorReads(t *testing.T, customer *visitor, o order, address string) {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	require.NoError(t, err)
	defer c.Close()
	described, err := c.DescribeWorkflowExecution(t.Context(), "order/"+o.ID, "")
	require.NoError(t, err)
	info := described.GetWorkflowExecutionInfo()
	require.Equal(t, "Order", info.GetType().GetName())
	for name, value := range map[string]string{"OrderStatus": "sent", "Asset": "BTC", "Rail": "card", "Reference": "TP-"} {
		require.Contains(t, string(info.GetSearchAttributes().GetIndexedFields()[name].GetData()), value, name)
	}

	secrets := map[string]string{"e-mail": customer.mail, "address": address, "card": goodCard, "password": newPassword, "page": "/pay/cs_"}
	for _, workflow := range []string{"order/" + o.ID, "kyc/" + customer.id} {
		text := history(t, c, workflow)
		require.Contains(t, text, "ACTIVITY_TASK_COMPLETED", workflow)
		for what, secret := range secrets {
			require.NotContains(t, text, secret, "%s in the history of %s", what, workflow)
		}
	}
	for _, part := range []string{"api", "core", "payments", "exchange", "custody", "identity"} {
		files, err := filepath.Glob(filepath.Join(options.DataDir, "logs", part+"*"))
		require.NoError(t, err)
		require.NotEmpty(t, files, part)
		for _, file := range files {
			log, err := os.ReadFile(file)
			require.NoError(t, err)
			for what, secret := range secrets {
				require.NotContains(t, string(log), secret, "%s in the log of %s", what, part)
			}
		}
	}
}

// history is all of a workflow's history and description, as text.
func history(t *testing.T, c client.Client, workflow string) string {
	t.Helper()
	var text strings.Builder
	described, err := c.DescribeWorkflowExecution(t.Context(), workflow, "")
	require.NoError(t, err)
	fmt.Fprintln(&text, described)
	events := c.GetWorkflowHistory(t.Context(), workflow, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		fmt.Fprintln(&text, event)
	}
	return text.String()
}

// A token is sent another way: ether pays the network's fee.
func TestTokenOrderIsSentOnEthereum(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	o := paid(t, customer, staff, some(t, "USDC", "250."))
	staff.decide(o.ID, "fulfill", "")
	require.NotEmpty(t, customer.reaches(o.ID, "sent").TxID)
	require.Equal(t, once(), effects(t, o.ID))
	balanced(t, o.ID)
}
