package site

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/account"
)

// A first view is filled in with text, and only where the page matches it.
func TestAFirstViewIsFilledInForCustomers(t *testing.T) {
	user := &accountapi.User{UserDetails: &accountapi.UserDetails{FirstName: "<b>", Email: "a@example.com", KYCStatus: "pending"}}
	view, err := filledIn("{{name}}, {{email}}", &accountapi.Session{User: user})
	require.NoError(t, err)
	require.Equal(t, "&lt;b&gt;, a@example.com", view)
	outline := &SitePage{Access: "customer", View: "start"}
	require.Equal(t, "start.pending", outline.viewOf(user))
	require.True(t, outline.opensAtOnceFor(user))
	require.False(t, outline.opensAtOnceFor(&accountapi.User{Needs2FA: true}))
	require.True(t, outline.opensAtOnceFor(&accountapi.User{Needs2FA: true, TwoFactorVerified: true, UserDetails: &accountapi.UserDetails{}}))
	require.False(t, outline.opensAtOnceFor(nil))
}

func TestTheChatNeedsAKey(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/dashboard", nil)
	r.Header.Set("Cookie", ChatCookie+"=yes")
	page, who, s := &SitePage{Pattern: "/dashboard"}, &account.Principal{}, &Handlers{}
	require.False(t, s.chats(r, page, who), asvs.Claim(t, "14.2.3"))
	s.TidioPublicKey = "abcdefghijklmnopqrstuvwxyz012345"
	require.True(t, s.chats(r, page, who))
}
