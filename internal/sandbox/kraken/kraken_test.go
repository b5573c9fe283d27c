package kraken

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// The vectors of providers §2.2, made by another implementation.
func TestSignatureVectors(t *testing.T) {
	secret, err := base64.StdEncoding.DecodeString("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw==")
	require.NoError(t, err)
	for path, v := range map[string][3]string{
		"/0/private/AddOrder": {
			"1750000000000",
			"nonce=1750000000000&cl_ord_id=6d1b345e-2821-40e2-ad83-4ecb18a06876&ordertype=market&pair=XBTUSD&type=buy&volume=0.00150000",
			"8wpm9GhpN3z3xZZKdcnqZZjv8PaZ4ttUDA5dp284naGwnEBIyne1TxgdL7+XDIXVYS+6dMNVC0aqigq4ujQN1w==",
		},
		"/0/private/Balance": {
			"1750000000001", "nonce=1750000000001",
			"RxsUu7nIeygoFbjEwxYU7tpcuEk2G6oCBFrYGEDAlStNZK4Fq0dq7NkoizyNwXiW9Hohi4phYvjseYx3JFqn/Q==",
		},
	} {
		require.Equal(t, v[2], Sign(secret, path, v[0], []byte(v[1])), path)
	}
}

func TestSecretsThatAreNoSecretsAreNamed(t *testing.T) {
	world, err := sandbox.Open(sandbox.Config{Data: t.TempDir(), KrakenKey: "main", KrakenSecret: "not base64!"}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	defer func() { require.NoError(t, world.Close()) }()
	_, err = New(world)
	require.ErrorContains(t, err, "KRAKEN_SECRET")
}

// Every error string the simulator comes to by itself, from the request that
// causes it.
func TestRefusals(t *testing.T) {
	e := newExchange(t)
	open := e.place(limit("40000.0", "0.1", "cl_ord_id", "still-open")...)
	with := func(fields []string, name, value string) []string { return append(fields, name, value) }
	for name, c := range map[string]struct {
		want   string
		method string
		fields []string
	}{
		"unknown pair":         {errUnknownPair, "AddOrder", []string{"pair", "NOPEUSD", "type", "buy", "ordertype", "market", "volume", "1"}},
		"no pair":              {wrong("pair"), "AddOrder", []string{"type", "buy", "ordertype", "market", "volume", "1"}},
		"side":                 {wrong("type"), "AddOrder", with(limit("50000.0", "1"), "type", "hold")},
		"order on closing":     {wrong("close"), "AddOrder", limit("50000.0", "1", "close[ordertype]", "limit", "close[price]", "60000.0")},
		"hidden volume":        {wrong("displayvol"), "AddOrder", limit("50000.0", "1", "displayvol", "0.1")},
		"no position to end":   {wrong("reduce_only"), "AddOrder", limit("50000.0", "1", "reduce_only", "true")},
		"empty batch":          {wrong("orders"), "CancelOrderBatch", nil},
		"conditional order":    {wrong("ordertype"), "AddOrder", with(limit("50000.0", "1"), "ordertype", "stop-loss")},
		"exponent":             {wrong("volume"), "AddOrder", limit("50000.0", "1e3")},
		"too fine a volume":    {wrong("volume"), "AddOrder", limit("50000.0", "0.123456789")},
		"below the minimum":    {errOrderMinimum, "AddOrder", limit("50000.0", "0.00004")},
		"below the cost":       {errCostMinimum, "AddOrder", limit("100.0", "0.0001")},
		"price of zero":        {errInvalidPrice, "AddOrder", limit("0", "1")},
		"price off the tick":   {errInvalidPrice + ":XBTUSD price can only be specified up to 1 decimals.", "AddOrder", limit("50000.05", "1")},
		"no price":             {wrong("price"), "AddOrder", []string{"pair", "XBTUSD", "type", "buy", "ordertype", "limit", "volume", "1"}},
		"userref and id":       {wrong("userref"), "AddOrder", limit("50000.0", "1", "userref", "7", "cl_ord_id", "both")},
		"id too long":          {wrong("cl_ord_id"), "AddOrder", limit("50000.0", "1", "cl_ord_id", "nineteen-characters")},
		"id of an open order":  {errDuplicateID, "AddOrder", limit("50000.0", "1", "cl_ord_id", "still-open")},
		"time in force":        {wrong("timeinforce"), "AddOrder", limit("50000.0", "1", "timeinforce", "ASAP")},
		"GTD without a time":   {wrong("expiretm"), "AddOrder", limit("50000.0", "1", "timeinforce", "GTD")},
		"viqc on a limit":      {wrong("viqc"), "AddOrder", limit("50000.0", "1", "oflags", "viqc")},
		"post that would take": {errPostOrder, "AddOrder", limit("50000.0", "1", "oflags", "post")},
		"more than there is":   {errFunds, "AddOrder", limit("50000.0", "120")},
		"deadline gone":        {errDeadline, "AddOrder", limit("50000.0", "1", "deadline", time.Now().Add(-time.Second).UTC().Format(time.RFC3339))},
		"deadline far":         {wrong("deadline"), "AddOrder", limit("50000.0", "1", "deadline", time.Now().Add(2*time.Minute).UTC().Format(time.RFC3339))},
		"cancel of nothing":    {errUnknownOrder, "CancelOrder", []string{"txid", "OAAAAA-BBBBB-CCCCCC"}},
		"query of nothing":     {errInvalidOrder, "QueryOrders", []string{"txid", "OAAAAA-BBBBB-CCCCCC"}},
		"no such method":       {errUnknownMethod, "EditOrder", nil},
		"payout key":           {errWithdrawKey, "Withdraw", []string{"asset", "XBT", "key", "none", "amount", "1"}},
		"payout asset":         {errFundingAsset, "Withdraw", []string{"asset", "DOGE", "key", "none", "amount", "1"}},
	} {
		require.Equal(t, c.want, e.call(c.method, c.fields...).problem(), name)
	}
	for mode, want := range map[string]string{"maintenance": errUnavailable, "cancel_only": errCancelOnly, "post_only": errPostOnly} {
		e.control("status", "status", mode)
		require.Equal(t, want, e.call("AddOrder", limit("50000.0", "1")...).problem(), mode)
	}
	e.control("status", "status", "online")
	e.control("listing", "pair", "ETHUSD", "listed", "false")
	require.Equal(t, errUnknownPair, e.call("AddOrder", append(limit("50000.0", "1"), "pair", "ETHUSD")...).problem())
	e.control("listing", "pair", "ETHUSD", "listed", "true")
	e.control("status", "status", "cancel_only")
	require.Empty(t, e.call("CancelOrder", "txid", open).Error)

	require.Equal(t, errInvalidKey, e.as("nobody", "Balance").problem())
	require.Equal(t, errInvalidSignature, e.send("main", "Balance", "5", "application/x-www-form-urlencoded", "nonce=6").problem())
	effects, err := e.world.Effects.List("")
	require.NoError(t, err)
	require.Empty(t, effects, "a refusal did something")
}

// A nonce is used once, in rising order, by each key alone, in forms and in
// JSON, refused calls included, and a restart changes nothing of it.
func TestNonce(t *testing.T) {
	folder := t.TempDir()
	e := openExchange(t, folder)
	form := func(key string, nonce int) string {
		return e.send(key, "Balance", fmt.Sprint(nonce), "application/x-www-form-urlencoded", fmt.Sprintf("nonce=%d", nonce)).problem()
	}
	require.Empty(t, form("main", 100))
	require.Equal(t, errInvalidNonce, form("main", 100))
	require.Equal(t, errInvalidNonce, form("main", 99))
	require.Empty(t, form("unlimited", 1), "keys share no nonce")
	for _, body := range []string{`{"nonce":101}`, `{"nonce":"102","x":true}`} {
		nonce := body[len(`{"nonce":`):]
		require.Empty(t, e.send("main", "Balance", digits(nonce), "application/json", body).Error, body)
	}
	require.Equal(t, errUnknownPair, e.send("main", "AddOrder", "103", "", "nonce=103&pair=x").problem())
	require.Equal(t, errInvalidNonce, form("main", 103), "a refused call uses its nonce up")
	require.Equal(t, errInvalidNonce, e.send("main", "Balance", "-1", "", "nonce=-1").problem())
	e.close()
	e = openExchange(t, folder)
	require.Equal(t, errInvalidNonce, form("main", 103))
	require.Empty(t, form("main", 104))
}

func digits(text string) string {
	kept := ""
	for _, r := range text {
		if r >= '0' && r <= '9' {
			kept += string(r)
		} else if kept != "" {
			return kept
		}
	}
	return kept
}

// What each kind of order does when the book gives all, part or nothing.
func TestMatch(t *testing.T) {
	p, _ := findPair("XBTUSD")
	d := decimal.RequireFromString
	top := quote{Ask: d("50000"), Bid: d("49999")}
	for name, c := range map[string]struct {
		terms          terms
		portion, worse string
		price, volume  string
		rests          bool
	}{
		"market":                     {terms{Side: "buy", Type: "market", TIF: "GTC"}, "1", "0", "50000", "2", false},
		"market, part":               {terms{Side: "buy", Type: "market", TIF: "GTC"}, "0.25", "0", "50000", "0.5", false},
		"market sale, worse":         {terms{Side: "sell", Type: "market", TIF: "GTC"}, "1", "1", "49499", "2", false},
		"limit that crosses":         {terms{Side: "buy", Type: "limit", TIF: "GTC", Limit: d("50100")}, "1", "0", "50000", "2", false},
		"limit, worse, to its limit": {terms{Side: "buy", Type: "limit", TIF: "IOC", Limit: d("50100")}, "1", "5", "50100", "2", false},
		"limit, part, rests":         {terms{Side: "buy", Type: "limit", TIF: "GTC", Limit: d("50000")}, "0.5", "0", "50000", "1", true},
		"IOC, part":                  {terms{Side: "buy", Type: "limit", TIF: "IOC", Limit: d("50000")}, "0.5", "0", "50000", "1", false},
		"IOC below the ask":          {terms{Side: "buy", Type: "limit", TIF: "IOC", Limit: d("49999.9")}, "1", "0", "0", "0", false},
		"FOK, part":                  {terms{Side: "buy", Type: "limit", TIF: "FOK", Limit: d("50000")}, "0.99", "0", "0", "0", false},
		"resting sale":               {terms{Side: "sell", Type: "limit", TIF: "GTD", Limit: d("49999.1")}, "1", "0", "0", "0", true},
	} {
		c.terms.Volume = d("2")
		got := match(c.terms, top, p, d(c.portion), d(c.worse))
		require.Empty(t, got.Problem, name)
		require.Equal(t, c.price, got.Price.String(), name)
		require.Equal(t, c.volume, got.Volume.String(), name)
		require.Equal(t, c.rests, got.Rests, name)
	}
}

// Fees are deducted from the money moved: cost, fee and balances agree, in the tier of the
// volume before the trade.
func TestFillsAreBooked(t *testing.T) {
	e := newExchange(t)
	first := e.order(e.place(limit("50500.0", "0.4", "timeinforce", "IOC")...))
	require.Equal(t, "closed", first["status"])
	require.Equal(t, "20000.00000", first["cost"])
	require.Equal(t, "80.00000", first["fee"])
	require.Equal(t, "50000.0", first["price"])
	second := e.order(e.place("pair", "XXBTZUSD", "type", "buy", "ordertype", "market", "volume", "10000", "oflags", "viqc"))
	require.Equal(t, "0.20000000", second["vol"])
	require.Equal(t, "35.00000", second["fee"], "0.35 %% from 10,000 USD on")
	balances := e.call("BalanceEx").Result
	require.Equal(t, "4969885.0000", balances["ZUSD"].(map[string]any)["balance"])
	require.Equal(t, "100.6000000000", balances["XXBT"].(map[string]any)["balance"])
	validated := e.call("AddOrder", limit("50000.0", "0.1", "validate", "true")...)
	require.Empty(t, validated.Error)
	require.NotContains(t, validated.Result, "txid")
	require.Len(t, e.call("TradesHistory").Result["trades"], 2)
}

// A resting order fills as maker when the price comes, and GTD ends by itself.
func TestRestingOrders(t *testing.T) {
	e := newExchange(t)
	waits := e.place(limit("45000.0", "1", "cl_ord_id", "waits")...)
	ends := e.place(limit("45000.0", "1", "timeinforce", "GTD", "expiretm", "+60")...)
	require.Equal(t, "90360.0000", e.call("BalanceEx").Result["ZUSD"].(map[string]any)["hold_trade"])
	require.NoError(t, e.world.Clock.Advance(time.Minute))
	require.Equal(t, "expired", e.order(ends)["status"])
	e.control("prices", "pair", "XBTUSD", "ask", "44000.0")
	filled := e.order(waits)
	require.Equal(t, "closed", filled["status"])
	require.Equal(t, "45000.00000", filled["cost"])
	require.Equal(t, "112.50000", filled["fee"], "maker")
	require.Equal(t, "0.0000", e.call("BalanceEx").Result["ZUSD"].(map[string]any)["hold_trade"])
	require.Len(t, e.call("OpenOrders").Result["open"], 0)
}

// ClosedOrders: start is exclusive, end inclusive, an id stands for its
// opening, and count is of all pages.
func TestClosedOrdersWindow(t *testing.T) {
	e := newExchange(t)
	var ids []string
	for i := range 52 {
		ids = append(ids, e.place(limit("50000.0", "0.001", "timeinforce", "IOC", "userref", fmt.Sprint(i%2))...))
	}
	got := e.call("ClosedOrders").Result
	require.EqualValues(t, 52, got["count"])
	require.Len(t, got["closed"], 50)
	require.NotContains(t, got["closed"], ids[0])
	require.Len(t, e.call("ClosedOrders", "ofs", "50").Result["closed"], 2)
	require.EqualValues(t, 26, e.call("ClosedOrders", "userref", "1").Result["count"])
	after := e.call("ClosedOrders", "start", ids[49], "closetime", "open").Result["closed"]
	require.NotContains(t, after, ids[49])
	require.Contains(t, after, ids[50])
	until := e.call("ClosedOrders", "end", ids[1], "closetime", "open").Result["closed"]
	require.Contains(t, until, ids[1])
	require.NotContains(t, until, ids[2])
	opened := e.order(ids[50])["opentm"].(float64)
	exact := fmt.Sprintf("%.4f", opened-0.01)
	require.Contains(t, e.call("ClosedOrders", "start", exact).Result["closed"], ids[51])
}

// The counters of the pair's engine and of the key, and the account without.
func TestRateLimits(t *testing.T) {
	e := newExchange(t)
	e.control("tier", "tier", "starter")
	burst := func(key, method string, n int, fields ...string) (refused map[string]int) {
		refused = map[string]int{}
		for range n {
			if a := e.as(key, method, fields...); len(a.Error) > 0 {
				refused[a.problem()]++
			}
		}
		return refused
	}
	order := limit("50000.0", "0.0001", "timeinforce", "IOC")
	require.Positive(t, burst("main", "AddOrder", 70, order...)[errOrderRate])
	require.Positive(t, burst("main", "Ledgers", 10)[errRateLimit])
	require.Empty(t, burst("unlimited", "AddOrder", 70, order...))
	require.NoError(t, e.world.Clock.Advance(time.Minute))
	require.Empty(t, burst("main", "AddOrder", 20, order...), "the counters decay")
	require.EqualValues(t, 8, cancelPoints(time.Second))
	require.EqualValues(t, 0, cancelPoints(300*time.Second))
}

// A held order that is released after its deadline was never placed.
func TestDeadlineOfAHeldOrder(t *testing.T) {
	e := newExchange(t)
	fault, err := e.world.Faults.Arm(sandbox.Fault{Provider: "kraken", Operation: "AddOrder", Code: "hold_before"})
	require.NoError(t, err)
	deadline := time.Now().Add(3 * time.Second)
	done := make(chan answer)
	go func() {
		done <- e.call("AddOrder", limit("50000.0", "1", "deadline", deadline.UTC().Format(time.RFC3339Nano))...)
	}()
	require.Eventually(t, func() bool { return time.Now().After(deadline) }, time.Minute, 20*time.Millisecond)
	require.NoError(t, e.world.Faults.Clear(fault.ID))
	require.Equal(t, errDeadline, (<-done).problem())
}

// Whatever is ordered, cancelled and repriced: the ledger adds up to the
// balances, nothing on hold is owed to a closed order, and effects are fills.
func TestBooksBalance(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := newExchange(t)
		defer e.close()
		open := []string{}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				e.control("prices", "pair", "XBTUSD", "ask", fmt.Sprint(rapid.IntRange(40_000, 60_000).Draw(rt, "ask")))
			case 1:
				if len(open) > 0 {
					e.call("CancelOrder", "txid", rapid.SampledFrom(open).Draw(rt, "cancel"))
				}
			default:
				_, err := e.world.Faults.Arm(sandbox.Fault{Provider: "kraken", Operation: "AddOrder", Code: "part_fill", Arg: rapid.SampledFrom([]string{"1", "0.3", "0"}).Draw(rt, "part")})
				require.NoError(rt, err)
				a := e.call("AddOrder", "pair", "XBTUSD", "type", rapid.SampledFrom([]string{"buy", "sell"}).Draw(rt, "side"),
					"ordertype", rapid.SampledFrom([]string{"limit", "market"}).Draw(rt, "type"), "price", fmt.Sprint(rapid.IntRange(40_000, 60_000).Draw(rt, "limit")),
					"volume", decimal.New(rapid.Int64Range(5_000, 4_000_000_000).Draw(rt, "volume"), -8).String(),
					"timeinforce", rapid.SampledFrom([]string{"GTC", "IOC"}).Draw(rt, "tif"), "oflags", rapid.SampledFrom([]string{"fciq", "fcib"}).Draw(rt, "flags"))
				if txids, placed := a.Result["txid"].([]any); placed {
					open = append(open, txids[0].(string))
				}
			}
		}
		for _, txid := range open {
			e.call("CancelOrder", "txid", txid)
		}
		e.requireBalanced(rt)
	})
}

