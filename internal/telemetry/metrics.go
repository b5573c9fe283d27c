package telemetry

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	built "github.com/prometheus/client_golang/prometheus/collectors/version"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tradepost/tradepost/internal/version"
)

// Metrics are the measurements of one process.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

// NewMetrics makes an empty set with the runtime's and the process's own
// figures. Service is on every series.
func NewMetrics(service string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:        "http_request_duration_seconds",
			Help:        "Time taken to answer HTTP requests.",
			Buckets:     []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
			ConstLabels: prometheus.Labels{"service": service},
		}, []string{"method", "route", "status"}),
	}
	m.registry.MustRegister(
		m.requests, built.NewCollector("tradepost"), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Registry is where a process registers measurements of its own.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Handler serves the measurements to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Request counts one answered request. Route is the route's pattern, such as
// /api/orders/{id}, never the path; an empty one means that none matched.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	class := strconv.Itoa(status/100) + "xx"
	m.requests.WithLabelValues(knownMethod(method), route, class).Observe(took.Seconds())
}

// knownMethod prevents callers from creating series with invented methods.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// shutdownTime is how long Serve waits for open requests when it stops.
const shutdownTime = 5 * time.Second

// healthTime is how long a health check may last: it answers also when a dependency hangs.
const healthTime = 2 * time.Second

// Serve answers /healthz and /metrics on address until ctx ends, for processes that serve
// nothing else. healthy returns what is wrong, or nil. An empty address switches it off.
// notes and ages are in the detail of /healthz, and do not affect health: restarting a
// process for another's failure does not help. It returns an error when it cannot listen.
func Serve(ctx context.Context, address string, m *Metrics, healthy func(context.Context) error, ages Ages, notes ...string) error {
	if address == "" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthTime)
		defer cancel()
		if healthy(ctx) != nil {
			http.Error(w, "unhealthy", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(strings.Join(append([]string{"ok", version.String()}, notes...), "\n") + "\n" + ages.text(ctx)))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: shutdownTime}
	stop := context.AfterFunc(ctx, func() {
		limit, cancel := context.WithTimeout(context.Background(), shutdownTime)
		defer cancel()
		_ = server.Shutdown(limit)
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
