package api

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/models/pricing"
)

// Every page of a rehearsal says so, in its reader's language, before any script
// has run; elsewhere nothing is said. Its first views are production's.
func TestEveryPageOfARehearsalSaysSo(t *testing.T) {
	dir := viewedSite(t, "<p>hello</p>")
	says := map[string]string{"en": "This is a rehearsal. Nothing here is real money.", "es": "Esto es un ensayo. Nada de lo que ves aquí es dinero real."}
	for _, mode := range []string{"local", "staging", "production"} {
		t.Run(mode, func(t *testing.T) {
			h := open(t, func(d *Dependencies) { d.WebDir, d.Mode = dir, mode })
			for language, text := range says {
				for path, status := range map[string]int{"/": http.StatusOK, "/about": http.StatusOK, "/test": http.StatusOK, "/none": http.StatusNotFound} {
					page := string(h.visitor().get(path, "Accept-Language", language).is(status).body)
					if mode == rest.ModeStaging {
						require.Contains(t, page, "<body><aside data-rehearsal", path)
						require.Contains(t, page, text, path)
					} else {
						require.NotContains(t, page, "rehearsal", path)
						require.NotContains(t, page, text, path)
					}
				}
				notice := h.visitor().get("/api/login/callback?state=none", "Accept-Language", language, "Accept", "text/html")
				if mode == rest.ModeStaging {
					require.Contains(t, string(notice.body), "<aside>"+text+"</aside>")
				} else {
					require.NotContains(t, string(notice.body), "<aside>")
				}
			}
			page := string(h.visitor().get("/").is(http.StatusOK).body)
			view := mode
			if mode == rest.ModeStaging {
				view = "production"
			}
			require.Contains(t, page, "<h1>"+view+"-cashless</h1>")
			require.Equal(t, mode, h.visitor().get("/api/config").is(http.StatusOK).text("mode"))
		})
	}
}

// A page into which the banner could not be put is no page to serve.
func TestAPageNeedsAPlaceForTheBanner(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public"})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte(`<!--head--><script nonce="__CSP_NONCE__"></script>`), 0o600))
	_, err := site.Load(dir)
	require.ErrorContains(t, err, "<!--notices-->")
}

// A rehearsal accepts addresses of test networks alone, every other mode those of the main
// networks alone.
func TestAddressesAreOfTheModesNetworks(t *testing.T) {
	const testnet = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
	for mode, c := range map[string]struct{ taken, refused, code string }{
		"staging": {testnet, btcAddress, "mainnet"}, "production": {btcAddress, testnet, "testnet"}, "local": {btcAddress, testnet, "testnet"},
	} {
		s := &Server{Dependencies: Dependencies{Settings: Settings{Mode: mode}, Quoter: pricing.NewQuoter(nil, nil)}}
		s.share("")
		place, err := s.networks.CheckAddress("BTC", c.taken, nil)
		require.NoError(t, err, mode)
		require.Equal(t, "bitcoin", place.Network)
		_, err = s.networks.CheckAddress("BTC", c.refused, nil)
		var refused *rest.Problem
		require.ErrorAs(t, err, &refused, mode)
		require.Equal(t, c.code, refused.Code)
	}
}
