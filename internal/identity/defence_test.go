package identity_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

const demoPassword = identity.DemoPassword

func (b *browser) signIn(s *stack, email, password string) page {
	b.t.Helper()
	return b.submit(b.open(s.idp.URL+"/signin"), "/signin", map[string]string{"email": email, "password": password})
}

// 200 wrong guesses in parallel over three replicas: never more than the limit are checked,
// the rest are refused with the time to retry, it is recorded once, and the owner loses
// neither a session nor access.
func TestBar13WrongPasswords(t *testing.T) {
	s := startWith(t, func(c *identity.Config) { c.Trusted = []string{"127.0.0.0/8"} })
	owner := newBrowser(t)
	owner.header.Set("X-Forwarded-For", "198.51.100.7")
	require.Equal(t, http.StatusOK, owner.signIn(s, "casey@example.com", demoPassword).status)
	replicas := []string{s.idp.URL}
	for range 2 {
		server, _ := s.replica(t)
		listener := httptest.NewServer(server.Handler())
		t.Cleanup(listener.Close)
		replicas = append(replicas, listener.URL)
	}
	attacker := newBrowser(t)
	form := attacker.open(s.idp.URL + "/signin")
	values := hiddenFields(t, form.body, "/signin")
	var looked, turned atomic.Int32
	var crowd sync.WaitGroup
	for i := range 200 {
		crowd.Go(func() {
			b := &browser{t: t, client: attacker.client, header: http.Header{"X-Forwarded-For": {fmt.Sprintf("203.0.113.%d", i)}}}
			guess := url.Values{"form_token": values["form_token"], "email": {"Casey@example.com"}, "password": {"guess " + strconv.Itoa(i)}}
			switch p := b.do(http.MethodPost, replicas[i%3]+"/signin", guess); p.status {
			case http.StatusUnauthorized:
				looked.Add(1)
			case http.StatusTooManyRequests:
				after, err := strconv.Atoi(p.header.Get("Retry-After"))
				if err == nil && after >= 1 && after <= 120 && strings.Contains(p.body, "Too many attempts") {
					turned.Add(1)
				}
			}
		})
	}
	crowd.Wait()
	require.LessOrEqual(t, looked.Load(), int32(11), "ten, and one more should two minutes pass: %s", asvs.Claim(t, "6.3.1"))
	require.Equal(t, int32(200), looked.Load()+turned.Load())
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM events WHERE kind = 'limited_password' AND user_id IS NOT NULL`))
	require.Equal(t, int(looked.Load()), s.count(t, `SELECT count(*) FROM events WHERE kind = 'sign_in_failed'`))

	require.Equal(t, http.StatusTooManyRequests, attacker.signIn(s, "casey@example.com", demoPassword).status, "not even the right one")
	require.Contains(t, owner.open(s.idp.URL+"/account").body, "casey@example.com", "the owner's session lives")
	p := owner.submit(owner.open(s.idp.URL+"/account"), "/signout", nil)
	require.Equal(t, "/signed-out", p.url.Path)
	require.Equal(t, s.site.URL+"/api/login", owner.signIn(s, "casey@example.com", demoPassword).url.String(), "the owner's browser has a count of its own")
}

// One address cannot try one password on every account.
func TestBar13ManyAccounts(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	token := hiddenFields(t, b.open(s.idp.URL+"/signin").body, "/signin")
	statuses := map[int]int{}
	for i := range 65 {
		form := url.Values{"form_token": token["form_token"], "email": {fmt.Sprintf("someone%d@example.com", i)}, "password": {"letmein"}}
		statuses[b.do(http.MethodPost, s.idp.URL+"/signin", form).status]++
	}
	require.GreaterOrEqual(t, statuses[http.StatusUnauthorized], 60)
	require.NotZero(t, statuses[http.StatusTooManyRequests])
}

// plain is a page without what belongs to one browser alone.
func plain(p page, email string) string {
	return ownValues.ReplaceAllString(strings.ReplaceAll(p.body, email, "EMAIL"), "")
}

var ownValues = regexp.MustCompile(`name="(form_token|signup)" value="[^"]*"|\bsignup=[0-9a-f-]{36}`)

