package kraken

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/sandbox"
)

var testSecret = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 64)))

// exchange is a simulator behind HTTP, with frozen round prices.
type exchange struct {
	t      *testing.T
	sim    *Simulator
	world  *sandbox.World
	server *httptest.Server
	nonce  int64
}

func openExchange(t *testing.T, folder string) *exchange {
	t.Helper()
	world, err := sandbox.Open(sandbox.Config{
		Data: folder, KrakenKey: "main", KrakenSecret: testSecret, KrakenKeyUnlimited: "unlimited", KrakenSecretUnlimited: testSecret,
	}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	sim, err := New(world)
	require.NoError(t, err)
	e := &exchange{t: t, sim: sim, world: world, server: httptest.NewServer(world.Handler(sim)), nonce: time.Now().UnixMicro()}
	world.Clock.OnAdvance(func() { sim.Tick(world.Clock.Now()) })
	t.Cleanup(e.close)
	return e
}

// newExchange is an exchange with BTC at 50,000.0 and prices that stand still.
func newExchange(t *testing.T) *exchange {
	t.Helper()
	e := openExchange(t, t.TempDir())
	e.control("freeze", "frozen", "true")
	e.control("prices", "pair", "XBTUSD", "ask", "50000.0", "bid", "49999.0")
	e.control("tier", "tier", "unlimited")
	return e
}

func (e *exchange) close() {
	if e.server != nil {
		e.server.Close()
		e.server = nil
		require.NoError(e.t, e.world.Close())
	}
}

// control performs a control action with name-value fields.
func (e *exchange) control(action string, fields ...string) {
	e.t.Helper()
	form := formOf(fields)
	res, err := http.PostForm(e.server.URL+"/control/kraken/"+action, form)
	require.NoError(e.t, err)
	body, _ := io.ReadAll(res.Body)
	require.NoError(e.t, res.Body.Close())
	require.Equal(e.t, http.StatusOK, res.StatusCode, "%s", body)
}

// formOf makes a form of names and values in turn.
func formOf(fields []string) url.Values {
	form, name := url.Values{}, ""
	for i, text := range fields {
		if i%2 == 0 {
			name = text
		} else {
			form.Set(name, text)
		}
	}
	return form
}

// answer is an envelope as a client reads it.
type answer struct {
	Error  []string
	Result map[string]any
	List   []any // of a result that is one
}

func (a answer) problem() string { return strings.Join(a.Error, " ") }

// call makes a signed private call as the key with name-value fields.
func (e *exchange) call(method string, fields ...string) answer {
	return e.as("main", method, fields...)
}

func (e *exchange) as(key, method string, fields ...string) answer {
	e.t.Helper()
	form := formOf(fields)
	e.nonce++
	form.Set("nonce", strconv.FormatInt(e.nonce, 10))
	return e.send(key, method, form.Get("nonce"), "application/x-www-form-urlencoded", form.Encode())
}

func (e *exchange) send(key, method, nonce, contentType, body string) answer {
	e.t.Helper()
	raw, _ := base64.StdEncoding.DecodeString(testSecret)
	path := "/0/private/" + method
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, e.server.URL+path, strings.NewReader(body))
	require.NoError(e.t, err)
	req.Header.Set("API-Key", key)
	req.Header.Set("API-Sign", Sign(raw, path, nonce, []byte(body)))
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	require.NoError(e.t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(e.t, http.StatusOK, res.StatusCode)
	var a answer
	var envelope struct {
		Error  []string
		Result json.RawMessage
	}
	require.NoError(e.t, json.NewDecoder(res.Body).Decode(&envelope))
	a.Error = envelope.Error
	_ = json.Unmarshal(envelope.Result, &a.Result)
	_ = json.Unmarshal(envelope.Result, &a.List)
	return a
}

// place sends an AddOrder that must be accepted and returns its txid.
func (e *exchange) place(fields ...string) string {
	e.t.Helper()
	a := e.call("AddOrder", fields...)
	require.Empty(e.t, a.Error)
	return a.Result["txid"].([]any)[0].(string)
}

// order reads one order back.
func (e *exchange) order(txid string) map[string]any {
	e.t.Helper()
	a := e.call("QueryOrders", "txid", txid, "trades", "true")
	require.Empty(e.t, a.Error)
	require.Contains(e.t, a.Result, txid)
	return a.Result[txid].(map[string]any)
}

// limit is the fields of a limit buy of BTC.
func limit(price, volume string, more ...string) []string {
	return append([]string{"pair", "XBTUSD", "type", "buy", "ordertype", "limit", "price", price, "volume", volume}, more...)
}
