// Package deploy holds the production-like setting to the programs: what
// docker-compose.yml, the Dockerfile and docs/operations.md say is compared with
// what the real binaries read, refuse and name. There is nothing here to import.
package deploy

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/envfile"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// processes are the services that run our own programs, with their command.
var processes = map[string][]string{
	"migrate": {"api", "migrate"}, "api": {"api", "serve"}, "identity": {"identity", "serve"},
	"core": {"core"}, "payments": {"payments"}, "exchange": {"exchange"}, "custody": {"custody"},
	"backup": {"backup", "serve"},
}

// jobs run once and end.
var jobs = []string{"migrate", "temporal-schema", "temporal-namespace"}

// secretHolders lists every secret of deploy/env.example and the services that
// may be given it.
var secretHolders = map[string][]string{
	"POSTGRES_PASSWORD": {"postgres"},
	"OWNER_PASSWORD":    {"postgres", "migrate"},
	"API_PASSWORD":      {"postgres", "api"},
	"CORE_PASSWORD":     {"postgres", "core"},
	"PAYMENTS_PASSWORD": {"postgres", "payments"},
	"EXCHANGE_PASSWORD": {"postgres", "exchange"},
	"CUSTODY_PASSWORD":  {"postgres", "custody"},
	"OPERATOR_PASSWORD": {"postgres"},
	"IDENTITY_PASSWORD": {"postgres", "identity"},
	"TEMPORAL_PASSWORD": {"postgres", "temporal", "temporal-schema"},
	"BACKUP_PASSWORD":   {"postgres", "backup"},

	"OPERATORS_PASSWORD_HASH": {"caddy"},

	"BACKUP_KEY":               {"backup"},
	"BACKUP_SECRET_ACCESS_KEY": {"backup"},

	"SECRET_KEY":            {"api"},
	"AUDIT_SEAL_KEY":        {"core"},
	"AWS_SECRET_ACCESS_KEY": {"api", "core"},
	"OIDC_CLIENT_SECRET":    {"api", "core", "identity"},
	"IDENTITY_SECRET_KEY":   {"identity"},
	"SMTP_URL":              {"alertmanager", "core", "identity"},
	"STRIPE_KEY":            {"payments"},
	"STRIPE_WEBHOOK_SECRET": {"api"},
	"KRAKEN_KEY":            {"exchange"},
	"KRAKEN_SECRET":         {"exchange"},
	"BITGO_TOKEN":           {"custody"},
	"BITGO_PASSPHRASE":      {"custody"},
	"BITGO_WEBHOOK_SECRET":  {"api"},
	"SUMSUB_APP_TOKEN":      {"api", "core"},
	"SUMSUB_SECRET":         {"api", "core"},
	"SUMSUB_WEBHOOK_SECRET": {"api"},
}

