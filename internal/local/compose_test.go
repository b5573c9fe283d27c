package local

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/build"
)

// composed loads docker-compose.yml as docker would, with every value of
// deploy/env.example set to its own name.
func composed(t *testing.T) (*types.Project, string) {
	t.Helper()
	root, err := build.Root()
	require.NoError(t, err)
	var env []string
	for _, name := range exampleNames(t, root) {
		env = append(env, name+"=value-of-"+name)
	}
	env = append(env, "COMPOSE_PROFILES=embedded-identity", "EMBEDDED_IDENTITY=true", "RECIPIENTS_FILE=./recipients.json")
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yml")},
		cli.WithEnv(env), cli.WithProfiles([]string{"embedded-identity"}))
	require.NoError(t, err)
	project, err := options.LoadProject(t.Context())
	require.NoError(t, err)
	return project, root
}

func exampleNames(t *testing.T, root string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "env.example"))
	require.NoError(t, err)
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^([A-Z_]+)=`).FindAllStringSubmatch(string(raw), -1) {
		names = append(names, match[1])
	}
	return names
}

// The production-like setting gives each of our processes what the launcher
// gives it: the same secrets, and no variable that it does not read.
func TestComposeGivesEachProcessItsOwnSecretsAlone(t *testing.T) {
	project, _ := composed(t)
	// What production has and the local stack does not.
	extra := map[string][]string{
		"api":      {"RECIPIENTS_FILE", "EMBEDDED_IDENTITY", "ADMIN_SINGLE_FACTOR", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
		"identity": {"ALLOW_EMBEDDED_IDENTITY"},
	}
	for _, name := range append([]string{"api", "identity", "migrate"}, workers...) {
		service, err := project.GetService(name)
		require.NoError(t, err)
		require.Equal(t, project.Services["api"].Image, service.Image)
		require.True(t, service.ReadOnly, name)
		known := slices.Concat(common, variables[name], holders[name], extra[name])
		for variable := range service.Environment {
			require.Contains(t, known, variable, "service %s", name)
		}
		for _, secret := range holders[name] {
			require.Contains(t, service.Environment, secret, "service %s", name)
		}
		require.Equal(t, "production", *service.Environment["MODE"], name)
	}
	for _, secret := range []string{"STRIPE_KEY", "KRAKEN_SECRET", "BITGO_TOKEN", "BITGO_PASSPHRASE", "OWNER_PASSWORD"} {
		require.Len(t, knowing(project, "value-of-"+secret), holdersIn(secret), secret)
	}
}

// knowing lists the services in whose environment a value appears.
func knowing(project *types.Project, value string) []string {
	var names []string
	for name, service := range project.Services {
		for _, held := range service.Environment {
			if held != nil && strings.Contains(*held, value) {
				names = append(names, name)
			}
		}
	}
	return names
}

// holdersIn counts who must know a secret in production: its worker; of the
// owner's password, Postgres and the migration.
func holdersIn(secret string) int {
	if secret == "OWNER_PASSWORD" {
		return 2
	}
	return 1
}

// Nothing of ours starts on a database that is not migrated, or without its
// namespace; Temporal starts on its schema.
func TestComposeStartsInOrder(t *testing.T) {
	project, _ := composed(t)
	after := func(name, first, condition string) {
		t.Helper()
		dependency, ok := project.Services[name].DependsOn[first]
		require.True(t, ok, "%s does not wait for %s", name, first)
		require.Equal(t, condition, dependency.Condition, "%s after %s", name, first)
	}
	for _, name := range append([]string{"api"}, workers...) {
		after(name, "migrate", types.ServiceConditionCompletedSuccessfully)
		after(name, "temporal-namespace", types.ServiceConditionCompletedSuccessfully)
	}
	after("migrate", "postgres", types.ServiceConditionHealthy)
	after("temporal", "temporal-schema", types.ServiceConditionCompletedSuccessfully)
	after("temporal-namespace", "temporal", types.ServiceConditionHealthy)
	after("custody", "bitgo-express", types.ServiceConditionStarted)
	require.Equal(t, "http://bitgo-express:3080", *project.Services["custody"].Environment["BITGO_URL"])
}

// Others' images: Temporal's of the release that the local stack is built from,
// the port of the web UI and of the proxy alone open to the world.
func TestComposeUsesTheNamedImagesAndOpensLittle(t *testing.T) {
	project, root := composed(t)
	module, err := os.ReadFile(filepath.Join(root, "internal", "local", "temporal", "go.mod"))
	require.NoError(t, err)
	server := regexp.MustCompile(`go\.temporal\.io/server v(\S+)`).FindSubmatch(module)
	ui := regexp.MustCompile(`temporalio/ui-server/v2 v(\S+)`).FindSubmatch(module)
	require.NotNil(t, server)
	require.NotNil(t, ui)
	for name, image := range map[string]string{
		"temporal":           "temporalio/server:" + string(server[1]),
		"temporal-schema":    "temporalio/admin-tools:" + string(server[1]),
		"temporal-namespace": "temporalio/admin-tools:" + string(server[1]),
		"temporal-ui":        "temporalio/ui:" + string(ui[1]),
	} {
		require.Equal(t, image, project.Services[name].Image)
	}
	require.True(t, strings.HasPrefix(project.Services["bitgo-express"].Image, "bitgo/express:"))
	for name, service := range project.Services {
		for _, port := range service.Ports {
			open := name == "caddy" || name == "temporal-ui" && port.HostIP == "127.0.0.1"
			require.True(t, open, "%s opens %s", name, port.Published)
		}
		for _, volume := range service.Volumes {
			if volume.Type == types.VolumeTypeBind && !strings.HasSuffix(volume.Source, "recipients.json") {
				require.FileExists(t, existing(volume.Source), name)
			}
		}
	}
}

// existing is a file inside a folder, or the file itself.
func existing(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, "schema.sh")
	}
	return path
}

// A value that is missing stops compose, and is named.
func TestComposeNamesWhatIsMissing(t *testing.T) {
	root, err := build.Root()
	require.NoError(t, err)
	for _, name := range []string{"SITE_HOST", "SECRET_KEY", "STRIPE_KEY", "BITGO_WALLETS"} {
		var env []string
		for _, other := range exampleNames(t, root) {
			if other != name {
				env = append(env, fmt.Sprintf("%s=x", other))
			}
		}
		options, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yml")}, cli.WithEnv(env))
		require.NoError(t, err)
		_, err = options.LoadProject(t.Context())
		require.ErrorContains(t, err, name)
	}
}
