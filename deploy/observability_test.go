package deploy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/tradepost/tradepost/deploy/observability"
	"github.com/tradepost/tradepost/models/reporting"
)

// Each alert of the product has one rule as its twin, and each rule says how bad it is and
// leads to a place in the runbook that is there.
func TestEachAlertHasARuleAndEachRuleARunbook(t *testing.T) {
	rules, err := observability.Rules()
	require.NoError(t, err)
	twins, seen := map[string]int{}, map[string]bool{}
	for _, rule := range rules {
		require.False(t, seen[rule.Alert], rule.Alert)
		seen[rule.Alert] = true
		require.Contains(t, []string{"critical", "warning"}, rule.Labels["severity"], rule.Alert)
		require.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
		file, anchor, found := strings.Cut(rule.Annotations["runbook_url"], "#")
		require.True(t, found, rule.Alert)
		require.Contains(t, read(t, file), `<a id="`+anchor+`"></a>`, "%s leads nowhere", rule.Alert)
		if kind := rule.Labels["kind"]; kind != "" {
			twins[kind]++
			require.Equal(t, `max by (kind) (alerts_open{kind="`+kind+`"}) > 0`, rule.Expr)
			require.Equal(t, kind, anchor, rule.Alert)
		}
	}
	for _, kind := range reporting.AlertKinds {
		require.Equal(t, 1, twins[string(kind)], kind)
	}
	require.Len(t, twins, len(reporting.AlertKinds))
}

// Grafana's own types read every dashboard to the last field.
func TestDashboardsAreGrafanas(t *testing.T) {
	cog.NewRuntime().RegisterPanelcfgVariant(timeseries.VariantConfig())
	cog.NewRuntime().RegisterDataqueryVariant(prometheus.VariantConfig())
	files, err := filepath.Glob("observability/dashboards/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var read dashboard.Dashboard                          //nolint:staticcheck // the files are of this version of the schema
		require.Empty(t, read.UnmarshalJSONStrict(raw), file) // an error of no faults is not nil
		require.NoError(t, read.Validate(), file)
	}
}

// Every expression parses, and every panel queries the source that Grafana is given.
func TestDashboardsAskWhatGrafanaHas(t *testing.T) {
	_, err := observability.Metrics()
	require.NoError(t, err)
	dashboards, err := observability.Dashboards()
	require.NoError(t, err)
	var uids []string
	for i := range dashboards {
		uids = append(uids, dashboards[i].UID)
		require.NotEmpty(t, dashboards[i].Panels, dashboards[i].UID)
		for _, panel := range dashboards[i].Panels {
			require.NotEmpty(t, panel.Title)
			require.NotEmpty(t, panel.Targets, panel.Title)
			require.Contains(t, read(t, "deploy/observability/grafana/datasources.yml"), "uid: "+panel.Datasource.UID+",", panel.Title)
		}
	}
	require.Equal(t, []string{"money", "overview", "providers", "workflows"}, uids)
}

// Prometheus reads every process that has metrics, and the disk of Postgres, where they give them, and finds its rules
// where they are mounted.
func TestPrometheusReadsEveryProcess(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("observability", "prometheus.yml"))
	require.NoError(t, err)
	var config struct {
		RuleFiles []string `yaml:"rule_files"`
		Scrape    []struct {
			Job string `yaml:"job_name"`
			DNS []struct {
				Names []string
				Port  int
			} `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &config))
	project := composed(t)
	var read []string
	for _, job := range config.Scrape {
		asked := job.Job
		if asked == "temporal" { // by way of the service that passes its metrics on
			asked = "temporal-metrics"
			require.Equal(t, []string{"caddy", "reverse-proxy", "--from", ":9090", "--to", "temporal:9090"}, []string(project.Services[asked].Command))
		}
		require.Equal(t, []string{asked}, job.DNS[0].Names)
		require.True(t, slices.ContainsFunc(joined(project.Services["prometheus"]), func(network string) bool {
			return slices.Contains(joined(project.Services[asked]), network)
		}), "Prometheus shares no network with %s", asked)
		if service := project.Services[job.Job]; !strings.Contains(service.Image, "node-exporter") {
			listen := service.Environment["HEALTH_LISTEN"]
			if job.Job == "temporal" {
				listen = service.Environment["PROMETHEUS_ENDPOINT"]
			}
			require.Equal(t, "0.0.0.0:9090", *listen)
		} else {
			require.Contains(t, service.Command, "--web.listen-address=:9090")
		}
		require.Equal(t, 9090, job.DNS[0].Port)
		read = append(read, job.Job)
	}
	for name, service := range project.Services {
		if service.Environment["HEALTH_LISTEN"] != nil {
			require.Contains(t, read, name)
		}
	}
	var mounted []string
	for _, volume := range project.Services["prometheus"].Volumes {
		mounted = append(mounted, volume.Target)
	}
	require.Len(t, config.RuleFiles, 2)
	require.Subset(t, mounted, config.RuleFiles, "the rules are not mounted")
}
