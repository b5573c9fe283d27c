package telemetry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTracesGoToAnAddressOrNowhere(t *testing.T) {
	for name, c := range map[string]struct {
		given Traces
		wrong string
	}{
		"off":           {Traces{Share: 1}, ""},
		"a receiver":    {Traces{Endpoint: "http://jaeger:4318", Share: 0.1}, ""},
		"no address":    {Traces{Endpoint: "jaeger:4318", Share: 1}, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		"more than all": {Traces{Share: 1.5}, "OTEL_TRACES_SAMPLER_ARG"},
		"less than one": {Traces{Share: -1}, "OTEL_TRACES_SAMPLER_ARG"},
	} {
		if err := c.given.Check(); c.wrong == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.wrong, name)
		}
	}
	require.Equal(t, []string{"Bearer abc", "tenant-1"}, (&Traces{Headers: "Authorization=Bearer abc,X-Scope=tenant-1"}).Secrets())
}
