package deploy

import (
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// pinned is a version to the last figure, with its digest where `make pin` wrote it; ours is named by the operator.
var pinned = regexp.MustCompile(`^[a-z./-]+:v?\d+\.\d+\.\d+(-[a-z-]+)?` + digested)

// digested is the end of an image's name.
const digested = `(@sha256:[0-9a-f]{64})?$`

// Every image is of one release; Temporal's and Prometheus' are the releases that the local stack and its tests
// are built from, so that what was tested is what runs.
func TestImagesArePinned(t *testing.T) {
	project := composed(t)
	module := read(t, "internal/local/temporal/go.mod")
	server := names(`go\.temporal\.io/server v(\S+)`, module)[0]
	prometheus := names(`prometheus/prometheus v0\.(\d+\.\d+)`, read(t, "deploy/observability/prometheus/go.mod"))[0]
	for name, image := range map[string]string{
		"temporal": "temporalio/server:" + server, "temporal-schema": "temporalio/admin-tools:" + server,
		"temporal-namespace": "temporalio/admin-tools:" + server,
		"temporal-ui":        "temporalio/ui:" + names(`temporalio/ui-server/v2 v(\S+)`, module)[0],
		"prometheus":         "prom/prometheus:v" + prometheus[:1] + "." + prometheus[1:], // as a module it is v0.<major><minor>.<patch>
	} {
		require.Regexp(t, "^"+regexp.QuoteMeta(image)+digested, project.Services[name].Image)
	}
	for name, service := range project.Services {
		switch {
		case processes[name] != nil:
			require.Equal(t, "tradepost:0a1b2c3", service.Image, name)
			require.Equal(t, "product", service.Build.Target, name)
		case name == "postgres":
			require.Regexp(t, `^postgres:\d+\.\d+`+digested, service.Image) // Postgres has two figures
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
		require.Positive(t, service.Deploy.Resources.Limits.Pids, name)
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
		if !slices.Contains(jobs, name) && name != "temporal-ui" {
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
		case "caddy", "temporal-metrics": // Caddy's program does not start without its one capability
			require.Equal(t, []string{"NET_BIND_SERVICE"}, service.CapAdd)
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

// onNetworks lists the members of each network of docker-compose.yml, with every profile. Temporal has no authorization:
// who shares its network can start and signal every workflow.
var onNetworks = map[string][]string{
	"edge":           {"api", "caddy", "identity"},
	"data":           {"api", "backup", "core", "custody", "doctor", "exchange", "identity", "jaeger", "migrate", "operator", "payments", "postgres", "prometheus", "roles"},
	"temporal":       {"api", "core", "custody", "doctor", "exchange", "operator", "payments", "temporal", "temporal-metrics", "temporal-namespace", "temporal-ui"},
	"temporal-store": {"postgres", "temporal", "temporal-schema"},
	"outside":        {"backup", "core", "doctor", "exchange", "operator", "payments", "restore"},
	"signing":        {"bitgo-express", "custody", "doctor"},
	"custodian":      {"bitgo-express"},
	"calling":        {"alertmanager"},
	"operators":      {"caddy", "grafana", "jaeger", "temporal-ui"},
	"watching":       {"alertmanager", "disks", "grafana", "prometheus", "temporal-metrics"},
}

// membersOf lists the services of each network, those of profiles that are off included.
func membersOf(project *types.Project) map[string][]string {
	members := map[string][]string{}
	for name, service := range project.AllServices() {
		for _, network := range joined(service) {
			members[network] = append(members[network], name)
		}
	}
	for _, names := range members {
		slices.Sort(names)
	}
	return members
}

// The world reaches Caddy alone, the operator of the machine the pages behind it. Each network has the members of
// onNetworks and no other, also in a rehearsal and with Postgres and Temporal elsewhere.
func TestNetworksKeepServicesApart(t *testing.T) {
	project := composed(t)
	for name, service := range project.AllServices() {
		for _, port := range service.Ports {
			require.Equal(t, "caddy", name, "%s opens %s", name, port.Published)
			require.Equal(t, slices.Contains([]string{"8233", "3000", "16686"}, port.Published), port.HostIP == "127.0.0.1", "%s is open to the world", port.Published)
		}
		require.Empty(t, service.NetworkMode, name)
		require.NotEmpty(t, joined(service), "%s has the default network", name)
	}
	require.Equal(t, onNetworks, membersOf(project), asvs.Claim(t, "13.2.4", "13.2.5"))
	rehearsal := maps.Clone(onNetworks)
	rehearsal["simulator"] = []string{"doctor", "exchange", "kraken"}
	require.Equal(t, rehearsal, membersOf(rehearsed(t)))
	for network, names := range membersOf(elsewhere(t)) {
		for _, name := range names {
			require.True(t, slices.Contains(onNetworks[network], name) || network == "outside" && slices.Contains([]string{"migrate", "roles"}, name) ||
				network == "elsewhere" && name == "custody", "%s is on %s", name, network)
		}
	}
	for network, settings := range project.Networks {
		require.Equal(t, !slices.Contains([]string{"edge", "outside", "custodian", "calling"}, network), settings.Internal, "%s has a way out, or none", network)
	}
	for _, network := range joined(project.Services["custody"]) {
		require.True(t, project.Networks[network].Internal, "custody has a way to the internet by %s", network)
	}
	require.Equal(t, "127.0.0.1", *project.Services["temporal"].Environment["TEMPORAL_BROADCAST_ADDRESS"], "with two networks its image finds two addresses of its own and does not start")
	address, err := url.Parse(*project.Services["custody"].Environment["BITGO_URL"])
	require.NoError(t, err)
	require.Equal(t, "bitgo-express", address.Hostname())
	require.Equal(t, *project.Services["bitgo-express"].Environment["BITGO_PORT"], address.Port())
	edge := project.Networks["edge"]
	require.True(t, *edge.EnableIPv6, "all who come by IPv6 would have the address of Docker's bridge")
	var subnets []string
	for _, pool := range edge.Ipam.Config {
		subnets = append(subnets, netip.MustParsePrefix(pool.Subnet).String())
	}
	require.Len(t, subnets, 2)
	for _, name := range []string{"api", "identity"} {
		require.Equal(t, strings.Join(subnets, ","), *project.Services[name].Environment["TRUSTED_PROXIES"], name)
	}
	without := filledIn()
	without["EDGE_IPV6"] = "false"
	project, err = load(t, without)
	require.NoError(t, err)
	require.False(t, *project.Networks["edge"].EnableIPv6)
}

// Every process with Temporal's address in its settings is on Temporal's network, and nothing else of ours is.
func TestOnlyItsClientsReachTemporal(t *testing.T) {
	for name, service := range composed(t).AllServices() {
		if strings.HasPrefix(name, "temporal") {
			continue
		}
		require.Equal(t, service.Environment["TEMPORAL_ADDRESS"] != nil, slices.Contains(joined(service), "temporal"), name)
	}
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

// The issuer of the certificates writes to ACME_EMAIL, or else to whom customers write.
func TestCertificatesHaveAContact(t *testing.T) {
	require.Contains(t, read(t, "deploy/caddy/Caddyfile"), "\n\temail {$ACME_EMAIL}\n")
	values := filledIn()
	const own = "certificates@tradepost.test"
	for given, contact := range map[string]string{"": values["SUPPORT_EMAIL"], own: own} {
		values["ACME_EMAIL"] = given
		project, err := load(t, values)
		require.NoError(t, err)
		require.NotEmpty(t, contact)
		require.Equal(t, contact, *project.Services["caddy"].Environment["ACME_EMAIL"])
	}
}

// Caddy warns at its start of a file that it would format otherwise. Its own formatter looks at it in `make
// drill-containers`; what it changed once stays out: spaces at a line's begin, and words after a brace.
func TestTheCaddyfileIsFormatted(t *testing.T) {
	require.NotRegexp(t, `(?m)\{[ \t]+#|^ |[ \t]$|\n\n\n`, read(t, "deploy/caddy/Caddyfile"))
}
