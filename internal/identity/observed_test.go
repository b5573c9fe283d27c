package identity_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/telemetry"
)

// A request is counted by its route, whatever its sender wrote, and no line of the log has a secret.
func TestRequestsAreCountedByTheirRoutes(t *testing.T) {
	s := start(t)
	var said bytes.Buffer
	s.config.ClientSecret = "the-sites-own-secret"
	log := telemetry.NewLogger(&said, telemetry.LogOptions{Service: "identity", JSON: true, Secrets: s.config.Secrets()})
	server, err := identity.New(t.Context(), s.config, s.db, s.mail, log)
	require.NoError(t, err)
	server.Metrics = telemetry.NewMetrics("identity")
	ask := func(method, path string) {
		server.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, s.config.URL+path, nil))
	}
	for _, path := range []string{"/signin?login=canary", "/canary", "/assets/canary.js", "/canary/" + s.config.ClientSecret, "/keys"} {
		ask(http.MethodGet, path)
	}
	ask("CANARY", "/signin")
	answer := httptest.NewRecorder()
	server.Metrics.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	text := answer.Body.String()
	require.Contains(t, text, `route="/signin"`)
	require.Contains(t, text, `route="/keys"`)
	require.NotContains(t, text, "anary")
	require.NotContains(t, text, "CANARY")
	require.Contains(t, said.String(), "/canary/")
	require.Contains(t, said.String(), "request_id")
	require.NotContains(t, said.String(), s.config.ClientSecret)
}
