package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/types/known/durationpb"

	files "github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/workflows"
)

// seed is a fault, the check that finds it, and how it comes about.
type seed struct {
	check, id string
	level     Level
	how       func(i *installation)
}

// set gives a variable another value.
func set(name, value string) func(*installation) {
	return func(i *installation) { i.env[name] = value }
}

// nowhere is an address on which no process listens.
const nowhere = "http://127.0.0.1:1"

// answers makes the site, or the bucket, answer a status to some requests.
func answers(status int, when func(*http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
	return func(rw http.ResponseWriter, r *http.Request) bool {
		if when(r) {
			rw.WriteHeader(status)
		}
		return when(r)
	}
}

func always(*http.Request) bool { return true }

func method(name string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == name }
}

// endpoint changes the configured endpoint at Stripe.
func (i *installation) endpoint(method, fields string) {
	i.Helper()
	request, err := http.NewRequestWithContext(i.Context(), method, i.sandbox+"/v1/webhook_endpoints/we_configured", strings.NewReader(fields))
	require.NoError(i, err)
	request.Header.Set("Authorization", "Bearer "+stripeKey)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(i, err)
	require.NoError(i, answer.Body.Close())
	require.Equal(i, http.StatusOK, answer.StatusCode)
}

// hooks changes the webhooks of the bitcoin wallet.
func (i *installation) hooks(method, body string) {
	i.Helper()
	request, err := http.NewRequestWithContext(i.Context(), method, i.sandbox+"/api/v2/btc/wallet/b7c0000000000000000000000000000a/webhooks", strings.NewReader(body))
	require.NoError(i, err)
	request.Header.Set("Authorization", "Bearer "+bitgoToken)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(i, err)
	require.NoError(i, answer.Body.Close())
	require.Equal(i, http.StatusOK, answer.StatusCode)
}

// hookBody is a webhook of the site.
func (i *installation) hookBody(kind string) string {
	return fmt.Sprintf(`{"type":%q,"url":%q}`, kind, i.env["PUBLIC_URL"]+webhookPath+"bitgo")
}

// name makes a TXT record, or removes it.
func (i *installation) name(name string, texts ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(texts) == 0 {
		delete(i.names, name)
		return
	}
	i.names[name] = texts
}

// krakenMay leaves the key with these permissions.
func (i *installation) krakenMay(permissions string) {
	i.control("kraken/permissions", map[string]any{"permissions": permissions})
}

// Every seeded fault is found by its check and named, with what to do about it; and
// every check has one.
func TestSeededFaultsAreNamed(t *testing.T) {
	seeded := map[string]bool{}
	for _, s := range seeds {
		seeded[s.check] = true
		t.Run(s.check+"/"+s.id, func(t *testing.T) {
			t.Parallel()
			i := install(t)
			s.how(i)
			report := i.examine(s.check)
			require.Len(t, report.Results, 1)
			at := slices.IndexFunc(report.Results[0].Findings, func(f Finding) bool { return f.ID == s.id })
			require.GreaterOrEqual(t, at, 0, "%+v", report.Results[0])
			found := report.Results[0].Findings[at]
			require.Equal(t, s.level, found.Level)
			require.NotEmpty(t, found.Says)
			require.NotEmpty(t, found.Do)
		})
	}
	for _, check := range Checks() {
		require.True(t, seeded[check.Name], "%s has no seeded fault", check.Name)
	}
	faults := slices.DeleteFunc(slices.Clone(seeds), func(s seed) bool { return s.level != Fault })
	require.GreaterOrEqual(t, len(faults), 40)
}

// rights are the checks of which the installation of the tests makes nothing that is right by itself, and what does: each
// other is right in it.
var rights = map[string]func(*installation){
	"site.names":       set("PUBLIC_URL", "https://"+shop),
	"temporal.workers": func(i *installation) { i.env["TEMPORAL_NAMESPACE"] = i.bareNamespace(); i.work("") },
	"temporal.versions": func(i *installation) {
		i.env["WORKER_DEPLOYMENT"], i.env["TEMPORAL_NAMESPACE"] = "shop", i.bareNamespace()
		c := i.work("shop")
		require.Eventually(i, func() bool {
			_, err := c.WorkerDeploymentClient().GetHandle("shop").SetCurrentVersion(i.Context(),
				client.WorkerDeploymentSetCurrentVersionOptions{BuildID: "v1", IgnoreMissingTaskQueues: true})
			return err == nil
		}, time.Minute, 50*time.Millisecond)
	},
}

