package sumsub

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/activities/activitiestest"
	"github.com/tradepost/tradepost/internal/provider"
)

// The secret and second of the vectors.
const (
	secret   = "sumsub-lab-secret"
	second   = 1750000000
	appToken = "sbx:canary-4711"
)

// The signatures of the vectors, as the adapter sends them over HTTP.
func TestSignatureVectorsAsSent(t *testing.T) {
	client, server := start(t, map[string]reply{
		"POST /resources/accessTokens/sdk":                         {200, `{"token":"_act-1","userId":"cust_0001"}`},
		"GET /resources/applicants/-;externalUserId=cust_0001/one": {404, `{"description":"none"}`},
	})
	got, err := client.WidgetToken(t.Context(), "cust_0001", "", "")
	if err != nil || got != "_act-1" {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := client.Status(t.Context(), "cust_0001"); !errors.Is(err, provider.ErrNotFound) {
		t.Fatalf("nobody there: %v", err)
	}
	want := []string{
		"1c685fa8080ddf8915554ba3c54dc234793e794a5a5756a8fdfd9a20dd8b8aca",
		"b534fc0b0d1c71effb50db4107ed6a78b6a936ef9f6f3314896c2e5e7ab86291",
	}
	for i, r := range server.asked {
		if r.Header.Get("X-App-Access-Sig") != want[i] || r.Header.Get("X-App-Access-Ts") != "1750000000" ||
			r.Header.Get("X-App-Token") != appToken || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", r.URL, r.Header)
		}
	}
	if server.bodies[0] != `{"userId":"cust_0001","levelName":"basic-kyc-level","ttlInSecs":600}` {
		t.Errorf("sent %s", server.bodies[0])
	}
}

// A name with characters of its own is signed as it is sent.
func TestOddUserIdsAreSignedAsSent(t *testing.T) {
	client, server := start(t, nil)
	if _, err := client.Status(t.Context(), "a/b;c ü"); !errors.Is(err, provider.ErrNotFound) {
		t.Fatal(err)
	}
	r := server.asked[0]
	want := sign(secret, "1750000000", "GET", r.RequestURI, nil)
	if r.Header.Get("X-App-Access-Sig") != want || strings.Count(r.URL.EscapedPath(), "/") != 4 {
		t.Errorf("%s is signed otherwise", r.RequestURI)
	}
}

type script struct {
	answers map[string]reply // "GET /path" → answer; anything else is 404
	asked   []*http.Request
	bodies  []string
}

type reply struct {
	status int
	body   string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.asked, s.bodies = append(s.asked, r), append(s.bodies, string(body))
	answer, known := s.answers[r.Method+" "+r.RequestURI]
	if !known {
		answer = reply{404, `{"code":404,"description":"not found"}`}
	}
	if answer.status == http.StatusFound {
		w.Header().Set("Location", "/elsewhere")
	}
	w.Header().Set("Retry-After", "4")
	w.WriteHeader(answer.status)
	_, _ = w.Write([]byte(answer.body))
}

func configFor(url string) Config {
	return Config{
		URL: url, AppToken: appToken, Secret: secret, Level: "basic-kyc-level", Timeout: time.Minute,
		Now: func(context.Context) (time.Time, error) { return time.Unix(second, 0), nil },
	}
}

