package kraken

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asJSON makes a signed private call with a JSON body, whose nonce is a number.
func (e *exchange) asJSON(method string, fields map[string]any) answer {
	e.t.Helper()
	e.nonce++
	fields["nonce"] = e.nonce
	raw, err := json.Marshal(fields)
	require.NoError(e.t, err)
	return e.send("main", method, strconv.FormatInt(e.nonce, 10), "application/json", string(raw))
}

// TestOnlyValidated: however a client spells the switch, an order that is only
// to be validated is not placed.
func TestOnlyValidated(t *testing.T) {
	e := newExchange(t)
	for _, yes := range []string{"true", "True", "TRUE", "1", "yes"} {
		a := e.call("AddOrder", limit("50000.0", "0.01", "validate", yes)...)
		require.Empty(t, a.Error)
		require.NotContains(t, a.Result, "txid", yes)
	}
	a := e.asJSON("AddOrder", map[string]any{"pair": "XBTUSD", "type": "buy", "ordertype": "limit", "price": 50000, "volume": 0.01, "validate": true})
	require.Empty(t, a.Error)
	require.NotContains(t, a.Result, "txid")
	for _, no := range []string{"false", "False", "0", ""} {
		require.NotEmpty(t, e.place(limit("50000.0", "0.01", "validate", no)...), no)
	}
}

// TestNonceAndFieldsOutsideTheBody: Kraken's own client for Go can put the nonce
// in a header and fields in the URL, whose query it signs with the path.
func TestNonceAndFieldsOutsideTheBody(t *testing.T) {
	e := newExchange(t)
	txid := e.place(limit("40000.0", "0.1")...)
	raw, _ := base64.StdEncoding.DecodeString(testSecret)
	ask := func(signed string) string {
		t.Helper()
		e.nonce++
		nonce := strconv.FormatInt(e.nonce, 10)
		req, err := http.NewRequest(http.MethodPost, e.server.URL+"/0/private/QueryOrders?txid="+txid, nil)
		require.NoError(t, err)
		req.Header.Set("API-Key", "main")
		req.Header.Set("API-Nonce", nonce)
		req.Header.Set("API-Sign", Sign(raw, signed, nonce, nil))
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return string(body)
	}
	require.Contains(t, ask("/0/private/QueryOrders?txid="+txid), `"`+txid+`":{`)
	require.Contains(t, ask("/0/private/QueryOrders"), errInvalidSignature)
}

// TestQuotedVolume: with viqc the volume is money, and the order's sentence says
// the money.
func TestQuotedVolume(t *testing.T) {
	e := newExchange(t)
	a := e.call("AddOrder", "pair", "XBTUSD", "type", "buy", "ordertype", "market", "volume", "100", "oflags", "viqc")
	require.Empty(t, a.Error)
	require.Equal(t, "buy 100.00000000 XBTUSD @ market", a.Result["descr"].(map[string]any)["order"])
	require.Equal(t, "0.00200000", e.order(a.Result["txid"].([]any)[0].(string))["vol_exec"])
}

// TestBodies: a JSON body may hold lists and objects, which mean what they do in
// a form.
func TestBodies(t *testing.T) {
	e := newExchange(t)
	first := e.place(limit("40000.0", "0.1", "userref", "7")...)
	second := e.place(limit("40000.0", "0.1", "cl_ord_id", "second")...)
	third := e.place(limit("40000.0", "0.1")...)
	found := e.asJSON("QueryOrders", map[string]any{"txid": []string{first, second}, "trades": true})
	require.Empty(t, found.Error)
	require.Len(t, found.Result, 2)
	closing := e.asJSON("AddOrder", map[string]any{"pair": "XBTUSD", "type": "buy", "ordertype": "limit", "price": "40000", "volume": "0.1",
		"close": map[string]any{"ordertype": "limit", "price": "60000"}})
	require.Equal(t, wrong("close"), closing.problem())

	gone := e.asJSON("CancelOrderBatch", map[string]any{"orders": []any{7, "OAAAAA-AAAAA-AAAAAA"}, "cl_ord_ids": []string{"second"}})
	require.Empty(t, gone.Error)
	require.InDelta(t, 2, gone.Result["count"], 0)
	require.Equal(t, "open", e.order(third)["status"])
	require.InDelta(t, 1, e.call("CancelAll").Result["count"], 0)
	require.Equal(t, "canceled", e.order(third)["status"])
	require.InDelta(t, 0, e.call("CancelAll").Result["count"], 0)
	require.Empty(t, e.call("OpenPositions").Result)
}

// TestBatch: the orders of a batch stand and fall together by their form, and
// each for itself by the engine.
func TestBatch(t *testing.T) {
	e := newExchange(t)
	buy := func(price, volume string) map[string]any {
		return map[string]any{"type": "buy", "ordertype": "limit", "price": price, "volume": volume}
	}
	a := e.asJSON("AddOrderBatch", map[string]any{"pair": "XBTUSD", "orders": []any{buy("40000.0", "0.1"), buy("40000.0", "5000"), buy("39999.0", "0.1")}})
	require.Empty(t, a.Error)
	rows := a.Result["orders"].([]any)
	require.Len(t, rows, 3)
	require.Equal(t, "open", e.order(rows[0].(map[string]any)["txid"].(string))["status"])
	require.Equal(t, map[string]any{"error": errFunds}, rows[1])
	require.Contains(t, rows[2].(map[string]any)["descr"].(map[string]any)["order"], "39999.0")
	closing := buy("40000.0", "0.1")
	closing["close"] = map[string]any{"ordertype": "limit", "price": "60000.0"}
	for _, orders := range [][]any{{buy("40000.0", "0.1"), buy("free", "0.1")}, {buy("40000.0", "0.1"), closing}, {buy("40000.0", "0.1")}} {
		require.NotEmpty(t, e.asJSON("AddOrderBatch", map[string]any{"pair": "XBTUSD", "orders": orders}).Error)
	}
	a = e.asJSON("AddOrderBatch", map[string]any{"pair": "XBTUSD", "validate": true, "orders": []any{buy("40000.0", "0.1"), buy("40000.0", "0.1")}})
	require.Empty(t, a.Error)
	require.InDelta(t, 2, e.call("CancelAll").Result["count"], 0)
}

