// Package config is the configuration of Tradepost's processes: flags and environment
// variables, in groups that each process picks from.
//
// Invariants:
//
//   - A wrong or missing value is named by its environment variable, and the
//     process does not start.
//   - A process declares only the groups it needs, so that a secret is only ever
//     given to the process that uses it.
//   - Production refuses whatever belongs to the local stack: simulators on
//     loopback, demonstration secrets, plain http for the public address.
//   - Staging has production's rules and the providers' test environments: it
//     refuses live credentials, and production refuses test ones.
//   - The value of a secret never appears in an error.
package config

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/tradepost/tradepost/internal/envfile"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/internal/version"

	"github.com/tradepost/tradepost/models/ledger"
)

// Mode is where the product runs.
type Mode string

// The modes.
const (
	Local      Mode = "local"
	Staging    Mode = "staging"
	Production Mode = "production"
)

// Strict reports whether production's rules hold: everywhere but on the local
// stack.
func (m Mode) Strict() bool { return m != Local }

// Group is a set of values that belong together, and validates them.
type Group interface {
	// Check names every value that is wrong in this mode.
	Check(mode Mode) error
}

// Common is the configuration of every process.
type Common struct {
	Mode      Mode   `env:"MODE" default:"local" enum:"local,staging,production" ask:"must" suggest:"production" help:"local; staging, a rehearsal with the providers' test environments; or production."`
	Brand     string `env:"BRAND" default:"Tradepost" ask:"must" help:"Name of the product as people see it."`
	PublicURL string `name:"public-url" env:"PUBLIC_URL" default:"http://localhost:8080" help:"Origin browsers reach the site at."`
	LogLevel  string `env:"LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"Least important log lines to write."`
}

// Check implements Group.
func (c *Common) Check(mode Mode) error {
	return errors.Join(
		notEmpty("BRAND", strings.TrimSpace(c.Brand)),
		origin("PUBLIC_URL", c.PublicURL, mode))
}

// Health is where a worker answers /healthz and /metrics.
type Health struct {
	Listen string `name:"health-listen" env:"HEALTH_LISTEN" help:"Address for /healthz and /metrics; empty switches them off."`
}

// Check implements Group.
func (h *Health) Check(Mode) error {
	if h.Listen == "" {
		return nil
	}
	return address("HEALTH_LISTEN", h.Listen)
}

// Traces is where spans go, if anywhere.
type Traces struct {
	telemetry.Traces `embed:""`
}

// Check implements Group.
func (t *Traces) Check(Mode) error { return t.Traces.Check() }

// Postgres is how the product reaches its database: as a role that can
// write what its process writes.
type Postgres struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" required:"" help:"Postgres, as the process's role, such as tradepost_api."`
}

// Check implements Group.
func (p *Postgres) Check(Mode) error { return postgresURL("DATABASE_URL", p.DatabaseURL) }

// Migration is how migrations reach the database: as its owner.
type Migration struct {
	DatabaseURL string `name:"migrate-database-url" env:"MIGRATE_DATABASE_URL" required:"" help:"Postgres, as the owner of the schema."`
}

// Check implements Group.
func (m *Migration) Check(Mode) error { return postgresURL("MIGRATE_DATABASE_URL", m.DatabaseURL) }

// Parse reads flags and environment into cli, checks every Group among its
// fields, and ends the process with a message that names what is wrong. cli
// must embed Common, directly or in the chosen command.
func Parse(name, about string, cli any) *kong.Context {
	parser := kong.Must(cli, kong.Name(name), kong.Description(about), kong.Vars{"version": version.String()}, kong.ShortUsageOnError())
	parser.FatalIfErrorf(envfile.Load())
	demandOf(parser, os.Getenv("CUSTODY_PROVIDER"))
	parsed, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(Named(parser, err))
	if parsed.Command() == "" {
		if err := CheckAll(cli); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
	return parsed
}

// Command runs the command of cli that the arguments name, until it ends or the process is
// asked to stop, and ends the process with code 1 and a message when it fails.
func Command(name, about string, cli any) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := runCommand(ctx, name, about, cli)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func runCommand(ctx context.Context, name, about string, cli any) error {
	parser, err := kong.New(cli, kong.Name(name), kong.Description(about),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Vars{"version": version.String()}, kong.UsageOnError())
	if err != nil {
		return err
	}
	if err := envfile.Load(); err != nil {
		return err
	}
	parsed, err := parser.Parse(os.Args[1:])
	if err != nil {
		return Named(parser, err)
	}
	return parsed.Run()
}

// Tags beside kong's own say how api init fills a setting in (internal/setup), so that what is asked is declared once:
//
//	ask:"must"   it has to be answered; "may": it can stay empty; "later": it can be filled in after init
//	suggest:"…"  the answer that is offered, with {NAME} for other answers, {BACKUPS}, {SMALLEST_ASSETS} and
//	             {SMALLEST_RAILS}; "-" offers none; otherwise the default
//	when:"…"     it is asked under a condition alone; while that does not hold, make fills it in, if it has one
//	with:"NAME"  one answer has both, with a space between
//	make:"…"     it is not asked but made: a random key, password, hash, or the name of the version
//	unless:"NAME" it is not made if NAME has a value
//	tell:"…"     what to do with a value that was made

// demandOf leaves the settings of custodians that are not the installation's to be given
// or not.
func demandOf(parser *kong.Kong, custodian string) {
	for _, flag := range parser.Model.Flags {
		if of := flag.Tag.Get("custodian"); of != "" && custodian != "" && of != custodian {
			flag.Required = false
		}
	}
}

// flagName finds a flag, with or without its placeholder, in a parser's error.
var flagName = regexp.MustCompile(`--([a-z0-9-]+)(=\S+?)?(,|$|\s)`)

// Named replaces the flags' names in a parser's error by the environment variables', by
// which our processes are configured.
func Named(parser *kong.Kong, err error) error {
	if err == nil {
		return nil
	}
	variables := map[string]string{}
	_ = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && len(flag.Envs) > 0 {
			variables[flag.Name] = flag.Envs[0]
		}
		return next(nil)
	})
	text := strings.Replace(err.Error(), "missing flags:", "missing:", 1)
	return errors.New(flagName.ReplaceAllStringFunc(text, func(found string) string {
		parts := flagName.FindStringSubmatch(found)
		if variable, ok := variables[parts[1]]; ok {
			return variable + parts[3]
		}
		return found
	}))
}

