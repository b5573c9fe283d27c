package identity_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/mail"
)

// mailbox is a mail server in memory, which can be down.
type mailbox struct {
	mu   sync.Mutex
	down bool
	got  []mail.Message
	news chan struct{}
}

func (m *mailbox) Send(_ context.Context, message mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return errors.New("connection refused")
	}
	m.got = append(m.got, message)
	select {
	case m.news <- struct{}{}:
	default:
	}
	return nil
}

func (m *mailbox) setDown(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// logText is what was logged.
type logText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logText) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// hashes counts the passwords that a call hashes, by the 46 MiB that each fills: the time
// of a hash is no measure on a busy machine.
func hashes(call func()) uint64 {
	allocated := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.TotalAlloc
	}
	before := allocated()
	call()
	return (allocated() - before) / (46 << 20)
}

// next waits for the mail to an address whose subject contains subject, and removes it.
func (m *mailbox) next(t *testing.T, to, subject string) mail.Message {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		m.mu.Lock()
		for i, message := range m.got {
			if message.To == to && strings.Contains(message.Subject, subject) {
				m.got = append(m.got[:i], m.got[i+1:]...)
				m.mu.Unlock()
				return message
			}
		}
		m.mu.Unlock()
		select {
		case <-m.news:
		case <-deadline:
			t.Fatalf("no mail %q to %s", subject, to)
		}
	}
}

var linkPattern = regexp.MustCompile(`https?://\S+token=\S+`)

// stack is a provider on a real database, a site that uses it, and a mailbox.
type stack struct {
	config   identity.Config
	db       *pgxpool.Pool
	server   *identity.Server
	idp      *httptest.Server
	site     *httptest.Server
	mail     *mailbox
	provider *oidc.Provider
	oauth    oauth2.Config
	arrived  chan *http.Request // what came back to the site's callback
	ended    chan string        // logout tokens the site was sent
	log      *logText
}

func start(t *testing.T) *stack {
	t.Helper()
	return startWith(t, func(*identity.Config) {})
}

// startWith is start with a changed configuration.
func startWith(t *testing.T, change func(*identity.Config)) *stack {
	t.Helper()
	s := &stack{log: &logText{}, mail: &mailbox{news: make(chan struct{}, 1)}, arrived: make(chan *http.Request, 10), ended: make(chan string, 10)}
	s.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/callback" {
			s.arrived <- r
		}
		if r.Method == http.MethodPost && r.URL.Path == "/api/logout/backchannel" {
			s.ended <- r.PostFormValue("logout_token")
		}
		_, _ = io.WriteString(w, "<h1>the site</h1>")
	}))
	t.Cleanup(s.site.Close)
	s.idp = httptest.NewUnstartedServer(nil)
	t.Cleanup(s.idp.Close)
	origin := "http://" + s.idp.Listener.Addr().String()
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	s.config = identity.Config{
		URL: origin, DatabaseURL: testbed.EmptyDB(t).Identity, SecretKey: base64.StdEncoding.EncodeToString(key),
		Redirects: []string{s.site.URL + "/api/callback", s.site.URL + "/"}, ClientID: "tradepost", ClientSecret: "the client's secret",
		SMTPURL: "smtp://127.0.0.1:25", MailFrom: "hello@example.com", Brand: "Tradepost", PublicURL: s.site.URL,
		SignupsHourly: 120, Mode: identity.ModeLocal,
	}
	change(&s.config)
	s.server, s.db = s.replica(t)
	s.idp.Config.Handler = s.server.Handler()
	s.idp.Start()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.server.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	provider, err := oidc.NewProvider(t.Context(), origin)
	require.NoError(t, err)
	s.provider = provider
	s.oauth = oauth2.Config{
		ClientID: "tradepost", ClientSecret: "the client's secret", Endpoint: provider.Endpoint(),
		RedirectURL: s.site.URL + "/api/callback", Scopes: []string{"openid", "profile", "email"},
	}
	return s
}

