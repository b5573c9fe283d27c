package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
)

func TestTheLanguageARequestAsksFor(t *testing.T) {
	for _, c := range []struct{ cookie, accept, want string }{
		{"", "", "en"},
		{"", "es", "es"},
		{"", "en", "en"},
		{"", "es-MX,es;q=0.9,en;q=0.8", "es"},
		{"", "es-419", "es"},
		{"", "en-US,en;q=0.9,es;q=0.8", "en"},
		{"", "en;q=0.4, es;q=0.5", "es"},
		{"", "es;q=0, en", "en"},
		{"", "es;q=0", "en"},
		{"", "fr-FR,de;q=0.9,es;q=0.1", "es"},
		{"", "fr,ja", "en"},
		{"", "*", "en"},
		{"en", "es", "en"},
		{"es", "en", "es"},
		{"fr", "es", "es"},
		{"ES", "en", "en"},
		{"../es", "en", "en"},
		{"", "es;q=zwei", "en"},
		{"", "\x00\xff;;;,,,=", "en"},
		{"", strings.Repeat("es-", 5000), "en"},
		{"", strings.Repeat("es,", 5000), "en"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", c.accept)
		if c.cookie != "" {
			r.Header.Set("Cookie", LanguageCookie+"="+c.cookie)
		}
		require.Equal(t, c.want, Languages(account.Languages).Asked(r), "cookie %q, Accept-Language %.40q", c.cookie, c.accept)
	}
}
