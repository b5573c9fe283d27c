package provider

import (
	"bytes"
	"io"
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
// answer's status; none is a call without an answer. An error that a provider answers with 200 counts as the status it
// stands for.
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
	// bodyStatus returns the status that the body of a 200 stands for, or 0. Nil: the status is the answer's own.
	bodyStatus func(body []byte) int
}

// RoundTrip implements http.RoundTripper.
func (o observed) RoundTrip(r *http.Request) (*http.Response, error) {
	_, span := otel.Tracer("github.com/tradepost/tradepost").Start(r.Context(), o.name+" "+r.Method, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("provider", o.name)))
	defer span.End()
	begin := time.Now()
	answer, err := o.next.RoundTrip(r)
	status, class := 0, "none"
	if err == nil {
		status = o.statusOf(answer)
		class = strconv.Itoa(status/100) + "xx"
	}
	noteAnswer(r.Context(), status)
	Requests.WithLabelValues(o.name, class).Observe(time.Since(begin).Seconds())
	span.SetAttributes(attribute.String("status", class))
	if status == 0 || status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	return answer, err
}

// statusOf returns the status that an answer counts as. It reads the body of a 200 that may hold an error, and leaves it
// to be read again.
func (o observed) statusOf(answer *http.Response) int {
	if o.bodyStatus == nil || answer.StatusCode != http.StatusOK {
		return answer.StatusCode
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	rest := answer.Body
	answer.Body = limitedBody{io.MultiReader(bytes.NewReader(body), rest), rest}
	if err != nil {
		answer.Body = limitedBody{io.MultiReader(bytes.NewReader(body), brokenOff{err}), rest}
		return answer.StatusCode
	}
	if status := o.bodyStatus(body); status != 0 {
		return status
	}
	return answer.StatusCode
}

// brokenOff is the end of a body that could not be read to its end.
type brokenOff struct{ err error }

// Read implements io.Reader.
func (b brokenOff) Read([]byte) (int, error) { return 0, b.err }
