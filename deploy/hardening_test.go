package deploy

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// pinned is a version to the last figure; ours is named by the operator.
var pinned = regexp.MustCompile(`^[a-z./-]+:v?\d+\.\d+\.\d+(-[a-z-]+)?$`)

// Every image is of one release; Temporal's is the release that the local stack
// is built from, so that what was tested is what runs.
func TestImagesArePinned(t *testing.T) {
	project := composed(t)
	module := read(t, "internal/local/temporal/go.mod")
	server := names(`go\.temporal\.io/server v(\S+)`, module)[0]
	for name, image := range map[string]string{
		"temporal": "temporalio/server:" + server, "temporal-schema": "temporalio/admin-tools:" + server,
		"temporal-namespace": "temporalio/admin-tools:" + server,
		"temporal-ui":        "temporalio/ui:" + names(`temporalio/ui-server/v2 v(\S+)`, module)[0],
	} {
		require.Equal(t, image, project.Services[name].Image)
	}
	for name, service := range project.Services {
		switch {
		case processes[name] != nil:
			require.Equal(t, "tradepost:0a1b2c3", service.Image, name)
			require.Equal(t, "product", service.Build.Target, name)
		case name == "postgres":
			require.Regexp(t, `^postgres:\d+\.\d+$`, service.Image) // Postgres has two figures
		default:
			require.Regexp(t, pinned, service.Image, name)
		}
	}
}

// Our containers have no writable file system, cannot change their user and use a bounded share of the machine; what
// ends is restarted, jobs only after a failure.
func TestServicesAreConfined(t *testing.T) {
	for name, service := range composed(t).Services {
		require.False(t, service.Privileged, name)
		require.Contains(t, service.SecurityOpt, "no-new-privileges:true", name)
		require.Positive(t, service.Deploy.Resources.Limits.MemoryBytes, name)
		require.Positive(t, service.Deploy.Resources.Limits.NanoCPUs, name)
		require.NotEmpty(t, service.Logging.Options["max-size"], name)
		if slices.Contains(jobs, name) {
			require.Regexp(t, `^on-failure:\d+$`, service.Restart, name)
		} else {
			require.Equal(t, types.RestartPolicyUnlessStopped, service.Restart, name)
		}
		if processes[name] != nil {
			require.True(t, service.ReadOnly, name)
			require.Equal(t, []string{"ALL"}, service.CapDrop, name)
			require.Equal(t, "production", *service.Environment["MODE"], name)
			require.Empty(t, service.ContainerName, "%s could not be scaled", name)
			require.Greater(t, service.StopGracePeriod.String(), "10s", name)
		}
		if !slices.Contains(jobs, name) && name != "temporal-ui" && name != "caddy" {
			require.NotNil(t, service.HealthCheck, name)
		}
	}
}

// Third-party containers drop the rights that they do not need as well: each starts as an unprivileged user, but
// Postgres, which changes to one. No page without a sign-in can change a workflow.
func TestTheOthersAreConfinedToo(t *testing.T) {
	project := composed(t)
	for name, service := range project.Services {
		require.Equal(t, []string{"ALL"}, service.CapDrop, name)
		switch name {
		case "postgres":
			require.Equal(t, []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}, service.CapAdd)
			require.Contains(t, service.Command, "log_error_verbosity=terse")
		case "caddy":
		default:
			require.Empty(t, service.CapAdd, name)
		}
	}
	require.Equal(t, "true", *project.Services["temporal-ui"].Environment["TEMPORAL_DISABLE_WRITE_ACTIONS"])
	require.Contains(t, read(t, "internal/local/temporal/ui.go"), "DisableWriteActions: true")
	caddy := read(t, "deploy/caddy/Caddyfile")
	require.Contains(t, caddy, "http://localhost:8233, http://127.0.0.1:8233 {\n\timport operators temporal-ui:8080\n}\n\nhttp://:8233 {\n\trespond \"Ask for localhost.\" 421\n}")
	require.Contains(t, caddy, "(operators) {\n\tbasic_auth {\n\t\toperator {$OPERATORS_PASSWORD_HASH}\n\t}\n")
	require.NotRegexp(t, `reverse_proxy (temporal-ui|grafana|jaeger)`, caddy, "a page without a sign-in")
	require.Contains(t, read(t, "internal/local/postgres/cluster.go"), `"log_error_verbosity":     "terse"`)
}

