package telemetry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Ages reads how many seconds ago each of what recurs last succeeded, by name.
type Ages func(ctx context.Context) (map[string]float64, error)

// text is a line for each; nothing when they cannot be read.
func (a Ages) text(ctx context.Context) string {
	ages, err := a(ctx)
	if err != nil {
		return ""
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(ages)) {
		fmt.Fprintf(&out, "chore %s: last succeeded %s ago\n", name, time.Duration(ages[name]*float64(time.Second)).Round(time.Second))
	}
	return out.String()
}

var ageOfChore = prometheus.NewDesc("chore_age_seconds", "Time since a chore last succeeded.", []string{"chore"}, nil)

// Describe implements prometheus.Collector.
func (a Ages) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- ageOfChore }

// Collect implements prometheus.Collector. While ages cannot be read the series are
// absent.
func (a Ages) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), healthTime)
	defer cancel()
	ages, err := a(ctx)
	if err != nil {
		return
	}
	for name, age := range ages {
		metrics <- prometheus.MustNewConstMetric(ageOfChore, prometheus.GaugeValue, age, name)
	}
}