// requireBalanced sums the ledger up against the balances.
func (e *exchange) requireBalanced(t require.TestingT) {
	who := e.sim.accounts["main"]
	require.NoError(t, e.world.Store.View(func(tx *sandbox.Tx) error {
		for _, a := range assets {
			sum := decimal.RequireFromString(a.Opening)
			c := &call{tx: tx, who: who, fields: params{}}
			rows, _, err := report(c, bucketLedger, time.Time{}, time.Time{}, func(string, entry) bool { return true })
			require.NoError(t, err)
			require.Less(t, len(rows), pageSize)
			for _, row := range rows {
				if row.Asset == a.Code {
					sum = sum.Add(row.Amount).Sub(row.Fee)
				}
			}
			b, err := balanceOf(tx, who, a.Code)
			require.NoError(t, err)
			require.True(t, sum.Equal(b.Total), "%s: ledger %s, balance %s", a.Code, sum, b.Total)
			require.True(t, b.Hold.IsZero(), "%s still on hold", b.Hold)
			require.False(t, b.Total.IsNegative())
		}
		return nil
	}))
}

// Public calls answer gateways' errors as a proxy does, and know both spellings
// of a pair.
func TestPublic(t *testing.T) {
	e := newExchange(t)
	get := func(path string) *http.Response {
		res, err := http.Get(e.server.URL + "/0/public/" + path)
		require.NoError(t, err)
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	for _, name := range []string{"XBTUSD", "XXBTZUSD", "XBT/USD", "BTC/USD"} {
		body, _ := io.ReadAll(get("Ticker?pair=" + name).Body)
		require.Contains(t, string(body), `"XXBTZUSD":{"a":["50000.00000"`)
	}
	body, _ := io.ReadAll(get("Ticker?pair=NOPE").Body)
	require.JSONEq(t, `{"error":["EQuery:Unknown asset pair"]}`, string(body))
	_, err := e.world.Faults.Arm(sandbox.Fault{Provider: "kraken", Operation: "Ticker", Code: "http", Arg: "520_before"})
	require.NoError(t, err)
	require.Equal(t, 520, get("Ticker").StatusCode)
	require.Equal(t, http.StatusOK, get("Ticker").StatusCode)
}