func start(t *testing.T, answers map[string]reply) (*Client, *script) {
	t.Helper()
	s := &script{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return New(configFor(server.URL)), s
}

const (
	tokenCall  = "POST /resources/accessTokens/sdk"
	oneCall    = "GET /resources/applicants/-;externalUserId=u1/one"
	resetCall  = "POST /resources/applicants/66f0/reset"
	statusCall = "GET /resources/applicants/66f0/status"
)

// Every row of the error table, for a token and for a lookup.
func TestErrorTable(t *testing.T) {
	cases := []struct {
		status int
		body   string
		class  provider.Class
		code   string
	}{
		{400, `{"description":"bad level","code":400}`, provider.Refused, "bad_request"},
		{401, `{"description":"Invalid signature ` + appToken + `","errorName":"app-token-signature-mismatch"}`, provider.Refused, "unauthorised"},
		{403, `{"description":"permission"}`, provider.Refused, "unauthorised"},
		{409, `{"description":"exists: 66f0"}`, provider.Retry, "exists"},
		{429, `{"description":"slow down"}`, provider.Retry, "rate_limited"},
		{500, `{"description":"` + secret + `"}`, provider.Retry, "http_500"},
		{502, `<html>` + secret, provider.Retry, "http_502"},
		{200, `<html>` + secret, provider.Retry, "unreadable_answer"},
		{200, `{}`, provider.Retry, "unreadable_answer"},
		{302, ``, provider.Unknown, "redirected"},
	}
	decided := map[int]bool{http.StatusNotFound: true} // below: a lookup treats it as an answer
	for _, c := range cases {
		decided[c.status] = true
		client, server := start(t, map[string]reply{tokenCall: {c.status, c.body}, oneCall: {c.status, c.body}, resetCall: {c.status, c.body}})
		_, token := client.WidgetToken(t.Context(), "u1", "ada@example.com", "")
		_, status := client.Status(t.Context(), "u1")
		calls := map[string]error{"token": token, "status": status}
		reset := client.Reset(t.Context(), "66f0")
		if c.status != http.StatusOK { // of a reset, the answer says nothing
			calls["reset"] = reset
		} else if reset != nil {
			t.Errorf("%d reset: %v", c.status, reset)
		}
		for name, err := range calls {
			var got *provider.Error
			if !errors.As(err, &got) || got.Class != c.class || got.Code != c.code {
				t.Errorf("%d %s: %v", c.status, name, err)
				continue
			}
			if does := activitiestest.Does(t, err); does != what[c.class] {
				t.Errorf("%d %s: the activity %s", c.status, name, does)
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), appToken) {
				t.Errorf("%d %s: a secret shows in %v", c.status, name, err)
			}
			if c.status >= 400 && got.RetryAfter != 4*time.Second {
				t.Errorf("%d %s: wait %v", c.status, name, got.RetryAfter)
			}
		}
		if len(server.asked) != 3 {
			t.Errorf("%d: %d requests for three calls", c.status, len(server.asked))
		}
	}
	client, _ := start(t, nil)
	if _, err := client.WidgetToken(t.Context(), "u1", "", ""); provider.ClassOf(err) != provider.Refused || activitiestest.Does(t, err) != activitiestest.Refuses {
		t.Errorf("404 for a token: %v", err)
	}
	for status := range rules {
		if !decided[status] {
			t.Errorf("no case for the row %d", status)
		}
	}
}

// what is what the activity does about a class, as the tables of errors in docs/providers.md have it.
var what = map[provider.Class]string{
	provider.Refused: activitiestest.Refuses, provider.Retry: activitiestest.SendAgain, provider.Unknown: activitiestest.ReadsBack,
}

// Nothing moves money here, so whatever was lost may be asked again.
func TestSilenceMayBeRepeated(t *testing.T) {
	released := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(released) })
	reset := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(reset.Close)
	for code, url := range map[string]string{"timeout": slow.URL, "connection_lost": reset.URL} {
		config := configFor(url)
		if url == slow.URL {
			config.Timeout = 50 * time.Millisecond
		}
		_, err := New(config).WidgetToken(t.Context(), "u1", "", "")
		var got *provider.Error
		if !errors.As(err, &got) || got.Class != provider.Retry || got.Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
	config := configFor(slow.URL)
	config.Now = func(context.Context) (time.Time, error) { return time.Time{}, errors.New("no clock") }
	if _, err := New(config).WidgetToken(t.Context(), "u1", "", ""); provider.ClassOf(err) != provider.Retry {
		t.Errorf("without a clock: %v", err)
	}
}
