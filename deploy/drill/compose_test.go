package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

func project(t *testing.T, mode string) *types.Project {
	t.Helper()
	w := workshop{engine: engine{t.TempDir()}, root: "../..", mode: mode}
	values, err := w.values(t.Context(), first)
	require.NoError(t, err)
	p, err := read(t.Context(), w.root, values)
	require.NoError(t, err)
	return p
}

// Each setting of docker-compose.yml is one that the drill passes on.
func TestTheDrillKnowsEverySettingOfCompose(t *testing.T) {
	for mode := range composeFiles {
		for _, service := range project(t, mode).AllServices() {
			require.NoError(t, checkService(service), service.Name)
		}
	}
	for _, spoilt := range []func(*types.ServiceConfig){
		func(s *types.ServiceConfig) { s.Privileged = true },
		func(s *types.ServiceConfig) { s.HealthCheck.StartInterval = new(types.Duration) },
		func(s *types.ServiceConfig) { s.Deploy.Resources.Limits.Devices = []types.DeviceRequest{{}} },
		func(s *types.ServiceConfig) {
			s.Networks["data"] = &types.ServiceNetworkConfig{Ipv4Address: "172.30.80.9"}
		},
	} {
		service := project(t, "production").Services["api"]
		spoilt(&service)
		require.ErrorContains(t, checkService(service), "does not know")
	}
}

// What confines a container reaches podman.
func TestAContainerIsConfinedAsComposeSays(t *testing.T) {
	p := project(t, "production")
	said := strings.Join(runOf(p, p.Services["api"], "api"), " ")
	for _, part := range []string{"--read-only ", "--read-only-tmpfs=false", "--cap-drop ALL", "--security-opt no-new-privileges", "--memory 536870912", "--cpus 1 ", "--pids-limit 512 ",
		"--tmpfs /tmp:size=160m", "--stop-timeout 20", "--restart unless-stopped", "--network tradepost_edge:alias=api", "--network tradepost_data:alias=api",
		`--health-cmd ["/app/probe","http://127.0.0.1:8080/readyz"]`, "/etc/tradepost/legal:ro",
		"/secrets/SECRET_KEY:/run/secrets/SECRET_KEY:ro", "--env SECRET_KEY_FILE=/run/secrets/SECRET_KEY", "tradepost:" + first + " /app/api serve"} {
		require.Contains(t, said, part)
	}
	require.True(t, slices.Contains(runOf(p, p.Services["postgres"], "postgres"), "SETUID"))
}
