package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// Where a name begins with a dot is nothing for visitors: neither a file nor a folder.
func TestNoFileBehindADotIsServed(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public"})
	for _, folder := range []string{".vite", "assets"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, folder, "manifest.json"), []byte(`"canary"`), 0o600))
	}
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	for _, path := range []string{"/.vite/manifest.json", "/assets/../.vite/manifest.json", "/%2evite/manifest.json", "//.vite//manifest.json"} {
		require.NotContains(t, string(h.visitor().get(path).body), "canary", asvs.Claim(t, "13.4.3"))
	}
	for _, path := range []string{"/assets", "/assets/"} {
		require.NotContains(t, string(h.visitor().get(path).body), "manifest.json", asvs.Claim(t, "13.4.3"))
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/vars"} {
		require.NotRegexp(t, `go_goroutines|goroutine|memstats`, string(h.visitor().get(path).body), asvs.Claim(t, "13.4.5"))
	}
	require.Contains(t, string(h.visitor().get("/assets/manifest.json").is(http.StatusOK).body), "canary")
}

// A request's id is stored in the audit log: it is ours, whatever a caller or a proxy sends. Many proxies pass on the id
// of their client. The log repeats the id of a trusted proxy in a field of its own.
func TestRequestIDsAreOurs(t *testing.T) {
	const forged = "FORGED.BY.CLIENT-0002"
	h := open(t)
	for _, at := range []struct {
		proxies []string
		logged  bool
	}{{nil, false}, {[]string{"192.0.2.1"}, false}, {[]string{"127.0.0.1"}, true}, {[]string{"127.0.0.0/8", "10.0.0.1"}, true}} {
		log := &lines{}
		v := open1(h, func(d *Dependencies) { d.TrustedProxies, d.Log = at.proxies, slog.New(slog.NewTextHandler(log, nil)) })
		a := v.get("/api/config", "X-Request-Id", forged)
		require.NotEqual(t, forged, a.header.Get("X-Request-Id"), asvs.Claim(t, "4.1.3"))
		require.Equal(t, at.logged, strings.Contains(log.of(t, a), " proxy_request_id="+forged), "%v", at.proxies)
		require.NotContains(t, log.of(t, v.get("/api/config", "X-Request-Id", "short")), "proxy_request_id")
	}
}

// Behind a trusted proxy the limits count by the address that the proxy adds to X-Forwarded-For; a client moves them with
// no header that a proxy may pass on.
func TestOnlyProxiesNameAnAddress(t *testing.T) {
	h := open(t)
	for name, header := range map[string]func(i int) []string{
		"before the proxy's own": func(i int) []string { return []string{"X-Forwarded-For", fmt.Sprintf("203.0.113.%d, 198.51.100.7", i)} },
		"beside none":            func(i int) []string { return []string{"X-Real-Ip", fmt.Sprintf("203.0.113.%d", i)} },
		"beside the proxy's own": func(i int) []string {
			of := fmt.Sprintf("203.0.113.%d", i)
			return []string{"X-Forwarded-For", "198.51.100.8", "X-Real-Ip", of, "Forwarded", "for=" + of, "X-Client-Ip", of, "True-Client-Ip", of, "Cf-Connecting-Ip", of, "X-Appengine-Remote-Addr", of}
		},
	} {
		v := open1(h, func(d *Dependencies) { d.RateScale, d.TrustedProxies = 1, []string{"127.0.0.1"} })
		limited := false
		for i := 0; i < 500 && !limited; i++ {
			limited = v.get("/api/login", header(i%250)...).status == http.StatusTooManyRequests
		}
		require.True(t, limited, "%s: another address each time moved the limit's key: %s", name, asvs.Claim(t, "15.3.4"))
	}
}

// open1 is a visitor at a replica of its own.
func open1(h *testServer, change func(*Dependencies)) *visitor {
	h.Helper()
	v := h.visitor()
	v.origin = h.serve(change).URL
	return v
}

