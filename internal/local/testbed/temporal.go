package testbed

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/process"
)

// TemporalVariable names the environment variable with the address of a server
// started by `make test`.
const TemporalVariable = "TESTBED_TEMPORAL"

// Namespace is the one that the server has; tests keep apart by task queue and
// workflow ids.
const Namespace = "tradepost"

var sharedTemporal = sync.OnceValues(func() (string, error) {
	if address := os.Getenv(TemporalVariable); address != "" {
		return address, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute) // a cold build is long
	defer cancel()
	address, _, err := StartTemporal(ctx)
	return address, err
})

// Temporal returns the address of a real Temporal server with the product's
// namespace and search attributes.
func Temporal(t testing.TB) string {
	t.Helper()
	address, err := sharedTemporal()
	if err != nil {
		t.Fatalf("testbed: %v", err)
	}
	return address
}

const temporalPrefix = "tradepost-test-temporal-"

// StartTemporal builds and starts a server with an empty state on free ports;
// it dies with the calling process.
func StartTemporal(ctx context.Context) (address string, stop func(), err error) {
	RemoveLeftovers(os.TempDir(), temporalPrefix)
	root, err := build.Root()
	if err != nil {
		return "", nil, err
	}
	binary, err := build.Temporal(ctx, root, filepath.Join(root, ".data", "bin"))
	if err != nil {
		return "", nil, err
	}
	dir := filepath.Join(os.TempDir(), temporalPrefix+strconv.Itoa(os.Getpid())+"-"+rand.Text())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	free, err := ports.Free(5)
	if err != nil {
		return "", nil, err
	}
	port, uiPort := free[0], free[1]
	cmd := exec.Command(binary, "-port", strconv.Itoa(port), "-ui-port", strconv.Itoa(uiPort),
		"-service-ports", fmt.Sprintf("%d,%d,%d", free[2], free[3], free[4]),
		"-file", filepath.Join(dir, "temporal.db"))
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := process.Start(cmd, syscall.SIGKILL); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = process.Signal(cmd, syscall.SIGKILL) // its state is discarded
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	if err := uiAnswers(ctx, uiPort); err != nil {
		said, _ := os.ReadFile(log.Name())
		stop()
		return "", nil, fmt.Errorf("temporal does not come up: %w\n%s", err, said)
	}
	return "127.0.0.1:" + strconv.Itoa(port), stop, nil
}

// uiAnswers waits for the web UI, the last part that the process starts.
func uiAnswers(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	url := fmt.Sprintf("http://127.0.0.1:%d/healthz", port)
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			return response.Body.Close()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}
