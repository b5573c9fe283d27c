package identity_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// markup are texts that would run on a page that repeats them as they are.
var markup = []string{`"><script>alert("canary")</script>`, `'><img src=x onerror=canary()>`, `{{.Canary}}</title><svg onload=canary()>`}

// hostile are texts that no row holds, that are far too long, or that are markup.
var hostile = append([]string{"\x00", "a\x00b@example.com", "\xff\xfe", "a\xc3\x28@example.com", "\u202ea@example.com", "a@b\r\nBcc: x@example.com", "' OR 1=1 --",
	strings.Repeat("x", 3000), "00000000-0000-0000-0000-000000000000", "urn:uuid:00000000-0000-0000-0000-000000000000", "99999999999999999999", "-1", "abc", "1e3", "300000-01-01"}, markup...)

// libraryTexts are parts of what Go and the libraries write in errors of theirs.
var libraryTexts = []string{"ErrorType=", "Description=", "Parent=", "schema:", "strconv.", "json:", "invalid character", "unexpected end", "http: request", "SQLSTATE", "pgx",
	"closed pool", "illegal base64", "go-jose", "oidc:", "cipher:", "invalid URL escape", "invalid semicolon", "mime:", "panic"}

// ownWords are the string literals of the package's source, and its paths.
func ownWords(t *testing.T) (words map[string]bool, paths []string) {
	t.Helper()
	words = map[string]bool{}
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range files {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.BasicLit:
				if node.Kind == token.STRING {
					text, err := strconv.Unquote(node.Value)
					require.NoError(t, err)
					words[text] = true
				}
			case *ast.ValueSpec:
				if name := node.Names[0].Name; strings.HasPrefix(name, "path") && len(node.Values) == 1 {
					path, err := strconv.Unquote(node.Values[0].(*ast.BasicLit).Value)
					require.NoError(t, err)
					if !strings.HasPrefix(path, "/api/") { // of the site
						paths = append(paths, path)
					}
				}
			}
			return true
		})
	}
	require.Greater(t, len(paths), 20)
	return words, paths
}

// A trial sends hostile requests and collects the answers that are not in the issuer's own words.
type trial struct {
	*testing.T
	s      *stack
	b      *browser
	words  map[string]bool
	tries  int
	tried  map[string]bool
	wrong  []string
	failed bool // the database is away: an answer may be an internal error, in our words
}

func (h *trial) try(method, path, query string, header http.Header, body string) {
	h.Helper()
	h.tries++
	h.tried[path] = true
	target := h.s.idp.URL + path
	request, err := http.NewRequestWithContext(h.Context(), method, target, strings.NewReader(body))
	require.NoError(h, err)
	request.URL.RawQuery = query
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", h.tries/250, h.tries%250))
	answer, err := h.b.client.Do(request)
	require.NoError(h, err)
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(h, err)
	if fault := h.fault(answer, string(raw)); fault != "" {
		h.wrong = append(h.wrong, fmt.Sprintf("%s %s?%.90s %.60q: %d %s: %.160q", method, path, query, body, answer.StatusCode, fault, raw))
	}
}

// form tries a form in the body.
func (h *trial) form(path string, form url.Values) {
	h.Helper()
	h.try(http.MethodPost, path, "", nil, form.Encode())
}

// fault says why an answer is not in the issuer's own words, or "".
func (h *trial) fault(answer *http.Response, body string) string {
	if answer.StatusCode >= http.StatusInternalServerError && !h.failed {
		return "an internal error"
	}
	for _, text := range libraryTexts {
		if strings.Contains(body, text) || strings.Contains(answer.Header.Get("Location"), url.QueryEscape(text)) {
			return "the text of a library: " + text
		}
	}
	for _, text := range markup {
		if strings.Contains(body, text) {
			return "markup of the caller"
		}
	}
	if answer.Header.Get("Bcc") != "" {
		return "a header of the caller"
	}
	if location := answer.Header.Get("Location"); location != "" {
		return h.faultOfRedirect(location)
	}
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	switch kind {
	case "text/html":
		if !strings.Contains(body, "<h1>") || !strings.Contains(body, "</html>") || !strings.Contains(body, "Tradepost") {
			return "no page of ours"
		}
		return ""
	case "application/json":
		var said map[string]any
		if json.Unmarshal([]byte(body), &said) != nil {
			return "no JSON"
		}
		if answer.StatusCode < http.StatusBadRequest {
			return ""
		}
		code, _ := said["error"].(string)
		text, _ := said["error_description"].(string)
		return h.faultOfError(code, text, len(said) > 2)
	}
	return "of type " + kind
}