// What a decoder says names Go's types; what we say names the body.
func TestNoDecoderSpeaksToCallers(t *testing.T) {
	h := open(t)
	v := h.customer()
	for _, body := range []string{`{"amountAsset":1e400}`, `{"asset":`, `{"asset" "BTC"}`, `nonsense`, `{"asset":"\x"}`, `[1,`, `{"a":1}}`} {
		for _, language := range []string{"en", "es"} {
			a := v.post("/api/orders", body, "Accept-Language", language)
			require.GreaterOrEqual(t, a.status, 400, body)
			require.Less(t, a.status, 500, body)
			for _, word := range []string{"Go value", "unmarshal", "invalid character", "float64", "EOF", "json:"} {
				require.NotContains(t, string(a.body), word, body+" "+asvs.Claim(t, "16.5.1"))
			}
		}
	}
}

// A text that is too long is refused by its field, in a sentence that people can follow, and counted in characters.
func TestATextThatIsTooLongIsSaidToBe(t *testing.T) {
	h := open(t)
	v, staff := h.customer(), h.customer("support")
	path := "/api/admin/customers/" + v.userID + "/notes"
	long := staff.post(path, `{"body":"`+strings.Repeat("ñ", 2001)+`"}`)
	require.Equal(t, "body", long.refused(http.StatusUnprocessableEntity, "invalid").fields())
	require.Contains(t, string(long.body), "Enter at most 2000 characters")
	staff.post(path, `{"body":"`+strings.Repeat("ñ", 2000)+`"}`).is(http.StatusOK)
}

// A choice that was booked is answered as done, also when the order then goes to compliance
// review: the customer's money has moved.
func TestAChoiceThatWasBookedIsAnsweredAsDone(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	decision := store.NewID()
	h.exec(`INSERT INTO decisions (id, order_id, kind, actor_id, reason) VALUES ($1, $2, 'keep_order', $3, '')`, decision, id, v.userID)
	book := func(code string) {
		h.flows.outcome = func(_, _, id string) (workflows.Outcome, bool, error) {
			h.exec(`UPDATE decisions SET settled_at = clock_now(), outcome = 'done', outcome_code = $2 WHERE id = $1`, id, code)
			return workflows.Outcome{Code: casework.AttentionRisk, Status: "payment_approved"}, true, nil
		}
	}
	book("refused")
	_, err := h.server.decisions.ExecuteDecision(t.Context(), &order.Decision{Decision: casework.Decision{ID: decision, Kind: order.DecisionKeepOrder}, OrderID: id}, "kept")
	require.Equal(t, casework.AttentionRisk, store.ReasonOf(err))
	book(casework.DecisionDone)
	answer, err := h.server.decisions.ExecuteDecision(t.Context(), &order.Decision{Decision: casework.Decision{ID: decision, Kind: order.DecisionKeepOrder}, OrderID: id}, "kept")
	require.NoError(t, err)
	require.Equal(t, caseworkapi.Outcome{DecisionID: decision, State: "done", Status: "payment_approved", Message: "kept"}, answer.Body)
}

// An ID token names the person: it lies sealed beside the session, and goes back to the
// issuer whole.
func TestIDTokensLieSealed(t *testing.T) {
	h := open(t)
	v := h.visitor()
	user := v.signIn(person("s1", "ada@example.com", true))
	kept := one[string](h, `SELECT id_token FROM sessions`)
	require.NotContains(t, kept, ".", asvs.Claim(t, "10.1.1"))
	require.NotEmpty(t, kept)
	out, err := url.Parse(v.get("/api/logout", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate").is(http.StatusSeeOther).header.Get("Location"))
	require.NoError(t, err)
	hook := out.Query().Get("id_token_hint")
	require.Equal(t, 2, strings.Count(hook, "."))
	require.Equal(t, hook, h.server.account.OpenIDToken(user, kept))
	require.Equal(t, hook, h.server.account.OpenIDToken(user, hook), "of a session from before")
	require.Empty(t, h.server.account.OpenIDToken(store.NewID(), kept), "in another's place")
}
