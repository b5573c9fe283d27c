package deploy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/local/build"
)

// bin is where the programs are built, once; TestMain removes it.
var bin string

func TestMain(m *testing.M) {
	if os.Getenv(playsPsql) != "" { // standsForPsql
		if err := playPsql(context.Background(), os.Args[len(os.Args)-1], os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "tradepost-deploy-")
	if err != nil {
		panic(err)
	}
	bin = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var compiled = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	root, err := build.Root()
	if err != nil {
		return err
	}
	if err := build.Programs(ctx, root, bin, nil, "./worker/core", "./worker/payments", "./worker/exchange", "./worker/custody", "./backup"); err != nil {
		return err
	}
	if err := build.Program(ctx, root, bin, "api", nil, "./api/server"); err != nil {
		return err
	}
	return build.Program(ctx, root, bin, "identity", nil, "./internal/identity/server")
})

// unreachable is an address without a listener: a program that tries to connect to it has accepted all its settings.
const unreachable = "127.0.0.1:1"

// reached says that a program went looking for its database.
var reached = regexp.MustCompile(`dial tcp 127\.0\.0\.1:1\b|waiting for Postgres`)

// environment is what compose gives a service, with the folders and the
// database of a container replaced by ones this machine has (or has not).
func environment(t *testing.T, service string) map[string]string {
	t.Helper()
	return environmentOf(t, composed(t), service)
}

func environmentOf(t *testing.T, project *types.Project, service string) map[string]string {
	t.Helper()
	env := map[string]string{}
	for name, value := range project.Services[service].Environment {
		if value == nil {
			continue // handed on when .env has it
		}
		env[name] = *value
	}
	return onThisMachine(t, env)
}

// onThisMachine has what is here in the place of what a container has, and no database.
func onThisMachine(t *testing.T, env map[string]string) map[string]string {
	t.Helper()
	for name, value := range env {
		env[name] = strings.ReplaceAll(value, "postgres:5432", unreachable)
	}
	if _, ok := env["LEGAL_DIR"]; ok {
		env["LEGAL_DIR"] = ownTexts(t)
	}
	if _, ok := env["WEB_DIR"]; ok {
		env["WEB_DIR"] = t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(env["WEB_DIR"], "index.html"), nil, 0o600))
		env["RECIPIENTS_FILE"] = filepath.Join("..", "api", "order", "recipients_demo.json")
	}
	return env
}

// ownTexts is a folder of legal texts that are no samples any more.
func ownTexts(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"terms.en.md", "privacy.en.md", "about.en.md"} {
		text := strings.Replace(read(t, "internal/legal/samples/"+name), "sample: true\n", "", 1)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// start runs a service's program in this environment until it ends or tries to connect to its database, and returns its
// output.
func start(t *testing.T, service string, env map[string]string) (said string, ended bool) {
	t.Helper()
	require.NoError(t, compiled())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := processes[service]
	cmd := exec.CommandContext(ctx, filepath.Join(bin, command[0]), command[1:]...)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out := &watched{stop: cancel}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	require.NotErrorIs(t, ctx.Err(), context.DeadlineExceeded, "%s: %s", service, out.said.String())
	require.Error(t, err, "%s cannot have done its work", service)
	return out.said.String(), ctx.Err() == nil
}

// watched collects output and stops the program when it waits for Postgres.
type watched struct {
	said bytes.Buffer
	stop func()
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.said.Write(p)
	if reached.Match(w.said.Bytes()) {
		w.stop()
	}
	return n, err
}

// What compose gives each process is complete and right: the real program, in production mode, accepts it and connects
// to its database.
func TestProgramsAcceptWhatComposeGivesThem(t *testing.T) {
	for service := range processes {
		said, _ := start(t, service, environment(t, service))
		require.Regexp(t, reached, said, service)
	}
}

// A secret or address that is missing ends the process, which names it and
// says no secret aloud.
func TestProgramsNameWhatIsMissing(t *testing.T) {
	optional := []string{"MODE", "AWS_SECRET_ACCESS_KEY"}
	for service := range processes {
		whole := environment(t, service)
		for name := range whole {
			holdsSecret := secretHolders[name] != nil || strings.HasSuffix(name, "DATABASE_URL")
			if !holdsSecret || slices.Contains(optional, name) {
				continue
			}
			env := maps.Clone(whole)
			delete(env, name)
			said, ended := start(t, service, env)
			require.True(t, ended, "%s goes on without %s", service, name)
			require.Contains(t, spelled(said), name, service)
			for _, secret := range whole {
				require.False(t, len(secret) > 30 && strings.Contains(said, secret), "%s says a value aloud: %s", service, name)
			}
		}
	}
}

// spelled writes flags as their variables: --stripe-key is STRIPE_KEY.
func spelled(said string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(said, "--", ""), "-", "_"))
}

