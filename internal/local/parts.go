package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/internal/local/process"
	"github.com/tradepost/tradepost/internal/local/supervise"
)

// provisions reports whether the launcher creates roles and database: in its own Postgres,
// or in an outside one for which it was given an administrator's DATABASE_URL and nothing
// more.
func (s *Stack) provisions() bool { return !s.outside("MIGRATE_DATABASE_URL") }

func (s *Stack) startPostgres(ctx context.Context) error {
	if s.outside("DATABASE_URL") {
		return s.useOutsidePostgres(ctx)
	}
	npm, err := s.logs.Writer("npm-pg")
	if err != nil {
		return err
	}
	defer func() { _ = npm.Close() }()
	bin, err := postgres.Find(ctx, build.PostgresModule(s.options.Root), npm)
	if err != nil {
		return err
	}
	cluster, err := postgres.Prepare(ctx, postgres.Options{
		Bin: bin, Dir: filepath.Join(s.options.DataDir, "postgres"),
		Port: s.Ports.Postgres, Password: s.secrets["POSTGRES_PASSWORD"], Unsynced: s.options.Unsynced,
	})
	if err != nil {
		return err
	}
	if s.admin, err = url.Parse(cluster.AdminURL()); err != nil {
		return err
	}
	err = s.add(ctx, supervise.Spec{
		Name: "postgres", Command: cluster.Command,
		Ready:      func(ctx context.Context) error { return postgres.Answers(ctx, cluster.AdminURL()) },
		StopSignal: syscall.SIGINT, DeathSignal: syscall.SIGINT,
	})
	if err != nil {
		return err
	}
	return s.provision(ctx, postgres.Database)
}

// useOutsidePostgres makes our roles in the database that DATABASE_URL names,
// or leaves everything as it is when each role's address was given.
func (s *Stack) useOutsidePostgres(ctx context.Context) error {
	if !s.provisions() {
		return nil
	}
	var err error
	if s.admin, err = url.Parse(s.options.Getenv("DATABASE_URL")); err != nil {
		return fmt.Errorf("DATABASE_URL is not an address such as postgres://user:password@host:5432/tradepost")
	}
	if err := s.provision(ctx, strings.TrimPrefix(s.admin.Path, "/")); err != nil {
		return fmt.Errorf("DATABASE_URL alone must be a superuser's, who makes the roles "+
			"(else set MIGRATE_DATABASE_URL and IDENTITY_DATABASE_URL too): %w", err)
	}
	return nil
}

func (s *Stack) provision(ctx context.Context, database string) error {
	passwords := postgres.Passwords{
		Owner: s.secrets["OWNER_PASSWORD"], App: s.secrets["APP_PASSWORD"], Identity: s.secrets["IDENTITY_PASSWORD"], Process: map[string]string{},
	}
	for _, process := range postgres.Processes {
		passwords.Process[process] = s.secrets[passwordOf(process)]
	}
	if err := postgres.CreateRoles(ctx, s.admin.String(), passwords); err != nil {
		return err
	}
	return postgres.CreateDatabase(ctx, s.admin.String(), database)
}

// passwordOf names the secret that a process's role has.
func passwordOf(process string) string { return strings.ToUpper(process) + "_PASSWORD" }

// databaseURL is our database for one of our roles.
func (s *Stack) databaseURL(role, password string) string {
	if s.admin == nil {
		return ""
	}
	address := *s.admin
	address.User = url.UserPassword(role, s.secrets[password])
	if !s.outside("DATABASE_URL") {
		address.Path = "/" + postgres.Database
	}
	return address.String()
}

