package api

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// builtSite is a folder like the one the web app's build leaves.
func builtSite(t *testing.T, pages ...site.SitePage) string {
	t.Helper()
	dir := t.TempDir()
	list, err := json.Marshal(pages)
	require.NoError(t, err)
	index := `<html><head><!--head--><script nonce="__CSP_NONCE__"></script></head><body><!--notices--><!--prerendered--></body></html>`
	for _, folder := range []string{dir, filepath.Join(dir, "es")} {
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "pages.json"), list, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(index), 0o600))
	}
	return dir
}

func TestBar15TheChatIsLetInOnItsPagesOnceAgreedToAndNowhereElse(t *testing.T) {
	const chat, agreed, key = "code.tidio.co", "yes", "abcdefghijklmnopqrstuvwxyz012345"
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public"}, site.SitePage{Pattern: "/", Access: "signedin"}, site.SitePage{Pattern: "/dashboard", Access: "customer"},
		site.SitePage{Pattern: "/buy", Access: "customer"}, site.SitePage{Pattern: "/orders/{id}", Access: "customer"}, site.SitePage{Pattern: "/admin", Access: "admin"},
		site.SitePage{Pattern: "/admin/payments", Access: "admin"})
	h := open(t, func(d *Dependencies) { d.WebDir, d.TidioPublicKey = dir, key })
	admin := h.customer("admin")
	lets := func(v *visitor, path, consent string) bool {
		a := v.get(path, "Cookie", site.ChatCookie+"="+consent).is(http.StatusOK)
		require.Regexp(t, `script-src 'self' 'nonce-[A-Za-z0-9+/_=-]{16,}'[^;]*;`, a.header.Get("Content-Security-Policy"), asvs.Claim(t, "3.4.3"))
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

func TestSearchEnginesAndSocialSitesFindPublicPagesOnly(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public", Title: "Start", Description: `All "about" it`}, site.SitePage{Pattern: "/about", Access: "public"},
		site.SitePage{Pattern: "/test", Access: "public"}, site.SitePage{Pattern: "/wallet", Access: "customer", Title: "Wallet"}, site.SitePage{Pattern: "/admin", Access: "admin"})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "robots.txt"), []byte("User-agent: *\nDisallow: /admin\n"), 0o600))
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	v := h.visitor()
	require.Equal(t, "User-agent: *\nDisallow: /admin\n\nSitemap: "+h.web.URL+"/sitemap.xml\n", string(v.get("/robots.txt").is(http.StatusOK).body))
	reported := v.get("/sitemap.xml").is(http.StatusOK)
	require.Contains(t, reported.header.Get("Content-Type"), "application/xml")
	var list struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	require.NoError(t, xml.Unmarshal(reported.body, &list))
	var at []string
	for _, entry := range list.URL {
		at = append(at, entry.Loc)
	}
	require.Equal(t, []string{h.web.URL + "/", h.web.URL + "/about"}, at)
	for language, picture := range map[string]string{"en": "/social.png", "es": "/social-es.png"} {
		page := string(v.get("/", "Accept-Language", language).is(http.StatusOK).body)
		require.Contains(t, page, `<meta property="og:image" content="`+h.web.URL+picture+`">`)
		require.Contains(t, page, `<meta property="og:description" content="All &#34;about&#34; it">`)
	}
	require.NotContains(t, string(h.customer().get("/wallet").is(http.StatusOK).body), "og:")
}

// The site links to the page where people change their password, if configured.
func TestTheSiteKnowsWherePasswordsAreChanged(t *testing.T) {
	const page = "https://id.example.com/account/password"
	t.Run("told", func(t *testing.T) {
		h := open(t, func(d *Dependencies) { d.PasswordURL = page })
		require.Equal(t, page, h.visitor().get("/api/config").is(http.StatusOK).text("passwordUrl"))
	})
	t.Run("not told", func(t *testing.T) {
		var config accountapi.Config
		open(t).visitor().get("/api/config").is(http.StatusOK).read(&config)
		require.Nil(t, config.PasswordURL)
	})
}

