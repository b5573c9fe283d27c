package deploy

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/tradepost/tradepost/internal/envfile"
	"github.com/tradepost/tradepost/internal/local/build"
)

// charted is a process of the chart deploy/helm/tradepost, as far as compose has it too.
type charted struct {
	command     []string
	env         map[string]string
	files       []string // that are mounted
	cpu, memory string
	readOnly    bool
	dropped     []string
	stop        float64
	scratch     string
}

// podOf is where each kind of object has its pod.
type podOf struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		TerminationGracePeriodSeconds float64
		Containers                    []struct {
			Command         []string
			Env             []struct{ Name, Value string }
			Resources       struct{ Limits struct{ CPU, Memory string } }
			SecurityContext struct {
				ReadOnlyRootFilesystem bool
				Capabilities           struct{ Drop []string }
			}
		}
		Volumes []struct {
			Projected struct {
				Sources []struct {
					Secret struct{ Items []struct{ Path string } }
				}
			}
			EmptyDir struct{ SizeLimit string }
		}
	}
}

// renderings are what the chart's module makes of values files, once each.
var renderings sync.Map

// chart renders the chart with Helm's engine, which is a program of its own module.
func chart(t *testing.T, values ...string) map[string]charted {
	t.Helper()
	key := strings.Join(values, " ")
	if made, ok := renderings.Load(key); ok {
		return made.(map[string]charted)
	}
	args := []string{"run", "."}
	for _, name := range values {
		args = append(args, filepath.Join("tradepost", "ci", name+".yaml"))
	}
	var out, said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "helm", &out, &said
	require.NoError(t, cmd.Run(), said.String())
	var objects []struct {
		Kind string
		Spec struct {
			Template    podOf
			JobTemplate struct{ Spec struct{ Template podOf } }
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &objects))
	made := map[string]charted{}
	for _, object := range objects {
		pod := object.Spec.Template
		if object.Kind == "CronJob" {
			pod = object.Spec.JobTemplate.Spec.Template
		}
		if len(pod.Spec.Containers) == 1 {
			made[pod.Metadata.Labels["app.kubernetes.io/component"]] = containerOf(pod)
		}
	}
	renderings.Store(key, made)
	return made
}

// containerOf reads a pod's one container.
func containerOf(pod podOf) charted {
	c := pod.Spec.Containers[0]
	made := charted{command: c.Command, env: map[string]string{}, cpu: c.Resources.Limits.CPU, memory: c.Resources.Limits.Memory,
		readOnly: c.SecurityContext.ReadOnlyRootFilesystem, dropped: c.SecurityContext.Capabilities.Drop, stop: pod.Spec.TerminationGracePeriodSeconds}
	for _, e := range c.Env {
		made.env[e.Name] = e.Value
	}
	for _, volume := range pod.Spec.Volumes {
		made.scratch += volume.EmptyDir.SizeLimit
		for _, source := range volume.Projected.Sources {
			for _, item := range source.Secret.Items {
				made.files = append(made.files, item.Path)
			}
		}
	}
	return made
}

// ofOurs are the services of compose that run our image, doctor and operator among them.
func ofOurs(t *testing.T, files ...string) map[string]types.ServiceConfig {
	t.Helper()
	values := filledIn()
	values["COMPOSE_PROFILES"] = "embedded-identity,backup,doctor,operator"
	project, err := loadFiles(t, values, files...)
	require.NoError(t, err)
	found := map[string]types.ServiceConfig{}
	for name, service := range project.Services {
		if strings.HasPrefix(service.Image, "tradepost:") {
			found[name] = service
		}
	}
	return found
}

// The chart has each process of compose, with its command, its limits and its confinement.
func TestChartRunsWhatComposeRuns(t *testing.T) {
	made, services := chart(t, "production"), ofOurs(t, "docker-compose.yml")
	require.ElementsMatch(t, slices.Collect(maps.Keys(services)), slices.Collect(maps.Keys(made)))
	for name, service := range services {
		process := made[name]
		require.Equal(t, []string(service.Command), process.command, name)
		require.Equal(t, service.Deploy.Resources.Limits.MemoryBytes, types.UnitBytes(mebibytes(t, process.memory)), "%s: memory", name)
		require.Equal(t, strconv.Itoa(int(service.Deploy.Resources.Limits.NanoCPUs.Value())), process.cpu, name)
		require.Equal(t, service.ReadOnly, process.readOnly, name)
		require.Equal(t, service.CapDrop, process.dropped, name)
		require.InDelta(t, float64(*service.StopGracePeriod)/1e9, process.stop, 0, name)
		if goal := service.Environment["GOMEMLIMIT"]; goal != nil {
			require.Equal(t, *goal, process.env["GOMEMLIMIT"], name)
		}
		require.Equal(t, name == "api", process.scratch != "", name)
	}
	require.Equal(t, []string{"/tmp:size=160m"}, []string(services["api"].Tmpfs))
	require.Equal(t, "160Mi", made["api"].scratch)
}

