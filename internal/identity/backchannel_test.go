package identity_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
)

// nextLogoutToken is the next logout token sent to the site, checked by a client library that is not
// ours.
func (s *stack) nextLogoutToken(t *testing.T) *oidc.LogoutToken {
	t.Helper()
	select {
	case raw := <-s.ended:
		token, err := s.provider.Verifier(&oidc.Config{ClientID: "tradepost"}).VerifyLogout(t.Context(), raw)
		require.NoError(t, err)
		return token
	case <-time.After(time.Minute):
		t.Fatal("the site was not told")
		return nil
	}
}

// A new password, changed or reset, ends the person's sessions at the site too.
func TestBar07SiteIsNotifiedWhenSessionsEnd(t *testing.T) {
	s := start(t)
	var metadata struct {
		Supported bool `json:"backchannel_logout_supported"`
	}
	require.NoError(t, s.provider.Claims(&metadata))
	require.True(t, metadata.Supported)
	b := newBrowser(t)
	who := s.signUp(t, b, "told@example.com")["sub"]

	p := b.submit(b.open(s.idp.URL+"/account/password"), "/account/password",
		map[string]string{"current_password": goodPassword, "new_password": nextPassword})
	require.Equal(t, http.StatusOK, p.status, p.body)
	changed := s.nextLogoutToken(t)
	require.Equal(t, who, changed.Subject)
	require.WithinDuration(t, time.Now(), changed.Expiry, 2*time.Minute)

	link := s.forgot(t, "told@example.com")
	in := newBrowser(t)
	in.submit(in.open(link), "/reset", map[string]string{"new_password": goodPassword})
	reset := s.nextLogoutToken(t)
	require.Equal(t, who, reset.Subject)
	require.NotEqual(t, changed.TokenID, reset.TokenID)
}

// A site that is down is notified when it is back.
func TestSiteIsNotifiedUntilItAnswers(t *testing.T) {
	var asked atomic.Int32
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // whether it accepts new accounts is a separate request
			return
		}
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(away.Close)
	s := startWith(t, func(c *identity.Config) { c.LogoutURL = away.URL })
	b := newBrowser(t)
	s.signUp(t, b, "away@example.com")
	b.submit(b.open(s.idp.URL+"/account/password"), "/account/password",
		map[string]string{"current_password": goodPassword, "new_password": nextPassword})
	require.Eventually(t, func() bool { return asked.Load() == 2 }, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		var left int
		require.NoError(t, s.db.QueryRow(t.Context(), "SELECT count(*) FROM outbox WHERE kind = 'signed_out'").Scan(&left))
		return left == 0
	}, time.Minute, 50*time.Millisecond)
}

// While the site accepts no new accounts, the page shows the site's message and opens no
// account; existing ones sign in.
func TestSiteWithPausedSignUpsOpensNoAccount(t *testing.T) {
	var closed atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/public/notices" && closed.Load() {
			why := map[string]string{"en": "We are not taking new accounts at the moment.", "es": "Por ahora no aceptamos cuentas nuevas."}[r.Header.Get("Accept-Language")]
			_, _ = fmt.Fprintf(w, `{"signUps":%q,"fulfilment":null}`, why)
		}
	}))
	t.Cleanup(site.Close)
	s := startWith(t, func(c *identity.Config) { c.LogoutURL = site.URL + "/api/logout/backchannel" })
	s.signUp(t, newBrowser(t), "early@example.com")
	begun := newBrowser(t)
	asked := begun.submit(begun.open(s.idp.URL+"/signup"), "/signup", person("between@example.com"))
	closed.Store(true)
	late := s.confirm(t, begun, asked, "between@example.com")
	require.Equal(t, http.StatusServiceUnavailable, late.status)
	require.Contains(t, late.body, "We are not taking new accounts at the moment.")
	b := newBrowser(t)
	page := b.open(s.idp.URL + "/signup")
	require.Contains(t, page.body, "We are not taking new accounts at the moment.")
	p := b.submit(page, "/signup", person("late@example.com"))
	require.Equal(t, http.StatusServiceUnavailable, p.status, p.body)
	require.Contains(t, p.body, "We are not taking new accounts at the moment.")
	require.Contains(t, newBrowser(t).open(s.idp.URL+"/signup?ui_locales=es").body, "Por ahora no aceptamos cuentas nuevas.")
	closed.Store(false)
	s.signUp(t, newBrowser(t), "late@example.com")
}
