package testbed

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
)

// PostgresVariable names the environment variable with the superuser's address
// of a server started by `make test`.
const PostgresVariable = "TESTBED_POSTGRES"

// Server is a running throwaway Postgres.
type Server struct {
	// AdminURL is the superuser's address.
	AdminURL string
	// Stop ends the server and removes its data.
	Stop func()
}

// passwords of the roles on throwaway servers, which listen on loopback only.
var passwords = postgres.Passwords{Owner: "owner", App: "app", Identity: "identity", Process: ofProcesses()}

// ofProcesses are the passwords of the processes' roles: their names.
func ofProcesses() map[string]string {
	all := map[string]string{}
	for _, process := range postgres.Processes {
		all[process] = process
	}
	return all
}

// shared is the server of this test process.
var shared = sync.OnceValues(func() (string, error) {
	if url := os.Getenv(PostgresVariable); url != "" {
		return url, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute) // the binaries may have to be fetched
	defer cancel()
	server, err := StartPostgres(ctx)
	if err != nil {
		return "", err
	}
	return server.AdminURL, nil
})

const folderPrefix = "tradepost-test-postgres-"

// StartPostgres starts a throwaway server on a free port, with the product's
// roles. It dies with the calling process; its folder is then removed by the
// next one.
func StartPostgres(ctx context.Context) (*Server, error) {
	RemoveLeftovers(os.TempDir(), folderPrefix)
	root, err := build.Root()
	if err != nil {
		return nil, err
	}
	bin, err := postgres.Find(ctx, build.PostgresModule(root), os.Stderr)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(os.TempDir(), folderPrefix+strconv.Itoa(os.Getpid())+"-"+rand.Text())
	port, err := ports.One()
	if err != nil {
		return nil, err
	}
	cluster, err := postgres.Prepare(ctx, postgres.Options{Bin: bin, Dir: dir, Port: port, Password: rand.Text(), Throwaway: true})
	if err != nil {
		return nil, err
	}
	log, err := os.CreateTemp("", folderPrefix+"*.log")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(log.Name()) }() // stays readable for the server through its open descriptor
	cmd := cluster.Command()
	cmd.Stdout, cmd.Stderr = log, log
	if err := process.Start(cmd, syscall.SIGINT); err != nil {
		return nil, err
	}
	stop := func() {
		_ = process.Signal(cmd, syscall.SIGINT)
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	if err := ready(ctx, cluster); err != nil {
		said, _ := os.ReadFile(log.Name())
		stop()
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	return &Server{AdminURL: cluster.AdminURL(), Stop: stop}, nil
}

func ready(ctx context.Context, cluster *postgres.Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for postgres.Answers(ctx, cluster.AdminURL()) != nil {
		select {
		case <-ctx.Done():
			return postgres.Answers(context.WithoutCancel(ctx), cluster.AdminURL())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return postgres.CreateRoles(ctx, cluster.AdminURL(), passwords)
}

// RemoveLeftovers deletes the folders in dir of test processes that have ended: those named
// prefix, the process's id, a hyphen and any text.
func RemoveLeftovers(dir, prefix string) {
	dirs, _ := filepath.Glob(filepath.Join(dir, prefix+"*-*")) // the pattern is well formed
	for _, dir := range dirs {
		text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.Atoi(text)
		if err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			_ = os.RemoveAll(dir)
		}
	}
}
