package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/deploy/observability"
)

// unseen are metrics that no process of ours has before something breaks that cannot
// be broken here, Prometheus' own, those of backup, which backup's drill looks for, of sites by https,
// and of disks.
var unseen = []string{"up", "temporal_workflow_task_execution_failed_total", "persistence_errors", "backup_lag_seconds", "backup_base_late_seconds",
	"certificate_ends_timestamp_seconds", "node_filesystem_avail_bytes", "node_filesystem_size_bytes"}

// metricsPorts are those of the processes that give Prometheus metrics.
func metricsPorts() map[string]int {
	all := maps.Clone(stack.Ports.Health)
	all["temporal"] = stack.Ports.TemporalMetrics
	return all
}

// measured is what the API, the workers and Temporal give Prometheus.
func measured(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for process, port := range metricsPorts() {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/metrics", port), nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err, process)
		raw, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, "%s: %s", process, raw)
		all.Write(raw)
	}
	return all.String()
}

// Rules and dashboards query metrics that exist once an order was executed, with a second attempt at one step; and no
// metric contains data of the order or its customer.
func TestRulesAndDashboardsAskForMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	asked, err := observability.Metrics()
	require.NoError(t, err)
	customer, staff := verified(t), admin(t)
	what := some(t, "BTC", "0.01")
	o := customer.buy(what)
	customer.authorise(o.ID)
	arm(t, fault{Provider: "kraken", Operation: "AddOrder", Match: what.amount, Code: "http:503_before", Count: 1})
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	sent := customer.reaches(o.ID, "sent")
	customer.buy(some(t, "BTC", "0.01")) // and one stays open

	var said string
	var missing []string
	defer func() {
		if t.Failed() {
			t.Log("missing: ", missing)
		}
	}()
	until(t, "all metrics", func() bool {
		said = "\n" + measured(t)
		missing = slices.DeleteFunc(slices.Clone(asked), func(name string) bool {
			return slices.Contains(unseen, name) || strings.Contains(said, "\n"+strings.TrimSuffix(name, "_bucket")+"{") || strings.Contains(said, "\n"+name+"{") || strings.Contains(said, "\n"+name+" ")
		})
		return len(missing) == 0
	})
	for name, secret := range map[string]string{"order": o.ID, "reference": o.Reference, "customer": customer.id, "e-mail": customer.mail, "address": what.address,
		"transaction": sent.TxID, "card": goodCard, "key": "sk_test"} {
		require.NotContains(t, said, secret, name)
	}
	labels := regexp.MustCompile(`([a-z_]+)="([^"]*)"`).FindAllStringSubmatch(said, -1) // a sample's own number may be the same by chance, and a bound's
	require.NotEmpty(t, labels)
	for _, label := range labels {
		if label[1] != "le" {
			require.NotContains(t, []string{what.amount, sent.QuoteFiat}, label[2], label[0])
		}
	}
}
