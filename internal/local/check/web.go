package main

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"

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

// apiLint checks the committed contract by Redocly's rules; it neither checks for updates
// nor reports its usage.
func (c *checker) apiLint(ctx context.Context, log io.Writer) error {
	quiet := []string{"NO_COLOR=1", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true"}
	return c.command(ctx, log, "web", quiet, "npm", "run", "--silent", "lint:api", "--", "--max-problems=1000")
}

func (c *checker) webBudget(ctx context.Context, log io.Writer) error {
	return c.command(ctx, log, "web", nil, "npm", "run", "--silent", "budget")
}

func (c *checker) webUnit(ctx context.Context, log io.Writer) (count, error) {
	failed := c.npx("vitest", "run", "--reporter=default", "--reporter=junit", "--outputFile.junit="+c.junit("web-unit"))(ctx, log)
	counted, err := c.tally("web-unit")
	return counted, errors.Join(failed, err)
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
	if c.titles == "" { // then every row of the specification has to be shown
		env = append(env, "E2E_EVERYTHING=yes")
	}
	if c.full {
		env = append(env, "E2E_FULL=yes")
	}
	failed := c.command(ctx, log, "web", append(env, "PLAYWRIGHT_JUNIT_OUTPUT_FILE="+c.junit("browser")), "npx", "--no-install",
		"playwright", "test", "-c", "e2e/playwright.config.ts", "--reporter=line,junit,./e2e/spec/reporter.ts", "--grep", c.titles)
	counted, err := c.tally("browser")
	return counted, errors.Join(failed, err)
}
