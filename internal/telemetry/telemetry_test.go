package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/version"
)

// A line of production is one JSON object with its time in UTC, its level, service and message.
func TestLinesAreJSONWithTheirTime(t *testing.T) {
	zone := time.Local
	time.Local = time.FixedZone("elsewhere", 5*60*60)
	t.Cleanup(func() { time.Local = zone })
	var out bytes.Buffer
	NewLogger(&out, LogOptions{Service: "api", JSON: true}).Info("request", "request_id", "R1", "user", "u1")
	var line struct{ Time, Level, Service, Msg, User string }
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Level != "INFO" || line.Service != "api" || line.Msg != "request" || line.User != "u1" {
		t.Errorf("%s (%v): %s", out.String(), err, asvs.Claim(t, "16.2.4"))
	}
	if at, err := time.Parse(time.RFC3339Nano, line.Time); err != nil || !strings.HasSuffix(line.Time, "Z") || time.Since(at).Abs() > time.Minute {
		t.Errorf("at %s (%v): %s", line.Time, err, asvs.Claim(t, "16.2.2"))
	}
}

func TestSecretsNeverReachTheLog(t *testing.T) {
	const key, odd, password = "canary-4711", "can\"ary\\0815+/=", "canary-in-url"
	for _, asJSON := range []bool{true, false} {
		var out bytes.Buffer
		log := NewLogger(&out, LogOptions{
			Service: "api", Level: "debug", JSON: asJSON,
			Secrets: []string{key, odd, "postgres://app:" + password + "@db/tradepost", "no"},
		})
		log.Info("started with "+key, "where", odd, "err", fmt.Errorf("dial %s: refused", password))
		log.With("group", struct{ A, B string }{key, odd}).WithGroup("g").Debug("again", "x", []string{key})
		log.Warn("named", "walletPassphrase", "by-name-1", "API-Key", "by-name-2", "set_cookie", "by-name-3", "order", "no")
		log.Info("two\nlines", "from", "a caller\nlevel=ERROR msg=forged")
		text := out.String()
		if strings.Count(text, "\n") != 4 {
			t.Errorf("json %v: a caller makes a line of log: %s: %s", asJSON, text, asvs.Claim(t, "16.4.1"))
		}
		for _, secret := range []string{key, "ary\\", "0815", password, "by-name"} {
			if strings.Contains(text, secret) {
				t.Errorf("json %v: %q is in\n%s\n%s", asJSON, secret, text, asvs.Claim(t, "16.2.5"))
			}
		}
		for _, kept := range []string{"started with", "order", "no", "refused", "api"} {
			if !strings.Contains(text, kept) {
				t.Errorf("json %v: %q is missing in\n%s", asJSON, kept, text)
			}
		}
	}
}

func TestMetricsCountByRouteAndClass(t *testing.T) {
	m := NewMetrics("api")
	m.Request("GET", "/api/orders/{id}", 200, 20*time.Millisecond)
	m.Request("GET", "/api/orders/{id}", 404, time.Millisecond)
	m.Request("BREW", "", 404, time.Millisecond)
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`http_request_duration_seconds_count{method="GET",route="/api/orders/{id}",service="api",status="2xx"} 1`,
		`http_request_duration_seconds_count{method="GET",route="/api/orders/{id}",service="api",status="4xx"} 1`,
		`http_request_duration_seconds_count{method="other",route="none",service="api",status="4xx"} 1`,
		"go_goroutines",
	} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("missing %s", want)
		}
	}
}

// A hanging dependency is unhealthy: the check reports so, instead of hanging.
func TestHealthIsExportedAlsoWhenItIsUnknown(t *testing.T) {
	reserved := httptest.NewServer(nil)
	address := strings.TrimPrefix(reserved.URL, "http://")
	reserved.Close()
	go func() {
		_ = Serve(t.Context(), address, NewMetrics("core"), func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, func(context.Context) (map[string]float64, error) { return nil, nil })
	}()
	if status, _ := waitFor(t, "http://"+address+"/healthz"); status != 503 {
		t.Errorf("hanging: %d", status)
	}
}

func TestServeReportsHealthAndStops(t *testing.T) {
	reserved := httptest.NewServer(nil)
	address := strings.TrimPrefix(reserved.URL, "http://")
	reserved.Close()
	ctx, cancel := context.WithCancel(t.Context())
	sick := make(chan error, 1)
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, address, NewMetrics("core"), func(context.Context) error {
			select {
			case err := <-sick:
				return err
			default:
				return nil
			}
		}, func(context.Context) (map[string]float64, error) { return nil, nil })
	}()
	if status, body := waitFor(t, "http://"+address+"/healthz"); status != 200 || body != "ok\n"+version.String()+"\n" {
		t.Errorf("healthy: %d %q", status, body)
	}
	sick <- errors.New("canary-4711")
	if status, body := waitFor(t, "http://"+address+"/healthz"); status != 503 || strings.Contains(body, "canary") {
		t.Errorf("unhealthy: %d %q", status, body)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("stopped with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("does not stop")
	}
	if err := Serve(t.Context(), "256.0.0.1:1", NewMetrics("core"), nil, nil); err == nil {
		t.Error("an impossible address was accepted")
	}
	if err := Serve(t.Context(), "", nil, nil, nil); err != nil {
		t.Errorf("switched off: %v", err)
	}
}