// Neither sign-in nor a forgotten password discloses who has an account: text, status,
// headers, rows and work are the same.
func TestNoEnumeration(t *testing.T) {
	s := start(t)
	ask := func(path string, form map[string]string) (p page, hashed uint64) {
		b := newBrowser(t)
		p = b.open(s.idp.URL + path)
		hashed = hashes(func() { p = b.submit(p, path, form) })
		return p, hashed
	}
	one, known := ask("/signin", map[string]string{"email": "casey@example.com", "password": "wrong"})
	two, unknown := ask("/signin", map[string]string{"email": "nobody@example.com", "password": "wrong"})
	require.Equal(t, one.status, two.status)
	require.Equal(t, plain(one, "casey@example.com"), plain(two, "nobody@example.com"))
	require.EqualValues(t, 1, known)
	require.EqualValues(t, 1, unknown, "an unknown address costs a hash too")

	_, err := s.db.Exec(t.Context(), `UPDATE users SET disabled_at = now() WHERE email_key = 'bob@example.com'`)
	require.NoError(t, err)
	disabled, _ := ask("/signin", map[string]string{"email": "bob@example.com", "password": demoPassword})
	require.Equal(t, http.StatusUnauthorized, disabled.status, "disabled is not told either")

	before := s.count(t, `SELECT count(*) FROM mail_links`)
	one, _ = ask("/forgot", map[string]string{"email": "casey@example.com"})
	two, _ = ask("/forgot", map[string]string{"email": "nobody@example.com"})
	require.Equal(t, plain(one, ""), plain(two, ""))
	s.mail.next(t, "casey@example.com", "Set a new password")
	s.wait(t, `SELECT count(*) = 0 FROM outbox`)
	require.Equal(t, before+1, s.count(t, `SELECT count(*) FROM mail_links`))
}

// The session token is new at each sign-in, and the one from before is dead.
func TestBar06SessionRotates(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	b.signIn(s, "casey@example.com", demoPassword)
	first := b.cookie(s, "identity_session")
	f := newFlow()
	p := b.open(s.authorizeURL(f, promptLogin))
	b.submit(p, "/signin", map[string]string{"email": "casey@example.com", "password": demoPassword})
	s.claims(t, f)
	second := b.cookie(s, "identity_session")
	require.NotEqual(t, first, second)
	thief := newBrowser(t)
	thief.setCookie(s, "identity_session", first)
	require.Equal(t, "/signin", thief.open(s.idp.URL+"/account").url.Path)
	fixed := newBrowser(t)
	fixed.setCookie(s, "identity_session", "chosen-by-somebody-else")
	fixed.signIn(s, "casey@example.com", demoPassword)
	require.NotEqual(t, "chosen-by-somebody-else", fixed.cookie(s, "identity_session"))
}

// A disabled account is out at once, on every page.
func TestBar07DisabledAccount(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	b.signIn(s, "casey@example.com", demoPassword)
	require.Equal(t, "/account", b.open(s.idp.URL+"/account").url.Path)
	_, err := s.db.Exec(t.Context(), `UPDATE users SET disabled_at = now() WHERE email_key = 'casey@example.com'`)
	require.NoError(t, err)
	require.Equal(t, "/signin", b.open(s.idp.URL+"/account").url.Path)
	require.Equal(t, "/signin", b.open(s.authorizeURL(newFlow())).url.Path)
}

// A form from elsewhere, or without this browser's token, changes nothing; and
// no form works by GET.
func TestBar14Forms(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	b.signIn(s, "casey@example.com", demoPassword)
	good := hiddenFields(t, b.open(s.idp.URL+"/account").body, "/signout")
	forms := []string{"/continue", "/signin", "/signup", "/signup/code", "/signup/code/resend", "/forgot", "/reset", "/verify", "/verify/resend", "/account/password", "/signout"}
	hostile := []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"https://evil.example"}},
		{"Origin": {"null"}}, {"Origin": {s.site.URL}},
	}
	for _, path := range forms {
		for _, header := range hostile {
			b.header = header
			require.Equal(t, http.StatusForbidden, b.do(http.MethodPost, s.idp.URL+path, good).status, "%s %v", path, header)
		}
		b.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
		require.Equal(t, http.StatusForbidden, b.do(http.MethodPost, s.idp.URL+path, nil).status, path)
		require.Equal(t, http.StatusForbidden, newBrowser(t).do(http.MethodPost, s.idp.URL+path, good).status, "another browser's token")
		require.Equal(t, http.StatusMethodNotAllowed, b.do(http.MethodDelete, s.idp.URL+path, nil).status)
	}
	b.header = http.Header{}
	b.open(s.idp.URL + "/signout?" + good.Encode())
	b.open(s.idp.URL + "/end_session")
	require.Equal(t, "/account", b.open(s.idp.URL+"/account").url.Path, asvs.Claim(t, "10.6.2"))
	huge := url.Values{"form_token": good["form_token"], "email": {strings.Repeat("a", 1<<17)}}
	require.Equal(t, http.StatusRequestEntityTooLarge, b.do(http.MethodPost, s.idp.URL+"/forgot", huge).status)
}

