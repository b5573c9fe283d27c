package kraken

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/provider"
)

// calls returns how many calls to Kraken were counted under a status class.
func calls(t *testing.T, class string) (n uint64) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(provider.Requests)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if labels["provider"] == providerName && labels["status"] == class {
				n += metric.GetHistogram().GetSampleCount()
			}
		}
	}
	return n
}

// Kraken answers errors with 200. They count as errors in the metric that the alert ProviderErrors reads, and an outage
// counts as no answer.
func TestErrorsWithStatus200CountAsErrors(t *testing.T) {
	for _, c := range []struct{ body, class string }{
		{`{"error":["EService:Unavailable"],"result":{}}`, "5xx"},
		{`{"error":["EService:Market in cancel_only mode"]}`, "5xx"},
		{`{"error":["EGeneral:Internal error"]}`, "5xx"},
		{`<html>Maintenance</html>`, "5xx"},
		{`{"error":["EOrder:Insufficient funds"]}`, "4xx"},
		{`{"error":["EService:Throttled:1700000000"]}`, "4xx"},
		{`{"error":["WGeneral:Deprecated"],"result":{}}`, "2xx"},
		{`{"error":[],"result":{}}`, "2xx"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.body)) }))
		before := calls(t, c.class)
		var out struct{}
		_ = New(Config{URL: server.URL, Timeout: time.Minute}).public(t.Context(), "SystemStatus", nil, &out)
		require.Equal(t, before+1, calls(t, c.class), c.body)
		answered, failed := provider.LastAnswers()
		if c.class == "5xx" {
			require.NotNil(t, failed, c.body)
			require.True(t, answered == nil || !failed.Before(*answered), c.body)
		} else {
			require.NotNil(t, answered, c.body)
			require.True(t, failed == nil || !answered.Before(*failed), c.body)
		}
		server.Close()
	}
}
