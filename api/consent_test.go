package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	customerapi "github.com/tradepost/tradepost/api/customer"
	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/models/privacy"
)

// texts is a library of legal texts: names of files without .md, and their headers
// after the title.
func texts(t *testing.T, files map[string]string) *legal.Library {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "archive"), 0o700))
	for name, front := range files {
		head, body, _ := strings.Cut(front, "|")
		content := "---\ntitle: Title of " + filepath.Base(name) + "\n" + head + "\n---\n\n## Part\n\n" + body + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".md"), []byte(content), 0o600))
	}
	library, err := legal.Load(dir, map[string]string{"brand": testBrand, "coins": "BTC", "support": "help@example.com"})
	require.NoError(t, err)
	return library
}

const (
	first  = "version: '1'\nin_force: 2026-01-01"
	second = "version: '2'\nin_force: 2026-02-01\nchanges: Fees are new."
	third  = "version: '3'\nin_force: 2099-01-01"
)

// Who has not agreed to the versions in force buys and sells nothing until they do; what
// they agreed to is recorded with language, hash and network, once, and is in the copy of
// their data.
func TestNothingIsBoughtOrSoldBeforeTheTermsInForceAreAcceptedOnce(t *testing.T) {
	library := texts(t, map[string]string{"archive/terms.en": first + "|Old.", "terms.en": second + "|New of {{brand}}.", "terms.es": second + "|Nuevo.",
		"terms.3.en": third + "|Next.", "privacy.en": first + "|Data."})
	h := open(t, func(d *Dependencies) { d.Legal = library })
	v := h.customer()
	for path, body := range map[string]string{"/api/orders": newOrder, "/api/vouchers/redeem": `{"code":"AAAA-BBBB-CCCC-DDDD","asset":"BTC","destAddress":"` + btcAddress + `"}`} {
		v.post(path, body).refused(http.StatusForbidden, "consent_required")
	}
	var user accountapi.User
	v.get("/api/auth/user").is(http.StatusOK).read(&user)
	require.Equal(t, []accountapi.DueConsent{{Document: "terms", Version: "2"}, {Document: "privacy", Version: "1"}}, user.ConsentDue)

	v.post("/api/consents", `{"consents":[{"document":"terms","version":"1"}]}`).refused(http.StatusConflict, "version_changed")
	const agree = `{"consents":[{"document":"terms","version":"2"},{"document":"privacy","version":"1"}]}`
	for range 2 {
		var after accountapi.User
		v.post("/api/consents", agree, "Accept-Language", "es").is(http.StatusOK).read(&after)
		require.Empty(t, after.ConsentDue)
	}
	v.order("card")
	spanish, _ := library.Find("terms", "2").In("es")
	english, _ := library.Find("privacy", "1").In("es")
	require.Equal(t, "privacy 1 en "+english.Hash+" 127.0.0.0/24, terms 2 es "+spanish.Hash+" 127.0.0.0/24",
		one[string](h, `SELECT string_agg(concat_ws(' ', document, version, language, text_sha256, address_prefix), ', ' ORDER BY document) FROM consents WHERE user_id = $1`, v.userID))
	files, err := privacy.DataOf(t.Context(), h.db, v.userID)
	require.NoError(t, err)
	require.Contains(t, string(files["consents"]), spanish.Hash)
	var seen customerapi.AdminCustomerDetail
	h.customer("admin").get("/api/admin/customers/" + v.userID).is(http.StatusOK).read(&seen)
	require.Len(t, seen.Consents, 2)
	require.Contains(t, seen.Consents, accountapi.Consent{Document: "terms", Version: "2", Language: "es", TextSHA256: spanish.Hash, AddressPrefix: "127.0.0.0/24",
		GivenAt: one[time.Time](h, `SELECT given_at FROM consents WHERE user_id = $1 AND document = 'terms'`, v.userID).UTC()})
}

// A version that comes into force is asked for from its day on; orders made before go on.
func TestAVersionIsAskedForFromItsDayOn(t *testing.T) {
	h := open(t, func(d *Dependencies) {
		d.Legal = texts(t, map[string]string{"terms.en": first + "|Old.", "terms.3.en": third + "|Next.", "privacy.en": first + "|Data."})
	})
	v := h.customer()
	v.post("/api/consents", `{"consents":[{"document":"terms","version":"1"},{"document":"privacy","version":"1"}]}`).is(http.StatusOK)
	id := v.order("domestic_wire")
	h.advance("80 years")
	v.enter()
	require.Eventually(t, func() bool { return v.post("/api/orders", newOrder).text("code") == "consent_required" }, settledWait, settledPoll)
	v.get("/api/orders/" + id).is(http.StatusOK)
	v.post("/api/orders/"+id+"/cancel", "").is(http.StatusOK)
}

// A sign-up records its consents, with the version that the identity provider states.
func TestASignUpIsAConsent(t *testing.T) {
	h := open(t, func(d *Dependencies) {
		d.Legal = texts(t, map[string]string{"terms.en": "version: '2026-01-01'\nin_force: 2026-01-01|Terms.", "privacy.en": first + "|Data."})
	})
	v := h.visitor()
	v.signIn(person("s1", "ada@example.com", true))
	require.Equal(t, "privacy 1 true, terms 2026-01-01 true",
		one[string](h, `SELECT string_agg(concat_ws(' ', document, version, at_sign_up::text), ', ' ORDER BY document) FROM consents`))
}

// Pages have the text in the first view, in the visitor's language or in English with a line
// that says so; an earlier version stays readable, and a coming one is announced.
func TestPagesShowTheTextsInForceAndAnnounceWhatComes(t *testing.T) {
	dir := viewedSite(t, "{{legal}}", site.SitePage{Pattern: "/terms", Access: "public", View: "start"}, site.SitePage{Pattern: "/privacy", Access: "public", View: "start"})
	h := open(t, func(d *Dependencies) {
		d.WebDir = dir
		d.Legal = texts(t, map[string]string{"archive/terms.en": first + "|Old.", "terms.en": second + "|New <b>bold</b> [x](javascript:alert(1)).",
			"terms.3.en": third + "|Next.", "privacy.en": first + "|Data.", "privacy.es": first + "|Datos."})
	})
	v := h.visitor()
	page := func(path, language string) string {
		return string(v.get(path, "Accept-Language", language).is(http.StatusOK).body)
	}
	english := page("/terms", "en")
	require.Contains(t, english, "Version 2, in force since")
	require.NotContains(t, english, "<b>")
	require.NotContains(t, english, "javascript:")
	require.Contains(t, english, `a new version comes into force on 2099-01-01. <a class="underline" href="/terms?version=3">`)
	require.Contains(t, page("/terms?version=1", "en"), "Old.")
	require.Contains(t, page("/terms?version=3", "en"), "in force from")
	require.Contains(t, page("/terms", "es"), "Este texto solo está disponible en inglés.")
	require.Contains(t, page("/privacy", "es"), "Datos.")
	require.Contains(t, string(v.get("/api/legal/terms?version=1").is(http.StatusOK).body), "Old.")
	v.get("/api/legal/terms?version=9").refused(http.StatusNotFound, "not_found")
	v.get("/api/legal/none").refused(http.StatusNotFound, "not_found")
}
