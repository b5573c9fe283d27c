package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/ports"
)

// build makes the real binary once.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "sandbox")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := ports.One()
	require.NoError(t, err)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// settings are the environment of a sandbox on free ports.
func settings(t *testing.T, hooks string) (env []string, address string) {
	address = freeAddress(t)
	wallet := strings.Repeat("a", 31)
	return append(os.Environ(), "MODE=local", "SANDBOX_LISTEN="+address, "SANDBOX_URL=http://"+address, "SANDBOX_SMTP_LISTEN="+freeAddress(t),
		"SANDBOX_DATA="+t.TempDir(), "HOOK_URL="+hooks, "STRIPE_KEY=sk_test_sandbox_0123456789", "STRIPE_WEBHOOK_SECRET=whsec_x",
		"KRAKEN_KEY=k", "KRAKEN_SECRET=c2VjcmV0", "BITGO_TOKEN=t", "BITGO_WEBHOOK_SECRET=b", "SUMSUB_APP_TOKEN=a", "SUMSUB_SECRET=s", "SUMSUB_WEBHOOK_SECRET=w",
		"BITGO_WALLETS=btc="+wallet+"1,eth="+wallet+"2,usdt="+wallet+"3,usdc="+wallet+"4,trx:usdt="+wallet+"5,trx:usdc="+wallet+"6"), address
}

// launch starts the binary and waits until it answers.
func launch(t *testing.T, binary string, env []string, address string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary)
	cmd.Env = env
	var log bytes.Buffer
	cmd.Stderr = &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	require.Eventually(t, func() bool {
		res, err := http.Get("http://" + address + "/healthz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == 200
	}, time.Minute, 20*time.Millisecond, "the sandbox did not start: %s", &log)
	return cmd
}

// stripe posts to the Stripe simulator with a key.
func stripe(t *testing.T, address, path, key string, fields url.Values) (map[string]any, http.Header) {
	t.Helper()
	r, err := http.NewRequest("POST", "http://"+address+path, strings.NewReader(fields.Encode()))
	require.NoError(t, err)
	r.SetBasicAuth("sk_test_sandbox_0123456789", "")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	answer := map[string]any{}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&answer))
	return answer, res.Header
}

func get(t *testing.T, address, path string) string {
	t.Helper()
	res, err := http.Get("http://" + address + path)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(body)
}

// TestStateSurvivesAKill kills the real process: objects, effects, stored
// answers, the clock and undelivered webhooks are there after a restart.
func TestStateSurvivesAKill(t *testing.T) {
	binary := build(t)
	hooks := freeAddress(t) // no server answers there yet
	env, address := settings(t, "http://"+hooks)
	first := launch(t, binary, env, address)
	fields := url.Values{"amount": {"5000"}, "currency": {"usd"}, "capture_method": {"manual"}, "confirm": {"true"}, "payment_method": {"pm_card_visa"}, "metadata[order_id]": {"ord-kill"}}
	made, _ := stripe(t, address, "/v1/payment_intents", "key-1", fields)
	require.Equal(t, "requires_capture", made["status"])
	res, err := http.Post("http://"+address+"/control/clock", "application/json", strings.NewReader(`{"advance":"2h"}`))
	require.NoError(t, err)
	_ = res.Body.Close()
	require.NoError(t, first.Process.Signal(syscall.SIGKILL))
	require.Error(t, first.Wait())

	received := make(chan string, 100)
	listener, err := net.Listen("tcp", hooks)
	require.NoError(t, err)
	receiver := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var event struct{ Type string }
		_ = json.Unmarshal(body, &event)
		if r.Header.Get("Stripe-Signature") != "" {
			received <- event.Type
		}
	})}
	go func() { _ = receiver.Serve(listener) }()
	t.Cleanup(func() { _ = receiver.Close() })

	second := launch(t, binary, env, address)
	again, header := stripe(t, address, "/v1/payment_intents", "key-1", fields)
	require.Equal(t, made["id"], again["id"])
	require.Equal(t, "true", header.Get("Idempotent-Replayed"))
	require.Contains(t, get(t, address, "/control/clock"), `"offset":"2h0m0s"`)
	require.JSONEq(t, `[{"provider":"stripe","operation":"authorise","subject":"ord-kill","count":1}]`, get(t, address, "/control/effects?subject=ord-kill"))
	deadline := time.After(time.Minute)
	for kind := ""; kind != "payment_intent.amount_capturable_updated"; {
		select {
		case kind = <-received:
		case <-deadline:
			t.Fatal("the queued webhook was not delivered after the restart")
		}
	}

	began := time.Now()
	require.NoError(t, second.Process.Signal(syscall.SIGTERM))
	require.NoError(t, second.Wait())
	require.Less(t, time.Since(began), 10*time.Second)
}

