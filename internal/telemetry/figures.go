package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Figure is one value of a gauge, with its labels.
type Figure struct {
	Name, Help string
	Labels     map[string]string
	Value      float64
}

// readFiguresEvery is how old figures may be when they are read: more readers do not make
// more queries.
const readFiguresEvery = 15 * time.Second

// Figures are gauges read together from what is written down. While they cannot be read
// the series are absent, and figures_readable is zero.
type Figures struct {
	Read func(ctx context.Context) ([]Figure, error)

	mu     sync.Mutex
	readAt time.Time
	kept   []Figure
	failed bool
}

var figuresReadable = prometheus.NewDesc("figures_readable", "Whether the figures of the business can be read.", nil, nil)

// Describe implements prometheus.Collector: which figures there are is known once they
// are read.
func (f *Figures) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (f *Figures) Collect(metrics chan<- prometheus.Metric) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.readAt) > readFiguresEvery {
		ctx, cancel := context.WithTimeout(context.Background(), healthTime)
		defer cancel()
		var err error
		f.kept, err = f.Read(ctx)
		f.readAt, f.failed = time.Now(), err != nil
	}
	if f.failed {
		metrics <- prometheus.MustNewConstMetric(figuresReadable, prometheus.GaugeValue, 0)
		return
	}
	metrics <- prometheus.MustNewConstMetric(figuresReadable, prometheus.GaugeValue, 1)
	for _, one := range f.kept {
		metrics <- prometheus.MustNewConstMetric(prometheus.NewDesc(one.Name, one.Help, nil, one.Labels), prometheus.GaugeValue, one.Value)
	}
}
