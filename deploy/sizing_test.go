package deploy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bytesOf reads a size as Postgres writes it.
func bytesOf(t *testing.T, text string) int {
	t.Helper()
	parts := regexp.MustCompile(`^(\d+)(MB|GB)$`).FindStringSubmatch(text)
	require.NotNil(t, parts, text)
	number, err := strconv.Atoi(parts[1])
	require.NoError(t, err)
	return number << map[string]int{"MB": 20, "GB": 30}[parts[2]]
}

// Each row of docs/sizing.md that has settings is of a machine that bears them: no limit is above its processors, all
// of them together are not above its memory, with observability from the second row on, and Postgres leaves most of its
// own to the files. The defaults are the first row's.
func TestLimitsFitTheMachinesOfTheSizingPage(t *testing.T) {
	line := regexp.MustCompile(`(?m)^\| (up to [0-9,]+) \| (\d) processors, (\d+) GB \| (.+) \|$`)
	rows := line.FindAllStringSubmatch(between(t, "docs/sizing.md", "limits"), -1)
	require.Len(t, rows, 3)
	for i, row := range rows {
		values := filledIn()
		values["COMPOSE_PROFILES"], values["API_REPLICAS"] = "embedded-identity,backup", "1"
		if i > 0 {
			values["COMPOSE_PROFILES"] += ",observability"
		}
		settings := regexp.MustCompile("`([A-Z_]+)=([0-9A-Za-z]+)`").FindAllStringSubmatch(row[4], -1)
		require.Equal(t, i == 0, len(settings) == 0, row[0])
		for _, setting := range settings {
			require.Contains(t, notSecret, setting[1], "%s is no setting", setting[1])
			require.NotEqual(t, notSecret[setting[1]], setting[2], "the default of %s", setting[1])
			values[setting[1]] = setting[2]
		}
		project, err := load(t, values)
		require.NoError(t, err)
		processors, err := strconv.ParseFloat(row[2], 32)
		require.NoError(t, err)
		machine, err := strconv.Atoi(row[3])
		require.NoError(t, err)
		total := 0
		for name, service := range project.Services {
			require.LessOrEqual(t, float64(service.Deploy.Resources.Limits.NanoCPUs), processors, "%s: %s", row[1], name)
			if !slices.Contains(jobs, name) {
				total += int(service.Deploy.Resources.Limits.MemoryBytes)
			}
		}
		require.LessOrEqual(t, total, machine<<30, "%s: all limits together", row[1])
		buffers := bytesOf(t, names(`shared_buffers=(\w+)`, strings.Join(project.Services["postgres"].Command, " "))[0])
		require.LessOrEqual(t, buffers, int(project.Services["postgres"].Deploy.Resources.Limits.MemoryBytes)/3, row[1])
	}
}

// Every limit of compose that the example names reaches its service.
func TestLimitsAreSettings(t *testing.T) {
	values := filledIn()
	for _, name := range []string{"POSTGRES", "TEMPORAL", "API", "WORKER"} {
		values[name+"_CPUS"], values[name+"_MEMORY"] = "3.5", "5G"
	}
	values["API_GOMEMLIMIT"], values["WORKER_GOMEMLIMIT"] = "4500MiB", "4400MiB"
	project, err := load(t, values)
	require.NoError(t, err)
	for _, name := range []string{"postgres", "temporal", "api", "identity", "core", "payments", "exchange", "custody", "backup", "migrate"} {
		limits := project.Services[name].Deploy.Resources.Limits
		require.InDelta(t, 3.5, float64(limits.NanoCPUs), 0.001, name)
		require.Equal(t, 5<<30, int(limits.MemoryBytes), name)
	}
	for name, goal := range map[string]string{"api": "4500MiB", "identity": "4500MiB", "core": "4400MiB", "custody": "4400MiB"} {
		require.Equal(t, goal, *project.Services[name].Environment["GOMEMLIMIT"], name)
	}
}
