package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/local"
)

// stack is the product under test, options what it was started with.
var (
	stack   *local.Stack
	options local.Options
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tradepost-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres's account passes through it
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	options = local.Options{DataDir: filepath.Join(dir, "data"), FreePorts: true, Getenv: environment}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute) // a cold build is long
	defer cancel()
	if stack, err = local.Start(ctx, options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { stack.Stop() }()
	code := m.Run()
	if code != 0 {
		for _, part := range stack.Parts() {
			fmt.Printf("\n==== %s\n%s\n", part, stack.Logs(part, 40))
		}
	}
	return code
}

// environment is all that the launcher is told: the caller's own variables must
// not lead a test to an outside database. Tests come from one address, so the
// limits for each address are wide.
func environment(name string) string {
	return map[string]string{"RATE_LIMIT_SCALE": "50", "IDENTITY_SIGNUPS_PER_HOUR": "10000"}[name]
}