// CheckAll checks every Group among the fields of a pointer to a struct, and among the
// fields of its embedded structs, in the mode of its Common. Use it in a command's Run.
func CheckAll(cli any) error {
	mode := Local
	groups := groupsIn(reflect.ValueOf(cli).Elem())
	for _, group := range groups {
		if common, ok := group.(*Common); ok {
			mode = common.Mode
		}
	}
	groups = withoutOtherCustodians(groups)
	var wrong []error
	for _, group := range groups {
		wrong = append(wrong, group.Check(mode))
	}
	return errors.Join(append(wrong, CheckOffers(mode, groups))...)
}

// ofCustodian is a Group that one custodian alone needs.
type ofCustodian interface {
	custodian() ledger.Provider
}

// withoutOtherCustodians leaves out the groups of custodians that are not the
// installation's; without a Custody among them all are checked.
func withoutOtherCustodians(groups []Group) []Group {
	at := slices.IndexFunc(groups, func(g Group) bool { _, is := g.(*Custody); return is })
	if at < 0 {
		return groups
	}
	used := groups[at].(*Custody).Custodian
	return slices.DeleteFunc(groups, func(g Group) bool { of, is := g.(ofCustodian); return is && of.custodian() != used })
}

func groupsIn(value reflect.Value) []Group {
	var groups []Group
	for i := range value.NumField() {
		kind := value.Type().Field(i)
		if !kind.IsExported() && !kind.Anonymous {
			continue
		}
		field := value.Field(i)
		if group, ok := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Interface().(Group); ok {
			groups = append(groups, group)
		} else if kind.Anonymous && field.Kind() == reflect.Struct {
			groups = append(groups, groupsIn(field)...)
		}
	}
	return groups
}

func notEmpty(name, value string) error {
	if value == "" {
		return fmt.Errorf("%s must not be empty", name)
	}
	return nil
}

// origin checks scheme://host[:port] without a path; https where mode is strict.
func origin(name, value string, mode Mode) error {
	parsed, err := absolute(name, value)
	if err != nil {
		return err
	}
	if strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return fmt.Errorf("%s must be an origin such as https://example.com, without a path", name)
	}
	if mode.Strict() && (parsed.Scheme != "https" || loopback(parsed.Hostname())) {
		return fmt.Errorf("%s must be a public https address in %s", name, mode)
	}
	return nil
}

// endpoint checks the base address of a provider; the simulators, which are on
// loopback, are refused where mode is strict.
func endpoint(name, value string, mode Mode) error {
	parsed, err := absolute(name, value)
	if err != nil {
		return err
	}
	if mode.Strict() && loopback(parsed.Hostname()) {
		return fmt.Errorf("%s points at this machine (a simulator?); %s needs the real provider", name, mode)
	}
	return nil
}

func absolute(name, value string) (*url.URL, error) {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("%s must be an address such as https://example.com", name)
	}
	if parsed.User != nil {
		return nil, fmt.Errorf("%s must not contain credentials", name)
	}
	return parsed, nil
}

func postgresURL(name, value string) error {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return fmt.Errorf("%s must be a postgres:// address", name)
	}
	return nil
}

func address(name, value string) error {
	if _, port, err := net.SplitHostPort(value); err != nil || port == "" {
		return fmt.Errorf("%s must be host:port", name)
	}
	return nil
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// secret checks that a secret is there, and where mode is strict that it is long
// enough to be one and not one of those the local stack uses.
func secret(name, value string, mode Mode) error {
	if value == "" {
		return fmt.Errorf("%s must not be empty", name)
	}
	if !mode.Strict() {
		return nil
	}
	lower := strings.ToLower(value)
	for _, word := range []string{"demo", "sandbox", "changeme", "change-me", "example"} {
		if strings.Contains(lower, word) {
			return fmt.Errorf("%s holds a value of the local stack; %s needs a secret of its own", name, mode)
		}
	}
	if len(value) < 16 {
		return fmt.Errorf("%s is too short to be a secret (at least 16 characters)", name)
	}
	return nil
}