func mebibytes(t *testing.T, text string) int64 {
	t.Helper()
	number, ok := strings.CutSuffix(text, "Mi")
	require.True(t, ok, text)
	n, err := strconv.ParseInt(number, 10, 64)
	require.NoError(t, err)
	return n << 20
}

// A process of the chart can be given what it is given in compose, with all of its files, and
// nothing else: a setting that is added to one of the two alone is found.
func TestChartKnowsTheSettingsOfCompose(t *testing.T) {
	var table struct {
		Groups    map[string][]string
		Processes map[string]struct{ Groups, Settings, Secrets []string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "deploy/helm/tradepost/files/processes.yaml")), &table))
	rehearsed := ofOurs(t, "docker-compose.yml", "docker-compose.staging.yml")
	require.Len(t, table.Processes, len(rehearsed))
	external := elsewhere(t)
	for name, service := range rehearsed {
		row := table.Processes[name]
		known := append(row.Settings, row.Secrets...)
		for _, group := range row.Groups {
			known = append(known, table.Groups[group]...)
		}
		given := []string{"PGSSLMODE"} // in compose a part of the address
		for _, variable := range slices.Concat(slices.Collect(maps.Keys(service.Environment)), slices.Collect(maps.Keys(external.Services[name].Environment))) {
			given = append(given, strings.TrimSuffix(variable, "_FILE")) // RECIPIENTS is a file in both
		}
		slices.Sort(given)
		slices.Sort(known)
		require.Equal(t, slices.Compact(given), slices.Compact(known), name)
		for _, secret := range row.Secrets {
			require.True(t, slices.Contains(envfile.Secrets, secret) || secret == "RECIPIENTS", "%s is no file", secret)
		}
	}
}

// Where compose has a value of its own, the chart has the same.
func TestChartHasTheDefaultsOfCompose(t *testing.T) {
	var values struct{ Settings map[string]string }
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "deploy/helm/tradepost/values.yaml")), &values))
	for name, value := range values.Settings {
		require.Regexp(t, `\$\{`+name+`:-`+value+`\}`, read(t, "docker-compose.yml"), name)
	}
	own := []string{"BITGO_URL", "WORKER_BUILD_ID", "TEMPORAL_ADDRESS", "TRUSTED_PROXIES", "IDENTITY_SITE_LOGOUT_URL", "KRAKEN_URL", "ADMIN_SINGLE_FACTOR", "KRAKEN_WITHDRAW_KEYS", "KRAKEN_WITHDRAW_ADDRESSES"}
	for _, c := range []struct{ values, files []string }{
		{[]string{"production"}, []string{"docker-compose.yml"}},
		{[]string{"production", "staging"}, []string{"docker-compose.yml", "docker-compose.staging.yml"}},
	} {
		made := chart(t, c.values...)
		for name, service := range ofOurs(t, c.files...) {
			for variable, value := range service.Environment {
				if value != nil && *value != "" && !slices.Contains(own, variable) && !slices.Contains(envfile.Secrets, variable) && variable != "RECIPIENTS_FILE" {
					require.Equal(t, *value, made[name].env[variable], "%s: %s", name, variable)
				}
			}
		}
	}
}

// given is a process's environment with its files on this machine, each with a value of its
// secret's form.
func given(t *testing.T, name string, process charted, test map[string]string) map[string]string {
	t.Helper()
	env, folder := maps.Clone(process.env), t.TempDir()
	for variable, path := range process.env {
		secret, isSecret := strings.CutSuffix(variable, "_FILE")
		if !isSecret {
			continue
		}
		value := secretValue(secret)
		switch {
		case test[secret] != "":
			value = test[secret]
		case strings.HasSuffix(secret, "DATABASE_URL"):
			value = "postgres://role:" + value + "@" + unreachable + "/tradepost"
		case secret == "RECIPIENTS":
			value = read(t, "api/order/recipients_demo.json")
		}
		require.Contains(t, process.files, strings.TrimPrefix(path, "/run/secrets/tradepost/"), name)
		env[variable] = filepath.Join(folder, secret)
		require.NoError(t, os.WriteFile(env[variable], []byte(value+"\n"), 0o600))
	}
	if _, ok := env["LEGAL_DIR"]; ok {
		env["LEGAL_DIR"] = ownTexts(t)
	}
	if _, ok := env["WEB_DIR"]; ok {
		env["WEB_DIR"] = folder
		require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"), nil, 0o600))
	}
	if env["PGSSLROOTCERT"] != "" {
		env["PGSSLROOTCERT"] = test["PGSSLROOTCERT"]
	}
	return env
}

// The real programs accept what the chart gives them, their secrets from files, and connect to their database.
func TestProgramsAcceptWhatTheChartGivesThem(t *testing.T) {
	rehearsal := map[string]string{"STRIPE_KEY": "sk_test_0123456789abcdef", "SUMSUB_APP_TOKEN": "sbx:0123456789abcdef0123"}
	for _, c := range []struct {
		values []string
		test   map[string]string
	}{
		{[]string{"production"}, nil},
		{[]string{"production", "staging"}, rehearsal},
		{[]string{"bitcoin"}, nil},
		{[]string{"production", "temporal-cloud"}, nil},
		{[]string{"hosted-cloud"}, nil},
		{[]string{"bitcoin", "bare"}, nil},
	} {
		made := chart(t, c.values...)
		for name := range processes {
			process, there := made[name]
			if !there {
				require.Contains(t, []string{"identity", "backup"}, name)
				continue
			}
			said, _ := start(t, name, given(t, name, process, c.test))
			require.Regexp(t, reached, said, "%s: %s", c.values, name)
		}
	}
}

