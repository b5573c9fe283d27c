package deploy

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

const everyProfile = "embedded-identity,observability,backup,restore,doctor,operator,roles"

// moved is what deploy/secrets.sh makes of an .env.
func moved(t *testing.T, dir, env string) map[string]string {
	t.Helper()
	file := filepath.Join(dir, ".env")
	require.NoError(t, os.WriteFile(file, []byte(env), 0o600))
	for range 2 { // again changes nothing
		script, err := filepath.Abs("secrets.sh")
		require.NoError(t, err)
		command := exec.CommandContext(t.Context(), "sh", script)
		command.Dir = dir
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	values, err := dotenv.Read(file)
	require.NoError(t, err)
	return values
}

// lines is values as an .env.
func lines(values map[string]string) string {
	var text strings.Builder
	for name, value := range values {
		fmt.Fprintf(&text, "%s='%s'\n", name, value)
	}
	return text.String()
}

// With docker-compose.secrets.yml no secret is in a container's environment; each service has the files of its own
// secrets, and with them the very settings that it has without.
func TestSecretsAreFilesOfTheServicesThatUseThem(t *testing.T) {
	for _, over := range [][]string{nil, {"docker-compose.staging.yml"}} {
		t.Run(strings.Join(over, ""), func(t *testing.T) { movedSecrets(t, over...) })
	}
}

func movedSecrets(t *testing.T, over ...string) {
	t.Helper()
	plain := filledIn()
	plain["COMPOSE_PROFILES"] = everyProfile
	for _, optional := range []string{"EARLIER_SECRET_KEYS", "ALERT_WEBHOOK_SECRET", "OTEL_EXPORTER_OTLP_HEADERS", "STRIPE_WEBHOOK_SECRET_PREVIOUS"} {
		plain[optional] = "optional-" + optional
	}
	want, err := loadFiles(t, plain, append([]string{"docker-compose.yml"}, over...)...)
	require.NoError(t, err)
	dir := t.TempDir()
	left := moved(t, dir, lines(plain))
	left["SECRETS_DIR"] = filepath.Join(dir, "secrets")
	got, err := loadFiles(t, left, append([]string{"docker-compose.yml", "docker-compose.secrets.yml"}, over...)...)
	require.NoError(t, err)

	for name := range plain {
		value := plain[name]
		if secret := strings.HasPrefix(value, "optional-") || secretHolders[name] != nil && name != "OPERATORS_PASSWORD_HASH"; !secret {
			require.Equal(t, value, left[name], name)
			continue
		}
		require.Equal(t, "secrets/"+name, left[name])
		for _, service := range got.Services {
			require.False(t, mentions(service, value), "%s has %s in its environment", service.Name, name)
		}
	}
	for name, service := range want.Services {
		require.Equal(t, handedOn(service.Environment), withFiles(t, got, name), name)
	}
	folder, err := os.Stat(left["SECRETS_DIR"])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), folder.Mode().Perm(), "nobody else passes through it")
}

// handedOn are the variables that a container gets.
func handedOn(env types.MappingWithEquals) map[string]string {
	set := map[string]string{}
	for name, value := range env {
		if value != nil && *value != "" {
			set[name] = *value
		}
	}
	return set
}

// withFiles is the environment of a service once its files are read.
func withFiles(t *testing.T, project *types.Project, name string) map[string]string {
	t.Helper()
	service := project.Services[name]
	env, mounted := handedOn(service.Environment), map[string]string{}
	for _, secret := range service.Secrets {
		mounted["/run/secrets/"+secret.Source] = project.Secrets[secret.Source].File
	}
	for variable, place := range maps.Clone(env) {
		if !strings.HasPrefix(place, "/run/secrets/") {
			require.NotContains(t, place, "secrets/", "%s: %s is what .env has left", name, variable)
			continue
		}
		delete(env, variable)
		if text := contents(t, mounted[place]); text != "" {
			env[strings.TrimSuffix(variable, "_FILE")] = text
		}
	}
	if name == "temporal" {
		require.Contains(t, service.Command, `POSTGRES_PWD="$(cat /run/secrets/TEMPORAL_PASSWORD)" && export POSTGRES_PWD && exec sh /etc/temporal/entrypoint.sh`)
		env["POSTGRES_PWD"] = contents(t, mounted["/run/secrets/TEMPORAL_PASSWORD"])
	}
	return env
}

func contents(t *testing.T, file string) string {
	t.Helper()
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o444), info.Mode().Perm(), "containers read it as users of their own")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(raw)
}

// Another folder is named in .env as it is, also on the next run, and addresses are those of a Postgres elsewhere by
// TLS. A role without a password has no address.
func TestSecretsAreInTheirFolder(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	given := filledIn()
	given["SECRETS_DIR"], given["POSTGRES_HOST"], given["BACKUP_PASSWORD"] = folder, "one:5432,two:5433", ""
	given["ADMIN_DATABASE_URL"] = "postgres://admin:canary@one:5432/postgres"
	values := moved(t, dir, lines(given))
	require.Equal(t, folder+"/CORE_PASSWORD", values["CORE_PASSWORD"])
	require.NoDirExists(t, filepath.Join(dir, "secrets"))
	const there = "@one:5432,two:5433/tradepost?sslmode=verify-full"
	for name, want := range map[string]string{
		"CORE_DATABASE_URL":     "postgres://tradepost_core:" + secretValue("CORE_PASSWORD") + there,
		"IDENTITY_DATABASE_URL": "postgres://tradepost_identity:" + secretValue("IDENTITY_PASSWORD") + there,
		"ADMIN_DATABASE_URL":    "postgres://admin:canary@one:5432/postgres",
		"BACKUP_DATABASE_URL":   "",
	} {
		require.Equal(t, want, contents(t, filepath.Join(folder, name)), name)
	}
	require.Equal(t, folder+"/ADMIN_DATABASE_URL", values["ADMIN_DATABASE_URL"])
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "a folder that others could open is closed")
}

// A secret that is given anew replaces the one before, with what is made of it; a file that is gone is named.
func TestASecretIsMovedAgain(t *testing.T) {
	dir := t.TempDir()
	moved(t, dir, lines(filledIn()))
	values := moved(t, dir, "CORE_PASSWORD=another\n")
	require.Equal(t, "secrets/CORE_PASSWORD", values["CORE_PASSWORD"])
	require.Equal(t, "postgres://tradepost_core:another@postgres:5432/tradepost?sslmode=disable", contents(t, filepath.Join(dir, "secrets", "CORE_DATABASE_URL")))
	require.Equal(t, secretValue("STRIPE_KEY"), contents(t, filepath.Join(dir, "secrets", "STRIPE_KEY")))

	written := "STRIPE_KEY=one#two # since May\nKRAKEN_KEY='three # four' # quoted\nBITGO_TOKEN=\"five\"\nSUMSUB_SECRET=six  \n"
	want, err := dotenv.Parse(strings.NewReader(written))
	require.NoError(t, err)
	moved(t, dir, written)
	for name, value := range want {
		require.Equal(t, value, contents(t, filepath.Join(dir, "secrets", name)), "as compose reads %s", name)
	}

	moved(t, dir, "CORE_PASSWORD=another\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "secrets", "CORE_PASSWORD")))
	script, err := filepath.Abs("secrets.sh")
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "sh", script)
	command.Dir = dir
	out, err := command.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "secrets/CORE_PASSWORD is gone")
}