// Production refuses the local stack's values, simulators, plain http, and an embedded identity provider that is not
// requested.
func TestProductionRefusesLocalValues(t *testing.T) {
	for _, wrong := range []struct{ service, name, value string }{
		{"api", "SECRET_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
		{"api", "OIDC_CLIENT_SECRET", "demo-0123456789abcdef"},
		{"api", "OIDC_CLIENT_SECRET", "short"},
		{"api", "STRIPE_WEBHOOK_SECRET", "whsec_demo0123456789abcdef"},
		{"api", "SUMSUB_APP_TOKEN", "sbx:0123456789abcdef0123"},
		{"api", "PUBLIC_URL", "http://shop.tradepost.test"},
		{"api", "PUBLIC_URL", "https://localhost"},
		{"api", "SUMSUB_WEBSDK_URL", "http://127.0.0.1:8091"},
		{"api", "RECIPIENTS_FILE", ""},
		{"api", "LEGAL_DIR", ""},
		{"api", "LEGAL_DIR", filepath.Join("..", "internal", "legal", "samples")},
		{"identity", "LEGAL_DIR", ""},
		{"api", "RATE_LIMIT_SCALE", "10"},
		{"api", "STARTING_FILE", "starting.json"},
		{"identity", "EMBEDDED_IDENTITY", "false"},
		{"identity", "IDENTITY_URL", "http://id.tradepost.test"},
		{"core", "SUMSUB_URL", "http://127.0.0.1:8091"},
		{"core", "PUBLIC_URL", "http://localhost:8080"},
		{"payments", "STRIPE_KEY", "sk_test_0123456789abcdef"},
		{"payments", "STRIPE_URL", "http://localhost:8091"},
		{"exchange", "KRAKEN_URL", "http://[::1]:8091"},
		{"backup", "BACKUP_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
		{"custody", "BITGO_URL", "http://127.0.0.1:8091"},
		{"custody", "BITGO_TOKEN", "demo-0123456789abcdef"},
		{"custody", "BITGO_ENV", "test"},
		{"custody", "BITGO_URL", "https://app.bitgo-test.com"},
	} {
		env := environment(t, wrong.service)
		env[wrong.name] = wrong.value
		said, ended := start(t, wrong.service, env)
		require.True(t, ended, "%s accepts %s=%s: %s %s", wrong.service, wrong.name, wrong.value, asvs.Claim(t, "13.2.3"), asvs.Claim(t, "12.3.1"))
		require.Contains(t, said, wrong.name, wrong.service)
	}
	env := environment(t, "api")
	env["OIDC_ISSUER"], env["EMBEDDED_IDENTITY"] = "http://127.0.0.1:8090", "false"
	said, ended := start(t, "api", env)
	require.True(t, ended, said)
	require.Contains(t, said, "OIDC_ISSUER")
}

// setting is one value a program reads, as documented by its own --help.
type setting struct{ names, fallback, help string }

var (
	flagLine = regexp.MustCompile(`^\s+(?:-\w, )?\s*--(?:\[no-\])?[a-z0-9-]+(?:=(.*?))?(?:\s{2,}(.*))?$`)
	inHelp   = regexp.MustCompile(`\s*\((\$[A-Z0-9_]+(?:, \$[A-Z0-9_]+)*)\)`)
)

// helpOf is what a program says of itself.
func helpOf(t *testing.T, command ...string) string {
	t.Helper()
	require.NoError(t, compiled())
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, command[0]), append(command[1:], "--help")...).Output()
	require.NoError(t, err)
	return string(out)
}

