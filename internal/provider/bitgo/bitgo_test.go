package bitgo

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/activities/activitiestest"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

const (
	token      = "v2xcanary4711"
	passphrase = "canary passphrase"
	walletID   = "66e000000000000000000000000000bb"
)

var (
	bitcoin = provider.Wallet{Asset: money.BTC, Network: "bitcoin"}
	tether  = provider.Wallet{Asset: money.USDT, Network: "tron"}
)

// script answers by method and path and keeps what was asked.
type script struct {
	t       *testing.T
	answers map[string]reply // "GET /path" → answer; anything else is 404
	header  http.Header
	asked   []string
	bodies  []string
}

type reply struct {
	status int
	body   string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+token {
		s.t.Errorf("%s without the token", r.URL)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	call := r.Method + " " + r.URL.RequestURI()
	s.asked, s.bodies = append(s.asked, call), append(s.bodies, string(body))
	answer, known := s.answers[call]
	if !known {
		answer = reply{404, `{"error":"not found","name":"NotFound"}`}
	}
	for name, values := range s.header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write([]byte(answer.body))
}

func start(t *testing.T, answers map[string]reply) (*Client, *script) {
	t.Helper()
	s := &script{t: t, answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return New(Config{
		URL: server.URL, Token: token, Passphrase: passphrase, Timeout: time.Minute,
		Wallets: map[string]string{"btc": walletID, "trx:usdt": walletID},
	}), s
}

const sendPath = "POST /api/v2/btc/wallet/" + walletID + "/sendcoins"

func send(c *Client, t *testing.T) (provider.Transfer, error) {
	return c.Send(t.Context(), provider.SendInput{
		Wallet: bitcoin, SequenceID: "ord-1-send-1", Address: "bc1q", Amount: money.FromInt(150000),
	})
}

// Every row of the error table, as answers to sendcoins.
func TestErrorTable(t *testing.T) {
	cases := []struct {
		status int
		body   string
		class  provider.Class
		code   string
	}{
		{400, `{"error":"invalid address bc1q","name":"Invalid"}`, provider.Refused, "invalid_address"},
		{400, `{"error":"bad","name":"InvalidAddress"}`, provider.Refused, "invalid_address"},
		{400, `{"error":"invalid amount","name":"Invalid"}`, provider.Refused, "invalid_amount"},
		{400, `{"error":"no such wallet","name":"InvalidWalletId"}`, provider.Refused, "invalid_wallet"},
		{400, `{"error":"Insufficient funds","name":"X"}`, provider.Refused, "insufficient_funds"},
		{400, `{"message":"insufficient balance in wallet"}`, provider.Refused, "insufficient_funds"},
		{400, `{"error":"x","name":"insufficient_funds"}`, provider.Refused, "insufficient_funds"},
		{400, `{"error":"sequenceId already used","name":"X"}`, provider.Unknown, "duplicate"},
		{400, `{"error":"duplicate","name":"DuplicateSequenceId"}`, provider.Unknown, "duplicate"},
		{400, `{"error":"this sequence id was used before"}`, provider.Unknown, "duplicate"},
		{400, `{"name":"InvalidAmount"}`, provider.Refused, "invalid_amount"},
		{400, `{"name":"InsufficientFunds"}`, provider.Refused, "insufficient_funds"},
		{400, `{"name":"InsufficientBalance"}`, provider.Refused, "insufficient_funds"},
		{400, `{"error":"something else"}`, provider.Unknown, "bad_request"},
		{409, `{"error":"conflict"}`, provider.Unknown, "duplicate"},
		{401, `{"error":"expired token ` + token + `"}`, provider.Refused, "unauthorised"},
		{403, `{"error":"needs unlock"}`, provider.Refused, "unauthorised"},
		{404, `{"error":"wallet not found"}`, provider.Refused, "not_found"},
		{429, `{"error":"slow down"}`, provider.Retry, "rate_limited"},
		{500, `{"message":"bad passphrase ` + passphrase + `","bitgoExpressVersion":"1"}`, provider.Unknown, "http_500"},
		{502, `<html>` + token, provider.Unknown, "http_502"},
		{503, ``, provider.Unknown, "http_503"},
		{206, `{}`, provider.Unknown, "http_206"},
	}
	decided := map[int]bool{}
	for _, c := range cases {
		decided[slices.IndexFunc(rules, func(r rule) bool {
			return r.status == c.status && strings.Contains(strings.ToLower(c.body), r.words)
		})] = true
		client, server := start(t, map[string]reply{sendPath: {c.status, c.body}})
		server.header = http.Header{"Retry-After": {"2"}}
		_, err := send(client, t)
		var got *provider.Error
		if !errors.As(err, &got) || got.Class != c.class || got.Code != c.code || got.RetryAfter != 2*time.Second {
			t.Errorf("%d %s: %+v", c.status, c.body, err)
			continue
		}
		if does := activitiestest.Does(t, err); does != what[c.class] {
			t.Errorf("%d %s: the activity %s", c.status, c.body, does)
		}
		if strings.Contains(err.Error(), token) || strings.Contains(err.Error(), passphrase) {
			t.Errorf("%d: a secret shows in %v", c.status, err)
		}
		if len(server.asked) != 1 {
			t.Errorf("%d: sent %d times", c.status, len(server.asked))
		}
	}
	for i, r := range rules {
		if !decided[i] {
			t.Errorf("no case for the row %+v", r)
		}
	}
}

// what is what the activity does about a class, as the tables of errors in docs/providers.md have it.
var what = map[provider.Class]string{
	provider.Refused: activitiestest.Refuses, provider.Retry: activitiestest.SendAgain, provider.Unknown: activitiestest.ReadsBack,
}

func TestAnswersThatSayNothingAreUnknown(t *testing.T) {
	for _, body := range []string{
		``, `[]`, `<html>`, `{}`, `{"status":"signed","txid":"aa"}`, `{"transfer":{}}`, `{"pendingApproval":{}}`,
		`{"transfer":{"id":"t1","state":"on_holiday"}}`, `{"transfer":{"id":"t1","state":"signed","valueString":"1e9"}}`,
	} {
		for _, status := range []int{200, 202} {
			client, _ := start(t, map[string]reply{sendPath: {status, body}})
			if got, err := send(client, t); err == nil || provider.ClassOf(err) != provider.Unknown {
				t.Errorf("%d %s: %+v, %v", status, body, got, err)
			}
		}
	}
}

func TestSilenceIsUnknown(t *testing.T) {
	released := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(released) })
	reset := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(reset.Close)
	redirect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			t.Error("a redirect was followed")
		}
		http.Redirect(w, r, "/elsewhere", http.StatusPermanentRedirect)
	}))
	t.Cleanup(redirect.Close)
	for code, url := range map[string]string{"timeout": slow.URL, "connection_lost": reset.URL, "redirected": redirect.URL} {
		patience := time.Minute
		if url == slow.URL {
			patience = 100 * time.Millisecond
		}
		client := New(Config{URL: url, Token: token, Wallets: map[string]string{"btc": walletID}, Timeout: patience})
		_, err := send(client, t)
		var got *provider.Error
		if !errors.As(err, &got) || got.Class != provider.Unknown || got.Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestWalletsWeDoNotHaveAreRefusedBeforeSending(t *testing.T) {
	client, server := start(t, nil)
	for _, w := range []provider.Wallet{{Asset: money.ETH, Network: "ethereum"}, {Asset: money.BTC, Network: "tron"}, {}} {
		_, err := client.Send(t.Context(), provider.SendInput{Wallet: w})
		if provider.ClassOf(err) != provider.Refused {
			t.Errorf("%+v: %v", w, err)
		}
	}
	if len(server.asked) != 0 {
		t.Errorf("asked %v", server.asked)
	}
}

// In BitGo's test environment a coin has another name in every path; the wallet
// is still found by ours.
func TestTickersOfTheTestEnvironment(t *testing.T) {
	client, server := start(t, map[string]reply{
		"GET /api/v2/tbtc4/wallet/" + walletID + "?allTokens=true": {200, `{"spendableBalanceString":"7"}`},
		"POST /api/v2/tbtc4/verifyaddress":                         {200, `{"isValid":true}`},
	})
	client.config.Tickers = map[string]string{"btc": "tbtc4"}
	if got, err := client.Spendable(t.Context(), bitcoin); err != nil || got.String() != "7" {
		t.Errorf("spendable: %v, %v", got, err)
	}
	if ok, err := client.VerifyAddress(t.Context(), bitcoin, "tb1q"); err != nil || !ok {
		t.Errorf("verify: %v, %v", ok, err)
	}
	if _, err := client.findApproval(t.Context(), bitcoin, "ord-1"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("approvals: %v", err)
	}
	if last := server.asked[len(server.asked)-1]; last != "GET /api/v2/tbtc4/pendingapprovals?walletId="+walletID {
		t.Errorf("asked %s", last)
	}
}

func TestParseWallets(t *testing.T) {
	got, err := ParseWallets("btc=a, eth=b,usdt=c,usdc=d,trx:usdt=e,trx:usdc=f,")
	if err != nil || len(got) != 6 || got["trx:usdc"] != "f" || got["eth"] != "b" {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"btc", "btc=", "doge=a", "btc=a,btc=b", "=a"} {
		if _, err := ParseWallets(bad); err == nil || !strings.Contains(err.Error(), "wallet") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSpendableAndVerifyAddress(t *testing.T) {
	client, server := start(t, map[string]reply{
		"GET /api/v2/btc/wallet/" + walletID + "?allTokens=true":      {200, `{"balanceString":"9","spendableBalanceString":"123456789012345678901234"}`},
		"GET /api/v2/trx:usdt/wallet/" + walletID + "?allTokens=true": {200, `{"balanceString":"9"}`},
		"POST /api/v2/btc/verifyaddress":                              {200, `{"isValid":true}`},
		"POST /api/v2/trx:usdt/verifyaddress":                         {200, `{}`},
	})
	if got, err := client.Spendable(t.Context(), bitcoin); err != nil || got.String() != "123456789012345678901234" {
		t.Errorf("spendable: %v, %v", got, err)
	}
	if _, err := client.Spendable(t.Context(), tether); provider.ClassOf(err) != provider.Unknown {
		t.Errorf("a wallet without a balance: %v", err)
	}
	if ok, err := client.VerifyAddress(t.Context(), bitcoin, "bc1q"); err != nil || !ok || server.bodies[2] != `{"address":"bc1q"}` {
		t.Errorf("verify: %v, %v, %v", ok, err, server.bodies)
	}
	if ok, err := client.VerifyAddress(t.Context(), tether, "T"); err == nil || ok {
		t.Errorf("no verdict: %v, %v", ok, err)
	}
}
