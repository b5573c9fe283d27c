// Package observability reads what Prometheus and Grafana are given, for the tests that
// hold it to the product: which expressions there are, and which metrics they name.
package observability

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/VictoriaMetrics/metricsql"
	"go.yaml.in/yaml/v3"
)

//go:embed rules.yml dashboards/*.json
var files embed.FS

// Rule is an alerting rule of Prometheus.
type Rule struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations map[string]string
}

// Rules are those of rules.yml.
func Rules() ([]Rule, error) {
	raw, err := files.ReadFile("rules.yml")
	if err != nil {
		return nil, err
	}
	var file struct{ Groups []struct{ Rules []Rule } }
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("rules.yml: %w", err)
	}
	var all []Rule
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all, nil
}

// Dashboard is a dashboard of Grafana.
type Dashboard struct {
	UID, Title string
	Panels     []struct {
		Title      string
		Datasource struct{ UID string }
		Targets    []struct{ Expr, LegendFormat string }
	}
}

// Dashboards are those of dashboards.
func Dashboards() ([]Dashboard, error) {
	names, err := fs.Glob(files, "dashboards/*.json")
	if err != nil {
		return nil, err
	}
	all := make([]Dashboard, len(names))
	for i, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// Metrics are the names that rules and dashboards query, once each; an expression that does not parse is an error.
func Metrics() ([]string, error) {
	rules, err := Rules()
	if err != nil {
		return nil, err
	}
	dashboards, err := Dashboards()
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, rule := range rules {
		asked = append(asked, rule.Expr)
	}
	for i := range dashboards {
		for _, panel := range dashboards[i].Panels {
			for _, target := range panel.Targets {
				asked = append(asked, target.Expr)
			}
		}
	}
	found := map[string]bool{}
	for _, expr := range asked {
		parsed, err := metricsql.Parse(expr)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expr, err)
		}
		metricsql.VisitAll(parsed, func(e metricsql.Expr) {
			if metric, is := e.(*metricsql.MetricExpr); is {
				for _, or := range metric.LabelFilterss {
					found[or[0].Value] = found[or[0].Value] || or[0].Label == "__name__"
				}
			}
		})
	}
	return slices.Sorted(maps.Keys(found)), nil
}