// A mail's link shows a page to sign in on, and the page it names once there is a session. It leads nowhere else.
func TestAMailedLinkOpensItsPageOrTheSignIn(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/open", Access: "public", Title: "Sign in"}, site.SitePage{Pattern: "/orders/{id}", Access: "customer"},
		site.SitePage{Pattern: "/privacy", Access: "public"})
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	anybody, customer := h.visitor(), h.customer()
	for _, own := range []string{"/orders/1", "/admin/orders?q=1", "/settings/notifications", "/legal/fees?version=2#top"} {
		at := "/open?to=" + url.QueryEscape(own)
		anybody.get(at).is(http.StatusOK)
		require.Equal(t, own, customer.get(at).is(http.StatusSeeOther).header.Get("Location"))
	}
	require.Equal(t, "/privacy", anybody.get("/open?to=/privacy").is(http.StatusSeeOther).header.Get("Location"), "who closed the account has no session")
	require.Equal(t, "/", customer.get("/open").is(http.StatusSeeOther).header.Get("Location"))
	for _, other := range []string{"//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "https://evil.example", "https:/evil.example", "https:evil.example",
		"javascript:alert(1)", "data:text/html,x", "evil.example", "orders/1", "/%zz", "/\n/evil.example", "/\t/evil.example", "/\x00", "/orders\r\nSet-Cookie: a=b",
		"http://127.0.0.1@evil.example/", "/api/logout", "/api", "/a/../api/logout", "/./api/logout", "/%61pi/logout", "/a/%2e%2e/api/logout", "?to=/x", "#x"} {
		at := "/open?to=" + url.QueryEscape(other)
		for _, v := range []*visitor{anybody, customer} {
			a := v.get(at)
			require.Contains(t, []int{http.StatusNotFound, http.StatusBadRequest}, a.status, other)
			require.Empty(t, a.header.Get("Location"), other)
		}
	}
	require.Equal(t, "/", customer.get("/open?to=/orders/1&to=//evil.example").is(http.StatusSeeOther).header.Get("Location"))
}

// A click on the footer's links reaches the server where no script has run, or none runs. It leads a visitor to the
// page that says what waits; a typed path, a link elsewhere, and a page that is none of customers' stay 404.
func TestAVisitorWhoFollowsALinkIsLedToTheSignIn(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/open", Access: "public"},
		site.SitePage{Pattern: "/pricing", Access: "public"}, site.SitePage{Pattern: "/wallet", Access: "customer"},
		site.SitePage{Pattern: "/orders/{id}", Access: "customer"}, site.SitePage{Pattern: "/admin/orders", Access: "admin"})
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	visitor, customer, here := h.visitor(), h.customer(), h.web.URL
	elsewhere := []string{"", "null", "https://evil.example/", here + ".evil.example/", here + "0/",
		"https://evil.example/?" + here, "//" + here, "/pricing", "%zz"}
	for _, own := range []string{"/wallet", "/orders/1", "/orders/1?part=a&b=%2F"} {
		at := visitor.get(own, "Referer", here+"/pricing").is(http.StatusSeeOther).header.Get("Location")
		require.Equal(t, "/open?to="+url.QueryEscape(own), at)
		visitor.get(at, "Referer", here+"/pricing").is(http.StatusOK)
		for _, from := range elsewhere {
			a := visitor.get(own, "Referer", from).is(http.StatusNotFound)
			require.Empty(t, a.header.Get("Location"), from)
		}
		customer.get(own, "Referer", here+"/pricing").is(http.StatusOK)
	}
	for _, other := range []string{"/admin/orders", "/nowhere", "/wallet/", "/wallet/none", "//wallet",
		"//evil.example/wallet", "/orders/..%2f..%2fapi%2flogout"} {
		a := visitor.get(other, "Referer", here+"/pricing").is(http.StatusNotFound)
		require.Empty(t, a.header.Get("Location"), other)
	}
	visitor.get("/pricing", "Referer", here+"/").is(http.StatusOK)

	head := visitor.send(http.MethodHead, "/wallet", "", "Referer", here+"/pricing").is(http.StatusSeeOther)
	require.Equal(t, "/open?to=%2Fwallet", head.header.Get("Location"))
	require.Equal(t, "no-store", head.header.Get("Cache-Control"), "the answer differs by Referer")
	visitor.unsafe(http.MethodPost, "/wallet", "{}", "Referer", here+"/pricing").is(http.StatusNotFound)

	// An ended session is none: its page says what waits, and a page of staff does not exist.
	h.exec(`DELETE FROM sessions WHERE user_id = $1`, customer.userID)
	left := customer.get("/wallet", "Referer", here+"/wallet").is(http.StatusSeeOther).header.Get("Location")
	require.Equal(t, "/open?to=%2Fwallet", left)
	customer.get("/wallet").is(http.StatusNotFound)
	customer.get("/admin/orders", "Referer", here+"/wallet").is(http.StatusNotFound)
}