// notSecret are the other values of deploy/env.example, as an operator might
// fill them in.
var notSecret = map[string]string{
	"TRADEPOST_VERSION": "0a1b2c3", "SITE_HOST": "shop.tradepost.test", "IDENTITY_HOST": "id.tradepost.test",
	"FILES_URL": "s3://evidence?region=eu-central-1", "AWS_ACCESS_KEY_ID": "access-key-of-tests",
	"RECIPIENTS_FILE": "./recipients.json", "LEGAL_DIR": "./legal", "SUPPORT_EMAIL": "help@tradepost.test", "TIDIO_PUBLIC_KEY": "",
	"BACKUP_URL": "s3://backups?region=eu-central-1", "BACKUP_ACCESS_KEY_ID": "access-key-of-backups",
	"COMPOSE_PROFILES": "embedded-identity,observability,backup", "EMBEDDED_IDENTITY": "true", "OIDC_ISSUER": "", "OIDC_CLIENT_ID": "tradepost", "PASSWORD_URL": "", "ADDRESS_URL": "",
	"ADMIN_SINGLE_FACTOR": "true", "MAIL_FROM": "Tradepost <no-reply@tradepost.test>",
	"KRAKEN_WITHDRAW_KEYS": "btc=vault-btc,eth=vault-eth", "KRAKEN_WITHDRAW_ADDRESSES": "btc=bc1q",
	"BITGO_WALLETS": "btc=b1,eth=e1,usdt=d1,usdc=c1,trx:usdt=d2,trx:usdc=c2", "SUMSUB_LEVEL": "basic-kyc-level",
	"API_REPLICAS": "2", "LOG_LEVEL": "info", "BRAND": "Tradepost", "TEMPORAL_UI_URL": "", "EDGE_SUBNET": "172.30.80.0/24",
	"POSTGRES_HOST": "", "TEMPORAL_ADDRESS": "", "EDGE_IPV6": "true", "EDGE_SUBNET6": "fd3a:7c91:5e04:80::/64",
	"ALERT_MAIL_TO": "oncall@tradepost.test", "ALERTMANAGER_WEBHOOK_URL": "", "ALERTMANAGER_HEARTBEAT_URL": "", "ACME_EMAIL": "",
	"POSTGRES_CPUS": "2", "POSTGRES_MEMORY": "2G", "POSTGRES_SHARED_BUFFERS": "128MB", "TEMPORAL_CPUS": "2", "TEMPORAL_MEMORY": "2G",
	"API_CPUS": "1", "API_MEMORY": "512M", "API_GOMEMLIMIT": "400MiB", "WORKER_CPUS": "1", "WORKER_MEMORY": "256M", "WORKER_GOMEMLIMIT": "200MiB",
	"SUMSUB_ENHANCED_LEVEL": "", "SLIPPAGE_BPS": "100", "CUSTODY_ORDER_CAP": "100000", "CUSTODY_DAILY_CAP": "500000", "CLAIM_SIGNUP_BONUS": "25", "CLAIM_KYC_REVIEW_MINUTES": "5-15", "CLAIM_COUNTRIES": "", "CLAIM_TOKENS": "", "CLAIM_PROCESSED": "", "CLAIM_USERS": "", "CLAIM_STANDARDS": "", "REFERRAL_REWARD": "10", "REWARD_REVOCABLE": "2880h",
}

// secretValue makes a value in the form the programs expect, different for each
// name.
func secretValue(name string) string {
	sum := sha256.Sum256([]byte(name))
	text := hex.EncodeToString(sum[:])
	switch name {
	case "SECRET_KEY", "AUDIT_SEAL_KEY", "IDENTITY_SECRET_KEY", "BACKUP_KEY", "KRAKEN_SECRET":
		return base64.StdEncoding.EncodeToString(sum[:])
	case "STRIPE_KEY":
		return "rk_live_" + text
	case "SUMSUB_APP_TOKEN":
		return "prd:" + text
	case "SMTP_URL":
		return "smtps://mailer:" + text + "@mail.tradepost.test:465"
	}
	return text
}

// filledIn is deploy/env.example as an operator would complete it.
func filledIn() map[string]string {
	values := maps.Clone(notSecret)
	for name := range secretHolders {
		values[name] = secretValue(name)
	}
	return values
}

// load reads docker-compose.yml as docker would, with these values.
func load(t *testing.T, values map[string]string) (*types.Project, error) {
	t.Helper()
	return loadFiles(t, values, "docker-compose.yml")
}

// loadFiles reads compose files over each other.
func loadFiles(t *testing.T, values map[string]string, files ...string) (*types.Project, error) {
	t.Helper()
	for i := range files {
		files[i] = filepath.Join("..", files[i])
	}
	var env []string
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	options, err := cli.NewProjectOptions(files,
		cli.WithEnv(env), cli.WithProfiles(strings.Split(values["COMPOSE_PROFILES"], ",")))
	require.NoError(t, err)
	return options.LoadProject(t.Context())
}

func composed(t *testing.T) *types.Project {
	t.Helper()
	project, err := load(t, filledIn())
	require.NoError(t, err)
	return project
}