// A program trusts the authorities in the folder of SSL_CERT_DIR, which Kubernetes fills with links. The chart sets it
// for the processes that connect to a private host.
func TestProgramsTrustTheAuthoritiesOfTheChart(t *testing.T) {
	root, err := build.Root()
	require.NoError(t, err)
	require.NoError(t, build.Program(t.Context(), root, bin, "probe", nil, "./deploy/probe"))
	private := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer private.Close()
	mounted := t.TempDir() // as a projected volume is
	folder := filepath.Join(mounted, "..2026", "authorities")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: private.Certificate().Raw})
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bitgo.crt"), authority, 0o600))
	require.NoError(t, os.Symlink("..2026", filepath.Join(mounted, "..data")))
	require.NoError(t, os.Symlink("..data/authorities", filepath.Join(mounted, "authorities")))
	for _, c := range []struct {
		values  []string
		process string
		trusts  bool
	}{
		{[]string{"bitcoin", "bare"}, "custody", true},
		{[]string{"hosted-cloud"}, "custody", true},
		{[]string{"bitcoin", "bare"}, "payments", false},
		{[]string{"bitcoin"}, "custody", false},
	} {
		env := []string{"HOME=" + mounted} // nothing of this machine
		if named := chart(t, c.values...)[c.process].env["SSL_CERT_DIR"]; named != "" {
			env = append(env, "SSL_CERT_DIR="+filepath.Join(mounted, strings.TrimPrefix(named, "/run/secrets/tradepost/")))
		}
		said, err := probed(t, env, private.URL)
		require.Equal(t, c.trusts, err == nil, "%s %s: %s", c.values, c.process, said)
		require.Equal(t, !c.trusts, strings.Contains(said, "unknown authority"), said)
	}
}

// probed runs the program probe until it gets an answer or rejects the certificate: a busy machine can take longer than
// the program waits.
func probed(t *testing.T, env []string, url string) (string, error) {
	t.Helper()
	for {
		probe := exec.CommandContext(t.Context(), filepath.Join(bin, "probe"), url)
		probe.Env = env
		said, err := probe.CombinedOutput()
		if !strings.Contains(string(said), "deadline exceeded") || t.Context().Err() != nil {
			return string(said), err
		}
	}
}

// server is a Postgres at the level of TLS: what reached it after a handshake, and in the clear.
type server struct {
	address, authority string
	secure, clear      chan bool
}

// listening answers a TLS request with a certificate for 127.0.0.1, or refuses it.
func listening(t *testing.T, offers bool) server {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	pair := web.TLS.Certificates[0]
	web.Close()
	authority := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600))
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	s := server{listener.Addr().String(), authority, make(chan bool, 100), make(chan bool, 100)}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.answer(connection, config, offers)
		}
	}()
	return s
}

func (s server) answer(connection net.Conn, config *tls.Config, offers bool) {
	defer func() { _ = connection.Close() }()
	begin := make([]byte, 8)
	if _, err := io.ReadFull(connection, begin); err != nil {
		return
	}
	if binary.BigEndian.Uint32(begin[4:]) != 80877103 { // is no request for TLS
		s.clear <- true
		return
	}
	if !offers {
		_, _ = connection.Write([]byte{'N'})
		if _, err := io.ReadFull(connection, begin); err == nil {
			s.clear <- true
		}
		return
	}
	_, _ = connection.Write([]byte{'S'})
	within := tls.Server(connection, config)
	if _, err := io.ReadFull(within, begin); err == nil {
		s.secure <- true
	}
}

// With the chart's settings each kind of process speaks to Postgres by TLS alone, and only
// to one whose certificate is of the authority that the chart names.
func TestProgramsReachTheChartsPostgresByTLSAlone(t *testing.T) {
	made := chart(t, "production")
	for _, name := range []string{"migrate", "identity", "custody"} {
		for _, c := range []struct{ offers, known bool }{{true, true}, {true, false}, {false, true}} {
			postgres := listening(t, c.offers)
			authority := postgres.authority
			if !c.known {
				authority = ""
			}
			env := given(t, name, made[name], map[string]string{"PGSSLROOTCERT": authority,
				"DATABASE_URL": "postgres://role:secret-of-tests@" + postgres.address + "/tradepost", "MIGRATE_DATABASE_URL": "postgres://role:secret-of-tests@" + postgres.address + "/tradepost",
				"IDENTITY_DATABASE_URL": "postgres://role:secret-of-tests@" + postgres.address + "/tradepost"})
			said, _ := start(t, name, env)
			require.Equal(t, c.offers && c.known, len(postgres.secure) > 0, "%s: %s", name, said)
			require.Empty(t, postgres.clear, "%s in the clear: %s", name, said)
		}
	}
}
