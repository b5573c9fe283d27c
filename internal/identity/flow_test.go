package identity_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// The whole way of a new customer, judged by a client that shares no code with
// the provider: sign-up with a mailed code, claims, single sign-on, sign-out.
func TestSignUpAndBack(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	f := newFlow()

	p := b.open(s.authorizeURL(f, oauth2.SetAuthURLParam("prompt", "create")))
	require.Equal(t, "/signup", p.url.Path, "prompt=create opens sign-up")
	p = s.confirm(t, b, b.submit(p, "/signup", person("dana@example.com")), "dana@example.com")
	require.Equal(t, s.site.URL+"/api/callback", p.url.Scheme+"://"+p.url.Host+p.url.Path)

	claims, token := s.claims(t, f)
	require.Equal(t, "dana@example.com", claims["email"])
	require.Equal(t, []any{"tradepost"}, claims["aud"], asvs.Claim(t, "9.2.4"))
	require.Equal(t, true, claims["email_verified"], "the code proved it")
	require.Equal(t, "Dana", claims["given_name"])
	require.Equal(t, "O’Neil-Núñez", claims["family_name"])
	require.Equal(t, "CA", claims["country"])
	require.Equal(t, "en-US", claims["locale"])
	require.Equal(t, "2026-01-01", claims["terms_version"])
	for _, name := range []string{"terms_accepted_at", "adult_confirmed_at", "email_verified_at"} {
		at, err := time.Parse(time.RFC3339, claims[name].(string))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), at, time.Minute)
	}
	info, err := s.provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token))
	require.NoError(t, err)
	require.Equal(t, claims["sub"], info.Subject)
	require.True(t, info.EmailVerified)

	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM users WHERE email_key = 'dana@example.com' AND password_hash LIKE '$argon2id$%'`), asvs.Claim(t, "11.4.2", "11.4.4"))

	f = newFlow()
	b.open(s.authorizeURL(f))
	again, second := s.claims(t, f)
	require.Equal(t, claims["sub"], again["sub"], "single sign-on, the same subject")

	hint := second.Extra("id_token").(string)
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(hint, ".")[1])
	require.NoError(t, err)
	require.NotRegexp(t, `(?i)dana|example\.com|O.Neil|"CA"`, string(payload), asvs.Claim(t, "14.2.1"))
	out := b.open(s.idp.URL + "/end_session?" + url.Values{
		"id_token_hint": {hint}, "post_logout_redirect_uri": {s.site.URL + "/"},
	}.Encode())
	require.Equal(t, s.site.URL+"/", out.url.String())
	require.Equal(t, "/signin", b.open(s.authorizeURL(newFlow())).url.Path, asvs.Claim(t, "7.6.2"))
}

func TestSignInWithoutRequestLeadsToTheSite(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	p := b.submit(b.open(s.idp.URL+"/signin"), "/signin", map[string]string{"email": " Casey@Example.com ", "password": "tradepost-demo-1"})
	require.Equal(t, s.site.URL+"/api/login", p.url.String())
	account := b.open(s.idp.URL + "/account")
	require.Contains(t, account.body, "casey@example.com")
	require.Contains(t, account.body, "Confirmed")
}

// Prompts and max_age of the protocol.
func TestPrompts(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	none := oauth2.SetAuthURLParam("prompt", "none")

	b.open(s.authorizeURL(newFlow(), none))
	require.Equal(t, "login_required", (<-s.arrived).URL.Query().Get("error"), "prompt=none shows no page")

	s.signUp(t, b, "prompts@example.com")
	f := newFlow()
	b.open(s.authorizeURL(f, none))
	s.claims(t, f)
	again := b.open(s.authorizeURL(newFlow(), oauth2.SetAuthURLParam("prompt", "login")))
	require.Equal(t, "/signin", again.url.Path)
	require.Contains(t, again.body, `value="prompts@example.com"`, "only the password is asked for again")
	require.NotContains(t, newBrowser(t).open(again.url.String()).body, "prompts@example.com")
	require.Equal(t, "/signin", b.open(s.authorizeURL(newFlow(), oauth2.SetAuthURLParam("max_age", "0"))).url.Path)
	hooked := b.open(s.authorizeURL(newFlow(), oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("login_hint", "who@example.com")))
	require.Contains(t, hooked.body, `value="who@example.com"`)

	f = newFlow()
	p := b.open(s.authorizeURL(f, oauth2.SetAuthURLParam("prompt", "create")))
	require.Contains(t, p.body, "You are signed in as")
	b.submit(p, "/continue", nil)
	s.claims(t, f)
}

// A signing key made now signs later, is published at once, and what older
// keys signed stays valid.
func TestKeyRotation(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	f := newFlow()
	b.submit(b.open(s.authorizeURL(f)), "/signin", map[string]string{"email": "alice@example.com", "password": "tradepost-demo-1"})
	_, token := s.claims(t, f)
	require.NoError(t, s.server.RotateKeys(t.Context()))
	var sealed []byte
	require.NoError(t, s.db.QueryRow(t.Context(), `SELECT sealed_private FROM signing_keys LIMIT 1`).Scan(&sealed))
	require.NotContains(t, string(sealed), "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01", "a key is stored sealed, not as PKCS #8")
	_, err := s.db.Exec(t.Context(), `UPDATE signing_keys SET active_from = now() WHERE active_from > now()`)
	require.NoError(t, err)

	replica, _ := s.replica(t)
	s.idp.Config.Handler = replica.Handler()
	f = newFlow()
	b.open(s.authorizeURL(f))
	_, next := s.claims(t, f)
	require.NotEqual(t, keyID(t, token), keyID(t, next))
	fresh, err := oidc.NewProvider(t.Context(), s.idp.URL)
	require.NoError(t, err)
	_, err = fresh.Verifier(&oidc.Config{ClientID: "tradepost"}).Verify(t.Context(), token.Extra("id_token").(string))
	require.NoError(t, err, "the old key is still published")
}

// keyID reads which key signed the ID token of an answer.
func keyID(t *testing.T, token *oauth2.Token) string {
	t.Helper()
	parsed, err := jose.ParseSigned(token.Extra("id_token").(string), []jose.SignatureAlgorithm{jose.RS256})
	require.NoError(t, err)
	return parsed.Signatures[0].Header.KeyID
}

// A finished step is not a failure: Back after a sign-in, the callback again and a second tab lead back to the
// client, with the state that it sent, and change nothing.
func TestFinishedStepsLeadOn(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	first, second := b.open(s.authorizeURL(newFlow())), b.open(s.authorizeURL(newFlow()))
	id, other := first.url.Query().Get("request"), second.url.Query().Get("request")
	casey := map[string]string{"email": "casey@example.com", "password": "tradepost-demo-1"}
	done := b.submit(first, "/signin", casey)
	require.NotEmpty(t, done.url.Query().Get("code"))

	for _, path := range []string{"/signin?request=", "/signup?request=", "/continue?request=", "/authorize/callback?id="} {
		p := b.open(s.idp.URL + path + id)
		require.Equal(t, s.site.URL+"/api/callback", p.url.Scheme+"://"+p.url.Host+p.url.Path, path)
		require.Equal(t, done.url.Query().Get("state"), p.url.Query().Get("state"), path)
		require.Equal(t, "interaction_required", p.url.Query().Get("error"), path)
		require.Empty(t, p.url.Query().Get("code"), path)
	}
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM auth_requests WHERE id = '`+id+`' AND code_hash IS NOT NULL`))

	// The other tab's form is from before the sign-in: it ends its own request, with the session there is.
	late := b.submit(second, "/signin", casey)
	require.NotEmpty(t, late.url.Query().Get("code"), late.body)
	require.NotEqual(t, done.url.Query().Get("state"), late.url.Query().Get("state"))
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM auth_requests WHERE id = '`+other+`' AND code_hash IS NOT NULL`))

	_, err := s.db.Exec(t.Context(), `UPDATE auth_requests SET code_hash = NULL, user_id = NULL, expires_at = now() - interval '1 second' WHERE id = $1`, other)
	require.NoError(t, err)
	expired := b.open(s.idp.URL + "/signin?request=" + other)
	require.Equal(t, "interaction_required", expired.url.Query().Get("error"), "an expired one begins again where the person wanted to go")
}