// waitFor asks until something listens.
func waitFor(t *testing.T, target string) (int, string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		answer, err := http.Get(target)
		if err == nil {
			defer func() { _ = answer.Body.Close() }()
			body, _ := io.ReadAll(answer.Body)
			return answer.StatusCode, string(body)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// How old chores are stands among the metrics and in the detail of /healthz; while it
// cannot be learned, both go without.
func TestAgesOfChoresAreExported(t *testing.T) {
	reserved := httptest.NewServer(nil)
	address := strings.TrimPrefix(reserved.URL, "http://")
	reserved.Close()
	var lost atomic.Bool
	ages := Ages(func(context.Context) (map[string]float64, error) {
		if lost.Load() {
			return nil, errors.New("no database")
		}
		return map[string]float64{"sweep": 90}, nil
	})
	metrics := NewMetrics("core")
	metrics.Registry().MustRegister(ages)
	go func() { _ = Serve(t.Context(), address, metrics, func(context.Context) error { return nil }, ages) }()
	if status, said := waitFor(t, "http://"+address+"/healthz"); status != 200 || !strings.Contains(said, "chore sweep: last succeeded 1m30s ago") {
		t.Errorf("%d %s", status, said)
	}
	if _, said := waitFor(t, "http://"+address+"/metrics"); !strings.Contains(said, `chore_age_seconds{chore="sweep"} 90`) {
		t.Error("the age is not among the metrics")
	}
	lost.Store(true)
	if status, said := waitFor(t, "http://"+address+"/healthz"); status != 200 || strings.Contains(said, "chore") {
		t.Errorf("%d %s", status, said)
	}
	if status, said := waitFor(t, "http://"+address+"/metrics"); status != 200 || strings.Contains(said, "chore_age") {
		t.Errorf("%d, or an age that nobody knows", status)
	}
}

// Figures are there while they can be read; otherwise one alone, which says so.
func TestFiguresSayWhetherTheyCanBeRead(t *testing.T) {
	var lost error
	figures := &Figures{Read: func(context.Context) ([]Figure, error) {
		return []Figure{{Name: "orders_open", Help: "Open.", Labels: map[string]string{"rail": "card"}, Value: 3}}, lost
	}}
	m := NewMetrics("core")
	m.Registry().MustRegister(figures)
	if text := scraped(m); !strings.Contains(text, `orders_open{rail="card"} 3`) || !strings.Contains(text, "figures_readable 1") {
		t.Error(text)
	}
	lost = errors.New("no database")
	if text := scraped(m); !strings.Contains(text, `orders_open{rail="card"} 3`) {
		t.Error("read anew at once")
	}
	figures.readAt = time.Time{}
	if text := scraped(m); strings.Contains(text, "orders_open") || !strings.Contains(text, "figures_readable 0") {
		t.Error(text)
	}
}

// What Temporal's SDK measures has labels of our constants alone: no namespace, no queue
// that a process has for itself.
func TestTemporalsMetricsHaveBoundedLabels(t *testing.T) {
	m := NewMetrics("core")
	handler := m.TemporalMetrics().WithTags(map[string]string{"namespace": "canary", "task_queue": "core", "activity_type": "none"})
	handler.Counter("temporal_request").Inc(2)
	handler.WithTags(map[string]string{"task_queue": "core@vm:4711"}).Counter("temporal_request").Inc(1)
	handler.Gauge("temporal_num_pollers").Update(4)
	handler.Timer("order_in_state").Record(90 * time.Second)
	text := scraped(m)
	for _, want := range []string{`task_queue="core",worker_type="",workflow_type=""} 2`, `task_queue="",worker_type="",workflow_type=""} 1`,
		"temporal_request_total{", "temporal_num_pollers{", `workflow_type="",le="600"} 1`, `activity_type=""`} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "canary") || strings.Contains(text, "4711") || strings.Contains(text, "none") {
		t.Error(text)
	}
}

// scraped is what Prometheus is given, without the runtime's own.
func scraped(m *Metrics) string {
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var ours strings.Builder
	for line := range strings.Lines(answer.Body.String()) {
		if !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "), "go_") {
			ours.WriteString(line)
		}
	}
	return ours.String()
}
