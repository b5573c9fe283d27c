package telemetry

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// received is a collector that keeps what it is sent.
type received struct {
	sync.Mutex
	spans []*spans.Span
}

func (r *received) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	raw, _ := io.ReadAll(q.Body)
	var sent collector.ExportTraceServiceRequest
	if q.URL.Path != "/v1/traces" || proto.Unmarshal(raw, &sent) != nil {
		http.Error(w, "not spans", http.StatusBadRequest)
		return
	}
	r.Lock()
	defer r.Unlock()
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			r.spans = append(r.spans, scope.GetSpans()...)
		}
	}
}

// observe does work with traces on, and gives the spans it left.
func observe(t *testing.T, share float64, work func()) []*spans.Span {
	t.Helper()
	kept := &received{}
	server := httptest.NewServer(kept)
	defer server.Close()
	defer tracing.Store(false)
	stop, err := StartTraces(t.Context(), "api", &Traces{Endpoint: server.URL, Share: share}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	work()
	stop()
	return kept.spans
}

const theirTrace, theirSpan = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

func hostile(t *testing.T) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/orders?canary-query", nil)
	r.Header.Set("Traceparent", "00-"+theirTrace+"-"+theirSpan+"-01")
	r.Header.Set("Tracestate", "vendor=canary-state")
	r.Header.Set("Baggage", "mail=canary-baggage")
	return r
}

// A caller's own trace is linked; it is not the trace that continues through workflows, and
// nothing else of the caller's is kept.
func TestACallerDoesNotNameTheTrace(t *testing.T) {
	var log bytes.Buffer
	found := observe(t, 1, func() {
		ctx, ended := RequestSpan(hostile(t), "/api/orders", "request-1")
		NewLogger(&log, LogOptions{Service: "api", JSON: true}).InfoContext(ctx, "request")
		ended(http.StatusInternalServerError)
	})
	require.Len(t, found, 1)
	span := found[0]
	require.Equal(t, "POST /api/orders", span.GetName())
	require.NotContains(t, log.String(), theirTrace)
	require.Contains(t, log.String(), `"trace_id":"`)
	require.Empty(t, span.GetParentSpanId())
	require.Len(t, span.GetLinks(), 1)
	require.NotContains(t, span.String(), "canary")
	require.Equal(t, spans.Status_STATUS_CODE_ERROR, span.GetStatus().GetCode())
}

// What a caller asks for does not have a trace kept that would not be.
func TestACallerDoesNotHaveATraceKept(t *testing.T) {
	require.Empty(t, observe(t, 0, func() {
		_, ended := RequestSpan(hostile(t), "/api/orders", "request-1")
		ended(http.StatusOK)
	}))
}

func TestSpansHaveNoTextsOfErrors(t *testing.T) {
	found := observe(t, 1, func() {
		_, span := tracer().Start(t.Context(), "step")
		quiet := wordless{span}
		quiet.RecordError(errors.New("canary-1"))
		quiet.SetStatus(codes.Error, "canary-2")
		quiet.End()
	})
	require.Len(t, found, 1)
	require.False(t, strings.Contains(found[0].String(), "canary"), found[0])
	require.Equal(t, spans.Status_STATUS_CODE_ERROR, found[0].GetStatus().GetCode())
}

// The run of an endless workflow begins a trace of its own, also when the run before it
// passes its trace on; any other continues it.
func TestATraceEnds(t *testing.T) {
	start := starter([]string{"Mails"})
	found := observe(t, 1, func() {
		ctx, before := tracer().Start(t.Context(), "before")
		start(ctx, tracer(), "RunWorkflow:Mails").End()
		start(ctx, tracer(), "RunWorkflow:Order").End()
		before.End()
	})
	require.Len(t, found, 3)
	require.Empty(t, found[0].GetParentSpanId())
	require.NotEqual(t, found[2].GetTraceId(), found[0].GetTraceId())
	require.Equal(t, found[2].GetSpanId(), found[1].GetParentSpanId())
}

// Without an endpoint a request has no span, and no interceptor is there.
func TestTracesAreOffUnlessAsked(t *testing.T) {
	stop, err := StartTraces(t.Context(), "api", &Traces{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer stop()
	r := hostile(t)
	ctx, ended := RequestSpan(r, "/api/orders", "request-1")
	ended(http.StatusOK)
	require.Equal(t, r.Context(), ctx)
	interceptors, err := Temporal()
	require.NoError(t, err)
	require.Empty(t, interceptors)
}