// Every page has the headers, and cookies are locked down, more so under TLS.
func TestBar15Headers(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	b.signIn(s, "casey@example.com", demoPassword)
	for _, path := range []string{"/signin", "/signup", "/signup/code?signup=x", "/forgot", "/forgot/sent", "/reset?token=x", "/verify?token=x", "/verified",
		"/account", "/account/password", "/signout", "/signed-out", "/nowhere", "/authorize", "/keys", "/.well-known/openid-configuration"} {
		h := b.open(s.idp.URL + path).header
		require.Contains(t, h.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		require.NotContains(t, h.Get("Content-Security-Policy"), "unsafe", path)
		require.Equal(t, "DENY", h.Get("X-Frame-Options"), path)
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "no-store", h.Get("Cache-Control"), path)
		require.Empty(t, h.Get("Access-Control-Allow-Origin"), path)
	}
	secure := s.config
	secure.Mode, secure.URL = identity.ModeLocal, "https://id.example.com"
	server, err := identity.New(t.Context(), secure, s.db, s.mail, quiet())
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	server.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://id.example.com/signin", nil))
	require.Equal(t, "max-age=63072000; includeSubDomains", answer.Header().Get("Strict-Transport-Security"), asvs.Claim(t, "3.4.1"))
	cookies := answer.Result().Cookies()
	require.Len(t, cookies, 1)
	require.True(t, strings.HasPrefix(cookies[0].Name, "__Host-") && cookies[0].Secure && cookies[0].HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookies[0].SameSite)
}

// A made-up X-Forwarded-For changes no limit, and redirects lead to the site alone.
func TestBar16SpoofedAddressAndRedirects(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	token := hiddenFields(t, b.open(s.idp.URL+"/forgot").body, "/forgot")
	last := 0
	for i := range 32 {
		b.header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
		last = b.do(http.MethodPost, s.idp.URL+"/forgot", url.Values{"form_token": token["form_token"], "email": {fmt.Sprintf("a%d@example.com", i)}}).status
	}
	require.Equal(t, http.StatusTooManyRequests, last)

	b.signIn(s, "casey@example.com", demoPassword)
	for _, target := range []string{"https://evil.example/", "//evil.example", s.site.URL + "@evil.example/", s.site.URL + "/elsewhere"} {
		p := b.open(s.idp.URL + "/end_session?client_id=tradepost&post_logout_redirect_uri=" + url.QueryEscape(target))
		require.Equal(t, http.StatusBadRequest, p.status, target)
		require.Contains(t, p.body, "post_logout_redirect_uri")
	}
	p := b.open(s.idp.URL + "/end_session?client_id=tradepost&state=x%26y&post_logout_redirect_uri=" + url.QueryEscape(s.site.URL+"/"))
	require.Contains(t, p.body, "Sign out?", "without a token of the person it asks")
	require.Equal(t, s.site.URL+"/?state=x%26y", b.submit(p, "/signout", nil).url.String())
	p = b.open(s.idp.URL + "/signout")
	p = b.submit(p, "/signout", map[string]string{"return_to": "https://evil.example/"})
	require.Equal(t, "/signed-out", p.url.Path)
}

func (s *stack) count(t *testing.T, sql string) int {
	t.Helper()
	var n int
	require.NoError(t, s.db.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

// wait polls a condition in SQL until it holds.
func (s *stack) wait(t *testing.T, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		var holds bool
		require.NoError(t, s.db.QueryRow(ctx, sql).Scan(&holds))
		if holds {
			return
		}
	}
}
