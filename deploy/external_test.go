package deploy

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// elsewhere is the setting with Postgres and Temporal on other machines, and secrets as files; no password is given
// that only they would use here.
func elsewhere(t *testing.T) *types.Project {
	t.Helper()
	values := filledIn()
	values["COMPOSE_PROFILES"] = "embedded-identity,doctor,backup,operator,roles"
	for name, value := range map[string]string{
		"POSTGRES_HOST": "db.tradepost.test:5433", "TEMPORAL_ADDRESS": "tradepost.a1b2c.tmprl.cloud:7233", "TEMPORAL_NAMESPACE": "tradepost.a1b2c",
		"TEMPORAL_API_KEY": "a-key-of-tests", "PGSSLROOTCERT": "/etc/tradepost/certificates/postgres.crt",
		"POSTGRES_PASSWORD": "", "TEMPORAL_PASSWORD": "",
		"ADMIN_DATABASE_URL": "postgres://admin:of-the-host@db.tradepost.test:5433/postgres",
	} {
		values[name] = value
	}
	dir := t.TempDir()
	values = moved(t, dir, lines(values))
	values["SECRETS_DIR"] = filepath.Join(dir, "secrets")
	project, err := loadFiles(t, values, "docker-compose.yml", "docker-compose.secrets.yml", "docker-compose.external.yml")
	require.NoError(t, err)
	return project
}

// Without the files of secrets nothing would be sent elsewhere, so compose refuses that.
func TestWhatIsElsewhereNeedsFilesOfSecrets(t *testing.T) {
	values := filledIn()
	values["POSTGRES_HOST"], values["TEMPORAL_ADDRESS"] = "db.tradepost.test:5433", "temporal.tradepost.test:7233"
	_, err := loadFiles(t, values, "docker-compose.yml", "docker-compose.external.yml")
	require.ErrorContains(t, err, "undefined secret TEMPORAL_API_KEY")
	values["POSTGRES_HOST"] = ""
	_, err = loadFiles(t, values, "docker-compose.yml", "docker-compose.secrets.yml", "docker-compose.external.yml")
	require.ErrorContains(t, err, "POSTGRES_HOST")
}

// Postgres and Temporal elsewhere are reached by TLS alone, by each process that uses them;
// nothing of theirs runs here or is waited for, and all else is as it was.
func TestWhatIsElsewhereIsReachedByTLS(t *testing.T) {
	project, here := elsewhere(t), withDoctor(t, "docker-compose.yml")
	gone := []string{"postgres", "temporal", "temporal-schema", "temporal-namespace", "temporal-ui", "temporal-metrics"}
	for name, service := range project.Services {
		require.NotContains(t, gone, name)
		for _, other := range gone {
			require.NotContains(t, service.DependsOn, other, name)
			for variable, value := range withFiles(t, project, name) {
				require.NotContains(t, value, "@"+other+":", "%s: %s", name, variable)
			}
		}
	}
	for name := range processes {
		service := project.Services[name]
		databases := 0
		env := withFiles(t, project, name)
		for variable, value := range env {
			if strings.HasSuffix(variable, "DATABASE_URL") {
				require.Regexp(t, `@db\.tradepost\.test:5433/(tradepost|postgres)\?sslmode=verify-full$`, value, name)
				databases++
			}
		}
		require.Equal(t, 1, databases, name)
		require.Equal(t, "/etc/tradepost/certificates/postgres.crt", *service.Environment["PGSSLROOTCERT"], name)
		if attributes := service.Environment["PGTARGETSESSIONATTRS"]; name == "backup" { // replication cannot ask
			require.Nil(t, attributes)
		} else {
			require.Equal(t, "read-write", *attributes, name)
		}
		require.True(t, slices.ContainsFunc(service.Volumes, func(v types.ServiceVolumeConfig) bool {
			return v.Target == "/etc/tradepost/certificates" && v.ReadOnly && filepath.Base(v.Source) == "certificates"
		}), name)
		if name != "migrate" && name != "identity" && name != "backup" {
			require.Equal(t, "true", *service.Environment["TEMPORAL_TLS"], name)
			require.Equal(t, "tradepost.a1b2c.tmprl.cloud:7233", *service.Environment["TEMPORAL_ADDRESS"], name)
			require.Equal(t, "a-key-of-tests", env["TEMPORAL_API_KEY"], name)
			require.Contains(t, service.DependsOn, "migrate")
		}
		require.True(t, slices.ContainsFunc(joined(service), func(network string) bool { return !project.Networks[network].Internal }), "%s has no way out", name)
		require.Equal(t, here.Services["api"].Image, service.Image)
	}
	roles := withFiles(t, project, "roles")
	require.Equal(t, "postgres://admin:of-the-host@db.tradepost.test:5433/postgres", roles["ADMIN_DATABASE_URL"])
	require.Equal(t, "verify-full", roles["PGSSLMODE"])
	require.Equal(t, secretValue("OWNER_PASSWORD"), roles["OWNER_PASSWORD"])
	require.NotContains(t, roles, "TEMPORAL_PASSWORD")
	require.Contains(t, project.Services["custody"].DependsOn, "bitgo-express")
	require.Contains(t, slices.Collect(maps.Keys(project.Services)), "bitgo-express")
}

// The real programs accept it and connect to their database.
func TestProgramsAcceptWhatIsElsewhere(t *testing.T) {
	project := elsewhere(t)
	for _, service := range []string{"migrate", "identity", "api", "custody", "backup"} {
		env := onThisMachine(t, withFiles(t, project, service))
		for name, value := range env {
			env[name] = strings.ReplaceAll(value, "db.tradepost.test:5433", unreachable)
		}
		delete(env, "PGSSLROOTCERT") // of a container
		said, _ := start(t, service, env)
		require.Regexp(t, reached, said, service)
	}
}

// The service that makes roles never starts by itself, is confined as the others are, and has the passwords of Postgres
// and no other secret.
func TestRolesAreMadeByHandAlone(t *testing.T) {
	values := filledIn()
	values["COMPOSE_PROFILES"] = "roles"
	project, err := load(t, values)
	require.NoError(t, err)
	require.NotContains(t, composed(t).Services, "roles")
	service := project.Services["roles"]
	require.Equal(t, "no", service.Restart)
	require.Equal(t, project.AllServices()["restore"].Image, service.Image, "it has psql and authorities")
	require.True(t, service.ReadOnly)
	require.Equal(t, []string{"ALL"}, service.CapDrop)
	require.Contains(t, service.SecurityOpt, "no-new-privileges:true")
	require.Equal(t, []string{"data"}, joined(service))
	require.Equal(t, []string{"/bin/bash", "/roles.sh"}, []string(service.Entrypoint))
	for name, other := range project.Services {
		require.NotContains(t, other.DependsOn, "roles", name)
	}
	for secret := range secretHolders {
		require.Equal(t, strings.HasSuffix(secret, "_PASSWORD"), mentions(service, secretValue(secret)), secret)
	}
}
