package identity_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
)

// Every page of a rehearsal says so, in its reader's language. The demo people's
// public password is not in its database: these are production's rules.
func TestPagesOfARehearsalSaySo(t *testing.T) {
	s := startWith(t, func(c *identity.Config) { c.AllowEmbedded = true })
	_, err := s.db.Exec(t.Context(), `UPDATE users SET demo = false`)
	require.NoError(t, err)
	for _, mode := range []string{identity.ModeLocal, identity.ModeStaging, identity.ModeProduction} {
		config := s.config
		config.Mode, config.URL, config.LegalDir = mode, "https://id.example.com", ownTexts(t)
		server, err := identity.New(t.Context(), config, s.db, s.mail, quiet())
		require.NoError(t, err)
		for language, text := range map[string]string{"en": "This is a rehearsal. Nothing here is real money.", "es": "Esto es un ensayo. Nada de lo que ves aquí es dinero real."} {
			for _, path := range []string{"/signin", "/signup", "/forgot", "/nowhere"} {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://id.example.com"+path, nil)
				r.Header.Set("Accept-Language", language)
				answer := httptest.NewRecorder()
				server.Handler().ServeHTTP(answer, r)
				require.Contains(t, answer.Body.String(), "</html>", path)
				if mode == identity.ModeStaging {
					require.Contains(t, answer.Body.String(), text, path)
				} else {
					require.NotContains(t, answer.Body.String(), text, "%s %s", mode, path)
				}
			}
		}
	}
}
