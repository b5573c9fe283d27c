package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
)

// builtSite is a folder like the one the web app's build leaves.
func builtSite(t *testing.T, pages ...sitePage) string {
	t.Helper()
	dir := t.TempDir()
	list, err := json.Marshal(pages)
	require.NoError(t, err)
	index := `<html><head><!--head--><script nonce="__CSP_NONCE__"></script></head><body><!--prerendered--></body></html>`
	for _, folder := range []string{dir, filepath.Join(dir, "es")} {
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "pages.json"), list, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(index), 0o600))
	}
	return dir
}

func TestBar15TheChatIsLetInOnItsPagesOnceAgreedToAndNowhereElse(t *testing.T) {
	const chat, agreed, key = "code.tidio.co", "yes", "abcdefghijklmnopqrstuvwxyz012345"
	dir := builtSite(t, sitePage{Pattern: "/", Access: "public"}, sitePage{Pattern: "/", Access: "signedin"}, sitePage{Pattern: "/dashboard", Access: "customer"},
		sitePage{Pattern: "/buy", Access: "customer"}, sitePage{Pattern: "/orders/{id}", Access: "customer"}, sitePage{Pattern: "/admin", Access: "admin"},
		sitePage{Pattern: "/admin/payments", Access: "admin"})
	h := open(t, func(d *Dependencies) { d.WebDir, d.TidioPublicKey = dir, key })
	admin := h.customer("admin")
	lets := func(v *visitor, path, consent string) bool {
		a := v.get(path, "Cookie", chatCookie+"="+consent).is(http.StatusOK)
		lets := strings.Contains(a.header.Get("Content-Security-Policy"), chat)
		require.Equal(t, lets, strings.Contains(string(a.body), `<meta name="chat"`), path)
		return lets
	}
	for _, path := range []string{"/", "/dashboard"} {
		require.True(t, lets(admin, path, agreed), path)
		for _, other := range []string{"", "no", "YES"} {
			require.False(t, lets(admin, path, other), "%s, consent %q", path, other)
		}
	}
	for _, path := range []string{"/buy", "/orders/1", "/admin", "/admin/payments"} {
		require.False(t, lets(admin, path, agreed), path)
	}
	require.False(t, lets(h.visitor(), "/", agreed), "signed out")
}

func TestTheChatNeedsAKey(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/dashboard", nil)
	r.Header.Set("Cookie", chatCookie+"=yes")
	page, who, s := &sitePage{Pattern: "/dashboard"}, &models.Principal{}, &Server{}
	require.False(t, s.chats(r, page, who))
	s.TidioPublicKey = "abcdefghijklmnopqrstuvwxyz012345"
	require.True(t, s.chats(r, page, who))
}
