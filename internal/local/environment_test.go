package local

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
)

// prepared is a stack that has everything but processes.
func prepared(t *testing.T, environment map[string]string) *Stack {
	t.Helper()
	options, err := Options{
		DataDir: t.TempDir(), FreePorts: true, Getenv: func(name string) string { return environment[name] },
	}.complete()
	require.NoError(t, err)
	s := &Stack{options: options}
	s.Ports, err = choosePorts(options)
	require.NoError(t, err)
	s.secrets, err = loadSecrets(filepath.Join(options.DataDir, "secrets"))
	require.NoError(t, err)
	s.admin, err = url.Parse("postgres://postgres:admin@127.0.0.1:5432/postgres")
	require.NoError(t, err)
	return s
}

func given(s *Stack, process string) map[string]string {
	values := map[string]string{}
	for _, pair := range s.environment(process, process) {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	return values
}

// A process has its own secrets, and no value of another's is in its environment.
func TestProcessesKnowTheirOwnSecretsAlone(t *testing.T) {
	s := prepared(t, nil)
	for process := range variables {
		mine := given(s, process)
		all := strings.Join(s.environment(process, process), "\n")
		for name, secret := range s.secrets {
			if slices.Contains(holders[process], name) {
				require.Equal(t, secret, mine[name], process)
				continue
			}
			// The database's passwords stand in addresses, each in its own.
			own := mine["DATABASE_URL"] != "" && name == passwordOf(roleOf(process)) ||
				name == "OWNER_PASSWORD" && mine["MIGRATE_DATABASE_URL"] != "" ||
				name == "IDENTITY_PASSWORD" && mine["IDENTITY_DATABASE_URL"] != ""
			require.Equal(t, own, strings.Contains(all, secret), "%s and %s", process, name)
		}
	}
	for _, process := range []string{"api", "core", "exchange", "custody", "identity"} {
		require.NotContains(t, given(s, process), "STRIPE_KEY", process)
		require.NotContains(t, given(s, process), "MIGRATE_DATABASE_URL", process)
	}
}

// The site leads to our own provider's page for a new password, and to no unconfigured page
// of another's.
func TestTheAPIKnowsWherePasswordsAreChanged(t *testing.T) {
	s := prepared(t, nil)
	require.Equal(t, s.IdentityURL()+"/account/password", given(s, "api")["PASSWORD_URL"])
	outside := map[string]string{"OIDC_ISSUER": "https://id.example.com", "OIDC_CLIENT_SECRET": "theirs"}
	require.NotContains(t, given(prepared(t, outside), "api"), "PASSWORD_URL")
	outside["PASSWORD_URL"] = "https://id.example.com/me"
	require.Equal(t, "https://id.example.com/me", given(prepared(t, outside), "api")["PASSWORD_URL"])
}

func TestSecretsAreKeptAndClosedToOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "secrets")
	first, err := loadSecrets(dir)
	require.NoError(t, err)
	second, err := loadSecrets(dir)
	require.NoError(t, err)
	require.Equal(t, first, second)
	for process := range holders {
		info, err := os.Stat(filepath.Join(dir, process))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), process)
	}
}

// An outside part needs all values for its use; a real provider's key goes to its worker
// and never to the sandbox.
func TestOutsideProviderReplacesItsSimulator(t *testing.T) {
	s := prepared(t, map[string]string{"STRIPE_URL": "https://api.stripe.com"})
	require.ErrorContains(t, s.checkOutside(), "STRIPE_KEY, STRIPE_WEBHOOK_SECRET")

	s = prepared(t, map[string]string{
		"STRIPE_URL": "https://api.stripe.com", "STRIPE_KEY": "sk_test_real", "STRIPE_WEBHOOK_SECRET": "whsec_real"})
	require.NoError(t, s.checkOutside())
	require.True(t, s.sandboxNeeded(), "the other three are still simulated")
	require.Equal(t, "sk_test_real", given(s, "payments")["STRIPE_KEY"])
	require.Equal(t, "https://api.stripe.com", given(s, "payments")["STRIPE_URL"])
	require.NotEqual(t, "sk_test_real", given(s, "sandbox")["STRIPE_KEY"])
}