// settings reads the settings that a service's program lists.
func settings(t *testing.T, service string) []setting {
	t.Helper()
	out := helpOf(t, processes[service]...)
	_, flags, ok := strings.Cut(out, "\nFlags:\n")
	require.True(t, ok, service)
	var found []setting
	for line := range strings.Lines(flags) {
		line = strings.TrimRight(line, "\n")
		switch parts := flagLine.FindStringSubmatch(line); {
		case parts != nil:
			found = append(found, setting{fallback: parts[1], help: parts[2]})
		case len(found) > 0:
			found[len(found)-1].help = strings.TrimSpace(found[len(found)-1].help + " " + strings.TrimSpace(line))
		}
	}
	for i := range found {
		if named := inHelp.FindStringSubmatch(found[i].help); named != nil {
			found[i].names = strings.ReplaceAll(named[1], "$", "")
			found[i].help = strings.ReplaceAll(found[i].help, named[0], "")
		}
	}
	found = slices.DeleteFunc(found, func(s setting) bool { return s.names == "" })
	require.Greater(t, len(found), 4, "the help of %s could not be read:\n%s", service, out)
	return found
}

// A program reads every variable that compose gives it. (AWS's are read by the
// bucket's library, GOMEMLIMIT by Go.)
func TestProgramsReadWhatComposeGivesThem(t *testing.T) {
	others := []string{"GOMEMLIMIT", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
	for service := range processes {
		var known []string
		for _, s := range settings(t, service) {
			known = append(known, strings.Split(s.names, ", ")...)
		}
		for name := range composed(t).Services[service].Environment {
			require.Contains(t, append(known, others...), name, service)
		}
	}
}

// decided are the settings that the compose file leaves at their defaults: listen addresses and paths inside it, the
// real providers' addresses, and those for tests.
var decided = regexp.MustCompile(`^(LISTEN|WEB_DIR|STARTING_FILE|HEALTH_LISTEN|MODE|OIDC_.*|TEMPORAL_.*|(STRIPE|KRAKEN|SUMSUB|SUMSUB_WEBSDK)_URL|RATE_LIMIT_SCALE|MAILBOX_URL|ADMIN_SECOND_FACTOR|ALLOW_EMBEDDED_IDENTITY)$`)

// A setting of docs/operations.md written into .env reaches every program that reads it. One that compose did not pass
// on would be believed to hold, such as where alerts are sent or what requires two admins.
func TestEverySettingOfEnvReachesItsPrograms(t *testing.T) {
	values := filledIn()
	for service := range processes {
		for _, s := range settings(t, service) {
			for name := range strings.SplitSeq(s.names, ", ") {
				if _, known := values[name]; !known && !decided.MatchString(name) {
					values[name] = "told-in-env"
				}
			}
		}
	}
	project, err := load(t, values)
	require.NoError(t, err)
	var unheard []string
	for service := range processes {
		for _, s := range settings(t, service) {
			name, _, _ := strings.Cut(s.names, ", ")
			given := project.Services[service].Environment[name]
			if !decided.MatchString(name) && given == nil {
				unheard = append(unheard, service+" "+name)
			}
		}
	}
	slices.Sort(unheard)
	require.Empty(t, unheard)
}

// A worker that is stopped while it still waits for Postgres has not failed: a supervisor that counts failures must not
// count this one.
func TestAWorkerThatIsStoppedWhileItWaitsEndsCleanly(t *testing.T) {
	require.NoError(t, compiled())
	for _, service := range []string{"core", "payments", "exchange", "custody"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, filepath.Join(bin, service))
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		for name, value := range environment(t, service) {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out := &watched{stop: cancel}
		cmd.Stdout, cmd.Stderr = out, out
		_ = cmd.Run() // says that the context ended
		cancel()
		require.Contains(t, out.said.String(), "waiting for Postgres", service)
		require.Zero(t, cmd.ProcessState.ExitCode(), "%s: %s", service, out.said.String())
	}
}
