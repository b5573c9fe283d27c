package api

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/api/site"
)

func TestPagesAreServedInTheRequestedLanguage(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public", Title: "Start"}, site.SitePage{Pattern: "/dashboard", Access: "customer", Title: "Dashboard"},
		site.SitePage{Pattern: "/admin", Access: "admin", Title: "Back office"})
	for name, change := range map[string]*strings.Replacer{"index.html": strings.NewReplacer("<html>", `<html lang="es">`), "pages.json": strings.NewReplacer("Start", "Inicio", "Dashboard", "Panel")} {
		file := filepath.Join(dir, "es", name)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(change.Replace(string(content))), 0o600))
	}
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	in := func(want string, a *answer) string {
		t.Helper()
		require.Equal(t, want, a.header.Get("Content-Language"))
		vary := strings.Join(a.header.Values("Vary"), ", ")
		require.Contains(t, vary, "Cookie, Accept-Language")
		require.Equal(t, want == "es", strings.Contains(string(a.body), `<html lang="es">`))
		return string(a.body)
	}
	const spanish = "es-MX,es;q=0.9,en;q=0.8"
	visitor := h.visitor()
	require.Contains(t, in("es", visitor.get("/", "Accept-Language", spanish).is(http.StatusOK)), `<meta property="og:title" content="Inicio · Tradepost">`)
	require.Contains(t, in("en", visitor.get("/").is(http.StatusOK)), "<title>Start · Tradepost</title>")
	require.Contains(t, in("es", visitor.get("/nowhere", "Cookie", "lang=es").is(http.StatusNotFound)), "<title>Página no encontrada · Tradepost</title>")
	visitor.get("/es/pages.json").is(http.StatusNotFound)
	visitor.get("/es/index.html").is(http.StatusNotFound)

	staff := h.customer("admin")
	require.Equal(t, "es", staff.get("/api/profile", "Accept-Language", spanish).text("language"), "until they choose, the browser's")
	require.Contains(t, in("es", staff.get("/dashboard", "Accept-Language", spanish)), "<title>Panel · Tradepost</title>")
	in("en", staff.get("/admin", "Accept-Language", spanish).is(http.StatusOK))
	saved := staff.post("/api/profile/preferences", `{"language":"en","muted":[],"news":false}`).is(http.StatusOK)
	require.Contains(t, saved.header.Get("Set-Cookie"), "lang=en; Path=/; Max-Age=31536000")
	in("en", staff.get("/dashboard", "Accept-Language", spanish))
	staff.post("/api/profile/preferences", `{"language":"xx","muted":[],"news":false}`).is(http.StatusUnprocessableEntity)
}

func TestASavedLanguageIsSpokenWithoutACookieAndComesBackWithTheSignIn(t *testing.T) {
	h := open(t, func(d *Dependencies) {
		d.WebDir = builtSite(t, site.SitePage{Pattern: "/", Access: "signedin"})
	})
	who := person("l1", "lupe@example.com", true)
	first := h.visitor()
	first.signIn(who)
	require.Equal(t, "en", first.get("/").header.Get("Content-Language"))
	h.exec(`INSERT INTO preferences (user_id, language) SELECT id, 'es' FROM users WHERE email = 'lupe@example.com'`)
	require.Equal(t, "es", first.get("/").header.Get("Content-Language"), "a browser that was signed in before")
	require.Equal(t, "en", h.visitor().get("/").header.Get("Content-Language"), "nobody else's page")

	second := h.visitor()
	second.signIn(who)
	require.Equal(t, "es", second.get("/", "Accept-Language", "en").header.Get("Content-Language"))
	require.Equal(t, "es", second.cookie(rest.LanguageCookie))
}

// The language of a sign-up is their account's: mails are in it, and it
// comes back in another browser.
func TestTheLanguageOfTheSignUpIsTheAccounts(t *testing.T) {
	h := open(t)
	for subject, asks := range map[string][2]string{"s1": {"es-MX,es;q=0.9", "es"}, "s2": {"en-US,en;q=0.9,es;q=0.8", ""}} {
		first, who := h.visitor(), person(subject, subject+"@example.com", true)
		request := first.begin()
		first.arrive(first.issuer.approve(request, who), request.Get("state"), "Accept-Language", asks[0]).is(http.StatusSeeOther)
		require.Equal(t, asks[1], one[string](h, `SELECT coalesce(max(language), '') FROM users JOIN preferences ON user_id = users.id WHERE subject = $1`, subject))
		again := h.visitor()
		again.signIn(who)
		require.Equal(t, asks[1], again.cookie(rest.LanguageCookie))
	}
}

func TestALanguageThatWasNotBuiltIsSaidAtTheStart(t *testing.T) {
	dir := builtSite(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "es", "index.html")))
	_, err := site.Load(dir)
	require.EqualError(t, err, "WEB_DIR holds no es/index.html: build the web app first")
}

// Signing in continues in the language of the page it was begun on.
func TestSigningInSpeaksTheLanguageOfThePage(t *testing.T) {
	v := open(t).visitor()
	asks := func(headers ...string) string {
		to, err := url.Parse(v.get("/api/login", headers...).is(http.StatusSeeOther).header.Get("Location"))
		require.NoError(t, err)
		return to.Query().Get("ui_locales")
	}
	require.Equal(t, "en", asks())
	require.Equal(t, "es", asks("Accept-Language", "es-AR,es;q=0.9"))
	require.Equal(t, "en", asks("Accept-Language", "es", "Cookie", "lang=en"))
}
