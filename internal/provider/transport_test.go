package provider

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// do sends one request with everything that might make net/http send it twice.
func do(ctx context.Context, client *http.Client, target string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader("a=b"))
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", "key-1")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	_, err = io.ReadAll(answer.Body)
	return err
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func TestLostRequestsAreClassified(t *testing.T) {
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		select {
		case <-released:
		case <-r.Context().Done():
		}
	})
	reset := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("half"))
	})
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	redirect := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	gone := httptest.NewServer(nil)
	gone.Close()
	untrusted := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(untrusted.Close)

	cases := []struct {
		name, target string
		timeout      time.Duration
		class        Class
		code         string
	}{
		{"slow", slow.URL, 50 * time.Millisecond, Unknown, "timeout"},
		{"reset", reset.URL, time.Minute, Unknown, "connection_lost"},
		{"cut", cut.URL, time.Minute, Unknown, "connection_lost"},
		{"redirect", redirect.URL, time.Minute, Unknown, "redirected"},
		{"no server", gone.URL, time.Minute, Retry, "unreachable"},
		{"no name", "http://provider.invalid", time.Minute, Retry, "unreachable"},
		{"no trust", untrusted.URL, time.Minute, Retry, "untrusted_certificate"},
	}
	for _, c := range cases {
		err := do(t.Context(), NewHTTPClient("stripe", c.timeout), c.target)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		got := TransportError("p", "o", err)
		if got.Class != c.class || got.Code != c.code {
			t.Errorf("%s: %s/%s, want %s/%s (%v): %s", c.name, got.Class, got.Code, c.class, c.code, err, asvs.Claim(t, "15.3.2"))
		}
		if strings.Contains(got.Error(), "://") {
			t.Errorf("%s: the address shows in %q", c.name, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := do(ctx, NewHTTPClient("stripe", time.Minute), slow.URL)
	if got := TransportError("p", "o", err); got.Class != Unknown || got.Code != "cancelled" {
		t.Errorf("cancelled: %s/%s", got.Class, got.Code)
	}
}

// A kept connection that dies under a request must not make net/http send the
// request again by itself, which it does for any with an Idempotency-Key.
func TestARequestIsSentOnce(t *testing.T) {
	var seen atomic.Int32
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Idempotency-Key") != "key-1" {
			t.Error("the idempotency key is not sent")
		}
		_, _ = io.ReadAll(r.Body)
		if seen.Add(1) == 1 {
			return // answered, and the connection is kept
		}
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = connection.Close() // read the request, then went away
		}
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })

	client := NewHTTPClient("stripe", time.Minute)
	if err := do(t.Context(), client, "http://"+listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	err = do(t.Context(), client, "http://"+listener.Addr().String())
	if err == nil || TransportError("p", "o", err).Class != Unknown {
		t.Errorf("the second request: %v", err)
	}
	if n := seen.Load(); n != 2 {
		t.Errorf("%d requests arrived, want 2", n)
	}
}

func TestCleanTextHidesSecretsAndIsShort(t *testing.T) {
	got := CleanText("wrong key canary-4711\r\nset-cookie: x"+strings.Repeat("ü", 400), "canary-4711", "")
	if strings.Contains(got, "canary") || strings.ContainsAny(got, "\r\n") || len(got) > maxDetail {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(got, "wrong key [redacted]") || !strings.HasSuffix(got, "ü") {
		t.Errorf("%q", got)
	}
	page := "<!DOCTYPE html>\n<html><body><h1>503 Service Unavailable</h1>1 < 2</body></html>"
	if got := CleanText(page); got != "503 Service Unavailable 1 < 2" {
		t.Errorf("%q", got)
	}
}

func TestRetryAfterReadsSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "1000000": time.Hour,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {text}}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestClassOfStrangersIsUnknown(t *testing.T) {
	if ClassOf(errors.New("x")) != Unknown || ClassOf(nil) != Unknown {
		t.Error("an error no adapter made must be unknown")
	}
}
