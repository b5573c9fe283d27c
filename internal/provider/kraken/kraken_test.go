package kraken

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/activities/activitiestest"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// The key of the vectors: bytes 0x00…0x3f.
const (
	apiKey = "canary-key-4711"
	secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
)

func TestSignatureVectors(t *testing.T) {
	raw := make([]byte, 64)
	for i := range raw {
		raw[i] = byte(i)
	}
	cases := []struct{ path, nonce, body, want string }{
		{
			"/0/private/AddOrder", "1750000000000",
			"nonce=1750000000000&cl_ord_id=6d1b345e-2821-40e2-ad83-4ecb18a06876&ordertype=market&pair=XBTUSD&type=buy&volume=0.00150000",
			"8wpm9GhpN3z3xZZKdcnqZZjv8PaZ4ttUDA5dp284naGwnEBIyne1TxgdL7+XDIXVYS+6dMNVC0aqigq4ujQN1w==",
		},
		{
			"/0/private/Balance", "1750000000001", "nonce=1750000000001",
			"RxsUu7nIeygoFbjEwxYU7tpcuEk2G6oCBFrYGEDAlStNZK4Fq0dq7NkoizyNwXiW9Hohi4phYvjseYx3JFqn/Q==",
		},
	}
	for _, c := range cases {
		if got := sign(raw, c.path, c.nonce, c.body); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}

// script answers calls by their method's name and keeps what was asked.
type script struct {
	t       *testing.T
	answers map[string]string   // method → body
	turns   map[string][]string // method → bodies to give one after the other
	status  int
	header  http.Header

	mu    sync.Mutex
	asked map[string][]url.Values
	sent  []*http.Request
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	form, err := url.ParseQuery(string(body) + "&" + r.URL.RawQuery)
	if err != nil {
		s.t.Error(err)
	}
	if strings.HasPrefix(r.URL.Path, "/0/private/") {
		raw := make([]byte, 64)
		for i := range raw {
			raw[i] = byte(i)
		}
		if r.Header.Get("API-Sign") != sign(raw, r.URL.Path, form.Get("nonce"), string(body)) || r.Header.Get("API-Key") != apiKey {
			s.t.Errorf("%s is not signed", r.URL.Path)
		}
	}
	if r.Header.Get("User-Agent") == "" {
		s.t.Error("no user agent")
	}
	method := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[method] = append(s.asked[method], form)
	s.sent = append(s.sent, r)
	for name, values := range s.header {
		w.Header()[name] = values
	}
	w.WriteHeader(s.status)
	if turns := s.turns[method]; len(turns) > 0 {
		s.answers[method], s.turns[method] = turns[0], turns[1:]
	}
	_, _ = w.Write([]byte(s.answers[method]))
}

func start(t *testing.T, answers map[string]string) (*Client, *script) {
	t.Helper()
	s := &script{t: t, answers: answers, status: 200, asked: map[string][]url.Values{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return New(Config{URL: server.URL, Key: apiKey, Secret: secret, Timeout: time.Minute}), s
}

func buy(ctx context.Context, c *Client) (string, error) {
	return c.Buy(ctx, provider.BuyInput{
		ClientID: "6d1b345e-2821-40e2-ad83-4ecb18a06876", Asset: money.BTC, Amount: money.FromInt(150000),
		Limit: decimal.RequireFromString("67012.3"), Deadline: time.Date(2026, 11, 21, 10, 0, 20, 0, time.UTC),
	})
}

func failure(texts ...string) string {
	raw, err := json.Marshal(map[string]any{"error": texts})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Every row of the error table, as answers to AddOrder at HTTP 200.
func TestErrorTable(t *testing.T) {
	cases := []struct {
		text  string
		class provider.Class
		wait  time.Duration
	}{
		{"EOrder:Insufficient funds", provider.Refused, 0},
		{"EOrder:Order minimum not met", provider.Refused, 0},
		{"EOrder:Cost minimum not met", provider.Refused, 0},
		{"EOrder:Invalid price", provider.Refused, 0},
		{"EOrder:Tick size check failed", provider.Refused, 0},
		{"EGeneral:Invalid arguments", provider.Refused, 0},
		{"EGeneral:Invalid arguments:volume", provider.Refused, 0},
		{"EQuery:Unknown asset pair", provider.Refused, 0},
		{"EOrder:Orders limit exceeded", provider.Refused, 0},
		{"EOrder:cl_ord_id already in use", provider.Unknown, 0},
		{"EGeneral:Invalid arguments:cl_ord_id", provider.Unknown, 0},
		{"EOrder:Rate limit exceeded", provider.Retry, 0},
		{"EOrder:Domain rate limit exceeded", provider.Retry, 0},
		{"EAPI:Rate limit exceeded", provider.Retry, 0},
		{"EGeneral:Too many requests", provider.Retry, 0},
		{"EService:Throttled: 1750000030", provider.Retry, 30 * time.Second},
		{"EAPI:Invalid nonce", provider.Unknown, 0},
		{"EAPI:Invalid key", provider.Refused, 0},
		{"EAPI:Invalid signature", provider.Refused, 0},
		{"EGeneral:Permission denied", provider.Refused, 0},
		{"EAuth:Account temporary disabled", provider.Refused, 0},
		{"EGeneral:Temporary lockout", provider.Retry, 15 * time.Minute},
		{"EService:Market in cancel_only mode", provider.Retry, 0},
		{"EService:Market in post_only mode", provider.Retry, 0},
		{"EService:Deadline elapsed", provider.Unknown, 0},
		{"EService:Unavailable", provider.Unknown, 0},
		{"EService:Busy", provider.Unknown, 0},
		{"EGeneral:Internal error", provider.Unknown, 0},
		{"EGeneral:Internal error:500", provider.Unknown, 0},
		{"EDatabase:Internal error", provider.Unknown, 0},
		{"EFunding:Unknown withdraw key", provider.Refused, 0},
		{"EFunding:Invalid amount", provider.Refused, 0},
		{"EFunding:Max fee exceeded", provider.Refused, 0},
		{"EFunding:No funding method", provider.Refused, 0},
		{"ESomething:Never heard of", provider.Unknown, 0},
	}
	decided := map[string]bool{}
	for _, c := range cases {
		client, server := start(t, map[string]string{"AddOrder": failure(c.text)})
		decided[client.classify(c.text).prefix] = true
		client.wall = func() time.Time { return time.Unix(1750000000, 0) }
		_, err := buy(t.Context(), client)
		var got *provider.Error
		if !errors.As(err, &got) || got.Class != c.class || got.RetryAfter != c.wait || got.Code == "" {
			t.Errorf("%s: %+v", c.text, err)
			continue
		}
		if does := activitiestest.Does(t, err); does != what[c.class] {
			t.Errorf("%s: the activity %s", c.text, does)
		}
		if len(server.sent) != 1 {
			t.Errorf("%s: sent %d times", c.text, len(server.sent))
		}
	}
	for _, r := range rules {
		if !decided[r.prefix] {
			t.Errorf("no case for the row %+v", r)
		}
	}
}

// what is what the activity does about a class, as the tables of errors in docs/providers.md have it.
var what = map[provider.Class]string{
	provider.Refused: activitiestest.Refuses, provider.Retry: activitiestest.SendAgain, provider.Unknown: activitiestest.ReadsBack,
}

func TestOfSeveralErrorsTheLeastCertainDecides(t *testing.T) {
	cases := map[string]provider.Class{
		failure("EOrder:Insufficient funds", "EService:Busy"):     provider.Unknown,
		failure("EAPI:Rate limit exceeded", "EOrder:Bad"):         provider.Unknown,
		failure("EOrder:Invalid price", "EService:Throttled: 1"):  provider.Retry,
		failure("WDatabase:slow", "EOrder:Insufficient funds"):    provider.Refused,
		failure("EGeneral:Invalid arguments", "EAPI:Invalid key"): provider.Refused,
	}
	for body, class := range cases {
		client, _ := start(t, map[string]string{"AddOrder": body})
		if _, err := buy(t.Context(), client); provider.ClassOf(err) != class {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// What a gateway says, and what makes no sense, leaves an order open; so does
// silence. Secrets show in none of it.
func TestAnswersOfGatewaysAreUnknown(t *testing.T) {
	cases := []struct {
		status int
		body   string
		class  provider.Class
	}{
		{500, "<html>oops " + apiKey + " " + secret, provider.Unknown},
		{502, "", provider.Unknown},
		{520, "error code: 520", provider.Unknown},
		{503, `{"message":"try later"}`, provider.Unknown},
		{403, "<html>blocked", provider.Unknown},
		{429, "slow down", provider.Retry},
		{200, "<html>hello " + secret, provider.Unknown},
		{200, "", provider.Unknown},
		{200, `{"error":[],"result":{"descr":{}}}`, provider.Unknown},
		{200, `{"error":[],"result":{"txid":[]}}`, provider.Unknown},
		{200, `{"error":[],"result":{"txid":["O1","O2"]}}`, provider.Unknown},
		{500, failure("EOrder:Insufficient funds " + apiKey), provider.Refused},
		{302, "", provider.Unknown},
	}
	for _, c := range cases {
		client, server := start(t, map[string]string{"AddOrder": c.body})
		server.status = c.status
		if c.status == 302 {
			server.header = http.Header{"Location": {"/0/private/AddOrder"}}
		}
		_, err := buy(t.Context(), client)
		var got *provider.Error
		if !errors.As(err, &got) || got.Class != c.class {
			t.Errorf("%d %q: %v", c.status, c.body, err)
			continue
		}
		if strings.Contains(err.Error(), apiKey) || strings.Contains(err.Error(), secret) {
			t.Errorf("%d: a secret shows in %v", c.status, err)
		}
		if len(server.sent) != 1 {
			t.Errorf("%d: sent %d times", c.status, len(server.sent))
		}
	}
}

func TestSilenceIsUnknown(t *testing.T) {
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("API-Sign") == "" {
			panic(http.ErrAbortHandler)
		}
		<-released
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(released) })
	client := New(Config{URL: server.URL, Key: apiKey, Secret: secret, Timeout: 50 * time.Millisecond})
	_, timeout := buy(t.Context(), client)
	_, reset := New(Config{URL: server.URL, Key: apiKey, Secret: secret, Timeout: time.Minute}).Tickers(t.Context())
	for code, err := range map[string]error{"timeout": timeout, "connection_lost": reset} {
		var got *provider.Error
		if !errors.As(err, &got) || got.Class != provider.Unknown || got.Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestNoncesRiseUnderTheLock(t *testing.T) {
	client, server := start(t, map[string]string{"AddOrder": `{"error":[],"result":{"txid":["O1"]}}`})
	var outside sync.Mutex
	held := 0
	client.config.Lock = func(context.Context) (func(), error) {
		outside.Lock()
		held++
		return outside.Unlock, nil
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := buy(t.Context(), client); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if held != 20 {
		t.Errorf("the lock was taken %d times", held)
	}
	last := uint64(0)
	for _, form := range server.asked["AddOrder"] {
		nonce, err := strconv.ParseUint(form.Get("nonce"), 10, 64)
		if err != nil || nonce <= last {
			t.Errorf("nonce %q after %d", form.Get("nonce"), last)
		}
		last = nonce
	}
	// Another process, whose own clock is behind, continues by the shared one.
	ahead := time.Now().Add(time.Hour)
	client.config.Now = func(context.Context) (time.Time, error) { return ahead, nil }
	if _, err := buy(t.Context(), client); err != nil {
		t.Error(err)
	}
	if got := server.asked["AddOrder"][20].Get("nonce"); got != strconv.FormatInt(ahead.UnixNano(), 10) {
		t.Errorf("nonce %s is not of the shared clock", got)
	}
	client.config.Now = func(context.Context) (time.Time, error) { return time.Time{}, errors.New("no clock " + secret) }
	if _, err := buy(t.Context(), client); provider.ClassOf(err) != provider.Retry || strings.Contains(fmt.Sprint(err), secret) {
		t.Errorf("without a clock: %v", err)
	}
	client.config.Lock = func(context.Context) (func(), error) { return nil, errors.New("busy: " + secret) }
	_, err := buy(t.Context(), client)
	if provider.ClassOf(err) != provider.Retry || strings.Contains(fmt.Sprint(err), secret) || len(server.sent) != 21 {
		t.Errorf("without the lock: %v, %d sent", err, len(server.sent))
	}
}

func TestASecretThatIsNoneSendsNothing(t *testing.T) {
	client, server := start(t, nil)
	client = New(Config{URL: client.config.URL, Key: apiKey, Secret: "not base64!"})
	_, err := buy(t.Context(), client)
	if provider.ClassOf(err) != provider.Refused || len(server.sent) != 0 {
		t.Errorf("%v, %d sent", err, len(server.sent))
	}
}
