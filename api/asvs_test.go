package api

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// A method that no route has is refused, on calls and pages alike, and does nothing
// (ASVS 13.4.4).
func TestUnknownMethodsAreRefused(t *testing.T) {
	h, claim := open(t), asvs.Claim(t, "13.4.4")
	v := h.customer()
	for _, path := range []string{"/api/config", "/api/orders", "/", "/healthz"} {
		for _, method := range []string{http.MethodTrace, http.MethodOptions, http.MethodPut, "PROPFIND", "DEBUG"} {
			a := v.unsafe(method, path, "", "X-Echo", "canary-of-trace")
			require.Contains(t, []int{http.StatusMethodNotAllowed, http.StatusNotFound}, a.status, method+" "+path+" "+claim)
			require.NotContains(t, string(a.body), "canary-of-trace")
		}
	}
}

// A session ends a day after it was last used, and a week after the sign-in however much
// it is used, staff's too (ASVS 7.3.1, 7.3.2).
func TestSessionsEndWhenTheyAreIdleAndWhenTheyAreOld(t *testing.T) {
	h := open(t)
	for _, roles := range [][]string{nil, {"admin"}} {
		idle, old, fresh := h.customer(roles...), h.customer(roles...), h.customer(roles...)
		h.exec(`UPDATE sessions SET last_seen_at = clock_now() - interval '24 hours 1 second' WHERE user_id = $1`, idle.userID)
		h.exec(`UPDATE sessions SET expires_at = clock_now() WHERE user_id = $1`, old.userID)
		h.exec(`UPDATE sessions SET last_seen_at = clock_now() - interval '23 hours' WHERE user_id = $1`, fresh.userID)
		idle.get("/api/auth/user").is(http.StatusUnauthorized, asvs.Claim(t, "7.3.1"))
		old.get("/api/auth/user").is(http.StatusUnauthorized, asvs.Claim(t, "7.3.2"))
		fresh.get("/api/auth/user").is(http.StatusOK)
		require.True(t, one[bool](h, `SELECT expires_at <= created_at + interval '7 days' FROM sessions WHERE user_id = $1`, fresh.userID))
	}
}

// No token of an issuer, and nothing in a header, is a session: the API accepts its own
// cookie alone (ASVS 10.3.1).
func TestTheAPITakesNoBearerTokens(t *testing.T) {
	h := open(t)
	v := h.customer()
	for name, value := range map[string]string{"Authorization": "Bearer " + v.sessionToken(), "X-Session": v.sessionToken(), "X-Api-Key": v.sessionToken()} {
		h.visitor().get("/api/auth/user", name, value).is(http.StatusUnauthorized, asvs.Claim(t, "10.3.1", "10.3.2"))
	}
	h.visitor().get("/api/auth/user?access_token=" + v.sessionToken()).is(http.StatusUnauthorized)
	v.get("/api/auth/user").is(http.StatusOK)
}

// lines is a log that keeps what was written to it.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write keeps one line.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// of waits for the line of a request, which is written once it was answered.
func (l *lines) of(t *testing.T, a *answer) (found string) {
	t.Helper()
	id := a.header.Get("X-Request-Id")
	require.NotEmpty(t, id)
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		for line := range strings.Lines(l.text.String()) {
			if strings.Contains(line, "msg=request ") && strings.Contains(line, id) {
				found = line
			}
		}
		return found != ""
	}, settledWait, settledPoll)
	return found
}

// The log says of a refused call who made it, by id, and nothing of the caller of one that
// was answered (ASVS 16.3.2).
func TestARefusedCallIsLoggedWithWhoMadeIt(t *testing.T) {
	h, log := open(t), &lines{}
	v := h.customer()
	token := v.sessionToken()
	v.origin = h.serve(func(d *Dependencies) { d.Log = slog.New(slog.NewTextHandler(log, nil)) }).URL
	nobody := h.visitor()
	nobody.origin = v.origin
	line := log.of(t, v.get("/api/admin/customers", "Cookie", rest.SessionCookie+"="+token).is(http.StatusForbidden))
	require.Contains(t, line, "status=403", asvs.Claim(t, "16.3.2"))
	require.Contains(t, line, "route=/api/admin/customers")
	require.Contains(t, line, "user="+v.userID, asvs.Claim(t, "16.3.2"))
	require.Regexp(t, `^time=\S+ .* request_id=\S+`, line, asvs.Claim(t, "16.2.1"))
	require.NotContains(t, line, "@")
	require.NotContains(t, log.of(t, v.get("/api/orders", "Cookie", rest.SessionCookie+"="+token).is(http.StatusOK)), "user=")
	require.NotContains(t, log.of(t, nobody.get("/api/orders").is(http.StatusUnauthorized)), "user=")
}

// sessionToken is what the visitor's cookie holds.
func (v *visitor) sessionToken() string {
	v.Helper()
	site, err := url.Parse(v.origin)
	require.NoError(v, err)
	for _, cookie := range v.client.Jar.Cookies(site) {
		if cookie.Name == rest.SessionCookie {
			return cookie.Value
		}
	}
	require.Fail(v, "no session")
	return ""
}

// An issuer that redirects the calls of our server is not followed (ASVS 15.3.2).
func TestSignInFollowsNoRedirectOfTheIssuer(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	issuer := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(issuer.Close)
	in := accountapi.NewSignIn(issuer.URL, "tradepost", "secret", "https://site.example", nil)
	_, err := in.Discover()
	require.Error(t, err, asvs.Claim(t, "15.3.2"))
	require.Less(t, in.Client.Timeout, time.Minute)
}
