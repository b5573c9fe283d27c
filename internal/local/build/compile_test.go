package build_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/build"
)

// A job's packages are counted once, as they are compiled; what does not compile is
// an error that says where.
func TestAPlanIsCompiledAndCounted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	write("go.mod", "module example.com/shop\n\ngo 1.26\n")
	write("till/till.go", "package till\n\n// Name is new in each run: "+dir+"\nconst Name = \"till\"\n")
	write("shop/main.go", "package main\n\nimport \"example.com/shop/till\"\n\nfunc main() { println(till.Name) }\n")

	plan := build.NewPlan()
	second, err := plan.Add(t.Context(), 2, dir, nil, "./shop")
	require.NoError(t, err)
	first, err := plan.Add(t.Context(), 1, dir, nil, "./till")
	require.NoError(t, err)
	require.Zero(t, first.Done())
	require.Positive(t, plan.Left(first, second))
	require.Greater(t, plan.Left(first, second), plan.Left(second), "what both need is the first one's")

	require.NoError(t, first.Compile(t.Context(), dir, nil, "./till"))
	require.InDelta(t, 1, first.Done(), 0)
	require.Zero(t, plan.Left(first))
	require.InDelta(t, 0, second.Done(), 0)
	require.NoError(t, second.CompileBehind(t.Context(), dir, "./shop"))
	require.Zero(t, plan.Left(first, second))

	write("shop/main.go", "package main\n\nfunc main() { println(missing) }\n")
	require.ErrorContains(t, second.Compile(t.Context(), dir, nil, "./shop"), "undefined: missing")
}

// With other flags in one place than in another, everything is compiled twice.
func TestEverythingIsBuiltWithTheSameFlags(t *testing.T) {
	root, err := build.Root()
	require.NoError(t, err)
	flags := "-trimpath -tags=" + build.Tags
	require.Subset(t, build.Environment(), []string{"CGO_ENABLED=0"})
	for flag := range strings.FieldsSeq(flags) {
		require.Contains(t, build.Environment()[len(build.Environment())-1], flag)
	}
	for file, says := range map[string]string{
		"Makefile":      "export CGO_ENABLED := 0\nexport GOFLAGS := $(shell go env GOFLAGS) " + flags + "\n",
		"Dockerfile":    "CGO_ENABLED=0 GOFLAGS=\"" + flags + "\"\n",
		".golangci.yml": "build-tags: [kill, " + build.Tags + "]",
	} {
		raw, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.Contains(t, string(raw), says, file)
	}
}
