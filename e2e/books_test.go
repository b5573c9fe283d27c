package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// balanceBooks compares the ledger with the simulators when a test is over:
// money at Stripe, coin in the wallets and at the exchange, to the smallest
// unit. It is the shared check of BAR 21.
func balanceBooks(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			explain(t) // the books of a broken test say nothing
			return
		}
		db, err := models.Open(context.Background(), stack.AppDSN(), models.Options{MaxConns: 1})
		require.NoError(t, err)
		defer db.Close()
		var differences []string
		deadline := time.Now().Add(30 * time.Second) // the last postings may be on their way
		for differences = compare(t, db); len(differences) > 0 && time.Now().Before(deadline); differences = compare(t, db) {
			time.Sleep(200 * time.Millisecond)
		}
		require.Empty(t, differences, "the ledger and the simulators differ")
	})
}

// compare lists what differs.
func compare(t *testing.T, db *models.DB) []string {
	t.Helper()
	totals, err := db.TrialBalance(context.Background())
	require.NoError(t, err)
	require.Empty(t, models.CheckTrialBalance(totals))
	ledger := map[string]money.Units{}
	for _, total := range totals {
		ledger[total.Account+" "+string(total.Currency)] = total.Balance
	}
	var differences []string
	differ := func(what string, booked, real money.Units) {
		if booked.Cmp(real) != 0 {
			differences = append(differences, what+": booked "+booked.String()+", there are "+real.String())
		}
	}
	differ("stripe", ledger["stripe_clearing USD"], stripeBalance(t))
	for coin, wallet := range wallets {
		booked := ledger["wallet:"+wallet.network+" "+wallet.currency].Add(ledger["wallet_reserved:"+wallet.network+" "+wallet.currency])
		differ("wallet "+coin, booked, walletBalance(t, coin))
	}
	for code, currency := range map[string]money.Currency{"XXBT": "BTC", "XETH": "ETH", "USDT": "USDT", "USDC": "USDC"} {
		real, err := currency.Parse(krakenBalance(t, code))
		require.NoError(t, err)
		differ("exchange "+code, ledger["exchange "+string(currency)], real)
	}
	return differences
}

var wallets = map[string]struct{ network, currency string }{
	"btc": {"bitcoin", "BTC"}, "eth": {"ethereum", "ETH"},
	"usdt": {"ethereum", "USDT"}, "usdc": {"ethereum", "USDC"},
	"trx:usdt": {"tron", "USDT"}, "trx:usdc": {"tron", "USDC"},
}

func stripeBalance(t *testing.T) money.Units {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, stack.SandboxURL()+"/v1/balance", nil)
	require.NoError(t, err)
	request.SetBasicAuth(stack.Secret("STRIPE_KEY"), "")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var balance struct {
		Available []struct {
			Amount   int64
			Currency string
		}
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&balance))
	require.Len(t, balance.Available, 1)
	return money.FromInt(balance.Available[0].Amount)
}

func walletBalance(t *testing.T, coin string) money.Units {
	t.Helper()
	var all map[string]struct{ Balance string }
	control(t, http.MethodGet, "/control/bitgo/balances", nil, &all)
	units, err := money.ParseUnits(all[coin].Balance)
	require.NoError(t, err, coin)
	return units
}

func krakenBalance(t *testing.T, code string) string {
	t.Helper()
	var all map[string]map[string]string
	control(t, http.MethodGet, "/control/kraken/balances", nil, &all)
	require.Contains(t, all, "main")
	return all["main"][code]
}

// explain prints what a broken test leaves behind: the webhooks of the
// simulators, and the workflows that run.
func explain(t *testing.T) {
	t.Helper()
	var hooks []struct {
		Provider, Type, Status, Error string
		Answer, Attempts              int
	}
	control(t, http.MethodGet, "/control/hooks", nil, &hooks)
	for _, hook := range hooks[:min(12, len(hooks))] {
		t.Logf("webhook %s %s: %s after %d attempts, answered %d %s", hook.Provider, hook.Type, hook.Status, hook.Attempts, hook.Answer, hook.Error)
	}
	c, err := client.Dial(client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	if err != nil {
		t.Log(err)
		return
	}
	defer c.Close()
	open, err := c.ListWorkflow(context.Background(), &workflowservice.ListWorkflowExecutionsRequest{PageSize: 5})
	if err != nil {
		t.Log(err)
		return
	}
	for _, info := range open.GetExecutions() {
		execution := info.GetExecution()
		t.Logf("workflow %s: %s", execution.GetWorkflowId(), info.GetStatus())
		history := c.GetWorkflowHistory(context.Background(), execution.GetWorkflowId(), execution.GetRunId(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for history.HasNext() {
			event, err := history.Next()
			if err != nil {
				break
			}
			t.Logf("  %d %s %.300v", event.GetEventId(), event.GetEventType(), event.GetAttributes())
		}
	}
}