// faultOfRedirect lets through paths of ours and the client's addresses.
func (h *trial) faultOfRedirect(location string) string {
	at, err := url.Parse(location)
	if err != nil {
		return "a redirect to nowhere"
	}
	if at.Host == "" && strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//") {
		return ""
	}
	if home := at.Scheme + "://" + at.Host; home != h.s.site.URL || at.Path != "/api/callback" && at.Path != "/" {
		return "a redirect elsewhere"
	}
	query := at.Query()
	if query.Has("code") || !query.Has("error") && !query.Has("error_description") {
		return ""
	}
	return h.faultOfError(query.Get("error"), query.Get("error_description"), false)
}

func (h *trial) faultOfError(code, text string, more bool) string {
	switch {
	case !h.words[code]:
		return "an error that is not ours: " + code
	case text != "" && !h.words[text]:
		return "a text that is not ours: " + text
	case more:
		return "more than the error"
	}
	return ""
}

// formToken is the token of the browser's forms.
func formToken(b *browser, s *stack) string {
	b.t.Helper()
	return hiddenFields(b.t, b.open(s.idp.URL+"/signin").body, "/signin").Get("form_token")
}

// requestNames are the parameters of /authorize, those that we ignore included.
var requestNames = []string{"state", "nonce", "scope", "login_hint", "ui_locales", "prompt", "max_age", "display", "acr_values", "id_token_hint", "code_challenge",
	"code_challenge_method", "response_mode", "redirect_uri", "client_id", "response_type", "claims", "resource", "request", "request_uri", "registration"}

// everything sends each hostile text in each parameter of each endpoint.
func (h *trial) everything(token string, texts []string) {
	h.Helper()
	h.b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer func() { h.b.client.CheckRedirect = nil }()
	pages := map[string]string{"/signin": "email request", "/forgot": "email", "/reset": "token", "/verify": "token", "/continue": "request",
		"/signup": "email given_name request", "/signup/code": "signup code request", "/signup/code/resend": "signup request", "/verify/resend": "email request",
		"/forgot/sent": "email", "/verified": "email", "/account": "email", "/account/password": "password new_password", "/signout": "redirect", "/signed-out": "state", "/": "x"}
	for path, fields := range pages {
		for field := range strings.FieldsSeq(fields) {
			for _, text := range texts {
				form := url.Values{"form_token": {token}, "password": {"x"}}
				form.Set(field, text)
				h.form(path, form)
				h.try(http.MethodGet, path, url.Values{field: {text}}.Encode(), nil, "")
			}
		}
	}
	good, err := url.Parse(h.s.authorizeURL(newFlow()))
	require.NoError(h, err)
	exchange := url.Values{"grant_type": {"authorization_code"}, "code": {"x"}, "redirect_uri": {h.s.site.URL + "/api/callback"}, "code_verifier": {strings.Repeat("v", 43)}, "client_id": {"tradepost"}, "client_secret": {"the client's secret"}}
	set := func(values url.Values, name, text string) url.Values {
		changed := url.Values{}
		for key, value := range values {
			changed[key] = slices.Clone(value)
		}
		changed.Set(name, text)
		return changed
	}
	for _, text := range texts {
		for _, name := range requestNames {
			asked := good.Query()
			h.try(http.MethodGet, "/authorize", set(asked, name, text).Encode(), nil, "")
			h.try(http.MethodGet, "/authorize", good.RawQuery+"&"+url.Values{name: {text}}.Encode(), nil, "")
			h.try(http.MethodGet, "/authorize", url.Values{"client_id": {"tradepost"}, "redirect_uri": {h.s.site.URL + "/api/callback"}, name: {text}}.Encode(), nil, "")
		}
		for _, name := range []string{"id", "code", "state"} {
			h.try(http.MethodGet, "/authorize/callback", url.Values{name: {text}}.Encode(), nil, "")
		}
		for _, name := range []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales", "logout_hint"} {
			h.try(http.MethodGet, "/end_session", url.Values{name: {text}}.Encode(), nil, "")
			h.form("/end_session", url.Values{name: {text}})
		}
		for _, name := range []string{"code", "redirect_uri", "code_verifier", "client_id", "client_secret", "grant_type", "client_assertion", "client_assertion_type", "scope"} {
			h.form("/oauth/token", set(exchange, name, text))
			h.try(http.MethodPost, "/oauth/token", url.Values{name: {text}}.Encode(), nil, exchange.Encode()+"&"+url.Values{name: {text}}.Encode())
		}
		h.form("/oauth/erasure", url.Values{"sub": {text}})
		h.form("/userinfo", url.Values{"access_token": {text}})
		h.try(http.MethodGet, "/userinfo", url.Values{"access_token": {text}}.Encode(), nil, "")
		for _, path := range []string{"/oauth/introspect", "/revoke", "/device_authorization", "/oauth/revoke"} {
			h.form(path, url.Values{"token": {text}})
		}
		h.try(http.MethodGet, "/keys", url.Values{"kid": {text}}.Encode(), nil, "")
		h.try(http.MethodGet, "/.well-known/openid-configuration", url.Values{"issuer": {text}}.Encode(), nil, "")
	}
	for _, token := range []string{"", "Bearer", "Bearer ", "Bearer x", "Bearer a.b.c", "Bearer eyJhbGciOiJub25lIn0.e30.", "Basic eA==", "Basic !", "Basic dHJhZGVwb3N0Ong=", "Basic JTpY"} {
		for _, path := range []string{"/userinfo", "/oauth/token", "/oauth/erasure"} {
			h.try(http.MethodPost, path, "", http.Header{"Authorization": {token}}, "grant_type=authorization_code&code=x&sub=x")
		}
	}
}