// TestPagesOfWithdrawals: cursor turns the list into pages, each with the mark
// of the next.
func TestPagesOfWithdrawals(t *testing.T) {
	e := newExchange(t)
	e.control("addresses", "asset", "XBT", "key", "float", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
	for range 5 {
		require.Empty(t, e.call("Withdraw", "asset", "XBT", "key", "float", "amount", "0.5").Error)
	}
	require.Len(t, e.call("WithdrawStatus", "limit", "3").List, 3)
	seen := map[any]bool{}
	for cursor, pages := "true", 1; ; pages++ {
		a := e.call("WithdrawStatus", "asset", "XBT", "limit", "2", "cursor", cursor)
		require.Empty(t, a.Error)
		for _, row := range a.Result["withdrawals"].([]any) {
			seen[row.(map[string]any)["refid"]] = true
			at := row.(map[string]any)["time"].(float64)
			require.InDelta(t, math.Trunc(at), at, 0, "typed clients read whole seconds")
		}
		next, more := a.Result["next_cursor"].(string)
		if !more {
			require.Equal(t, 3, pages)
			break
		}
		cursor = next
	}
	require.Len(t, seen, 5)
	require.Equal(t, wrong("cursor"), e.call("WithdrawStatus", "cursor", "nonsense").problem())
	require.Equal(t, wrong("limit"), e.call("WithdrawStatus", "limit", "501").problem())
	require.Len(t, e.call("WithdrawMethods", "asset", "XBT").List, 1)
}

// TestPostedPublicCalls: kraken-api of npm posts public calls as a form without
// a Content-Type; others post JSON, or an empty body that is said to be JSON.
func TestPostedPublicCalls(t *testing.T) {
	e := newExchange(t)
	for _, c := range []struct{ kind, query, body string }{
		{"", "", "pair=ETHUSD"},
		{"application/x-www-form-urlencoded", "", "pair=ETHUSD"},
		{"application/json", "", `{"pair":["ETHUSD"]}`},
		{"application/json", "?pair=ETHUSD", ""},
	} {
		req, err := http.NewRequest(http.MethodPost, e.server.URL+"/0/public/Ticker"+c.query, strings.NewReader(c.body))
		require.NoError(t, err)
		if c.kind != "" {
			req.Header.Set("Content-Type", c.kind)
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		var envelope struct {
			Error  []string
			Result map[string]any
		}
		require.NoError(t, json.NewDecoder(res.Body).Decode(&envelope))
		require.NoError(t, res.Body.Close())
		require.Empty(t, envelope.Error, c)
		require.Len(t, envelope.Result, 1, c)
		require.Contains(t, envelope.Result, "XETHZUSD")
	}
}

// TestTape: the public past continues from its own mark, and calls about one market refuse
// to guess it.
func TestTape(t *testing.T) {
	e := newExchange(t)
	read := func(path string) (result map[string]json.RawMessage, problem string) {
		t.Helper()
		res, err := http.Get(e.server.URL + "/0/public/" + path)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		var envelope struct {
			Error  []string
			Result map[string]json.RawMessage
		}
		require.NoError(t, json.NewDecoder(res.Body).Decode(&envelope))
		return envelope.Result, strings.Join(envelope.Error, " ")
	}
	rows := func(raw json.RawMessage) (list [][]any) {
		t.Helper()
		require.NoError(t, json.Unmarshal(raw, &list))
		return list
	}
	result, problem := read("Trades?pair=BTC/USD")
	require.Empty(t, problem)
	list := rows(result["XXBTZUSD"])
	require.Len(t, list, tapeTrades)
	require.Len(t, list[0], 7)
	require.Regexp(t, `^\d+\.\d{5}$`, list[0][0])
	var last string
	require.NoError(t, json.Unmarshal(result["last"], &last))
	result, _ = read("Trades?pair=XBTUSD&since=" + last)
	require.Empty(t, rows(result["XXBTZUSD"]))
	result, _ = read(fmt.Sprintf("Trades?pair=XBTUSD&count=2&since=%d", time.Now().Add(-time.Minute).Unix()))
	require.Len(t, rows(result["XXBTZUSD"]), 2)
	result, problem = read("Spread?pair=XBTUSD")
	require.Empty(t, problem)
	require.Len(t, rows(result["XXBTZUSD"]), tapeQuotes)
	for _, call := range []string{"Trades", "Spread", "Depth", "OHLC"} {
		_, problem = read(call)
		require.Equal(t, errInvalidArguments, problem, call)
		_, problem = read(call + "?pair=NOPE")
		require.Equal(t, errUnknownPair, problem, call)
	}
}
