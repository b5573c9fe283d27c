package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/supervise"
)

// Stack is the running product.
type Stack struct {
	// Ports the parts listen on.
	Ports Ports

	options Options
	secrets secrets
	logs    *supervise.Logs
	lock    *os.File
	admin   *url.URL // Postgres, as a role that may create roles

	left          *remains      // what a start still has to do
	temporalReady chan struct{} // closed when Temporal answers
	postgresReady chan struct{} // closed when Postgres answers and has our roles

	mu    sync.Mutex
	units []*supervise.Unit // in the order they started
}

// Start brings everything up and returns when all of it answers; Options.Opened is called
// when the site answers, which may be much earlier. When a part fails, what has started is
// stopped again, and the error names the part and its last output.
func Start(ctx context.Context, options Options) (*Stack, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	s := &Stack{options: options, temporalReady: make(chan struct{}), postgresReady: make(chan struct{})}
	if s.Ports, err = choosePorts(options); err != nil {
		return nil, err
	}
	if err := s.checkOutside(); err != nil {
		return nil, err
	}
	if err := s.lockFolder(); err != nil {
		return nil, err
	}
	if err := errors.Join(s.checkPorts(5*time.Second), ctx.Err()); err != nil {
		s.Stop()
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	if options.Unwatched {
		if err := s.unwatch(ctx); err != nil {
			s.Stop()
			return nil, err
		}
	}
	return s, nil
}

// unwatch turns every risk rule off, as the owner of the tables.
func (s *Stack) unwatch(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.OwnerDSN())
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }() // at the end, nothing more to lose
	if _, err := conn.Exec(ctx, "UPDATE risk_rules SET enabled = false"); err != nil {
		return fmt.Errorf("turn the risk rules off: %w", err)
	}
	return nil
}

// lockFolder locks the data folder for as long as this process runs.
func (s *Stack) lockFolder() error {
	dir := s.options.DataDir
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return fmt.Errorf("%s is in use by another run: stop that one, or set DATA_DIR (and other ports) for this one", dir)
	}
	s.lock = lock
	return nil
}

// checkPorts names every port in use. One that an earlier run is just closing gets a
// moment.
func (s *Stack) checkPorts(patience time.Duration) error {
	replaced := map[string]string{
		"IDENTITY_PORT": "OIDC_ISSUER", "TEMPORAL_PORT": "TEMPORAL_ADDRESS",
		"TEMPORAL_UI_PORT": "TEMPORAL_ADDRESS", "POSTGRES_PORT": "DATABASE_URL",
	}
	deadline := time.Now().Add(patience)
	for {
		var errs []error
		for _, known := range s.Ports.wellKnown() {
			if s.outside(replaced[known.env]) || !ports.Taken(*known.port) {
				continue
			}
			errs = append(errs, fmt.Errorf("port %d, for %s, is taken by another program: stop it, or set %s to another port",
				*known.port, known.what, known.env))
		}
		if len(errs) == 0 || time.Now().After(deadline) {
			return errors.Join(errs...)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (s *Stack) start(ctx context.Context) error {
	var err error
	if s.secrets, err = loadSecrets(filepath.Join(s.options.DataDir, "secrets")); err != nil {
		return err
	}
	if s.logs, err = supervise.NewLogs(filepath.Join(s.options.DataDir, "logs"), s.options.Output, s.options.Colour); err != nil {
		return err
	}
	for _, name := range []string{"sandbox", "files", "temporal"} {
		if err := os.MkdirAll(filepath.Join(s.options.DataDir, name), 0o700); err != nil {
			return err
		}
	}
	s.left = newRemains(s)
	defer s.left.end()
	compiled := make(chan struct{}) // closed when the site's programs are
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return s.startTemporal(ctx, compiled) })
	all.Go(func() error {
		if err := s.open(ctx, compiled); err != nil {
			return err
		}
		return s.startWorkers(ctx)
	})
	return all.Wait()
}

// open starts all that the site needs to answer, to let people sign in and to accept their
// orders: that is all but Temporal and the workers.
func (s *Stack) open(ctx context.Context, compiled chan<- struct{}) error {
	ground, groundCtx := errgroup.WithContext(ctx)
	ground.Go(func() error {
		if err := s.startPostgres(groundCtx); err != nil {
			return err
		}
		close(s.postgresReady)
		return nil
	})
	ground.Go(func() error { return s.buildWeb(groundCtx) })
	ground.Go(func() error {
		if err := s.buildSite(groundCtx, compiled); err != nil {
			return err
		}
		return s.startSandbox(groundCtx)
	})
	if err := ground.Wait(); err != nil {
		return err
	}
	if err := s.prepareDatabase(ctx); err != nil {
		return err
	}
	if err := s.startSite(ctx); err != nil {
		return err
	}
	s.left.opened()
	if s.options.Opened != nil {
		s.options.Opened(s)
	}
	return nil
}

// add starts a unit and puts it on the list of those to stop.
func (s *Stack) add(ctx context.Context, spec supervise.Spec) error {
	unit, err := supervise.NewUnit(spec, s.logs)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.units = append(s.units, unit)
	s.mu.Unlock()
	return unit.Up(ctx)
}

// Stop ends all parts, the last started first; Temporal, which starts last on a first
// start, ends only after the parts that use it.
func (s *Stack) Stop() {
	s.mu.Lock()
	units := s.units
	s.units = nil
	s.mu.Unlock()
	slices.SortStableFunc(units, func(a, b *supervise.Unit) int { return floor(a.Name()) - floor(b.Name()) })
	for i := len(units) - 1; i >= 0; i-- {
		units[i].Down()
		_ = units[i].Close() // only its log file
	}
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// floor is 0 for the parts on which all others depend.
func floor(part string) int {
	if part == "postgres" || part == "temporal" {
		return 0
	}
	return 1
}

// Parts are the names of the processes that run, in the order they started.
func (s *Stack) Parts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, len(s.units))
	for i, unit := range s.units {
		names[i] = unit.Name()
	}
	return names
}

