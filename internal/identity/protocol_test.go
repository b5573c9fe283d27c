package identity_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// Everything but the code flow with PKCE S256 is refused before a page is
// shown: at the client where that is safe, else on a page naming the parameter.
func TestBar09RefusedRequests(t *testing.T) {
	s := start(t)
	good, err := url.Parse(s.authorizeURL(newFlow()))
	require.NoError(t, err)
	cases := []struct{ name, set, value, want string }{
		{"no PKCE", "code_challenge", "", "invalid_request"},
		{"plain PKCE", "code_challenge_method", "plain", "invalid_request"},
		{"no PKCE method", "code_challenge_method", "", "invalid_request"},
		{"short challenge", "code_challenge", "abc", "invalid_request"},
		{"implicit flow", "response_type", "id_token", "unauthorized_client"},
		{"implicit flow with token", "response_type", "id_token token", "unauthorized_client"},
		{"hybrid flow", "response_type", "code id_token", "unauthorized_client"},
		{"no state", "state", "", "invalid_request"},
		{"no nonce", "nonce", "", "invalid_request"},
		{"no openid", "scope", "email", "invalid_scope"},
		{"fragment", "response_mode", "fragment", "invalid_request"},
		{"request object", "request", "e30.e30.", "request_not_supported"},
		{"other redirect", "redirect_uri", "https://evil.example/", ""},
		{"redirect under ours", "redirect_uri", s.site.URL + "/api/callback/../../evil", ""},
		{"redirect with user", "redirect_uri", strings.Replace(s.site.URL, "http://", "http://a@", 1) + "/api/callback", ""},
		{"no redirect", "redirect_uri", "", ""},
		{"other client", "client_id", "someone", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			at, query := *good, good.Query()
			query.Set(c.set, c.value)
			at.RawQuery = query.Encode()
			p := newBrowser(t).open(at.String())
			if c.want == "" {
				require.Equal(t, http.StatusBadRequest, p.status)
				require.Contains(t, p.body, "“"+c.set+"”")
				require.Equal(t, "/authorize", p.url.Path, asvs.Claim(t, "10.4.1"))
				return
			}
			back := (<-s.arrived).URL
			require.Equal(t, c.want, back.Query().Get("error"), asvs.Claim(t, "10.4.6", "10.6.1"))
			require.Empty(t, back.Query().Get("code"))
		})
	}
	require.Empty(t, s.arrived)
	require.Equal(t, http.StatusBadRequest, newBrowser(t).open(good.String()+"&redirect_uri=https%3A%2F%2Fevil.example").status, "doubled parameter")
}

// The token endpoint: wrong verifier, secret, redirect or grant give nothing,
// and a code that was shown once is gone whatever came of it.
func TestBar09RefusedExchanges(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	s.signUp(t, b, "exchange@example.com")
	fresh := func() (flow, string) {
		f := newFlow()
		b.open(s.authorizeURL(f))
		return f, s.code(t, f)
	}
	wrong := map[string]func(*oauth2.Config, *flow){
		"wrong verifier": func(_ *oauth2.Config, f *flow) { f.verifier = oauth2.GenerateVerifier() },
		"no verifier":    func(_ *oauth2.Config, f *flow) { f.verifier = "" },
		"wrong secret":   func(c *oauth2.Config, _ *flow) { c.ClientSecret = "another secret" },
		"no secret":      func(c *oauth2.Config, _ *flow) { c.ClientSecret = "" },
		"other redirect": func(c *oauth2.Config, _ *flow) { c.RedirectURL = s.site.URL + "/" },
		"other client":   func(c *oauth2.Config, _ *flow) { c.ClientID = "someone" },
	}
	for name, spoil := range wrong {
		t.Run(name, func(t *testing.T) {
			f, code := fresh()
			config, bad := s.oauth, f
			spoil(&config, &bad)
			_, err := config.Exchange(t.Context(), code, oauth2.VerifierOption(bad.verifier))
			require.Error(t, err, asvs.Claim(t, "10.4.10"))
			_, err = s.oauth.Exchange(t.Context(), code, oauth2.VerifierOption(f.verifier))
			require.Error(t, err, "the code is burnt")
		})
	}
	for _, grant := range []string{"", "implicit", "password", "client_credentials", "refresh_token",
		"urn:ietf:params:oauth:grant-type:jwt-bearer", "urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:device_code"} {
		p := newBrowser(t).do(http.MethodPost, s.idp.URL+"/oauth/token", url.Values{"grant_type": {grant}})
		require.Equal(t, http.StatusBadRequest, p.status, grant)
		require.Contains(t, p.body, "unsupported_grant_type", asvs.Claim(t, "10.4.4"))
	}
	for _, path := range []string{"/oauth/introspect", "/revoke", "/device_authorization"} {
		require.Equal(t, http.StatusNotFound, newBrowser(t).do(http.MethodPost, s.idp.URL+path, nil).status)
	}
}

