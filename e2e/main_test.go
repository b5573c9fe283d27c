package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/local"
)

var (
	// stack is the product under test, options what it was started with.
	stack   *local.Stack
	options local.Options
	// database is its Postgres, as the application's role.
	database *pgxpool.Pool
)

// ownStacks starts no stack for all tests: only those that have one of their
// own can run.
var ownStacks = flag.Bool("own-stacks", false, "start no shared stack: only tests that have one of their own can run")

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait far more than they work.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if *ownStacks {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "tradepost-e2e-")
	if err != nil {
		return broken(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres's account passes through it
		return broken(err)
	}
	receiver, stop := serveTraces()
	defer stop()
	settings["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver
	options = local.Options{DataDir: filepath.Join(dir, "data"), FreePorts: true, Getenv: environment, Unwatched: true, Unsynced: true}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute) // a cold build is long
	defer cancel()
	if stack, err = local.Start(ctx, options); err != nil {
		return broken(err)
	}
	defer func() { stack.Stop() }()
	if database, err = pgxpool.New(ctx, stack.AppDSN()); err != nil {
		return broken(err)
	}
	defer database.Close()
	code := m.Run()
	if code == 0 {
		if err := balanceBooks(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "--- FAIL: the books, after all tests:\n"+err.Error())
			code = 1
		}
	}
	if code != 0 {
		for _, part := range stack.Parts() {
			fmt.Printf("\n==== %s\n%s\n", part, stack.Logs(part, 40))
		}
	}
	return code
}

func broken(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// settings are all of the launcher's settings: the caller's own variables must not lead a test to an outside database.
// Tests come from one address, so the limits for each address are wide; and a dead worker or a lost webhook is awaited
// for a shorter time than in production.
var settings = map[string]string{
	"STAFF_ALONE_PER_DAY": "1000000", "RATE_LIMIT_SCALE": "50", "IDENTITY_SIGNUPS_PER_HOUR": "10000",
	"HEARTBEAT_TIMEOUT": "6s", "RETRY_MOST": "4s", "PAYMENT_POLL": "5s", "SWEEP_INTERVAL": "2s", "SWEEP_GRACE": "4s",
	"EXCHANGE_ORDER_LIFE": "12s", "LOOKUP_GRACE": "1s", "LOOKUP_GAP": "1s", "SEND_LOOKUP": "8s",
	"PAYMENT_REMINDER": "1s",
}

func environment(name string) string { return settings[name] }
