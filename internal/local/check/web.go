package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/operator"
)

func (c *checker) webPackages(ctx context.Context, log io.Writer) error {
	return build.WebPackages(ctx, c.root, log)
}

func (c *checker) webBuild(ctx context.Context, log io.Writer) error {
	return build.Web(ctx, c.root, log)
}

func (c *checker) npx(args ...string) func(context.Context, io.Writer) error {
	return func(ctx context.Context, log io.Writer) error {
		return c.command(ctx, log, "web", []string{"NO_COLOR=1"}, "npx", append([]string{"--no-install"}, args...)...)
	}
}

// apiLint holds the committed contract against Redocly's rules; it neither asks for
// updates nor tells how it is used.
func (c *checker) apiLint(ctx context.Context, log io.Writer) error {
	quiet := []string{"NO_COLOR=1", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true"}
	return c.command(ctx, log, "web", quiet, "npm", "run", "--silent", "lint:api", "--", "--max-problems=1000")
}

func (c *checker) webBudget(ctx context.Context, log io.Writer) error {
	return c.command(ctx, log, "web", nil, "npm", "run", "--silent", "budget")
}

// webUnit runs vitest and reads its own account.
func (c *checker) webUnit(ctx context.Context, log io.Writer) (count, error) {
	out := filepath.Join(c.logs, "web-unit.json")
	failed := c.npx("vitest", "run", "--reporter=default", "--reporter=json", "--outputFile.json="+out)(ctx, log)
	var said struct{ NumPassedTests, NumFailedTests, NumPendingTests, NumTodoTests int }
	err := readJSON(out, &said)
	return count{passed: said.NumPassedTests, failed: said.NumFailedTests, skipped: said.NumPendingTests + said.NumTodoTests}, errors.Join(failed, err)
}

// browser starts the whole product and runs the browser tests against it.
func (c *checker) browser(ctx context.Context, log io.Writer) (count, error) {
	stackLog, err := os.Create(c.logPath("browser-stack"))
	if err != nil {
		return count{}, err
	}
	defer func() { _ = stackLog.Close() }()
	stack, stop, err := c.startStack(ctx, stackLog)
	if err != nil {
		return count{}, err
	}
	defer stop()
	acts := httptest.NewServer(operator.Handler(stack))
	defer acts.Close()
	env := []string{
		"NO_COLOR=1",
		"E2E_SITE_URL=" + stack.SiteURL(), "E2E_SANDBOX_URL=" + stack.SandboxURL(),
		"E2E_IDENTITY_URL=" + stack.IdentityURL(), "E2E_TEMPORAL_UI_URL=" + stack.TemporalUIURL(),
		"E2E_OPERATOR_URL=" + acts.URL,
	}
	if c.titles == "" { // then every row of SPEC has to be shown
		env = append(env, "SPEC_ROWS="+filepath.Join(c.logs, "spec-rows.json"))
	}
	first, failed := c.playwright(ctx, log, "browser", env)
	if first.failed == 0 || first.failed > mostAgain {
		return first, failed
	}
	c.awaitQuiet(ctx)
	again, failed := c.playwright(ctx, log, "browser-again", env, "--last-failed")
	return first.after(again), failed
}

// mostAgain is how many failures are put down to a busy machine and run once
// more by themselves; with more of them something is broken.
const mostAgain = 8

// awaitQuiet waits until the tests of the whole system, if there are any, leave
// the machine to the browser.
func (c *checker) awaitQuiet(ctx context.Context) {
	if !c.wanted(suite{name: "e2e"}) {
		return
	}
	select {
	case <-c.systemTested:
	case <-ctx.Done():
	}
}

// playwright runs the browser's tests and reads its own account of them.
func (c *checker) playwright(ctx context.Context, log io.Writer, name string, env []string, which ...string) (count, error) {
	out := filepath.Join(c.logs, name+".json")
	args := append([]string{"--no-install", "playwright", "test", "-c", "e2e/playwright.config.ts", "--reporter=line,json,./e2e/spec/reporter.ts", "--grep", c.titles}, which...)
	failed := c.command(ctx, log, "web", append(env, "PLAYWRIGHT_JSON_OUTPUT_NAME="+out), "npx", args...)
	counted, err := browserCount(out)
	return counted, errors.Join(failed, err)
}

// after is what a suite found when those of its tests that failed were run once
// more, and with them those that did not run because of them: who passed then is
// counted as passed, and named.
func (c count) after(again count) count {
	sum := count{passed: c.passed + again.passed, failed: again.failed, names: again.names}
	sum.skipped = c.passed + c.failed + c.skipped - sum.passed - sum.failed
	for _, name := range c.names {
		if !slices.Contains(again.names, name) {
			sum.repeated = append(sum.repeated, name)
		}
	}
	return sum
}

// browserGroup is a file, or a `describe` in it, in Playwright's account.
type browserGroup struct {
	Suites []browserGroup
	Specs  []struct {
		Title, File string
		Tests       []struct{ Status string }
	}
}

func browserCount(out string) (count, error) {
	var found count
	var account browserGroup
	err := readJSON(out, &account)
	var walk func(browserGroup)
	walk = func(group browserGroup) {
		for _, spec := range group.Specs {
			for _, test := range spec.Tests {
				found.add(test.Status, spec.File+" "+spec.Title)
			}
		}
		for _, inner := range group.Suites {
			walk(inner)
		}
	}
	walk(account)
	return found, err
}

// add counts a test by what Playwright calls its outcome.
func (c *count) add(status, name string) {
	switch status {
	case "skipped":
		c.skipped++
	case "unexpected":
		c.failed++
		c.names = append(c.names, name)
	default:
		c.passed++
	}
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the tests left no account: %w", err)
	}
	return json.Unmarshal(raw, into)
}
