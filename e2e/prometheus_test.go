package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metricsql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/tradepost/tradepost/deploy/observability"
	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/process"
)

// emptyPanels stay without data after the flows below, each for a reason.
var emptyPanels = map[string]string{
	"Open alerts":                           "the stack reports nothing that lasts long (local.Options.Unwatched)",
	"Workflow tasks that fail":              "no workflow of ours fails a task",
	"Temporal: calls to Postgres that fail": "its store is SQLite here, and fails no call",
}

// unfed are alerts whose measurement is of a process that the stack does not have, each for a reason.
var unfed = map[string]string{
	"ArchiveBehind":     "backup is not started here; its drill reads its metrics",
	"BaseBackupLate":    "as ArchiveBehind",
	"CertificateEnds":   "the site has no certificate here",
	"DiskFull":          "node_exporter is not started here",
	"DiskFills":         "as DiskFull",
	"TemporalErrors":    "Temporal's store fails no call",
	"WorkflowTasksFail": "no workflow of ours fails a task",
}

// promtool runs Prometheus' checker, and fails with what it says.
func promtool(t *testing.T, bin string, args ...string) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), filepath.Join(bin, "promtool"), args...).CombinedOutput()
	require.NoError(t, err, "%s", said)
}

// prometheus is one that reads the shared stack, at an address.
type prometheus string