// Each check says that all is well where it is, and nothing else: with what is not in the installation, in one that has it.
func TestEveryCheckIsRightWhereNothingIsWrong(t *testing.T) {
	for name, how := range rights {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := install(t)
			how(i)
			var report Report
			require.Eventually(t, func() bool {
				report = i.examine(name)
				return report.Results[0].Level == OK
			}, 2*time.Minute, 100*time.Millisecond, "%v", &report)
		})
	}
}

// Nothing is wrong with an installation in which nothing is wrong, and nothing is
// left behind in its bucket.
func TestAGoodInstallationHasNoFault(t *testing.T) {
	i := install(t)
	i.options.RoundTrip = true
	ours := map[string][]byte{"/files/" + files.NewName(): {1}, "/files/" + files.Seals + "1.json": {2}}
	maps.Copy(i.bucket, ours)
	i.embed()
	before := maps.Clone(i.bucket)
	report := i.examine()
	require.Len(t, report.Results, len(Checks()))
	for _, r := range report.Results {
		expected := []Level{OK}
		switch r.Check { // each of them is among rights
		case "temporal.workers": // those of other tests may poll the same server
			expected = append(expected, Warning)
		case "temporal.versions": // the workers have none
			expected = []Level{Skipped}
		case "site.names": // it is on this machine
			expected = []Level{Skipped}
		}
		require.Contains(t, expected, r.Level, "%+v", r)
		require.Equal(t, len(expected) > 1 || expected[0] != OK, rights[r.Check] != nil, "%s is right nowhere", r.Check)
	}
	require.Equal(t, before, i.bucket)
}

// What is not set in a process is skipped by name, and is no fault.
func TestWhatIsNotSetIsSkipped(t *testing.T) {
	report, _ := Examine(t.Context(), Options{Getenv: func(string) string { return "" }})
	require.Zero(t, report.Faults)
	for _, r := range report.Results {
		if r.Check != "configuration" {
			require.Equal(t, Skipped, r.Level, "%+v", r)
			require.NotEmpty(t, r.Findings[0].Says)
		}
	}
	_, unknown := Examine(t.Context(), Options{Only: []string{"stripe", "nothing"}, Getenv: func(string) string { return "" }})
	require.Equal(t, []string{"nothing"}, unknown)
}

// A check that panics or hangs is a fault of its own, its secrets are redacted, and the
// others are made.
func TestACheckThatFailsIsReportedAsAFault(t *testing.T) {
	const secret = "canary-0123456789"
	never := make(chan struct{})
	report := run(t.Context(), []Check{
		{"a", "panics", func(context.Context) []Finding { panic("oh " + secret) }},
		{"b", "hangs", func(context.Context) []Finding { <-never; return nil }},
		{"c", "is well", func(context.Context) []Finding { return nil }},
	}, 50*time.Millisecond, []string{secret})
	require.Equal(t, "check_panicked", report.Results[0].Findings[0].ID)
	require.NotContains(t, report.Results[0].Findings[0].Says, secret)
	require.Equal(t, "check_timed_out", report.Results[1].Findings[0].ID)
	require.Equal(t, OK, report.Results[2].Level)
	require.Equal(t, 2, report.Faults)
}

