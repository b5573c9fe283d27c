package identity_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
)

// told is the logout token the site is sent next, checked by a client library
// that is not ours.
func (s *stack) told(t *testing.T) *oidc.LogoutToken {
	t.Helper()
	select {
	case raw := <-s.ended:
		token, err := s.provider.Verifier(&oidc.Config{ClientID: "tradepost"}).VerifyLogout(t.Context(), raw)
		require.NoError(t, err)
		return token
	case <-time.After(30 * time.Second):
		t.Fatal("the site was not told")
		return nil
	}
}

// A new password, changed or reset, ends the person's sessions at the site too.
func TestBar07SiteIsToldThatSessionsEnd(t *testing.T) {
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
	changed := s.told(t)
	require.Equal(t, who, changed.Subject)
	require.WithinDuration(t, time.Now(), changed.Expiry, 2*time.Minute)

	link := s.forgot(t, "told@example.com")
	in := newBrowser(t)
	in.submit(in.open(link), "/reset", map[string]string{"new_password": goodPassword})
	reset := s.told(t)
	require.Equal(t, who, reset.Subject)
	require.NotEqual(t, changed.TokenID, reset.TokenID)
}

// A site that is away is told when it is back.
func TestSiteIsToldAgainUntilItListens(t *testing.T) {
	var asked atomic.Int32
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
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
	require.Eventually(t, func() bool { return asked.Load() == 2 }, 30*time.Second, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		var left int
		require.NoError(t, s.db.QueryRow(t.Context(), "SELECT count(*) FROM outbox WHERE kind = 'signed_out'").Scan(&left))
		return left == 0
	}, 10*time.Second, 50*time.Millisecond)
}
