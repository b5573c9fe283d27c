package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/testbed"
)

// Suites that need the tools, the Temporal server, the web app's packages.
var (
	needTools    = []string{"lint", "lint-temporal", "lint-helm", "go", "go-temporal", "go-helm", "e2e", "campaign"}
	needTemporal = []string{"go", "e2e", "browser", "go-temporal", "campaign"}
	needPackages = []string{"web-lint", "web-types", "web-unit", "web-budget", "api-lint", "browser", "e2e", "campaign"}
	needWeb      = []string{"web-budget", "browser", "e2e", "campaign"}
)

// What is run before a commit: all but the tests of the whole system, with those Go
// packages whose tests start nothing, and one of the browser's.
var (
	quickSuites = []string{"lint", "lint-temporal", "lint-helm", "web-types", "web-lint", "web-unit", "web-budget", "api-contract", "api-lint", "go", "go-helm", "browser"}
	oneFlow     = "a visitor signs up, verifies, buys by card with 3-D Secure, and is sent the coin"
)

// lanes are run side by side, each from its top to its bottom: what keeps a core busy first,
// then what starts the whole product, which waits as long as it computes.
func (c *checker) lanes() [][]suite {
	return [][]suite{
		{
			{name: "build-tools", prepares: needTools, work: preparation(c.buildTools)},
			{name: "build-temporal", prepares: needTemporal, work: preparation(c.buildTemporal)},
			{name: "build-prometheus", prepares: []string{"e2e"}, work: preparation(c.buildPrometheus)},
			c.productTests(),
			c.goTests("e2e", "", oneByOne, c.packages(wholeSystem), alone, anew),
		},
		{
			{name: "web-packages", prepares: needPackages, work: preparation(c.webPackages)},
			{name: "web-build", prepares: needWeb, work: one(c.webBuild)},
			{name: "web-types", work: one(c.npx("tsc", "-p", "tsconfig.json"))},
			{name: "web-lint", work: one(c.npx("biome", "ci", "."))},
			{name: "web-unit", work: c.webUnit},
			{name: "web-budget", work: one(c.webBudget)},
			{name: "api-contract", work: one(c.apiContract)},
			{name: "api-lint", work: one(c.apiLint)},
			{name: "lint", work: one(c.lint("."))},
			{name: "lint-temporal", work: one(c.lint("internal/local/temporal"))},
			{name: "lint-helm", work: one(c.lint("deploy/helm"))},
			c.goTests("go-helm", "deploy/helm", sideBySide, everything, alone),
			c.goTests("go-temporal", "internal/local/temporal", sideBySide, everything, alone, anew),
			c.goTests("campaign", "", oneByOne, c.packages(belowWholeSystem), alone, anew), // waits more than it works
			{name: "browser", work: c.browser},
		},
	}
}

// productTests are the Go tests but those of the whole system.
func (c *checker) productTests() suite {
	if c.quick {
		return c.goTests("go", "", sideBySide, c.quickPackages, alone)
	}
	flags := []string{anew}
	if !c.full {
		flags = append(flags, "-short") // a fifth of each property's tries
	}
	return c.goTests("go", "", sideBySide, c.productPackages, c.withServers, flags...)
}

// anew runs tests that passed and whose package did not change, too: Go does not track the
// programs that some of them build and start.
const anew = "-count=1"

// How many packages are tested at once: as many as there are cores, or one.
var (
	sideBySide = fmt.Sprintf("-p=%d", runtime.NumCPU())
	oneByOne   = "-p=1"
)

func everything(context.Context) ([]string, error) { return []string{"./..."}, nil }

func (c *checker) buildTools(ctx context.Context, log io.Writer) error {
	return c.command(ctx, log, "tools", nil, "go", "build", "-ldflags=-s -w", "-o", c.tools+string(filepath.Separator), "tool")
}

func (c *checker) buildTemporal(ctx context.Context, _ io.Writer) error {
	_, err := build.Temporal(ctx, c.root, c.bin)
	return err
}

func (c *checker) buildPrometheus(ctx context.Context, _ io.Writer) error {
	return build.Prometheus(ctx, c.root, c.bin)
}

func (c *checker) lint(dir string) func(context.Context, io.Writer) error {
	return func(ctx context.Context, log io.Writer) error {
		linter := filepath.Join(c.tools, "golangci-lint")
		config := filepath.Join(c.root, ".golangci.yml")
		return c.command(ctx, log, dir, nil, linter, "run", "--config", config, "--allow-parallel-runners", "./...")
	}
}

// apiContract checks that the committed OpenAPI document matches the routes.
func (c *checker) apiContract(ctx context.Context, log io.Writer) error {
	var made bytes.Buffer
	if err := c.command(ctx, io.MultiWriter(log, &made), "", nil, "go", "run", "./api/server", "openapi"); err != nil {
		return err
	}
	_, document, _ := bytes.Cut(made.Bytes(), []byte("\n")) // behind the line that names the command
	committed, err := os.ReadFile(filepath.Join(c.root, "api", "openapi.json"))
	if err != nil {
		return err
	}
	if !bytes.Equal(bytes.TrimSpace(document), bytes.TrimSpace(committed)) {
		return fmt.Errorf("api/openapi.json is not what the routes say: run `make generate` and commit it")
	}
	return nil
}