// DATABASE_URL alone is an administrator's, in whose database the roles are made; with
// MIGRATE_DATABASE_URL each role's address is used as it is.
func TestOutsideDatabase(t *testing.T) {
	admin := "postgres://root:pw@db.example.com:5432/shop"
	s := prepared(t, map[string]string{"DATABASE_URL": admin})
	s.admin, _ = url.Parse(admin)
	require.NoError(t, s.checkOutside())
	require.Contains(t, given(s, "api")["DATABASE_URL"], "tradepost_api:")
	require.Contains(t, given(s, "api")["DATABASE_URL"], "@db.example.com:5432/shop")
	require.Contains(t, given(s, "migrate")["MIGRATE_DATABASE_URL"], "tradepost_owner:")

	s = prepared(t, map[string]string{"DATABASE_URL": "postgres://app@db/x", "MIGRATE_DATABASE_URL": "postgres://owner@db/x"})
	require.ErrorContains(t, s.checkOutside(), "IDENTITY_DATABASE_URL")
	s = prepared(t, map[string]string{
		"DATABASE_URL": "postgres://app@db/x", "MIGRATE_DATABASE_URL": "postgres://owner@db/x", "IDENTITY_DATABASE_URL": "postgres://id@db/x"})
	require.NoError(t, s.checkOutside())
	require.Equal(t, "postgres://app@db/x", given(s, "core")["DATABASE_URL"])
	require.Equal(t, "postgres://owner@db/x", given(s, "migrate")["MIGRATE_DATABASE_URL"])
}

func TestPortsAreNamedWhenWrongOrInUse(t *testing.T) {
	_, err := choosePorts(Options{Getenv: func(name string) string { return map[string]string{"SITE_PORT": "80a"}[name] }})
	require.ErrorContains(t, err, `SITE_PORT="80a" is not a port`)

	s := prepared(t, nil)
	require.NoError(t, s.checkPorts(0))
	l, err := net.Listen("tcp", s.address(s.Ports.Mail))
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	err = s.checkPorts(0)
	require.ErrorContains(t, err, strconv.Itoa(s.Ports.Mail)+", for the mailbox, is taken")
	require.ErrorContains(t, err, "MAIL_PORT")
}

// Reset forgets the state and keeps what was built; it touches no folder that
// is in use or is not ours.
func TestResetForgetsTheStateOfAFolderThatIsNotInUse(t *testing.T) {
	s := prepared(t, nil)
	require.ErrorContains(t, Reset(s.options), "not a data folder of ours")
	require.DirExists(t, filepath.Join(s.options.DataDir, "secrets"))

	require.NoError(t, s.lockFolder())
	require.ErrorContains(t, Reset(s.options), "in use by another run")
	require.NoError(t, s.lock.Close())

	built := filepath.Join(s.options.DataDir, "bin", "api")
	require.NoError(t, os.MkdirAll(filepath.Dir(built), 0o700))
	require.NoError(t, os.WriteFile(built, nil, 0o600))
	require.NoError(t, Reset(s.options))
	require.NoDirExists(t, filepath.Join(s.options.DataDir, "secrets"))
	require.FileExists(t, built)
}

// Every wait of the workflows can be scaled, not only the listed ones.
func TestEveryWaitOfTheWorkflowsReachesTheWorkers(t *testing.T) {
	waits := reflect.TypeFor[activities.Timing]()
	for i := range waits.NumField() {
		name := waits.Field(i).Tag.Get("env")
		s := prepared(t, map[string]string{name: "17s"})
		require.Equal(t, "17s", given(s, "core")[name], name)
	}
}

// The launcher lists where health and metrics are, and how doctor is run against the stack.
func TestBannerListsHealthAndDoctor(t *testing.T) {
	s := prepared(t, nil)
	banner := s.Banner()
	require.NotEmpty(t, s.Ports.Health)
	for process, port := range s.Ports.Health {
		require.Contains(t, banner, process+" http://"+s.address(port))
	}
	require.Contains(t, banner, "/healthz and /metrics")
	require.Regexp(t, `doctor +TEMPORAL_ADDRESS=\S+ SMTP_URL=smtp://\S+ PUBLIC_URL=http\S+ go run ./api/server doctor`, banner)
}
