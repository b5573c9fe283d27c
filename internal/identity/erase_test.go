package identity_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/provider/issuer"
)

// An account that was closed at the site is gone here: its password, its sessions and links
// open nothing, nothing of its address is left, and a sign-up with that address is a new
// account.
func TestClosedAccountsAreErasedAndTheirAddressIsFree(t *testing.T) {
	s := start(t)
	b, other := newBrowser(t), newBrowser(t)
	who := s.signUp(t, b, "gone@example.com")["sub"].(string)
	stays := s.signUp(t, other, "stays@example.com")["sub"]
	link := s.forgot(t, "gone@example.com")
	require.Eventually(t, func() bool { return s.count(t, `SELECT count(*) FROM outbox`) == 0 }, time.Minute, 10*time.Millisecond, "what arrived is noted as sent")
	s.mail.setDown(true)
	asking := newBrowser(t)
	asking.submit(asking.open(s.idp.URL+"/forgot"), "/forgot", map[string]string{"email": "gone@example.com"}) // a mail that is still queued
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM outbox WHERE email_key = 'gone@example.com'`))
	accounts := s.count(t, `SELECT count(*) FROM users`)

	client := issuer.New(issuer.Config{Issuer: s.idp.URL, ClientID: "tradepost", ClientSecret: "the client's secret"})
	require.NoError(t, client.Forget(t.Context(), "https://elsewhere.example.com", who))
	require.Equal(t, accounts, s.count(t, `SELECT count(*) FROM users`), "another issuer's account is not ours")
	for range 2 { // again does no harm
		require.NoError(t, client.Forget(t.Context(), s.idp.URL, who))
	}
	require.Equal(t, accounts-1, s.count(t, `SELECT count(*) FROM users`))
	for _, table := range []string{"sessions", "mail_links", "auth_requests", "known_browsers", "access_tokens"} {
		require.Zero(t, s.count(t, `SELECT count(*) FROM `+table+` WHERE user_id = '`+who+`'`), table)
	}
	require.Zero(t, s.count(t, `SELECT count(*) FROM outbox WHERE email_key = 'gone@example.com'`))
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM events WHERE kind = 'erased' AND user_id = '`+who+`'`))
	require.Equal(t, s.idp.URL+"/signin", b.open(s.idp.URL+"/account").url.String(), "the session is over")
	require.Equal(t, http.StatusUnauthorized, newBrowser(t).signIn(s, "gone@example.com", goodPassword).status)
	require.Equal(t, http.StatusGone, newBrowser(t).open(link).status)

	s.mail.setDown(false)
	require.NotEqual(t, who, s.signUp(t, newBrowser(t), "gone@example.com")["sub"])
	require.Equal(t, http.StatusOK, other.open(s.idp.URL+"/account").status)
	require.NotEqual(t, who, stays)
}

// Only the client can have an account erased, and only by its id.
func TestOnlyTheClientHasAccountsErased(t *testing.T) {
	s := start(t)
	who := s.signUp(t, newBrowser(t), "kept@example.com")["sub"].(string)
	for _, wrong := range []struct {
		id, secret, subject string
		status              int
	}{
		{"", "", who, http.StatusUnauthorized},
		{"tradepost", "", who, http.StatusUnauthorized},
		{"tradepost", "another secret", who, http.StatusUnauthorized},
		{"other", "the client's secret", who, http.StatusUnauthorized},
		{"tradepost", "the client's secret", "", http.StatusBadRequest},
		{"tradepost", "the client's secret", "kept@example.com", http.StatusBadRequest},
		{"tradepost", "the client's secret", who + strings.Repeat(" ", 2000), http.StatusBadRequest},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.idp.URL+"/oauth/erasure", strings.NewReader(url.Values{"sub": {wrong.subject}}.Encode()))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if wrong.id != "" {
			request.SetBasicAuth(url.QueryEscape(wrong.id), url.QueryEscape(wrong.secret))
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		_ = response.Body.Close()
		require.Equal(t, wrong.status, response.StatusCode, "%+v", wrong)
	}
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM users WHERE email_key = 'kept@example.com'`))
	refused := issuer.New(issuer.Config{Issuer: s.idp.URL, ClientID: "tradepost", ClientSecret: "another secret"}).Forget(t.Context(), s.idp.URL, who)
	require.ErrorContains(t, refused, "401")
	require.NotContains(t, refused.Error(), "another secret")
	require.NotContains(t, s.log.String(), who)
}
