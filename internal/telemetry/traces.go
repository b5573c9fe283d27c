package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	temporaltrace "go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"

	"github.com/tradepost/tradepost/internal/version"
)

// Traces are the settings of where spans go, if anywhere. Field tags are kong's.
type Traces struct {
	Endpoint string  `name:"traces-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"Origin of an OTLP/HTTP receiver that traces are sent to; empty sends none."`
	Headers  string  `name:"traces-headers" env:"OTEL_EXPORTER_OTLP_HEADERS" help:"Headers that receiver asks for, as name=value, with commas between them."`
	Share    float64 `name:"traces-share" env:"OTEL_TRACES_SAMPLER_ARG" default:"1" help:"Part of traces that is kept, from 0 to 1."`
}

// Check reports the first setting that is wrong, by its variable.
func (t *Traces) Check() error {
	if t.Share < 0 || t.Share > 1 {
		return errors.New("OTEL_TRACES_SAMPLER_ARG must be from 0 to 1")
	}
	if t.Endpoint == "" {
		return nil
	}
	if at, err := url.Parse(t.Endpoint); err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address")
	}
	return nil
}

// Secrets are the values of the headers.
func (t *Traces) Secrets() []string {
	var values []string
	for pair := range strings.SplitSeq(t.Headers, ",") {
		_, value, _ := strings.Cut(pair, "=")
		values = append(values, value)
	}
	return values
}

// exportTimeout bounds one call to the receiver of traces.
const exportTimeout = 10 * time.Second

// tracing is whether this process sends spans.
var tracing atomic.Bool

// complainEvery is how often the log reports that spans do not arrive.
const complainEvery = time.Minute

// StartTraces has the process, which service names on every span, send its spans; stop sends what is left. Without an
// endpoint nothing is set up, and a span costs nothing.
func StartTraces(ctx context.Context, service string, t *Traces, log *slog.Logger) (stop func(), err error) {
	if t.Endpoint == "" {
		return func() {}, nil
	}
	// Headers of the operator's may hold a key: no redirect takes them elsewhere.
	collector := &http.Client{Timeout: exportTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimRight(t.Endpoint, "/")+"/v1/traces"), otlptracehttp.WithHTTPClient(collector))
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	var complained atomic.Int64
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		now := time.Now().UnixNano()
		if last := complained.Load(); now-last > int64(complainEvery) && complained.CompareAndSwap(last, now) {
			log.Warn("spans do not arrive", "error", err)
		}
	}))
	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(t.Share))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", service), attribute.String("service.version", version.Release()))))
	otel.SetTracerProvider(traces)
	tracing.Store(true)
	return func() {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthTime)
		defer cancel()
		_ = traces.Shutdown(limit)
	}, nil
}

func tracer() trace.Tracer { return otel.Tracer("github.com/tradepost/tradepost") }

// RequestSpan begins the span of a request, by its route. The caller's own trace becomes a
// link: it decides neither the trace's id nor whether it is kept.
func RequestSpan(r *http.Request, route, requestID string) (context.Context, func(status int)) {
	ctx := r.Context()
	if !tracing.Load() {
		return ctx, func(int) {}
	}
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", knownMethod(r.Method)), attribute.String("http.route", route), attribute.String("request_id", requestID))}
	theirs := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header)))
	if theirs.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: theirs.WithTraceState(trace.TraceState{})}))
	}
	ctx, span := tracer().Start(ctx, knownMethod(r.Method)+" "+route, options...)
	return ctx, func(status int) {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Temporal is what passes traces on through workflows to activities; nil while traces are
// off. A span records that an error occurred, not its text, which can contain anything.
// Each run of an endless type of workflow begins a trace, which would otherwise have no
// end.
func Temporal(endless ...string) ([]interceptor.ClientInterceptor, error) {
	if !tracing.Load() {
		return nil, nil
	}
	traced, err := temporaltrace.NewTracingInterceptor(temporaltrace.TracerOptions{
		Tracer: tracer(), DisableBaggage: true, TextMapPropagator: propagation.TraceContext{}, AllowInvalidParentSpans: true,
		SpanStarter: starter(endless)})
	if err != nil {
		return nil, fmt.Errorf("trace workflows: %w", err)
	}
	return []interceptor.ClientInterceptor{traced}, nil
}

func starter(endless []string) func(context.Context, trace.Tracer, string, ...trace.SpanStartOption) trace.Span {
	return func(ctx context.Context, t trace.Tracer, name string, options ...trace.SpanStartOption) trace.Span {
		if workflow, runs := strings.CutPrefix(name, "RunWorkflow:"); runs && slices.Contains(endless, workflow) {
			options = append(options, trace.WithNewRoot())
		}
		_, span := t.Start(ctx, name, options...)
		return wordless{span}
	}
}

// wordless is a span without the texts of errors.
type wordless struct{ trace.Span }

// RecordError implements trace.Span.
func (wordless) RecordError(error, ...trace.EventOption) {}

// SetStatus implements trace.Span.
func (w wordless) SetStatus(code codes.Code, _ string) { w.Span.SetStatus(code, "") }

// traced adds the ids of the span that a line was written in.
type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (t traced) Handle(ctx context.Context, line slog.Record) error {
	if at := trace.SpanContextFromContext(ctx); at.IsValid() {
		line = line.Clone()
		line.AddAttrs(slog.String("trace_id", at.TraceID().String()), slog.String("span_id", at.SpanID().String()))
	}
	return t.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }
