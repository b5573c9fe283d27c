package worker

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/kraken"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// reconcile compares statements and books once.
func (h *testCluster) reconcile() (workflows.Reconciled, string) {
	h.Helper()
	run, err := h.client.ExecuteWorkflow(h.Context(), client.StartWorkflowOptions{TaskQueue: workflows.CoreQueue}, workflows.ReconciliationType)
	require.NoError(h, err)
	var did workflows.Reconciled
	require.NoError(h, run.Get(h.Context(), &did))
	return did, run.GetID()
}

// apart lists the effects on which statements and books do not agree, a line each.
func (h *testCluster) apart() []string {
	h.Helper()
	rows, err := h.db.Pool().Query(h.Context(), `SELECT key || ' ' || currency || ': booked ' || booked || ', told ' || told FROM reconciled_effects WHERE booked <> told ORDER BY 1`)
	require.NoError(h, err)
	defer rows.Close()
	var apart []string
	for rows.Next() {
		var line string
		require.NoError(h, rows.Scan(&line))
		apart = append(apart, line)
	}
	require.NoError(h, rows.Err())
	return apart
}

// agrees waits until every statement agrees with the books, effect by effect.
func (h *testCluster) agrees() {
	h.Helper()
	h.until("statements and books to agree", func() bool {
		did, _ := h.reconcile()
		require.Empty(h, did.Unread)
		return len(h.apart()) == 0
	})
}

// later lets the clock pass the grace of a comparison.
func (h *testCluster) later() {
	h.exec(`UPDATE reconciled_effects SET last_at = last_at - interval '1 day'`)
}

// breaks reads the open breaks by what they are about.
func (h *testCluster) breaks() map[string]reconciliation.StaffBreak {
	h.Helper()
	rows, _, err := reconciliation.Breaks(h.Context(), h.db, reconciliation.BreakFilter{}, store.Page{Limit: 50})
	require.NoError(h, err)
	byKey := map[string]reconciliation.StaffBreak{}
	for _, b := range rows {
		byKey[b.Key+" "+string(b.Currency)] = b
	}
	return byKey
}

// A whole order leaves an effect at each provider, known by the provider's own
// id, and all of them agree; reading the statements again brings nothing new.
func TestStatementsAgreeWithTheBooksOfAnOrder(t *testing.T) {
	h := open(t)
	o := h.sent()
	h.agrees()
	payment, err := order.PaymentOf(t.Context(), h.db, o.ID)
	require.NoError(t, err)
	now, err := order.ReadOrder(t.Context(), h.db, o.ID)
	require.NoError(t, err)
	effects := map[string]string{}
	rows, err := h.db.Pool().Query(t.Context(), `SELECT key, currency || ' ' || booked FROM reconciled_effects`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var key, sum string
		require.NoError(t, rows.Scan(&key, &sum))
		effects[key+" "+sum[:3]] = sum[4:]
	}
	require.Equal(t, o.Total.String(), effects["charge:"+*payment.StripePaymentIntentID+" USD"])
	require.Equal(t, o.Amount.String(), effects["fill:"+text(now.KrakenOrderID)+" BTC"])
	var sequence string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT sequence_id FROM withdrawals WHERE order_id = $1", o.ID).Scan(&sequence))
	require.True(t, strings.HasPrefix(effects["transfer:"+sequence+" BTC"], "-"))
	require.Len(t, effects, 4, "%v", effects)
	did, id := h.reconcile()
	require.Equal(t, workflows.Reconciled{}, did)
	h.record(id, "reconciliation")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// What happened at the providers behind our back is a break, with its likely
// cause; a person books one, and time closes another.
func TestWhatHappenedBehindOurBackIsABreak(t *testing.T) {
	h := open(t)
	h.reconcile()
	h.control("/control/bitgo/deposits", map[string]string{"coin": "btc", "amount": "5000000"})
	h.tradeByHand("0.01")
	order := h.paid()
	h.exec(`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount) VALUES ('test:1', 1, 'sent', 'wallet:bitcoin', 'network_fees', 'BTC', 700)`)
	h.reconcile()
	require.Empty(t, h.breaks(), "it may still come")
	h.later()
	did, _ := h.reconcile()
	require.Equal(t, len(h.breaks()), did.Opened)
	causes := map[reconciliation.BreakCause]reconciliation.StaffBreak{}
	for _, b := range h.breaks() {
		causes[b.Cause()] = b
	}
	require.Len(t, h.breaks(), 4, "the deposit, two sides of the trade, the booking: not the order %s", order.Reference)
	require.Contains(t, causes, reconciliation.CauseTradedByHand)
	require.Contains(t, causes, reconciliation.CauseBookedAlone)
	arrived := causes[reconciliation.CauseCoinArrived]
	require.Equal(t, "0.05", money.BTC.Format(arrived.Difference()))

	by := store.Actor{ActorID: h.staff, ActorRole: "finance", Reason: "the company brought it in"}
	waiting, err := reconciliation.ResolveBreak(t.Context(), h.db, reconciliation.BreakResolution{ID: arrived.ID, Account: ledger.AccountEquity, Seen: "0.05", Alone: money.FromInt(100_000_00), By: by})
	require.NoError(t, err)
	require.False(t, waiting)
	h.exec(`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount) VALUES ('test:1', 2, 'sent', 'network_fees', 'wallet:bitcoin', 'BTC', 700)`)
	did, _ = h.reconcile()
	require.Equal(t, 1, did.Closed, "the booking was taken back")
	require.Len(t, h.breaks(), 2)
	h.later()
	did, _ = h.reconcile()
	require.Zero(t, did.Opened)
	require.Len(t, h.apart(), 2, "the deposit agrees, booked once")
}

// A provider that does not answer delays no other, and what is booked there becomes no
// break.
func TestAStatementThatCannotBeReadMakesNoBreaks(t *testing.T) {
	h := open(t)
	h.reconcile()
	order := h.sent()
	h.control("/control/faults", map[string]any{"provider": "kraken", "operation": "Ledgers", "code": "http:503_before", "count": 1000})
	did, _ := h.reconcile()
	require.Equal(t, []string{workflows.ExchangeQueue}, did.Unread)
	h.later()
	h.exec(`UPDATE polls SET read_to = read_to - interval '2 days' WHERE name = 'statement kraken'`) // when it was read last
	did, _ = h.reconcile()
	require.Zero(t, did.Opened)
	require.NotEmpty(t, h.apart(), "the purchase of %s is booked, and was not told", order.Reference)
}

// tradeByHand buys bitcoin as a person with the account's key, or another program, does.
func (h *testCluster) tradeByHand(volume string) {
	h.Helper()
	h.priced()
	amount, err := money.BTC.Parse(volume)
	require.NoError(h, err)
	other := kraken.New(kraken.Config{URL: h.sandbox, Key: "key", Secret: krakenSecret, Lock: h.db.KeyLock("kraken")})
	tickers, err := other.Tickers(h.Context())
	require.NoError(h, err)
	_, err = other.Buy(h.Context(), provider.BuyInput{ClientID: store.NewID(), Asset: money.BTC, Amount: amount, Limit: tickers[money.BTC].Ask.Add(decimal.NewFromInt(1000)).Round(0), Deadline: time.Now().Add(20 * time.Second)})
	require.NoError(h, err)
}

// A transfer whose fee was raised is one effect, whatever transaction it ended by.
func TestAReplacedTransferStaysOneEffect(t *testing.T) {
	h := open(t)
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "10m", "block": "10m"})
	placed := h.paid()
	h.must(placed.ID, workflows.Fulfill, nil)
	now := h.status(placed.ID, order.StatusSent)
	h.agrees()
	h.control("/control/bitgo/transfers/"+*now.BitgoTransferID, map[string]string{"state": "replaced"})
	h.reaches(placed.ID, "following the replacement", func(o *order.Order, _ *order.Payment) bool { return text(o.TxID) != text(now.TxID) })
	h.control("/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"})
	h.closed(placed.ID)
	h.agrees()
	var effects int
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM reconciled_effects WHERE holder = 'bitgo' AND told <> 0").Scan(&effects))
	require.Equal(t, 1, effects)
}

