package identity_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/identity"
)

// hostile are texts that no row holds, or that are far too long.
var hostile = []string{"\x00", "a\x00b@example.com", "\xff\xfe", "a\xc3\x28@example.com", "\u202ea@example.com", "a@b\r\nBcc: x@example.com", "' OR 1=1 --",
	strings.Repeat("x", 3000), "00000000-0000-0000-0000-000000000000", "urn:uuid:00000000-0000-0000-0000-000000000000", "999999999999999999999", "300000-01-01"}

// Bar 23: any value in any field of any page, or in a client's request, is refused or
// accepted, and never an internal error.
func TestBar23NoTextBreaksAPage(t *testing.T) {
	s := startWith(t, func(c *identity.Config) { c.Trusted = []string{"127.0.0.0/8"} })
	b, tries := newBrowser(t), 0
	token := hiddenFields(t, b.open(s.idp.URL+"/signin").body, "/signin").Get("form_token")
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var broken []string
	try := func(method, path string, form url.Values) {
		tries++
		b.header.Set("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", tries/250, tries%250))
		if p := b.do(method, s.idp.URL+path, form); p.status >= http.StatusInternalServerError {
			broken = append(broken, fmt.Sprintf("%s %.80q %.80q", method, path, form))
		}
	}
	for path, fields := range map[string]string{"/signin": "email request", "/forgot": "email", "/reset": "token", "/verify": "token", "/continue": "request", "/signup": "email given_name request", "/signup/code": "signup code request", "/signup/code/resend": "signup request"} {
		for field := range strings.FieldsSeq(fields) {
			for _, text := range hostile {
				form := url.Values{"form_token": {token}, "password": {"x"}}
				form.Set(field, text)
				try(http.MethodPost, path, form)
				try(http.MethodGet, path+"?"+url.Values{field: {text}}.Encode(), nil)
			}
		}
	}
	for _, text := range hostile {
		for _, name := range []string{"state", "nonce", "scope", "login_hint", "ui_locales", "prompt", "max_age", "display", "acr_values", "id_token_hint", "code_challenge", "response_mode", "redirect_uri", "client_id", "response_type", "claims", "resource"} {
			asked, err := url.Parse(s.authorizeURL(newFlow(), oauth2.SetAuthURLParam(name, text)))
			require.NoError(t, err)
			try(http.MethodGet, "/authorize?"+asked.RawQuery, nil)
		}
		for _, name := range []string{"id", "code", "state"} {
			try(http.MethodGet, "/authorize/callback?"+url.Values{name: {text}}.Encode(), nil)
		}
		for _, name := range []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales", "logout_hint"} {
			try(http.MethodGet, "/end_session?"+url.Values{name: {text}}.Encode(), nil)
		}
		for _, name := range []string{"code", "redirect_uri", "code_verifier", "client_id", "client_secret", "grant_type"} {
			form := url.Values{"grant_type": {"authorization_code"}, "code": {"x"}, "redirect_uri": {s.site.URL + "/api/login/callback"}, "code_verifier": {strings.Repeat("v", 43)}, "client_id": {"tradepost"}, "client_secret": {"x"}}
			form.Set(name, text)
			try(http.MethodPost, "/oauth/token", form)
		}
		b.header.Set("Accept-Language", "en")
	}
	require.Empty(t, broken)
}
