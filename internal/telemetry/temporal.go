package telemetry

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
)

// temporalLabels are the tags of the SDK, and of timers of workflows, that become labels.
// Each series has all of them, empty where they do not apply; all are constants of our
// code.
var temporalLabels = [11]string{"activity_type", "cause", "failure_reason", "operation", "poller_type", "rail", "status", "status_code", "task_queue", "worker_type", "workflow_type"}

// TemporalMetrics measures what a client of Temporal and its worker do: counters end in
// _total, timers in _seconds.
func (m *Metrics) TemporalMetrics() client.MetricsHandler {
	return temporalMetrics{made: &temporalSeries{registry: m.registry, vectors: map[string]prometheus.Collector{}}}
}

// temporalSeries are the vectors made so far, by name.
type temporalSeries struct {
	registry *prometheus.Registry
	mu       sync.RWMutex
	vectors  map[string]prometheus.Collector
}

// vector gives the one of that name, made at its first use.
func (s *temporalSeries) vector(name string, create func() prometheus.Collector) prometheus.Collector {
	s.mu.RLock()
	known, ok := s.vectors[name]
	s.mu.RUnlock()
	if ok {
		return known
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok = s.vectors[name]; !ok {
		known = create()
		s.registry.MustRegister(known)
		s.vectors[name] = known
	}
	return known
}

// temporalMetrics implements client.MetricsHandler.
type temporalMetrics struct {
	made   *temporalSeries
	values [11]string // of temporalLabels
}

// WithTags implements client.MetricsHandler.
func (t temporalMetrics) WithTags(tags map[string]string) client.MetricsHandler {
	for name, value := range tags {
		if value == "none" || strings.ContainsAny(value, ":@") { // a sticky queue is a process's own
			value = ""
		}
		if at := slices.Index(temporalLabels[:], name); at >= 0 {
			t.values[at] = value
		}
	}
	return t
}

// Counter implements client.MetricsHandler.
func (t temporalMetrics) Counter(name string) client.MetricsCounter {
	name = strings.TrimSuffix(name, "_total") + "_total"
	made, _ := t.made.vector(name, func() prometheus.Collector {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: "Counted by Temporal's SDK."}, temporalLabels[:])
	}).(*prometheus.CounterVec)
	return counter{made.WithLabelValues(t.values[:]...)}
}

// Gauge implements client.MetricsHandler.
func (t temporalMetrics) Gauge(name string) client.MetricsGauge {
	made, _ := t.made.vector(name, func() prometheus.Collector {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: "Read by Temporal's SDK."}, temporalLabels[:])
	}).(*prometheus.GaugeVec)
	return gauge{made.WithLabelValues(t.values[:]...)}
}

// Timer implements client.MetricsHandler.
func (t temporalMetrics) Timer(name string) client.MetricsTimer {
	buckets := []float64{.01, .1, .5, 1, 5, 30}
	if strings.HasPrefix(name, "order_") {
		buckets = []float64{1, 10, 60, 600, 3600, 6 * 3600, 24 * 3600}
	}
	name += "_seconds"
	made, _ := t.made.vector(name, func() prometheus.Collector {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: "Timed by Temporal's SDK, or in a workflow.", Buckets: buckets}, temporalLabels[:])
	}).(*prometheus.HistogramVec)
	return timer{made.WithLabelValues(t.values[:]...)}
}

type counter struct{ prometheus.Counter }

// Inc implements client.MetricsCounter.
func (c counter) Inc(n int64) { c.Add(float64(n)) }

type gauge struct{ prometheus.Gauge }

// Update implements client.MetricsGauge.
func (g gauge) Update(value float64) { g.Set(value) }

type timer struct{ prometheus.Observer }

// Record implements client.MetricsTimer.
func (t timer) Record(took time.Duration) { t.Observe(took.Seconds()) }