// What Stripe charges by itself, and what it pays out to our bank, is booked from
// its statement, once.
func TestStripesFeesAndPayoutsAreBookedFromItsStatement(t *testing.T) {
	h := open(t)
	h.control("/control/stripe/pricing", map[string]string{"percent": "2.9", "fixed": "30"})
	order := h.paid()
	h.control("/control/stripe/payout", map[string]string{"amount": "1000"})
	for range 2 {
		h.agrees()
	}
	fee := decimal.RequireFromString(order.Total.String()).Mul(decimal.RequireFromString("0.029")).Round(0).Add(decimal.NewFromInt(30))
	balance, err := ledger.AccountBalance(t.Context(), h.db, ledger.AccountClearing, money.USD)
	require.NoError(t, err)
	require.Equal(t, order.Total.Sub(money.FromInt(fee.IntPart()+1000)).String(), balance.String())
	bank, err := ledger.AccountBalance(t.Context(), h.db, ledger.AccountBank, money.USD)
	require.NoError(t, err)
	require.Equal(t, "1000", bank.String())
	require.Equal(t, h.stripeBalance(), balance.String())
}

// stripeBalance is what the account's owner reads there, in cents.
func (h *testCluster) stripeBalance() string {
	h.Helper()
	request, err := http.NewRequestWithContext(h.Context(), http.MethodGet, h.sandbox+"/v1/balance?"+url.Values{}.Encode(), nil)
	require.NoError(h, err)
	request.SetBasicAuth("sk_test_1", "")
	response, err := http.DefaultClient.Do(request)
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	var balance struct {
		Available []struct {
			Amount json.Number `json:"amount"`
		} `json:"available"`
	}
	require.NoError(h, json.NewDecoder(response.Body).Decode(&balance))
	require.Len(h, balance.Available, 1)
	return balance.Available[0].Amount.String()
}

// The exchange counts finer than in cents, and every purchase is booked rounded
// up: what that leaves there is booked once it is whole cents, and once.
func TestPartsOfACentAtTheExchangeAreBooked(t *testing.T) {
	h := open(t)
	dollars := func() (there, booked decimal.Decimal) {
		var all map[string]map[string]string
		h.readControl("/control/kraken/balances", &all)
		have, err := ledger.AccountBalance(t.Context(), h.db, ledger.AccountExchange, money.USD)
		require.NoError(t, err)
		return decimal.RequireFromString(all["main"]["ZUSD"]), money.USD.Decimal(have)
	}
	thereFirst, bookedFirst := dollars()
	left := func() decimal.Decimal {
		there, booked := dollars()
		return there.Sub(thereFirst).Sub(booked.Sub(bookedFirst))
	}
	for range 6 {
		h.sent()
	}
	cent := decimal.New(1, -2)
	require.True(t, left().GreaterThan(cent), "six purchases leave %s there that nobody booked", left())
	agree := func() {
		h.agrees()
		require.False(t, left().IsNegative(), "%s", left())
		require.True(t, left().LessThan(cent), "%s are left of a cent", left())
		h.balanced()
	}
	agree()
	h.exec(`UPDATE polls SET read_to = read_to - interval '1 hour' WHERE name = 'statement kraken'`)
	agree()
	h.sent()
	agree()
}