// TestOperations: the control API lists the operations for which faults can be armed, each
// with the codes of its simulator, and the page offers them.
func TestOperations(t *testing.T) {
	binary := build(t)
	env, address := settings(t, "http://127.0.0.1:1")
	launch(t, binary, env, address)
	var list struct {
		Common, Webhook []string
		Providers       []struct {
			Name       string
			Operations []struct {
				Name    string
				Changes bool
				Codes   []string
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(get(t, address, "/control/operations")), &list))
	page := get(t, address, "/")
	found := map[string][]string{}
	for _, p := range list.Providers {
		for _, o := range p.Operations {
			require.NotContains(t, found, p.Name+"/"+o.Name, "told twice")
			found[p.Name+"/"+o.Name] = o.Codes
			require.Contains(t, page, `<option value="`+o.Name+`">`)
			for _, code := range slices.Concat(o.Codes, list.Common, list.Webhook) {
				require.Contains(t, page, `<option value="`+code+`">`)
				res, err := http.Post("http://"+address+"/control/faults", "application/json",
					strings.NewReader(`{"provider":"`+p.Name+`","operation":"`+o.Name+`","code":"`+code+`","match":"nobody"}`))
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				require.Equal(t, http.StatusCreated, res.StatusCode, "%s %s %s", p.Name, o.Name, code)
			}
		}
	}
	res, err := http.Post("http://"+address+"/control/faults", "application/json", strings.NewReader(`{"provider":"kraken","operation":"AddOrders","code":"429"}`))
	require.NoError(t, err)
	said, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusBadRequest, res.StatusCode, "nobody would ever meet it")
	require.Contains(t, string(said), "AddOrder, ")
	for operation, code := range map[string]string{
		"stripe/refund": "refund_failed", "stripe/pay": "decline:insufficient_funds", "stripe/capture": "500_stored", "kraken/AddOrder": "part_fill:0.4",
		"kraken/Withdraw": "lag:5", "bitgo/sendcoins": "replaced", "sumsub/create_applicant": "lag:5", "mailbox/deliver": "decline",
	} {
		require.Contains(t, found[operation], code, operation)
	}
}

// TestRefusals: production mode, a missing value and a port in use are named at start, and
// the process ends with an error.
func TestRefusals(t *testing.T) {
	binary := build(t)
	env, address := settings(t, "http://127.0.0.1:1")
	taken, err := net.Listen("tcp", address)
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	for name, c := range map[string]struct {
		change string
		says   string
	}{
		"production": {"MODE=production", "never runs in production"},
		"missing":    {"STRIPE_KEY=", "stripe-key"},
		"wrong":      {"KRAKEN_SECRET=%%", "KRAKEN_SECRET"},
		"taken port": {"MODE=local", address},
	} {
		cmd := exec.Command(binary)
		cmd.Env = append(slices.Clone(env), c.change)
		if strings.HasSuffix(c.change, "=") {
			cmd.Env = without(env, c.change)
		}
		out, err := cmd.CombinedOutput()
		require.Error(t, err, name)
		require.Contains(t, string(out), c.says, name)
		require.NotContains(t, string(out), "sk_test_sandbox", name)
	}
}

// In a rehearsal the exchange alone is simulated, for any key: the other
// providers have test environments, and no credentials are wanted here.
func TestStagingSimulatesTheExchangeAlone(t *testing.T) {
	binary := build(t)
	env, address := settings(t, "http://127.0.0.1:1")
	for _, other := range []string{"STRIPE_", "BITGO_", "SUMSUB_", "KRAKEN_"} {
		env = without(env, other)
	}
	launch(t, binary, append(env, "MODE=staging"), address)
	for key, says := range map[string]string{"": "EAPI:Invalid key", "any-key-of-16-chars": `"ZUSD"`} {
		r, err := http.NewRequest(http.MethodPost, "http://"+address+"/0/private/Balance", strings.NewReader("nonce=1"))
		require.NoError(t, err)
		r.Header.Set("API-Key", key)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		said, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Contains(t, string(said), says)
	}
	for path, status := range map[string]int{"/0/public/Time": http.StatusOK, "/v1/charges": http.StatusNotFound, "/api/v2/pingexpress": http.StatusNotFound} {
		res, err := http.Get("http://" + address + path)
		require.NoError(t, err)
		_ = res.Body.Close()
		require.Equal(t, status, res.StatusCode, path)
	}
}

func without(env []string, prefix string) []string {
	kept := []string{}
	for _, entry := range env {
		if !strings.HasPrefix(entry, prefix) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// TestPages: every page of the sandbox forbids inline code and names itself a
// simulation.
func TestPages(t *testing.T) {
	binary := build(t)
	env, address := settings(t, "http://127.0.0.1:1")
	launch(t, binary, env, address)
	for _, path := range []string{"/", "/mailbox", "/websdk/websdk.html", "/pay/cs_test_nobody"} {
		res, err := http.Get("http://" + address + path)
		require.NoError(t, err)
		body, err := io.ReadAll(bufio.NewReader(res.Body))
		require.NoError(t, err)
		_ = res.Body.Close()
		policy := res.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Contains(t, policy, "frame-ancestors", path)
		require.Contains(t, string(body), "Simulat", path)
		require.NotContains(t, string(body), "onclick", path)
	}
	r, err := http.NewRequest("POST", "http://"+address+"/control/clock", strings.NewReader("advance=1h"))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	_ = res.Body.Close()
	require.Equal(t, http.StatusForbidden, res.StatusCode)
}