// Go is given its container's memory limit, below the size at which the kernel ends it.
func TestEveryProcessKnowsItsMemory(t *testing.T) {
	for name := range processes {
		if slices.Contains(jobs, name) {
			continue
		}
		service := composed(t).Services[name]
		given := service.Environment["GOMEMLIMIT"]
		require.NotNil(t, given, name)
		goal, err := strconv.Atoi(strings.TrimSuffix(*given, "MiB"))
		require.NoError(t, err)
		most := int(service.Deploy.Resources.Limits.MemoryBytes >> 20)
		require.Less(t, goal, most*9/10, "%s: what Go does not count needs room too", name)
		require.Greater(t, goal, most/2, name)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", path))
	require.NoError(t, err)
	return string(raw)
}

// names lists the first group of every match, once each, in order.
func names(pattern, text string) []string {
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// The variables that the compose file requires are those of the example, and these tests list each value as a secret or
// as none: a new one must be added here.
func TestExampleListsEveryValue(t *testing.T) {
	asked := names(`\$\{([A-Z][A-Z0-9_]*)`, read(t, "docker-compose.yml"))
	offered := names(`(?m)^([A-Z][A-Z0-9_]*)=`, read(t, "deploy/env.example"))
	asked = slices.Sorted(slices.Values(append(asked, "COMPOSE_PROFILES"))) // compose's own
	require.Equal(t, asked, offered)
	require.Equal(t, offered, slices.Sorted(maps.Keys(filledIn())))
	for name := range secretHolders {
		require.Regexp(t, `(?m)^`+name+`=$`, read(t, "deploy/env.example"), "a secret has no value in the example")
		if !strings.Contains(name, "_PASSWORD") { // part of an address, or Caddy's
			require.Contains(t, envfile.Secrets, name, "a secret that cannot be a file")
		}
	}
}

// Rule 8: a secret is given to the services that use it and to no other, under
// whatever name and inside whatever address.
func TestEachServiceHoldsItsOwnSecretsAlone(t *testing.T) {
	project := composed(t)
	for secret, allowed := range secretHolders {
		value := secretValue(secret)
		if secret == "SMTP_URL" {
			value = strings.TrimPrefix(value, "smtps://mailer:")
		}
		var holders []string
		for name, service := range project.Services {
			if mentions(service, value) {
				holders = append(holders, name)
			}
		}
		slices.Sort(holders)
		require.Equal(t, slices.Sorted(slices.Values(allowed)), holders, secret+" "+asvs.Claim(t, "13.3.2"))
	}
}

// mentions searches all settings of a service for a value.
func mentions(service types.ServiceConfig, value string) bool {
	lines := slices.Concat([]string(service.Command), []string(service.Entrypoint))
	for _, setting := range service.Environment {
		if setting != nil {
			lines = append(lines, *setting)
		}
	}
	for _, label := range service.Labels {
		lines = append(lines, label)
	}
	return strings.Contains(strings.Join(lines, "\n"), value)
}

// A value that has no default and is missing stops compose, and is named.
func TestComposeNamesWhatIsMissing(t *testing.T) {
	optional := append(names(`\$\{([A-Z][A-Z0-9_]*):?-`, read(t, "docker-compose.yml")), "COMPOSE_PROFILES", "POSTGRES_HOST", "TEMPORAL_ADDRESS")
	for name := range filledIn() {
		if slices.Contains(optional, name) {
			continue
		}
		values := filledIn()
		values[name] = ""
		_, err := load(t, values)
		require.ErrorContains(t, err, name)
	}
}

// A password is asked for where something uses it: of Postgres' administrator and of Temporal unless they are
// elsewhere, of the embedded identity provider and of the archive by these programs themselves.
func TestNoPasswordIsAskedForThatNothingUses(t *testing.T) {
	for password, elsewhere := range map[string]string{"POSTGRES_PASSWORD": "POSTGRES_HOST", "TEMPORAL_PASSWORD": "TEMPORAL_ADDRESS"} {
		values := filledIn()
		values[password] = ""
		_, err := load(t, values)
		require.ErrorContains(t, err, password+" is missing")
		values[elsewhere] = "there.tradepost.test:1"
		_, err = load(t, values)
		require.NoError(t, err)
	}
	values := filledIn()
	values["IDENTITY_PASSWORD"], values["BACKUP_PASSWORD"], values["COMPOSE_PROFILES"] = "", "", ""
	_, err := load(t, values)
	require.NoError(t, err)
	values["COMPOSE_PROFILES"] = notSecret["COMPOSE_PROFILES"]
	project, err := load(t, values)
	require.NoError(t, err)
	for service, variable := range map[string]string{"identity": "IDENTITY_DATABASE_URL", "backup": "BACKUP_DATABASE_URL"} {
		said, ended := start(t, service, environmentOf(t, project, service))
		require.True(t, ended, service)
		require.Contains(t, said+spelled(said), variable, service)
	}
}

// Nothing of ours starts on a database that is not migrated or without its
// namespace; Temporal starts on its schema; the world is let in last.
func TestServicesStartInOrder(t *testing.T) {
	project := composed(t)
	after := func(name, first, condition string) {
		t.Helper()
		require.Contains(t, project.Services[name].DependsOn, first, name)
		require.Equal(t, condition, project.Services[name].DependsOn[first].Condition, "%s after %s", name, first)
	}
	for _, name := range []string{"api", "core", "payments", "exchange", "custody"} {
		after(name, "migrate", types.ServiceConditionCompletedSuccessfully)
		after(name, "temporal-namespace", types.ServiceConditionCompletedSuccessfully)
	}
	after("migrate", "postgres", types.ServiceConditionHealthy)
	after("identity", "postgres", types.ServiceConditionHealthy)
	after("backup", "postgres", types.ServiceConditionHealthy)
	after("temporal-schema", "postgres", types.ServiceConditionHealthy)
	after("temporal", "temporal-schema", types.ServiceConditionCompletedSuccessfully)
	after("temporal-namespace", "temporal", types.ServiceConditionHealthy)
	after("custody", "bitgo-express", types.ServiceConditionHealthy)
	after("caddy", "api", types.ServiceConditionHealthy)
}

// Postgres has enough connections for all clients, also with three of the API and two of each worker: without one a
// customer receives a 503, or an order stops. Temporal's four services each have both of its pools; three connections
// are the administrator's.
func TestPostgresHasConnectionsForEveryProcess(t *testing.T) {
	const apis, workers, ofAPI, ofWorker, ofIdentity, ofBackup, services, reserved = 3, 2 * 4, 12 + 1, 6, 10, 1, 4, 3
	project := composed(t)
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	show := func(name, otherwise string) int {
		if value := project.Services["temporal"].Environment[name]; value != nil {
			return number(*value)
		}
		return number(otherwise)
	}
	most := number(names(`max_connections=(\d+)`, strings.Join(project.Services["postgres"].Command, " "))[0])
	temporal := services * (show("SQL_MAX_CONNS", "20") + show("SQL_VIS_MAX_CONNS", "10"))
	require.LessOrEqual(t, apis*ofAPI+workers*ofWorker+ofIdentity+ofBackup+temporal+reserved, most)
	require.Contains(t, read(t, "docs/operations.md"), fmt.Sprintf("Temporal up to %d:", temporal))
}

// The site links to the embedded provider's password page without configuration, and to another provider's once it is
// configured.
func TestThePasswordPageIsPassedToTheSite(t *testing.T) {
	for _, c := range []struct{ host, reported, page string }{
		{"id.tradepost.test", "", "https://id.tradepost.test/account/password"},
		{"id.tradepost.test", "https://id.example.com/me", "https://id.example.com/me"},
		{"", "https://id.example.com/me", "https://id.example.com/me"},
		{"", "", ""},
	} {
		values := filledIn()
		values["IDENTITY_HOST"], values["PASSWORD_URL"] = c.host, c.reported
		project, err := load(t, values)
		require.NoError(t, err)
		require.Equal(t, c.page, *project.Services["api"].Environment["PASSWORD_URL"], c)
	}
}