// startTemporal builds the Temporal server when the site's programs are compiled:
// before that, both would compile what they have in common, and the first page
// would wait for a server that it does not need.
func (s *Stack) startTemporal(ctx context.Context, compiled <-chan struct{}) error {
	if s.outside("TEMPORAL_ADDRESS") {
		s.left.done(partTemporal)
		close(s.temporalReady)
		return nil
	}
	if s.options.TemporalProgram == "" {
		if err := s.buildTemporal(ctx, compiled); err != nil {
			return err
		}
	}
	if s.options.BeforeTemporal != nil {
		if err := s.options.BeforeTemporal(ctx); err != nil {
			return err
		}
	}
	state := []string{"-file", filepath.Join(s.options.DataDir, "temporal", "temporal.db")}
	if s.options.TemporalInPostgres {
		select {
		case <-s.postgresReady:
		case <-ctx.Done():
			return ctx.Err()
		}
		databases := *s.admin
		databases.Path = "/temporal"
		state = []string{"-postgres", databases.String()}
	}
	command := func() *exec.Cmd {
		services := s.Ports.TemporalServices
		cmd := exec.Command(cmp.Or(s.options.TemporalProgram, filepath.Join(s.options.Bin, "temporal")), append(state,
			"-port", fmt.Sprint(s.Ports.Temporal), "-ui-port", fmt.Sprint(s.Ports.TemporalUI), "-metrics-port", fmt.Sprint(s.Ports.TemporalMetrics),
			"-service-ports", fmt.Sprintf("%d,%d,%d", services[0], services[1], services[2]))...)
		cmd.Env = s.environment("temporal", "temporal")
		return cmd
	}
	// The web UI is the last part that the process starts.
	err := s.add(ctx, supervise.Spec{
		Name: "temporal", Command: command, Ready: answers("http://" + s.address(s.Ports.TemporalUI) + "/healthz"),
		DeathSignal: syscall.SIGTERM,
	})
	if err == nil {
		s.left.done(partTemporal)
		close(s.temporalReady)
	}
	return err
}

func (s *Stack) buildTemporal(ctx context.Context, compiled <-chan struct{}) error {
	bin := s.options.Bin
	if !build.Built(bin, "temporal") {
		dir := build.TemporalModule(s.options.Root)
		job, err := s.left.add(ctx, partTemporal, dir, nil, ".")
		if err != nil {
			return err
		}
		select {
		case <-compiled:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := job.CompileBehind(ctx, dir, "."); err != nil {
			return err
		}
	}
	return s.left.step(ctx, "building the Temporal server", func(ctx context.Context) error {
		_, err := build.Temporal(ctx, s.options.Root, bin)
		return err
	})
}

// programs are the product's own binaries whose names differ from their package's: those of
// the site.
var programs = map[string]string{
	"api": "./api/server", "sandbox": "./internal/sandbox/server", "identity": "./internal/identity/server",
}

// workerPackages are the workers' packages, each named like its program.
func workerPackages() []string {
	packages := make([]string, len(workers))
	for i, name := range workers {
		packages[i] = "./worker/" + name
	}
	return packages
}

// buildSite builds the programs of the site. On a first start it closes compiled
// when the processors are free for other work.
func (s *Stack) buildSite(ctx context.Context, compiled chan<- struct{}) error {
	o, v := s.options, s.options.Variant
	if !build.Built(o.bin(v), slices.Collect(maps.Keys(programs))...) {
		if err := s.compile(ctx, partSite, slices.Collect(maps.Values(programs))...); err != nil {
			return err
		}
	}
	close(compiled)
	return s.left.step(ctx, "building the site", func(ctx context.Context) error { return o.buildSite(ctx, v) })
}

// compile compiles packages of the product in one run.
func (s *Stack) compile(ctx context.Context, part string, packages ...string) error {
	root, flags := cmp.Or(s.options.Variant.Root, s.options.Root), s.options.Variant.Flags
	job, err := s.left.add(ctx, part, root, flags, packages...)
	if err != nil {
		return err
	}
	return job.Compile(ctx, root, flags, packages...)
}

// Build builds the product's programs.
func (o Options) Build(ctx context.Context, v Variant) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	return errors.Join(o.buildSite(ctx, v), o.buildWorkers(ctx, v))
}

func (o Options) buildSite(ctx context.Context, v Variant) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(2)
	for name, pkg := range programs {
		all.Go(func() error { return build.Program(ctx, cmp.Or(v.Root, o.Root), o.bin(v), name, v.Flags, pkg) })
	}
	return all.Wait()
}

func (o Options) buildWorkers(ctx context.Context, v Variant) error {
	return build.Programs(ctx, cmp.Or(v.Root, o.Root), o.bin(v), v.Flags, workerPackages()...)
}

func (s *Stack) buildWeb(ctx context.Context) error {
	err := s.left.step(ctx, "building the web app", func(ctx context.Context) error {
		out, err := s.logs.Writer("npm")
		if err != nil {
			return err
		}
		defer func() { _ = out.Close() }()
		return build.Web(ctx, s.options.Root, out)
	})
	if err == nil {
		s.left.done(partWeb)
	}
	return err
}

func (s *Stack) startSandbox(ctx context.Context) error {
	if !s.sandboxNeeded() {
		return nil
	}
	return s.add(ctx, s.program("sandbox", "sandbox", answers(s.SandboxURL()+"/healthz")))
}

