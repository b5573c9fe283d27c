package provider

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Requests measures the calls this process makes to its provider, by the class of the
// answer's status; none is a call without an answer.
var Requests = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "provider_request_duration_seconds",
	Help:    "Time until a provider answered.",
	Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20},
}, []string{"provider", "status"})

// observed measures each call and has it be a span. Neither holds the address, which names
// wallets and orders, and the provider is not given the trace.
type observed struct {
	name string
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (o observed) RoundTrip(r *http.Request) (*http.Response, error) {
	_, span := otel.Tracer("github.com/tradepost/tradepost").Start(r.Context(), o.name+" "+r.Method, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("provider", o.name)))
	defer span.End()
	begin := time.Now()
	answer, err := o.next.RoundTrip(r)
	class := "none"
	if err == nil {
		class = strconv.Itoa(answer.StatusCode/100) + "xx"
	}
	Requests.WithLabelValues(o.name, class).Observe(time.Since(begin).Seconds())
	span.SetAttributes(attribute.String("status", class))
	if err != nil || answer.StatusCode >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	return answer, err
}