// startsEarly are the packages whose tests last minutes, the longest first. Started in
// alphabetical order, the last would run alone and leave most of the machine idle.
var startsEarly = []string{"worker", "api", "models"}

// productPackages are the packages of the product's module but the tests of the
// whole system, in the order in which they start.
func (c *checker) productPackages(ctx context.Context) ([]string, error) {
	packages, err := c.list(ctx, func(pkg string) bool { return !wholeSystem(pkg) && !belowWholeSystem(pkg) })
	if err != nil {
		return nil, err
	}
	for _, early := range startsEarly {
		if !slices.Contains(packages, module+early) {
			return nil, fmt.Errorf("startsEarly names %s, which is not a package", early)
		}
	}
	slices.SortStableFunc(packages, func(a, b string) int { return turn(a) - turn(b) })
	return packages, nil
}

// turn is a package's place among those that start early, or behind them.
func turn(pkg string) int {
	if i := slices.Index(startsEarly, strings.TrimPrefix(pkg, module)); i >= 0 {
		return i
	}
	return len(startsEarly)
}

// Packages whose tests start the whole system, with a stack for each.
func wholeSystem(pkg string) bool      { return strings.HasSuffix(pkg, "/e2e") }
func belowWholeSystem(pkg string) bool { return strings.Contains(pkg, "/e2e/") }

func (c *checker) packages(keep func(string) bool) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) { return c.list(ctx, keep) }
}

// quickPackages are those whose tests start neither a server nor another program: Go reruns
// those of them that changed since they passed.
func (c *checker) quickPackages(ctx context.Context) ([]string, error) {
	starts := regexp.MustCompile(` (os/exec|` + module + `(internal/local/testbed|internal/local|e2e.*)) `)
	return c.listed(ctx, "{{.ImportPath}} {{join .TestImports \" \"}} {{join .XTestImports \" \"}} ", func(line string) bool {
		return !starts.MatchString(line)
	})
}

func (c *checker) list(ctx context.Context, keep func(pkg string) bool) ([]string, error) {
	return c.listed(ctx, "{{.ImportPath}}", keep)
}

// listed are the module's packages whose line, in go list's format, is kept; a line
// begins with its package.
func (c *checker) listed(ctx context.Context, format string, keep func(line string) bool) ([]string, error) {
	var out bytes.Buffer
	if err := c.command(ctx, &out, "", nil, "go", "list", "-f", format, "./..."); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out.String())
	}
	var packages []string
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, module) && keep(line) {
			packages = append(packages, strings.Fields(line)[0])
		}
	}
	return packages, nil
}

// withServers runs Go tests beside one Postgres and one Temporal for all of
// them.
func (c *checker) withServers(ctx context.Context, tests func(env []string) error) error {
	postgres, err := testbed.StartPostgres(ctx)
	if err != nil {
		return err
	}
	defer postgres.Stop()
	temporal, stop, err := testbed.StartTemporal(ctx)
	if err != nil {
		return err
	}
	defer stop()
	return tests([]string{testbed.PostgresVariable + "=" + postgres.AdminURL, testbed.TemporalVariable + "=" + temporal})
}

func alone(_ context.Context, tests func(env []string) error) error { return tests(nil) }

// browserSettings are the launcher's whole environment: the caller's variables must not
// lead a test to an outside part. All browsers share one address, so the limits for each
// address are wide; and the waits for a lost webhook, or for a provider's silence, are
// shorter than in production.
func browserSettings(name string) string {
	return map[string]string{
		"STAFF_ALONE_PER_DAY": "1000000", "RATE_LIMIT_SCALE": "50", "IDENTITY_SIGNUPS_PER_HOUR": "10000",
		"RETRY_MOST": "4s", "PAYMENT_POLL": "5s", "SWEEP_INTERVAL": "4s", "SWEEP_GRACE": "4s",
		"CAPTURE_BUDGET": "20s", "BUY_BUDGET": "40s", "SEND_BUDGET": "40s", "REFUND_BUDGET": "30s",
		"EXCHANGE_ORDER_LIFE": "10s", "LOOKUP_GRACE": "1s", "LOOKUP_GAP": "1s", "SEND_LOOKUP": "2s", "CALL_TIMEOUT": "10s",
		"RECONCILE_GRACE": "5s",
	}[name]
}

// startStack starts the whole product on free ports for the browser tests, with
// its state in a folder of its own.
func (c *checker) startStack(ctx context.Context, log io.Writer) (*local.Stack, func(), error) {
	dir, err := os.MkdirTemp("", "tradepost-browser-")
	if err != nil {
		return nil, nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres's account passes through it
		return nil, nil, err
	}
	stack, err := local.Start(ctx, local.Options{
		Root: c.root, DataDir: dir, FreePorts: true, Output: log, Bin: c.bin,
		Getenv: browserSettings, Unwatched: true, Unsynced: true,
	})
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, nil, err
	}
	return stack, func() { stack.Stop(); _ = os.RemoveAll(dir) }, nil
}