// Registering makes what doctor asks for, shows a new secret once, and changes
// nothing the second time.
func TestRegisteringRepairsAndChangesNothingTwice(t *testing.T) {
	i := install(t)
	i.endpoint(http.MethodDelete, "")
	i.control("bitgo/webhooks", map[string]any{"state": "suspended"})
	require.Equal(t, 1+2*6, i.examine("stripe.webhook", "bitgo.webhooks").Faults)

	register := func() map[string]Registered {
		steps, err := Registrations(func(name string) string { return i.env[name] })
		require.NoError(t, err)
		done := map[string]Registered{}
		for _, step := range steps {
			done[step.Provider], err = step.Run(t.Context())
			require.NoError(t, err)
		}
		return done
	}
	first := register()
	require.Regexp(t, `^whsec_\w{24}$`, first["stripe"].Secret)
	require.Contains(t, first["bitgo"].Says, "12 webhooks of 6 wallets are added, 12")
	require.Contains(t, first["sumsub"].Says, i.env["PUBLIC_URL"]+"/api/webhooks/sumsub")
	require.Zero(t, i.examine("stripe.webhook", "bitgo.webhooks").Faults)
	second := register()
	require.Empty(t, second["stripe"].Secret)
	require.Contains(t, second["stripe"].Says, "as it should be")
	require.Contains(t, second["bitgo"].Says, "as they should be")

	i.env["MODE"], i.env["PUBLIC_URL"] = string(config.Production), "https://"+shop
	_, err := Registrations(func(name string) string { return i.env[name] })
	require.ErrorContains(t, err, "STRIPE_URL")
}

// anotherEndpoint replaces the endpoint by one of another version.
func (i *installation) anotherEndpoint(version string) {
	i.Helper()
	i.endpoint(http.MethodDelete, "")
	fields := "url=" + i.env["PUBLIC_URL"] + webhookPath + "stripe&enabled_events[0]=*&api_version=" + version
	request, err := http.NewRequestWithContext(i.Context(), http.MethodPost, i.sandbox+"/v1/webhook_endpoints", strings.NewReader(fields))
	require.NoError(i, err)
	request.Header.Set("Authorization", "Bearer "+stripeKey)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(i, err)
	require.NoError(i, answer.Body.Close())
	require.Equal(i, http.StatusOK, answer.StatusCode)
}

// dollars are what the exchange holds.
func (i *installation) dollars() string {
	i.Helper()
	var balances map[string]map[string]string
	i.read("/control/kraken/balances", &balances)
	return balances["main"]["ZUSD"]
}

// bareNamespace makes a namespace at Temporal that has no search attributes.
func (i *installation) bareNamespace() string {
	i.Helper()
	c, err := client.NewNamespaceClient(client.Options{HostPort: i.env["TEMPORAL_ADDRESS"]})
	require.NoError(i, err)
	defer c.Close()
	name := "bare-" + strings.ToLower(strings.ReplaceAll(i.Name(), "/", "-"))[:8] + "-" + fmt.Sprint(time.Now().UnixNano())
	require.NoError(i, c.Register(i.Context(), &workflowservice.RegisterNamespaceRequest{Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(leastKept)}))
	require.Eventually(i, func() bool { _, err := c.Describe(i.Context(), name); return err == nil }, time.Minute, 50*time.Millisecond)
	return name
}

// workerWithoutCurrent starts a worker of a deployment that has no current version.
func (i *installation) workerWithoutCurrent() {
	i.Helper()
	i.env["WORKER_DEPLOYMENT"], i.env["TEMPORAL_NAMESPACE"] = "shop", i.bareNamespace()
	i.work("shop", workflows.CoreQueue)
}

// work starts a worker on each task queue, or on those that are named, of a deployment's version v1 unless it has no name.
func (i *installation) work(deployment string, queues ...string) client.Client {
	i.Helper()
	c, err := client.DialContext(i.Context(), client.Options{HostPort: i.env["TEMPORAL_ADDRESS"], Namespace: i.env["TEMPORAL_NAMESPACE"]})
	require.NoError(i, err)
	i.Cleanup(c.Close)
	options := worker.Options{DisableWorkflowWorker: true}
	if deployment != "" {
		options.DeploymentOptions = worker.DeploymentOptions{UseVersioning: true,
			Version: worker.WorkerDeploymentVersion{DeploymentName: deployment, BuildID: "v1"}}
	}
	if len(queues) == 0 {
		queues = workflows.Queues()
	}
	for _, queue := range queues {
		w := worker.New(c, queue, options)
		w.RegisterActivity(func() error { return nil })
		require.NoError(i, w.Start())
		i.Cleanup(w.Stop)
	}
	if deployment == "" {
		return c
	}
	require.Eventually(i, func() bool {
		_, err := c.WorkerDeploymentClient().GetHandle(deployment).Describe(i.Context(), client.WorkerDeploymentDescribeOptions{})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	return c
}
