package bitgo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/internal/sandbox"
)

const (
	btcWallet = "66e000000000000000000000000000bb"
	ethWallet = "66e000000000000000000000000000cc"
	bitcoin   = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	ether     = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

// custody is a simulator behind HTTP whose transfers move with the clock only.
type custody struct {
	t      testing.TB
	sim    *Simulator
	world  *sandbox.World
	server *httptest.Server
}

// openCustody shares one wallet id between eth and its token, as BitGo does.
func openCustody(t testing.TB, folder string) *custody {
	t.Helper()
	world, err := sandbox.Open(sandbox.Config{
		Data: folder, BitGoToken: "main", BitGoTokenUnlimited: "unlimited", BitGoPassphrase: "open sesame", BitGoWebhookSecret: "hush",
		BitGoWallets: "btc=" + btcWallet + ",eth=" + ethWallet + ",usdt=" + ethWallet, HookURL: "http://127.0.0.1:1/hooks",
	}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	sim, err := New(world)
	require.NoError(t, err)
	c := &custody{t: t, sim: sim, world: world, server: httptest.NewServer(world.Handler(sim))}
	world.Clock.OnAdvance(func() { sim.Tick(world.Clock.Now()) })
	c.do("POST", "/control/bitgo/pace", map[string]any{"unconfirmed": "1h", "confirmed": "2h", "block": "10m"})
	t.Cleanup(c.close)
	return c
}

func (c *custody) close() {
	if c.server != nil {
		c.server.Close()
		c.server = nil
		require.NoError(c.t, c.world.Close())
	}
}

func (c *custody) do(method, path string, fields any) (int, map[string]any) {
	return c.as("unlimited", method, path, fields)
}

func (c *custody) as(token, method, path string, fields any) (int, map[string]any) {
	c.t.Helper()
	raw, err := json.Marshal(fields)
	require.NoError(c.t, err)
	if fields == nil {
		raw = nil
	}
	req, err := http.NewRequestWithContext(context.Background(), method, c.server.URL+path, bytes.NewReader(raw))
	require.NoError(c.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(c.t, err)
	defer func() { _ = res.Body.Close() }()
	body := map[string]any{}
	require.NoError(c.t, json.NewDecoder(res.Body).Decode(&body))
	return res.StatusCode, body
}

func (c *custody) send(coin, wallet, address, amount, sequence string) (int, map[string]any) {
	return c.do("POST", "/api/v2/"+coin+"/wallet/"+wallet+"/sendcoins", map[string]any{
		"address": address, "amount": amount, "sequenceId": sequence, "walletPassphrase": "open sesame",
	})
}

func (c *custody) btc(path string) (int, map[string]any) {
	return c.do("GET", "/api/v2/btc/wallet/"+btcWallet+path, nil)
}

// The vectors of providers §3.7 and §3.9, made by other implementations.
func TestSignatureVectors(t *testing.T) {
	token := "v2x" + strings.Repeat("0", 64)
	require.Equal(t, "a23017b8c9794e1ec157ea7f03ef47177885d9f3dd0652510c1145bba0e39f54", TokenHash(token))
	path := "/api/v2/tbtc4/wallet/66e000000000000000000000000000bb"
	require.Equal(t, "609585f77207d5e5120c9b47fc05ca1a838f54ca8e47f5c1286fec6bfd8fa844", HMAC(token, "1750000000000", path, ""))
	require.Equal(t, "dec326de9952c30eb2ecbf9bbfbafb9238ecee54f85511d4e35e8858c8095a35",
		HMAC(token, "1750000000001", path, "200", `{"id":"66e000000000000000000000000000bb","coin":"tbtc4"}`))
	notice := `{"hash":"0f2c6d0e5b7a4f4d9f5a0a3f1c2b3d4e5f60718293a4b5c6d7e8f90123456789","transfer":"66e000000000000000000000000000aa","coin":"tbtc4","type":"transfer","state":"confirmed","wallet":"66e000000000000000000000000000bb"}`
	require.Equal(t, "15e648a25cbba804b435cca1501207dedfc605e1cb096ab62a3d715e91b47ffe", WebhookSignature("bitgo-lab-webhook-secret", []byte(notice)))
}

// The third version of the client's signature puts the method first.
func TestSignatureVersion3(t *testing.T) {
	c := openCustody(t, t.TempDir())
	path := "/api/v2/btc/wallet/" + btcWallet
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, c.server.URL+path, nil)
	require.NoError(t, err)
	req.Header = http.Header{
		"Authorization": {"Bearer " + TokenHash("main")}, "Auth-Timestamp": {"7"}, "Bitgo-Auth-Version": {"3.0"},
		"Hmac": {HMAC("main", "GET", "7", "3.0", path, "")},
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, HMAC("main", "GET", res.Header.Get("Timestamp"), path, "200", string(body)), res.Header.Get("Hmac"))
}

func TestWrongWalletsAreNamed(t *testing.T) {
	for list, want := range map[string]string{
		"": `no coin ""`, "doge=" + btcWallet: `no coin "doge"`, "btc=XYZ": "not 32 hex", "btc=" + btcWallet + ",btc=" + ethWallet: "named twice",
		"btc=" + btcWallet + ",hteth=" + ethWallet: "of BitGo's other environment",
	} {
		_, err := parseWallets(list)
		require.ErrorContains(t, err, "BITGO_WALLETS: ")
		require.ErrorContains(t, err, want)
	}
}

// Sent by thirty callers at once, and again after a restart, one sequenceId makes one
// transfer and debits one amount; the state is unchanged.
func TestOneSendForASequenceID(t *testing.T) {
	folder := t.TempDir()
	c := openCustody(t, folder)
	var callers sync.WaitGroup
	statuses := make([]int, 30)
	for i := range statuses {
		callers.Go(func() { statuses[i], _ = c.send("btc", btcWallet, bitcoin, "100000", "ord-1-send-1") })
	}
	callers.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	require.Equal(t, map[int]int{200: 1, 400: 29}, count)
	c.close()

	c = openCustody(t, folder)
	status, body := c.send("btc", btcWallet, bitcoin, "100000", "ord-1-send-1")
	require.Equal(t, 400, status)
	require.Equal(t, "DuplicateSequenceId", body["name"])
	_, transfer := c.btc("/transfer/sequenceId/ord-1-send-1")
	require.Equal(t, "signed", transfer["state"])
	_, wallet := c.btc("")
	require.Equal(t, "2499898000", wallet["spendableBalanceString"])
	effects, err := c.world.Effects.List("ord-1-send-1")
	require.NoError(t, err)
	require.Equal(t, []sandbox.Effect{{Provider: "bitgo", Operation: "send", Subject: "ord-1-send-1", Count: 1}}, effects)
}

// A refused send leaves its sequenceId free: it may succeed later.
func TestRefusedSendKeepsNothing(t *testing.T) {
	c := openCustody(t, t.TempDir())
	path := "/api/v2/btc/wallet/" + btcWallet + "/sendcoins"
	for _, try := range []struct {
		amount, passphrase string
		fault              sandbox.Fault
		status             int
		name               any
	}{
		{"2500000000", "open sesame", sandbox.Fault{}, 400, "InsufficientBalance"},
		{"1000", "wrong", sandbox.Fault{}, 500, nil},
		{"1000", "open sesame", sandbox.Fault{Code: "insufficient"}, 400, "InsufficientBalance"},
		{"1000", "open sesame", sandbox.Fault{Code: "decline", Arg: "403:NeedsUnlock"}, 403, "NeedsUnlock"},
		{"1000", "open sesame", sandbox.Fault{Code: "http", Arg: "503_before"}, 503, nil},
		{"1000", "open sesame", sandbox.Fault{Code: "429"}, 429, "TooManyRequests"},
	} {
		if try.fault.Code != "" {
			try.fault.Provider, try.fault.Operation, try.fault.Match = "bitgo", "sendcoins", "ord-2-send-1"
			_, err := c.world.Faults.Arm(try.fault)
			require.NoError(t, err)
		}
		status, body := c.do("POST", path, map[string]any{"address": bitcoin, "amount": try.amount, "sequenceId": "ord-2-send-1", "walletPassphrase": try.passphrase})
		require.Equal(t, try.status, status, body)
		require.Equal(t, try.name, body["name"])
		require.NotEmpty(t, body["message"])
		missing, _ := c.btc("/transfer/sequenceId/ord-2-send-1")
		require.Equal(t, 404, missing)
	}
	status, _ := c.send("btc", btcWallet, bitcoin, "1000", "ord-2-send-1")
	require.Equal(t, 200, status)
}

// A removed transfer comes to an end: by itself, or pushed by a person; the coin
// is back when it failed and gone when it was confirmed, never both.
func TestRemovedTransfersEnd(t *testing.T) {
	c := openCustody(t, t.TempDir())
	spendable := func() string { _, body := c.btc(""); return body["spendableBalanceString"].(string) }
	opening := spendable()
	push := func(id, state string) int {
		status, _ := c.do("POST", "/control/bitgo/transfers/"+id, map[string]any{"state": state})
		return status
	}
	for _, way := range []struct {
		code, pushed, ends string
		back               bool
	}{
		{"removed", "", stateConfirmed, false}, {"removed:failed", "", stateFailed, true}, {"removed:final", "", stateRemoved, true},
		{"removed", stateFailed, stateFailed, true}, {"removed", stateConfirmed, stateConfirmed, false}, {"removed:final", stateFailed, stateFailed, true},
		{"removed:final", stateConfirmed, stateConfirmed, false},
	} {
		sequence := way.code + " then " + way.pushed
		_, err := c.world.Faults.Arm(sandbox.Fault{Provider: "bitgo", Operation: "sendcoins", Match: sequence, Code: way.code})
		require.NoError(t, err)
		before := spendable()
		status, sent := c.send("btc", btcWallet, bitcoin, "10000", sequence)
		require.Equal(t, http.StatusOK, status)
		id := sent["transfer"].(map[string]any)["id"].(string)
		require.NoError(t, c.world.Clock.Advance(2*time.Hour+time.Minute))
		_, removed := c.btc("/transfer/" + id)
		require.Equal(t, stateRemoved, removed["state"], sequence)
		if way.pushed != "" {
			require.Equal(t, http.StatusBadRequest, push(id, stateReplaced), sequence)
			require.Equal(t, http.StatusOK, push(id, way.pushed), sequence)
		}
		require.NoError(t, c.world.Clock.Advance(24*time.Hour))
		_, ended := c.btc("/transfer/" + id)
		require.Equal(t, way.ends, ended["state"], sequence)
		require.Equal(t, way.back, before == spendable(), sequence)
	}
	require.NotEqual(t, opening, spendable())
	c.requireAtRest(t)
}

// A transfer with the fault "unmined" stays unconfirmed for its seconds, while the others
// are confirmed at the usual time; then it ends as any other.
func TestUnminedTransfers(t *testing.T) {
	c := openCustody(t, t.TempDir())
	for sequence, ends := range map[string]string{"mined": stateConfirmed, "removed": stateRemoved} {
		_, err := c.world.Faults.Arm(sandbox.Fault{Provider: "bitgo", Operation: "sendcoins", Match: sequence, Code: "unmined:14400"})
		require.NoError(t, err)
		if ends == stateRemoved {
			_, err = c.world.Faults.Arm(sandbox.Fault{Provider: "bitgo", Operation: "sendcoins", Match: sequence, Code: "removed:final"})
			require.NoError(t, err)
		}
		ids := map[string]string{}
		for _, name := range []string{sequence, "beside " + sequence} {
			_, sent := c.send("btc", btcWallet, bitcoin, "10000", name)
			ids[name] = sent["transfer"].(map[string]any)["id"].(string)
		}
		require.NoError(t, c.world.Clock.Advance(3*time.Hour))
		_, unmined := c.btc("/transfer/" + ids[sequence])
		_, beside := c.btc("/transfer/" + ids["beside "+sequence])
		require.Equal(t, []any{stateUnconfirmed, stateConfirmed}, []any{unmined["state"], beside["state"]})
		require.NoError(t, c.world.Clock.Advance(time.Hour+time.Minute))
		_, ended := c.btc("/transfer/" + ids[sequence])
		require.Equal(t, ends, ended["state"])
	}
}

// Lists are narrowed by every filter and go on page by page.
func TestListTransfers(t *testing.T) {
	c := openCustody(t, t.TempDir())
	for i := range 7 {
		status, body := c.send("btc", btcWallet, bitcoin, "1000", fmt.Sprintf("ord-%d-send-1", i))
		require.Equal(t, 200, status, body)
	}
	var seen []any
	after := ""
	for {
		_, body := c.btc("/transfer?limit=3&prevId=" + after)
		for _, entry := range body["transfers"].([]any) {
			seen = append(seen, entry.(map[string]any)["sequenceId"])
		}
		next, more := body["nextBatchPrevId"].(string)
		if !more {
			break
		}
		after = next
	}
	require.Equal(t, []any{"ord-6-send-1", "ord-5-send-1", "ord-4-send-1", "ord-3-send-1", "ord-2-send-1", "ord-1-send-1", "ord-0-send-1"}, seen)
	for query, want := range map[string]float64{
		"state=signed&type=send": 7, "state=confirmed": 0, "type=receive": 0, "searchLabel=ord-3": 1, "address=" + bitcoin: 7, "address=1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2": 0,
		"dateGte=" + time.Now().Add(-time.Minute).UTC().Format(time.RFC3339): 7, "dateLt=" + time.Now().Add(-time.Minute).UTC().Format(time.RFC3339): 0,
	} {
		_, body := c.btc("/transfer?" + query)
		require.Equal(t, want, body["count"], query)
	}
	status, _ := c.btc("/transfer?limit=many")
	require.Equal(t, 400, status)
}

// A user has 360 requests a minute, or what the control page says; the unlimited one has no such limit.
// TestWhatWalletsReport is what BitGo's own client reads of a wallet beside its
// balance: the keys, its address, and the most that can be sent at a rate.
func TestWhatWalletsReport(t *testing.T) {
	c := openCustody(t, t.TempDir())
	path := "/api/v2/btc/wallet/" + btcWallet
	_, wallet := c.do("GET", path, nil)
	require.Len(t, wallet["keys"], 3)
	require.InDelta(t, 2_500_000_000, wallet["spendableBalance"], 0)
	own := wallet["receiveAddress"].(map[string]any)
	_, list := c.do("GET", path+"/addresses?limit=5", nil)
	require.Equal(t, []any{own}, list["addresses"])
	for _, id := range []any{own["id"], own["address"]} {
		status, one := c.do("GET", path+"/address/"+id.(string), nil)
		require.Equal(t, []any{200, own["address"]}, []any{status, one["address"]})
	}
	status, _ := c.do("GET", path+"/address/"+bitcoin, nil)
	require.Equal(t, 404, status)
	_, usual := c.do("GET", path+"/maximumSpendable", nil)
	require.Equal(t, "2499998000", usual["maximumSpendable"])
	_, dear := c.do("GET", path+"/maximumSpendable?feeRate=80000", nil)
	require.Equal(t, "2499980000", dear["maximumSpendable"])
	_, ether := c.do("GET", "/api/v2/eth/wallet/"+ethWallet, nil)
	require.NotContains(t, ether, "balance", "a number of wei is not exact")

	_, sent := c.send("btc", btcWallet, bitcoin, "1000", "told")
	transfer := sent["transfer"].(map[string]any)
	require.InDelta(t, -3000, transfer["value"], 0)
	status, noted := c.do("POST", path+"/transfer/"+transfer["id"].(string)+"/comment", map[string]any{"comment": "for Ada"})
	require.Equal(t, []any{200, "for Ada"}, []any{status, noted["comment"]})
	status, _ = c.do("POST", "/api/v2/eth/wallet/"+ethWallet+"/transfer/"+transfer["id"].(string)+"/comment", map[string]any{"comment": "stolen"})
	require.Equal(t, 404, status)
	_, listed := c.do("GET", path+"/transfer?dateGte=2001-01-01", nil)
	require.Len(t, listed["transfers"], 1, "a date needs no time")
	status, _ = c.as("unlimited", "GET", "/api/v1/ping", nil)
	require.Equal(t, 200, status)
}

func TestRateLimit(t *testing.T) {
	c := openCustody(t, t.TempDir())
	refused := map[string]int{}
	for range 370 {
		for _, token := range []string{"main", "unlimited"} {
			if status, _ := c.as(token, "GET", "/api/v2/btc/tx/fee", nil); status == 429 {
				refused[token]++
			}
		}
	}
	require.Equal(t, map[string]int{"main": 10}, refused)
	require.NoError(t, c.world.Clock.Advance(time.Minute))
	status, _ := c.as("main", "GET", "/api/v2/btc/tx/fee", nil)
	require.Equal(t, 200, status)
	c.do("POST", "/control/bitgo/pace", map[string]any{"requests": "1"})
	status, _ = c.as("main", "GET", "/api/v2/btc/tx/fee", nil)
	require.Equal(t, 429, status)
}

// Webhooks are added, listed, sent once per address, and removed.
func TestWebhooks(t *testing.T) {
	c := openCustody(t, t.TempDir())
	hooks := "/api/v2/btc/wallet/" + btcWallet + "/webhooks"
	for i := range 11 {
		status, _ := c.do("POST", hooks, map[string]any{"type": "transfer", "url": fmt.Sprintf("http://127.0.0.1:1/%d", i), "numConfirmations": i % 2})
		require.Equal(t, map[bool]int{true: 200, false: 400}[i < 9], status, "beside the one of HOOK_URL")
	}
	_, body := c.do("GET", hooks, nil)
	require.Len(t, body["webhooks"], 10+1)
	_, body = c.do("DELETE", hooks, map[string]any{"type": "transfer", "url": "http://127.0.0.1:1/0"})
	require.EqualValues(t, 1, body["removed"])

	status, _ := c.send("btc", btcWallet, bitcoin, "1000", "ord-3-send-1")
	require.Equal(t, 200, status)
	require.NoError(t, c.world.Clock.Advance(90*time.Minute))
	count := func() int {
		list, err := c.world.Hooks.List(1000)
		require.NoError(t, err)
		return len(list)
	}
	require.Equal(t, 1+4, count(), "unconfirmed: ours and those without numConfirmations")
	require.NoError(t, c.world.Clock.Advance(90*time.Minute))
	require.Equal(t, 5+1+8, count(), "confirmed: everyone")

	payload, ours := `{"type":"transfer"}`, newID("webhook btc/"+btcWallet+" transfer")
	_, body = c.do("POST", "/api/v2/webhook/"+ours+"/verify", map[string]any{"signature": WebhookSignature("hush", []byte(payload)), "notificationPayload": payload})
	require.Equal(t, true, body["isValid"])
	status, _ = c.do("POST", "/api/v2/webhook/"+newID("another")+"/verify", nil)
	require.Equal(t, 404, status)

	before := count()
	_, body = c.do("POST", hooks+"/"+ours+"/simulate", nil)
	require.Len(t, body["webhookNotifications"], 1)
	require.Equal(t, before+1, count())
	_, body = c.do("POST", "/control/bitgo/webhooks", map[string]any{"state": "suspended"})
	require.NotContains(t, body, "error")
	_, body = c.do("GET", hooks, nil)
	require.Equal(t, "suspended", body["webhooks"].([]any)[0].(map[string]any)["state"])
}

// Whatever is sent, approved, rejected, failed, replaced or removed: when all is final,
// each wallet has its opening balance less the confirmed transfers' debits, and nothing is
// under way.
func TestFundsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := openCustody(t, t.TempDir())
		defer c.close()
		for i := range rapid.IntRange(1, 8).Draw(rt, "sends") {
			code := rapid.SampledFrom([]string{"lag:1", "failed", "replaced", "removed", "removed:final", "unmined:600", "approval"}).Draw(rt, "fate")
			_, err := c.world.Faults.Arm(sandbox.Fault{Provider: "bitgo", Operation: "sendcoins", Code: code})
			require.NoError(rt, err)
			ticker := rapid.SampledFrom([]string{"btc", "eth", "usdt"}).Draw(rt, "coin")
			wallet, address := ethWallet, ether
			if ticker == "btc" {
				wallet, address = btcWallet, bitcoin
			}
			_, body := c.send(ticker, wallet, address, fmt.Sprint(rapid.Int64Range(1, 1_000_000_000).Draw(rt, "amount")), fmt.Sprint(i))
			require.NoError(rt, c.world.Faults.Clear(""))
			if approval, waits := body["pendingApproval"].(map[string]any); waits {
				state := rapid.SampledFrom([]string{"approved", "rejected"}).Draw(rt, "word")
				status, _ := c.do("POST", "/control/bitgo/approvals/"+approval["id"].(string), map[string]any{"state": state})
				require.Equal(rt, 200, status)
			}
			require.NoError(rt, c.world.Clock.Advance(time.Duration(rapid.IntRange(1, 90).Draw(rt, "minutes"))*time.Minute))
		}
		require.NoError(rt, c.world.Clock.Advance(24*time.Hour))
		c.requireAtRest(rt)
	})
}

func (c *custody) requireAtRest(t require.TestingT) {
	require.NoError(t, c.world.Store.View(func(tx *sandbox.Tx) error {
		taken := map[string]decimal.Decimal{}
		require.NoError(t, each(tx, bucketTransfer, "", func(_ string, tr transfer) error {
			require.True(t, tr.final(), tr.State)
			if tr.State == stateConfirmed {
				taken[tr.Coin] = taken[tr.Coin].Add(tr.amount())
			}
			gasUsed := tr.State == stateFailed && tr.Coin != "btc"
			if tr.State == stateConfirmed || gasUsed {
				taken[coins[tr.Coin].Parent] = taken[coins[tr.Coin].Parent].Add(tr.Fee)
			}
			return nil
		}))
		for ticker, w := range c.sim.wallets {
			f, err := fundsOf(tx, w)
			require.NoError(t, err)
			want := decimal.RequireFromString(w.Coin.Opening).Sub(taken[ticker])
			require.True(t, f.Confirmed.Equal(want), "%s: %s, want %s", ticker, f.Confirmed, want)
			require.True(t, f.Out.IsZero() && f.In.IsZero() && f.Held.IsZero(), "%s: %+v", ticker, f)
		}
		return nil
	}))
}