// Bar 23: any value in any field of any page, or in a client's request, is refused or accepted, and never an internal
// error. Each answer is a page of ours or an error of the protocol with a text of ours; no answer has a library's text,
// and none repeats what would run on a page.
func TestBar23NoTextBreaksAPage(t *testing.T) {
	s := startWith(t, func(c *identity.Config) { c.Trusted = []string{"127.0.0.0/8"} })
	words, paths := ownWords(t)
	h := &trial{T: t, s: s, b: newBrowser(t), words: words, tried: map[string]bool{}}
	h.everything(formToken(h.b, s), hostile)
	h.b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, path := range paths {
		require.True(t, h.tried[path], "%s is not tried", path)
		for _, query := range []string{"%zz", "a=%", "a;b", "=&&=", "max_age=%00", "state=%ff", "&max_age=-1&max_age=2"} {
			h.try(http.MethodGet, path, query, nil, "")
			h.try(http.MethodPost, path, "", nil, query)
		}
		for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodTrace, "PROPFIND"} {
			h.try(method, path, "", nil, "")
		}
		for _, kind := range []string{"application/json", "multipart/form-data", "multipart/form-data; boundary=x", "text/plain", ";;"} {
			h.try(http.MethodPost, path, "", http.Header{"Content-Type": {kind}}, `{"grant_type":"authorization_code"`)
		}
		h.try(http.MethodPost, path, "", nil, "grant_type="+strings.Repeat("x", 70<<10))
	}
	require.Empty(t, h.wrong, asvs.Claim(t, "1.2.1"))
	require.Empty(t, h.wrong, asvs.Claim(t, "16.5.1"))
}

// Without a database the answers are internal errors in our words.
func TestFailuresAreToldInOurWords(t *testing.T) {
	s := startWith(t, func(c *identity.Config) { c.Trusted = []string{"127.0.0.0/8"} })
	b := newBrowser(t)
	s.signUp(t, b, "words@example.com")
	f := newFlow()
	b.open(s.authorizeURL(f))
	given, err := s.oauth.Exchange(t.Context(), s.code(t, f), oauth2.VerifierOption(f.verifier))
	require.NoError(t, err)
	words, _ := ownWords(t)
	h := &trial{T: t, s: s, b: newBrowser(t), words: words, tried: map[string]bool{}, failed: true}
	token := formToken(h.b, s)
	s.db.Close()
	h.everything(token, []string{"00000000-0000-0000-0000-000000000000", "someone@example.com"})
	h.try(http.MethodGet, "/userinfo", "", http.Header{"Authorization": {"Bearer " + given.AccessToken}}, "")
	require.Empty(t, h.wrong, asvs.Claim(t, "16.5.1"))
	require.Contains(t, s.log.String(), "request failed", asvs.Claim(t, "16.3.4"))
	require.Contains(t, s.log.String(), "closed pool", asvs.Claim(t, "16.3.4"))
}