// A health check probes the address on which the process listens.
func TestHealthChecksAskWhereProcessesListen(t *testing.T) {
	listens := map[string]string{"api": "LISTEN", "identity": "IDENTITY_LISTEN",
		"core": "HEALTH_LISTEN", "payments": "HEALTH_LISTEN", "exchange": "HEALTH_LISTEN", "custody": "HEALTH_LISTEN", "backup": "HEALTH_LISTEN"}
	project := composed(t)
	for name, variable := range listens {
		service := project.Services[name]
		test := service.HealthCheck.Test
		require.Equal(t, []string{"CMD", "/app/probe"}, []string(test[:2]), name)
		asked, err := url.Parse(test[2])
		require.NoError(t, err)
		require.Equal(t, "0.0.0.0:"+asked.Port(), *service.Environment[variable], name)
		require.Contains(t, []string{"/healthz", "/readyz"}, asked.Path, name)
	}
}

// The world meets Caddy alone, the operator of the machine the Temporal web UI;
// Postgres and Temporal have no way out; only custody can speak to the service
// that signs.
func TestNetworksKeepServicesApart(t *testing.T) {
	project := composed(t)
	for name, service := range project.Services {
		for _, port := range service.Ports {
			require.Equal(t, "caddy", name, "%s opens %s", name, port.Published)
			require.Equal(t, slices.Contains([]string{"8233", "3000", "16686"}, port.Published), port.HostIP == "127.0.0.1", "%s is open to the world", port.Published)
		}
		require.Empty(t, service.NetworkMode, name)
	}
	require.True(t, project.Networks["data"].Internal)
	for _, name := range []string{"postgres", "temporal", "migrate"} {
		require.Equal(t, []string{"data"}, joined(project.Services[name]), name)
	}
	for name, service := range project.Services {
		if slices.Contains(joined(service), "signing") {
			require.Contains(t, []string{"custody", "bitgo-express"}, name)
		}
	}
	require.Equal(t, []string{"signing"}, joined(project.Services["bitgo-express"]))
	address, err := url.Parse(*project.Services["custody"].Environment["BITGO_URL"])
	require.NoError(t, err)
	require.Equal(t, "bitgo-express", address.Hostname())
	require.Equal(t, *project.Services["bitgo-express"].Environment["BITGO_PORT"], address.Port())
	for _, name := range []string{"api", "identity"} {
		require.Equal(t, project.Networks["edge"].Ipam.Config[0].Subnet, *project.Services[name].Environment["TRUSTED_PROXIES"], name)
	}
	require.Equal(t, []string{"edge", "operators"}, joined(project.Services["caddy"]))
	require.Equal(t, []string{"data", "operators"}, joined(project.Services["temporal-ui"]))
	require.True(t, project.Networks["operators"].Internal)
	require.True(t, project.Networks["watching"].Internal)
	require.Equal(t, []string{"data", "watching"}, joined(project.Services["prometheus"]))
	require.Equal(t, []string{"operators", "watching"}, joined(project.Services["grafana"]))
	require.Equal(t, []string{"data", "operators"}, joined(project.Services["jaeger"]))
}

func joined(service types.ServiceConfig) []string {
	var found []string
	for name := range service.Networks {
		found = append(found, name)
	}
	slices.Sort(found)
	return found
}

// Every file that is mounted is there, but the operator's own.
func TestMountedFilesExist(t *testing.T) {
	for name, service := range composed(t).Services {
		for _, volume := range service.Volumes {
			if volume.Type == types.VolumeTypeBind && !slices.Contains([]string{"recipients.json", "legal"}, filepath.Base(volume.Source)) {
				_, err := os.Stat(volume.Source)
				require.NoError(t, err, name)
				require.True(t, volume.ReadOnly, "%s could change %s", name, volume.Source)
			}
		}
	}
	for _, name := range []string{"temporal-schema", "temporal-namespace"} {
		script := composed(t).Services[name].Entrypoint[1]
		require.FileExists(t, filepath.Join("temporal", strings.TrimPrefix(script, "/deploy/")), name)
	}
}

// The search attributes that operators filter by are those of the local stack.
func TestNamespaceHasTheLocalStacksSearchAttributes(t *testing.T) {
	local := names(`"search-attributes", "([^"]+)"`, read(t, "internal/local/temporal/main.go"))
	made := names(`for name in ([A-Za-z ]+); do`, read(t, "deploy/temporal/namespace.sh"))
	require.Len(t, made, 1)
	require.Equal(t, strings.Split(local[0], ","), strings.Fields(made[0]))
}

// Caddy warns at its start of a file that it would format otherwise. Its own formatter looks at it in `make
// drill-containers`; what it changed once stays out: spaces at a line's begin, and words after a brace.
func TestTheCaddyfileIsFormatted(t *testing.T) {
	require.NotRegexp(t, `(?m)\{[ \t]+#|^ |[ \t]$|\n\n\n`, read(t, "deploy/caddy/Caddyfile"))
}
