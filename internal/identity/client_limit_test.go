package identity_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/identity"
)

// asClient makes a request as the site's server, from an address, with a secret and a code.
func (s *stack) asClient(t *testing.T, path, address, secret string, f flow, code string) page {
	t.Helper()
	b := newBrowser(t)
	b.header.Set("X-Forwarded-For", address)
	named := base64.StdEncoding.EncodeToString([]byte("tradepost:" + url.QueryEscape(secret)))
	b.header.Set("Authorization", "Basic "+named)
	return b.do(http.MethodPost, s.idp.URL+path, url.Values{"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {s.oauth.RedirectURL}, "code_verifier": {f.verifier}, "sub": {uuid.NewString()}})
}

// Wrong secrets of the client are limited by address, at each call that takes one: with too many, not even the right
// one is looked at there, and its code stays good. The right one is accepted from elsewhere, and any number of times.
func TestWrongClientSecretsAreLimitedByAddress(t *testing.T) {
	s := startWith(t, func(c *identity.Config) { c.Trusted = []string{"127.0.0.0/8"} })
	const token, erasure, attacker, site = "/oauth/token", "/oauth/erasure", "203.0.113.9", "198.51.100.7"
	right, paths := s.config.ClientSecret, []string{token, erasure}
	checked, last := 0, page{status: http.StatusUnauthorized}
	for last.status == http.StatusUnauthorized {
		last = s.asClient(t, paths[checked%2], attacker, "guess "+strconv.Itoa(checked), newFlow(), "never-issued")
		checked++
		require.Less(t, checked, 300)
	}
	require.Greater(t, checked, 60, "both calls share one count of sixty")
	require.Equal(t, http.StatusTooManyRequests, last.status)
	require.Contains(t, last.body, "temporarily_unavailable")
	after, err := strconv.Atoi(last.header.Get("Retry-After"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, after, 1)
	require.LessOrEqual(t, after, 10)

	_, err = s.db.Exec(t.Context(), `UPDATE limits SET tat = tat + interval '1 hour' WHERE key LIKE 'client-secret:%'`)
	require.NoError(t, err)
	b, f := newBrowser(t), newFlow()
	s.signUp(t, b, "limits@example.com")
	b.open(s.authorizeURL(f))
	code := s.code(t, f)
	for _, path := range paths {
		require.Equal(t, http.StatusTooManyRequests, s.asClient(t, path, attacker, right, f, code).status, path)
		require.Equal(t, http.StatusTooManyRequests, s.asClient(t, path, attacker, "a guess", f, code).status, path)
	}
	for range 70 {
		require.Equal(t, http.StatusBadRequest, s.asClient(t, token, site, right, f, "never-issued").status)
	}
	require.Equal(t, http.StatusNoContent, s.asClient(t, erasure, site, right, f, "").status)
	_, err = s.oauth.Exchange(t.Context(), code, oauth2.VerifierOption(f.verifier))
	require.NoError(t, err, "the code is as it was")
	const noted = `SELECT count(*) FROM events WHERE kind = 'limited_client-secret' AND address = '` + attacker + `'`
	require.Equal(t, 1, s.count(t, noted))
}
