package api

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/models/kyc"
)

// viewedSite is a built site whose start page comes with the given first view.
func viewedSite(t *testing.T, view string, more ...site.SitePage) string {
	t.Helper()
	dir := builtSite(t, append(more, site.SitePage{Pattern: "/", Access: "public", View: "start", Preload: []string{"/assets/a.js"}}, site.SitePage{Pattern: "/", Access: "signedin"},
		site.SitePage{Pattern: "/about", Access: "public", View: "start"}, site.SitePage{Pattern: "/test", Access: "public"},
		site.SitePage{Pattern: "/dashboard", Access: "customer", View: "start"})...)
	opening := `<head><!--head--><template id="scripts"><!--preload--></template><script nonce="__CSP_NONCE__"></script></head><body><!--notices--><!--prerendered--></body>`
	for _, folder := range []string{dir, filepath.Join(dir, "es")} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "opening.html"), []byte(opening), 0o600))
		for _, mode := range []string{"local", "production", "local-cashless", "production-cashless"} {
			require.NoError(t, os.MkdirAll(filepath.Join(folder, "views", mode), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "views", mode, "start.html"), []byte("<h1>"+mode+"</h1>"+view), 0o600))
			for _, identity := range kyc.UserStatuses {
				require.NoError(t, os.WriteFile(filepath.Join(folder, "views", mode, "start."+identity+".html"), []byte("<h1>"+mode+"</h1>"+identity+view), 0o600))
			}
		}
	}
	return dir
}

// The first view contains the installation's values, as text and never as tags; an unfilled
// placeholder would be visible.
func TestTheFirstViewSaysWhatThisInstallationClaims(t *testing.T) {
	dir := viewedSite(t, `<p>{{brand}}: ${{signupBonusUsd}}, {{cardFeePercent}}%, {{users}}</p><dd>{{countries}}</dd>`)
	h := open(t, func(d *Dependencies) { d.WebDir, d.Claims.SignupBonusUSD, d.Claims.Users = dir, "17", `<b>"many"</b>` })
	page := string(h.visitor().get("/").is(http.StatusOK).body)
	require.Contains(t, page, "<h1>local-cashless</h1><p>"+testBrand+": $17, 3.5%, &lt;b&gt;&#34;many&#34;&lt;/b&gt;</p><dd></dd>")
	require.NotContains(t, page, "{{")
}

// A method that is disabled is offered nowhere but on the page of prices, also in what is painted first.
func TestADisabledMethodIsNotOffered(t *testing.T) {
	dir := viewedSite(t, "")
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	offered := func() []string {
		var config accountapi.Config
		h.visitor().get("/api/config").is(http.StatusOK).read(&config)
		return config.Offer.Rails
	}
	require.NotContains(t, offered(), "cash")
	require.Contains(t, offered(), "card")
	require.Contains(t, string(h.visitor().get("/").is(http.StatusOK).body), "<h1>local-cashless</h1>")
	h.exec(`UPDATE payment_methods SET is_enabled = true, version = version + 1, updated_at = clock_now() WHERE payment_method = 'cash'`)
	require.Contains(t, offered(), "cash")
	require.Contains(t, string(h.visitor().get("/").is(http.StatusOK).body), "<h1>local</h1>")
	h.exec(`UPDATE payment_methods SET is_enabled = false, version = version + 1, updated_at = clock_now() WHERE payment_method IN ('card', 'voucher')`)
	require.NotContains(t, offered(), "card")
	require.Contains(t, offered(), "voucher", "no method of payment")
	require.NotContains(t, string(h.visitor().get("/").is(http.StatusOK).body), "<h1>")
}

// What visitors see is painted before scripts are fetched. A page that differs from its
// first view for a user names its scripts at once.
func TestAFirstViewIsServedToItsAudienceAlone(t *testing.T) {
	const view, apart = "<p>hello</p>", `<template id="scripts"><link rel="modulepreload" crossorigin href="/assets/a.js"></template>`
	dir := viewedSite(t, view)
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	visitor, customer := h.visitor(), h.customer()
	for _, language := range []string{"en", "es"} {
		page := string(visitor.get("/", "Accept-Language", language).is(http.StatusOK).body)
		require.Contains(t, page, view)
		require.Contains(t, page, apart)
		require.Contains(t, page, `<meta name="release"`)
	}
	require.Contains(t, string(visitor.get("/about").is(http.StatusOK).body), view)
	for _, page := range []string{string(visitor.get("/test").is(http.StatusOK).body), string(visitor.get("/none").is(http.StatusNotFound).body),
		string(customer.get("/").is(http.StatusOK).body), string(customer.get("/about").is(http.StatusOK).body)} {
		require.NotContains(t, page, view)
		require.NotContains(t, page, "<template")
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "es", "views", "local", "start.html")))
	_, err := site.Load(dir)
	require.EqualError(t, err, "WEB_DIR holds no es/views/local/start.html: build the web app again")
}

// The outline of a signed-in page is that of any customer, with their name as text;
// staff and who owes a second factor would see something else than what comes then.
func TestAnOutlineIsForCustomers(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.WebDir = viewedSite(t, "<p>{{name}}, {{email}}</p>") })
	page := string(h.customer().get("/dashboard").is(http.StatusOK).body)
	require.Contains(t, page, "<h1>local-cashless</h1>verified<p>")
	require.NotContains(t, page, "{{")
	require.NotContains(t, string(h.customer("admin").get("/dashboard").is(http.StatusOK).body), "<h1>")
}
