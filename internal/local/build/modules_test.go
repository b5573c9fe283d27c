package build_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/build"
)

var requirement = regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)

// What both modules use is compiled and downloaded once, so it has one version
// in both. The Temporal server needs an older OpenTelemetry; google.golang.org/api
// is a stand-in there.
func TestBothModulesUseTheSameVersions(t *testing.T) {
	root, err := build.Root()
	require.NoError(t, err)
	product, server := versions(t, root), versions(t, filepath.Join(root, "internal", "local", "temporal"))
	common := 0
	for path, version := range server {
		ours, both := product[path]
		if !both || strings.HasPrefix(path, "go.opentelemetry.io/") || path == "google.golang.org/api" {
			continue
		}
		common++
		require.Equal(t, ours, version, path)
	}
	require.Greater(t, common, 40)
}

func versions(t *testing.T, dir string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, match := range requirement.FindAllStringSubmatch(string(raw), -1) {
		found[match[1]] = match[2]
	}
	return found
}