// startPrometheus starts the one of docker-compose.yml, with its features and its configuration, in which the stack's
// ports stand for the names of services, and seconds for the intervals.
func startPrometheus(t *testing.T) prometheus {
	t.Helper()
	root, err := build.Root()
	require.NoError(t, err)
	bin := filepath.Join(root, ".data", "bin")
	require.NoError(t, build.Prometheus(t.Context(), root, bin))
	folder := filepath.Join(root, "deploy", "observability")
	promtool(t, bin, "check", "config", "--syntax-only", "--lint=all", "--lint-fatal", filepath.Join(folder, "prometheus.yml"))
	promtool(t, bin, "check", "rules", "--lint=all", "--lint-fatal", filepath.Join(folder, "rules.yml"), filepath.Join(folder, "heartbeat.yml"))
	promtool(t, bin, "test", "rules", filepath.Join(folder, "heartbeat_test.yml"))

	raw, err := os.ReadFile(filepath.Join(folder, "prometheus.yml"))
	require.NoError(t, err)
	var config map[string]any
	require.NoError(t, yaml.Unmarshal(raw, &config))
	config["global"] = map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"}
	config["rule_files"] = []string{filepath.Join(folder, "rules.yml")}
	delete(config, "alerting")
	var jobs []any
	for _, one := range config["scrape_configs"].([]any) {
		job := one.(map[string]any)
		if port, here := metricsPorts()[job["job_name"].(string)]; here {
			delete(job, "dns_sd_configs")
			job["static_configs"] = []any{map[string]any{"targets": []string{fmt.Sprintf("127.0.0.1:%d", port)}}}
			jobs = append(jobs, job)
		}
	}
	require.Len(t, jobs, len(metricsPorts()), "each process of the stack is read")
	config["scrape_configs"] = jobs
	dir := t.TempDir()
	raw, err = yaml.Marshal(config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), raw, 0o600))

	raw, err = os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	require.NoError(t, err)
	var compose struct {
		Services struct{ Prometheus struct{ Command []string } }
	}
	require.NoError(t, yaml.Unmarshal(raw, &compose))
	port, err := ports.One()
	require.NoError(t, err)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	args := []string{"--config.file=" + filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + address}
	for _, flag := range compose.Services.Prometheus.Command {
		if strings.HasPrefix(flag, "--enable-feature=") {
			args = append(args, flag)
		}
	}
	var said bytes.Buffer
	server := exec.Command(filepath.Join(bin, "prometheus"), args...)
	server.Stdout, server.Stderr = &said, &said
	require.NoError(t, process.Start(server, syscall.SIGKILL))
	t.Cleanup(func() {
		_ = process.Signal(server, syscall.SIGTERM)
		_ = server.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	p := prometheus("http://" + address)
	until(t, "Prometheus", func() bool { return probe(t.Context(), string(p)+"/-/ready") == http.StatusOK })
	return p
}

// get calls its API.
func (p prometheus) get(t *testing.T, path string, query url.Values, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(p)+path+"?"+query.Encode(), nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Status, Error string
		Warnings      []string
		Data          json.RawMessage
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	require.Equal(t, "success", answer.Status, "%s: %s", query, answer.Error)
	require.Empty(t, answer.Warnings, query)
	require.NoError(t, json.Unmarshal(answer.Data, into))
}

// series are those that an expression has had since a moment that are numbers, with their labels, as a panel of
// Grafana queries them.
func (p prometheus) series(t *testing.T, expr string, since time.Time) (found []map[string]string) {
	t.Helper()
	var data struct {
		Result []struct {
			Metric map[string]string
			Values [][2]any
		}
	}
	p.get(t, "/api/v1/query_range", url.Values{"query": {expr}, "step": {"1"},
		"start": {strconv.FormatInt(since.Unix(), 10)}, "end": {strconv.FormatInt(time.Now().Unix(), 10)}}, &data)
	for _, one := range data.Result {
		if slices.ContainsFunc(one.Values, func(at [2]any) bool {
			value, err := strconv.ParseFloat(fmt.Sprint(at[1]), 64)
			return err == nil && !math.IsNaN(value) && !math.IsInf(value, 0)
		}) {
			found = append(found, one.Metric)
		}
	}
	return found
}

// inLegend are the labels that a legend names.
var inLegend = regexp.MustCompile(`{{(\w+)}}`)

// legends are the names that Grafana gives to series; a label that one does not have is an error.
func legends(t *testing.T, form string, series []map[string]string) (all []string) {
	t.Helper()
	for _, labels := range series {
		all = append(all, inLegend.ReplaceAllStringFunc(form, func(name string) string {
			label := inLegend.FindStringSubmatch(name)[1]
			require.Contains(t, labels, label, form)
			return labels[label]
		}))
	}
	return all
}

// measured is what a rule compares with a limit, or the rule where it does not.
func measuredBy(t *testing.T, expr string) string {
	t.Helper()
	parsed, err := metricsql.Parse(expr)
	require.NoError(t, err)
	if compared, is := parsed.(*metricsql.BinaryOpExpr); is && slices.Contains([]string{">", "<", "=="}, compared.Op) {
		return string(compared.Left.AppendString(nil))
	}
	return expr
}

// A real Prometheus reads the stack while orders go well and badly. Each panel then has numbers, and a name for each
// series; each rule is evaluated without an error, and has something to compare.
func TestDashboardsAndRulesInPrometheus(t *testing.T) {
	t.Parallel()
	p := startPrometheus(t)
	begun := time.Now()
	until(t, "a first look at every process", func() bool {
		return len(p.series(t, "up == 1", begun)) == len(metricsPorts())
	})
	begun = time.Now().Add(time.Second) // what was absent before the first look is not meant
	flows(t)

	dashboards, err := observability.Dashboards()
	require.NoError(t, err)
	var without []string
	defer func() {
		if t.Failed() {
			t.Log("without data:", strings.Join(without, "\n"))
		}
	}()
	untilIn(t, time.Minute, "data of every panel", func() bool {
		without = nil
		for i := range dashboards {
			for _, panel := range dashboards[i].Panels {
				for _, target := range panel.Targets {
					require.NotContains(t, target.Expr, "$", "%s: a variable of Grafana's has no value here", panel.Title)
					found := p.series(t, target.Expr, begun)
					if emptyPanels[panel.Title] != "" {
						require.Empty(t, found, "%s has data: take it from the list of those without", panel.Title)
					} else if len(found) == 0 {
						without = append(without, panel.Title+": "+target.Expr)
					}
					names := legends(t, target.LegendFormat, found)
					slices.Sort(names)
					require.Len(t, slices.Compact(slices.Clone(names)), len(names), "%s: two series have one name: %v", panel.Title, names)
				}
			}
		}
		return len(without) == 0
	})

	rules, err := observability.Rules()
	require.NoError(t, err)
	for _, rule := range rules {
		measurement := measuredBy(t, rule.Expr)
		if measurement == rule.Expr { // a condition: a slow machine may meet it for a moment, shorter than its alert waits
			untilIn(t, time.Minute, rule.Alert+" to hold no more", func() bool { return len(p.series(t, rule.Expr, time.Now())) == 0 })
			continue
		}
		if found := p.series(t, measurement, begun); unfed[rule.Alert] != "" {
			assert.Empty(t, found, "%s has data: take it from the list of those without", rule.Alert)
		} else {
			assert.NotEmpty(t, found, "%s compares nothing: %s", rule.Alert, measurement)
		}
	}
	var judged struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	until(t, "a judgement of every rule", func() bool {
		p.get(t, "/api/v1/rules", nil, &judged)
		for _, group := range judged.Groups {
			for _, rule := range group.Rules {
				require.Empty(t, rule.LastError, rule.Name)
				if rule.Health != "ok" {
					return false
				}
			}
		}
		return len(judged.Groups) > 0
	})
}

// flows are a card's order that is sent at the second attempt, another whose capture the bank refuses, one by wire that
// is sent, one of each other rail that stays open, and a voucher that is redeemed.
func flows(t *testing.T) {
	t.Helper()
	customer, alice, bob := verified(t), admin(t), signedIn(t, local.DemoSecondAdmin)
	what := some(t, "BTC", "0.01")
	arm(t, fault{Provider: "kraken", Operation: "AddOrder", Match: what.amount, Code: "http:503_before", Count: 1})
	sent := paid(t, customer, alice, what)
	alice.decide(sent.ID, "fulfill", "")
	customer.reaches(sent.ID, "sent")

	unpaid := customer.buy(some(t, "BTC", "0.003"))
	arm(t, fault{Provider: "stripe", Operation: "capture", Match: unpaid.ID, Code: "decline:card_declined", Count: 1})
	customer.authorise(unpaid.ID)
	status, _ := alice.refused("/api/admin/payments/"+alice.payment(unpaid.ID).ID+"/process", map[string]string{})
	require.Equal(t, http.StatusConflict, status, "the bank refuses the capture")

	wire := customer.buy(some(t, "USDC", "60.").by("domestic_wire"))
	bob.post("/api/admin/payments/"+bob.payment(wire.ID).ID+"/confirm",
		map[string]string{"amount": wire.QuoteFiat, "receivedOn": today(t), "bankReference": "WIRE-" + wire.Reference}, nil)
	customer.reaches(wire.ID, "payment_approved")
	alice.decide(wire.ID, "fulfill", "")
	customer.reaches(wire.ID, "sent")
	for _, rail := range []string{"card", "international_wire", "bank_transfer", "paypal", "zelle", "zelle_pay", "chime", "revolut"} {
		customer.buy(some(t, "USDC", "60.").by(rail))
	}

	var voucher struct{ Code string }
	alice.post("/api/admin/vouchers", map[string]string{"amount": "0.0005", "currency": "BTC"}, &voucher)
	customer.post("/api/vouchers/redeem", map[string]string{"code": voucher.Code, "cryptoType": "BTC", "walletAddress": what.address}, nil)
	until(t, "the voucher's coin", func() bool {
		return holds(t, "SELECT EXISTS (SELECT FROM voucher_redemptions WHERE user_id = $1 AND confirmed_at IS NOT NULL)", customer.id)
	})
}

// holds reports whether a query about an id says so.
func holds(t *testing.T, query, id string) (so bool) {
	t.Helper()
	require.NoError(t, database.QueryRow(t.Context(), query, id).Scan(&so))
	return so
}