// replica is another process on the same database.
func (s *stack) replica(t *testing.T) (*identity.Server, *pgxpool.Pool) {
	t.Helper()
	pool, err := identity.OpenPool(t.Context(), s.config.DatabaseURL)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, identity.Migrate(t.Context(), pool))
	log := slog.New(slog.NewTextHandler(s.log, nil))
	slog.SetDefault(log) // the protocol library logs there
	server, err := identity.New(t.Context(), s.config, pool, s.mail, log)
	require.NoError(t, err)
	return server, pool
}

// browser keeps cookies and follows redirects, as browsers do.
type browser struct {
	t      *testing.T
	client *http.Client
	header http.Header
}

func newBrowser(t *testing.T) *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{t: t, client: &http.Client{Jar: jar, Timeout: 30 * time.Second}, header: http.Header{}}
}

func (b *browser) cookie(s *stack, name string) string {
	at, err := url.Parse(s.idp.URL)
	require.NoError(b.t, err)
	for _, cookie := range b.client.Jar.Cookies(at) {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

func (b *browser) setCookie(s *stack, name, value string) {
	at, err := url.Parse(s.idp.URL)
	require.NoError(b.t, err)
	b.client.Jar.SetCookies(at, []*http.Cookie{{Name: name, Value: value, Path: "/"}}) //nolint:gosec // what an attacker would plant
}

// promptLogin requires the password even of a signed-in user.
var promptLogin = oauth2.SetAuthURLParam("prompt", "login")

// page is an answer and the form a test fills in.
type page struct {
	status int
	url    *url.URL
	header http.Header
	body   string
}

func (b *browser) do(method, target string, form url.Values) page {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, target, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	for name, values := range b.header {
		request.Header[name] = values
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := b.client.Do(request)
	require.NoError(b.t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(b.t, err)
	return page{answer.StatusCode, answer.Request.URL, answer.Header, string(body)}
}

func (b *browser) open(target string) page { b.t.Helper(); return b.do(http.MethodGet, target, nil) }

// submit sends the form of p that posts to action, with what it holds already
// and what the person types.
func (b *browser) submit(p page, action string, typed map[string]string) page {
	b.t.Helper()
	values := hiddenFields(b.t, p.body, action)
	for name, value := range typed {
		values.Set(name, value)
	}
	target, err := p.url.Parse(action)
	require.NoError(b.t, err)
	return b.do(http.MethodPost, target.String(), values)
}

// hiddenFields reads the hidden inputs of the form that posts to action.
func hiddenFields(t *testing.T, body, action string) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	require.NoError(t, err)
	values := url.Values{}
	found := false
	for node := range root.Descendants() {
		if node.Type != html.ElementNode || node.Data != "form" || attribute(node, "action") != action {
			continue
		}
		found = true
		for input := range node.Descendants() {
			if input.Data == "input" && attribute(input, "type") == "hidden" {
				values.Set(attribute(input, "name"), attribute(input, "value"))
			}
		}
	}
	require.True(t, found, "no form posts to %s on the page %s", action, heading.FindString(body))
	return values
}

var heading = regexp.MustCompile(`<h1>.*</h1>`)

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

const goodPassword = "violet-harbour-lantern-41"

// person is what a visitor types at sign-up.
func person(email string) map[string]string {
	return map[string]string{
		"email": email, "new_password": goodPassword, "given_name": "Dana", "family_name": "O’Neil-Núñez",
		"country": "CA", "adult": "yes", "terms": "yes",
	}
}

// flow is one sign-in as the site begins it.
type flow struct {
	verifier, state, nonce string
}

func newFlow() flow {
	return flow{oauth2.GenerateVerifier(), rand.Text(), rand.Text()}
}

func (s *stack) authorizeURL(f flow, more ...oauth2.AuthCodeOption) string {
	options := append([]oauth2.AuthCodeOption{oidc.Nonce(f.nonce), oauth2.S256ChallengeOption(f.verifier)}, more...)
	return s.oauth.AuthCodeURL(f.state, options...)
}

// code is what came back to the site.
func (s *stack) code(t *testing.T, f flow) string {
	t.Helper()
	select {
	case r := <-s.arrived:
		require.Equal(t, f.state, r.URL.Query().Get("state"))
		require.Empty(t, r.URL.Query().Get("error"), r.URL.Query().Get("error_description"))
		return r.URL.Query().Get("code")
	default:
		t.Fatal("nobody came back to the site")
		return ""
	}
}

// personal are claims that no ID token has: browsers sign out with it in an address.
var personal = []string{"email", "email_verified", "name", "given_name", "family_name", "country", "locale", "terms_version", "picture"}

// claims exchanges a code, verifies the ID token as an independent client and reads the person's details beside it.
func (s *stack) claims(t *testing.T, f flow) (map[string]any, *oauth2.Token) {
	t.Helper()
	token, err := s.oauth.Exchange(t.Context(), s.code(t, f), oauth2.VerifierOption(f.verifier))
	require.NoError(t, err)
	raw, ok := token.Extra("id_token").(string)
	require.True(t, ok)
	verified, err := s.provider.Verifier(&oidc.Config{ClientID: "tradepost"}).Verify(t.Context(), raw)
	require.NoError(t, err)
	require.Equal(t, f.nonce, verified.Nonce)
	claims := map[string]any{}
	require.NoError(t, verified.Claims(&claims))
	for _, name := range personal {
		require.NotContains(t, claims, name, "in the ID token")
	}
	info, err := s.provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token))
	require.NoError(t, err)
	require.Equal(t, verified.Subject, info.Subject)
	require.NoError(t, info.Claims(&claims))
	return claims, token
}

var codePattern = regexp.MustCompile(`\b\d{6}\b`)

// mailedCode waits for the mail of a sign-up and returns its code.
func (s *stack) mailedCode(t *testing.T, email string) string {
	t.Helper()
	message := s.mail.next(t, email, "confirmation code")
	code := codePattern.FindString(message.Text)
	require.Contains(t, message.Subject, code)
	require.Contains(t, message.HTML, code)
	return code
}

// confirm types the code that was mailed to the address on the page that asks for it.
func (s *stack) confirm(t *testing.T, b *browser, p page, email string) page {
	t.Helper()
	require.Equal(t, "/signup/code", p.url.Path, p.body)
	return b.submit(p, "/signup/code", map[string]string{"code": s.mailedCode(t, email)})
}

// unconfirm makes an account one of those opened before sign-up proved the address.
func (s *stack) unconfirm(t *testing.T, email string) {
	t.Helper()
	_, err := s.db.Exec(t.Context(), `UPDATE users SET email_verified_at = NULL WHERE email_key = $1`, email)
	require.NoError(t, err)
}

// resend requests the mail that confirms the signed-in user's address, and returns its
// link.
func (s *stack) resend(t *testing.T, b *browser, email string) string {
	t.Helper()
	p := b.submit(b.open(s.idp.URL+"/account"), "/verify/resend", nil)
	require.Contains(t, p.body, "new confirmation e-mail")
	return linkPattern.FindString(s.mail.next(t, email, "Confirm").Text)
}

// signUp opens an account in b and returns the claims the site gets.
func (s *stack) signUp(t *testing.T, b *browser, email string) map[string]any {
	t.Helper()
	f := newFlow()
	p := b.open(s.authorizeURL(f, oauth2.SetAuthURLParam("prompt", "create")))
	p = s.confirm(t, b, b.submit(p, "/signup", person(email)), email)
	require.Equal(t, http.StatusOK, p.status, p.body)
	claims, _ := s.claims(t, f)
	return claims
}

// ownTexts is a folder of legal texts that are no samples.
func ownTexts(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"terms.en.md", "privacy.en.md", "about.en.md"} {
		text := "---\ntitle: Text\nversion: '2026-01-01'\nin_force: 2026-01-01\n---\n\nText.\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}