func (s *Stack) unit(name string) (*supervise.Unit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, unit := range s.units {
		if unit.Name() == name {
			return unit, nil
		}
	}
	return nil, fmt.Errorf("no part is called %q", name)
}

// Kill sends SIGKILL to a part's process. The launcher starts it again, as
// after any crash.
func (s *Stack) Kill(name string) error { return s.Signal(name, syscall.SIGKILL) }

// Signal sends any signal to a part's process.
func (s *Stack) Signal(name string, sig syscall.Signal) error {
	unit, err := s.unit(name)
	if err != nil {
		return err
	}
	return unit.Signal(sig)
}

// Down stops a part and leaves it stopped.
func (s *Stack) Down(name string) error {
	unit, err := s.unit(name)
	if err != nil {
		return err
	}
	unit.Down()
	return nil
}

// Up starts a part that is down and returns when it is ready; of a part that
// runs it waits until it answers.
func (s *Stack) Up(ctx context.Context, name string) error {
	unit, err := s.unit(name)
	if err != nil {
		return err
	}
	return unit.Up(ctx)
}

// Restart stops a part as a deployment would, and starts it again.
func (s *Stack) Restart(ctx context.Context, name string) error {
	return errors.Join(s.Down(name), s.Up(ctx, name))
}

// Pid is the process id of a part, 0 while it is not running.
func (s *Stack) Pid(name string) int {
	unit, err := s.unit(name)
	if err != nil {
		return 0
	}
	return unit.Pid()
}

// Logs returns the last lines that a part has printed.
func (s *Stack) Logs(name string, lines int) string { return s.logs.Tail(name, lines) }

// DataDir keeps all state.
func (s *Stack) DataDir() string { return s.options.DataDir }

// SiteURL is the origin browsers reach the product at.
func (s *Stack) SiteURL() string {
	return cmp.Or(s.options.Getenv("PUBLIC_URL"), s.localSiteURL())
}

// Examined is the environment of a process that checks the whole stack: what each of the
// product's processes is given.
func (s *Stack) Examined() (env []string) {
	for _, process := range append([]string{"migrate", "identity", "api"}, workers...) {
		env = append(env, s.environment(process, process)...)
	}
	return env
}

func (s *Stack) localSiteURL() string {
	if s.options.Address == loopback {
		return "http://localhost:" + strconv.Itoa(s.Ports.Site)
	}
	return "http://" + s.address(s.Ports.Site)
}

// address is that of a part by its port.
func (s *Stack) address(port int) string {
	return net.JoinHostPort(s.options.Address, strconv.Itoa(port))
}

// SandboxURL is the origin of the simulators, their control page and the mailbox.
func (s *Stack) SandboxURL() string { return "http://" + s.address(s.Ports.Sandbox) }

// IdentityURL is the issuer that people sign in with.
func (s *Stack) IdentityURL() string {
	return cmp.Or(s.options.Getenv("OIDC_ISSUER"), "http://"+s.address(s.Ports.Identity))
}

// TemporalUIURL is Temporal's web UI.
func (s *Stack) TemporalUIURL() string {
	return cmp.Or(s.options.Getenv("TEMPORAL_UI_URL"), "http://"+s.address(s.Ports.TemporalUI))
}

// TemporalAddress is the host:port of Temporal's frontend.
func (s *Stack) TemporalAddress() string {
	return cmp.Or(s.options.Getenv("TEMPORAL_ADDRESS"), s.address(s.Ports.Temporal))
}

// OwnerDSN is the database for the role that owns the tables.
func (s *Stack) OwnerDSN() string {
	return cmp.Or(s.options.Getenv("MIGRATE_DATABASE_URL"), s.databaseURL(postgres.OwnerRole, "OWNER_PASSWORD"))
}

// AppDSN is the database for a role that has the rights of all processes.
func (s *Stack) AppDSN() string {
	return cmp.Or(s.override("api", "DATABASE_URL"), s.databaseURL(postgres.AppRole, "APP_PASSWORD"))
}

// OperatorDSN is the database for the role of the commands that an operator runs.
func (s *Stack) OperatorDSN() string {
	return cmp.Or(s.override("admin", "DATABASE_URL"), s.databaseURL(postgres.RoleOf("operator"), passwordOf("operator")))
}

// Secret is a secret of this data folder, for tests that use a simulator as the account's
// owner does.
func (s *Stack) Secret(name string) string { return s.secrets[name] }

// answers is a readiness check: the address answers 200.
func answers(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		status, err := ask(ctx, url)
		if err == nil && status != http.StatusOK {
			return fmt.Errorf("%s answers %d", url, status)
		}
		return err
	}
}

// speaks is a readiness check: the address answers, with any status.
func speaks(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := ask(ctx, url)
		return err
	}
}

func ask(ctx context.Context, url string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	_ = response.Body.Close()
	return response.StatusCode, nil
}