// program is the spec of one of the product's own processes.
func (s *Stack) program(name, binary string, ready func(context.Context) error, args ...string) supervise.Spec {
	return supervise.Spec{Name: name, Ready: ready, Command: func() *exec.Cmd { return s.command(name, binary, args...) }}
}

func (s *Stack) command(name, binary string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.options.bin(s.options.Variant), binary), args...)
	cmd.Env = append(s.environment(name, name), s.options.Environ...)
	cmd.Dir = s.options.DataDir
	return cmd
}

// demoSetup are the commands that make a fresh local database usable: the three
// demo admins, and a wallet float that the simulators hold too. Each may be
// repeated.
func (s *Stack) demoSetup() [][]string {
	var commands [][]string
	if !s.outside("OIDC_ISSUER") {
		commands = append(commands,
			[]string{"admin", "grant", "--demo", "alice@example.com"},
			[]string{"admin", "grant", "--demo", "bob@example.com"},
			[]string{"admin", "grant", "--demo", "carol@example.com"})
	}
	if !s.outside("BITGO_URL") && !s.outside("KRAKEN_URL") {
		commands = append(commands, []string{"float", "seed"})
	}
	return commands
}

func (s *Stack) prepareDatabase(ctx context.Context) error {
	if err := s.once(ctx, "migrate", "migrate"); err != nil {
		return err
	}
	for _, args := range s.demoSetup() {
		if err := s.once(ctx, "admin", args...); err != nil {
			return err
		}
	}
	return nil
}

// once runs a command of the API binary to its end.
func (s *Stack) once(ctx context.Context, name string, args ...string) error {
	out, err := s.logs.Writer(name)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.options.bin(s.options.Variant), "api"), args...)
	cmd.Env, cmd.Dir = s.environment(name, name), s.options.DataDir
	cmd.Stdout, cmd.Stderr = out, out
	if err := process.Run(cmd); err != nil {
		return fmt.Errorf("api %s: %w; its last words:\n%s", strings.Join(args, " "), err, s.logs.Tail(name, 15))
	}
	return nil
}

// startSite starts what people use: identity provider and API.
func (s *Stack) startSite(ctx context.Context) error {
	if !s.outside("OIDC_ISSUER") {
		spec := s.program("identity", "identity", answers(s.IdentityURL()+"/readyz"))
		if err := s.add(ctx, spec); err != nil {
			return err
		}
	}
	site := "http://" + s.address(s.Ports.Site)
	return s.add(ctx, s.program("api", "api", answers(site+"/readyz"), "serve"))
}

// startWorkers builds and starts the workers and returns when each does its work.
// They need no Temporal to start, and the exchange's brings the prices that orders
// are made by: on a first start they do not wait for it to be built.
func (s *Stack) startWorkers(ctx context.Context) error {
	if !build.Built(s.options.bin(s.options.Variant), workers...) {
		if err := s.compile(ctx, partWorkers, workerPackages()...); err != nil {
			return err
		}
	}
	err := s.left.step(ctx, "building the workers", func(ctx context.Context) error { return s.options.buildWorkers(ctx, s.options.Variant) })
	if err != nil {
		return err
	}
	select {
	case <-s.temporalReady:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(soon):
	}
	all, allCtx := errgroup.WithContext(ctx)
	for _, name := range workers {
		all.Go(func() error { return s.add(allCtx, s.program(name, name, s.worksOrWaits(name))) })
	}
	if err := all.Wait(); err != nil {
		return err
	}
	s.left.done(partWorkers)
	select {
	case <-s.temporalReady:
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, name := range workers {
		if err := s.Up(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// soon is how long workers wait for a Temporal that needs no building: started before it,
// each would retry only once a second.
const soon = 3 * time.Second

// worksOrWaits is a worker's readiness: its health check answers, and answers that
// it is well once Temporal is there.
func (s *Stack) worksOrWaits(name string) func(context.Context) error {
	url := "http://" + s.address(s.Ports.Health[name]) + "/healthz"
	return func(ctx context.Context) error {
		select {
		case <-s.temporalReady:
			return answers(url)(ctx)
		default:
			return speaks(url)(ctx)
		}
	}
}

// Say writes a line of the launcher into the stream.
func (s *Stack) Say(format string, args ...any) {
	s.logs.Print("· " + fmt.Sprintf(format, args...))
}