// A client with a wrong secret is refused as such before its code is looked at, and one with the right secret for its
// code: whoever asks knows which of the two is wrong.
func TestAWrongSecretIsSaidWhateverTheCode(t *testing.T) {
	s := start(t)
	for secret, want := range map[string]string{s.config.ClientSecret: "invalid_grant", "another secret": "invalid_client", "": "invalid_client"} {
		config := s.oauth
		config.ClientSecret, config.Endpoint.AuthStyle = secret, oauth2.AuthStyleInHeader
		_, err := config.Exchange(t.Context(), "never-issued", oauth2.VerifierOption(oauth2.GenerateVerifier()))
		var refused *oauth2.RetrieveError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, want, refused.ErrorCode, asvs.Claim(t, "10.4.10"))
		if want == "invalid_client" {
			require.Equal(t, http.StatusUnauthorized, refused.Response.StatusCode)
			require.Regexp(t, "^Basic ", refused.Response.Header.Get("WWW-Authenticate"), "RFC 6749, 5.2")
		}
	}
}

// A code used twice gives nothing the second time, and ends what the first
// exchange gave.
func TestBar08ReusedCode(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	s.signUp(t, b, "reuse@example.com")
	f := newFlow()
	b.open(s.authorizeURL(f))
	code := s.code(t, f)
	token, err := s.oauth.Exchange(t.Context(), code, oauth2.VerifierOption(f.verifier))
	require.NoError(t, err)
	_, err = s.provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token))
	require.NoError(t, err)
	_, err = s.oauth.Exchange(t.Context(), code, oauth2.VerifierOption(f.verifier))
	var refused *oauth2.RetrieveError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "invalid_grant", refused.ErrorCode, asvs.Claim(t, "10.4.2"))
	_, err = s.provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token))
	require.Error(t, err)
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM events WHERE kind = 'code_reused'`))
}

// A request belongs to the browser that brought it: a link to its pages, or
// its callback, is worth nothing in another.
func TestBar08OtherBrowser(t *testing.T) {
	s := start(t)
	attacker, victim := newBrowser(t), newBrowser(t)
	s.signUp(t, victim, "victim@example.com")
	p := attacker.open(s.authorizeURL(newFlow()))
	id := p.url.Query().Get("request")
	require.NotEmpty(t, id)
	for _, path := range []string{"/signin?request=", "/signup?request=", "/continue?request=", "/authorize/callback?id="} {
		p := victim.open(s.idp.URL + path + id)
		require.Equal(t, http.StatusBadRequest, p.status, path)
		require.Contains(t, p.body, "This sign-in has expired")
	}
	p = victim.open(s.idp.URL + "/account")
	token := hiddenFields(t, p.body, "/signout")
	token.Set("request", id)
	require.Equal(t, http.StatusBadRequest, victim.do(http.MethodPost, s.idp.URL+"/continue", token).status)
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM auth_requests WHERE id = '`+id+`' AND user_id IS NULL`))
	require.Empty(t, s.arrived)
}

// It does not start by accident: not beside another issuer, not in production
// unasked, not with weak secrets, not with demo accounts in its database.
func TestBar09DoesNotStart(t *testing.T) {
	s := start(t)
	production := s.config
	production.Mode, production.AllowEmbedded, production.URL, production.LegalDir = identity.ModeProduction, true, "https://id.example.com", ownTexts(t)
	require.NoError(t, production.Check())
	wrong := map[string]func(*identity.Config){
		"LEGAL_DIR":               func(c *identity.Config) { c.LegalDir = "" },
		"ALLOW_EMBEDDED_IDENTITY": func(c *identity.Config) { c.AllowEmbedded = false },
		"OIDC_ISSUER":             func(c *identity.Config) { c.Issuer = "https://accounts.example.org" },
		"OIDC_CLIENT_SECRET":      func(c *identity.Config) { c.ClientSecret = "short" },
		"IDENTITY_URL":            func(c *identity.Config) { c.URL = "http://id.example.com" },
		"IDENTITY_SECRET_KEY":     func(c *identity.Config) { c.SecretKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" },
		"IDENTITY_REDIRECTS":      func(c *identity.Config) { c.Redirects = []string{"/relative"} },
		"MODE":                    func(c *identity.Config) { c.Mode = "rehearsal" },
		"PUBLIC_URL":              func(c *identity.Config) { c.PublicURL = "example.com" },
		"TRUSTED_PROXIES":         func(c *identity.Config) { c.Trusted = []string{"everyone"} },
	}
	for variable, spoil := range wrong {
		t.Run(variable, func(t *testing.T) {
			config := production
			spoil(&config)
			require.ErrorContains(t, config.Check(), variable)
		})
	}
	local := s.config
	local.Issuer = "https://accounts.example.org"
	require.ErrorContains(t, local.Check(), "OIDC_ISSUER", "not in local mode either")

	_, err := identity.New(t.Context(), production, s.db, s.mail, quiet())
	require.ErrorContains(t, err, "demo accounts", asvs.Claim(t, "6.3.2"))
	_, err = identity.OpenPool(t.Context(), "postgres://nobody:wrong@127.0.0.1:1/none")
	require.ErrorContains(t, err, "IDENTITY_DATABASE_URL")
}
