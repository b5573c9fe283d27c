package telemetry

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The end of a site's certificate is measured, and remembered while the site does not answer; a site without one has
// no measurement.
func TestTheEndOfACertificateIsMeasured(t *testing.T) {
	site := httptest.NewTLSServer(http.NotFoundHandler())
	metrics := NewMetrics("api")
	certificates := NewCertificates(metrics, slog.New(slog.DiscardHandler))
	said := func() string {
		answer := httptest.NewRecorder()
		metrics.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return answer.Body.String()
	}
	require.NoError(t, certificates.Read(t.Context(), "http://localhost:8080"))
	require.NotContains(t, said(), "certificate_ends")
	require.NoError(t, certificates.Read(t.Context(), site.URL))
	_, value, found := strings.Cut(said(), `certificate_ends_timestamp_seconds{host="127.0.0.1"} `)
	require.True(t, found)
	value, _, _ = strings.Cut(value, "\n")
	var ends float64
	_, err := fmt.Sscan(value, &ends)
	require.NoError(t, err)
	require.Equal(t, site.Certificate().NotAfter.UTC(), time.Unix(int64(ends), 0).UTC())
	site.Close()
	require.Error(t, certificates.Read(t.Context(), site.URL))
	require.Contains(t, said(), value)
}
