package api

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/site"
)

// A page says which release it is of, every answer of the API which one the
// server has, and another build in any language is another release.
func TestAPageLearnsOfANewerRelease(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/", Access: "public"})
	tag := regexp.MustCompile(`<meta name="release" content="(\w{12})">`)
	release := func() string {
		loaded, err := site.Load(dir)
		require.NoError(t, err)
		return loaded.Release
	}
	first := release()
	v := open(t, func(d *Dependencies) { d.WebDir = dir }).visitor()
	for _, language := range []string{"en", "es"} {
		page := tag.FindSubmatch(v.get("/", "Accept-Language", language).is(http.StatusOK).body)
		require.NotNil(t, page, language)
		require.Equal(t, first, string(page[1]), language)
	}
	for _, path := range []string{"/api/config", "/api/orders"} {
		require.Equal(t, first, v.get(path).header.Get("X-Release"), path)
	}
	spanish := filepath.Join(dir, "es", "index.html")
	content, err := os.ReadFile(spanish)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(spanish, append(content, "<!-- another -->"...), 0o600))
	require.NotEqual(t, first, release())
}
